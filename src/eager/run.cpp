// eager::run: the kernel family of an op's kind.
#include <algorithm>
#include <cmath>
#include <vector>

#include "eager/eager.h"
#include "eager/kernels.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

// With a third operand, which is added, as plans for devices may have it.
void run_contract(std::span<const View> operands, const View& out) {
    run_matmul(operands[0], operands[1], out);
    if (operands.size() < 3) return;
    const View both[] = {out, operands[2]};
    run_elementwise(ops::Op::add, both, out);
}

// Halves are rounded by integers here and there, which tell nothing: infinities among results are looked into.
void note_infinities(const View& out) {
    if (out.dtype != Dtype::float16) return;
    std::int64_t count = 1;
    for (const std::int64_t extent : out.shape) count *= extent;
    std::vector<float> values(static_cast<std::size_t>(count));
    View wide{values.data(), Dtype::float32, out.shape, out.shape};
    std::int64_t stride = sizeof(float);
    for (std::size_t i = out.shape.size(); i-- > 0; stride *= out.shape[i]) wide.strides[i] = stride;
    copy(out, wide);
    if (std::any_of(values.begin(), values.end(), [](float x) { return std::isinf(x); })) {
        fastnp::detail::raise_float_flags(fastnp::detail::float_overflow);
    }
}

}  // namespace

void run(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    switch (ops::info(op).kind) {
        case ops::Kind::map: run_elementwise(op, operands, out); return;
        case ops::Kind::fold:
            run_fold(op, attributes, operands[0], out);
            note_infinities(out);
            return;
        case ops::Kind::argfold: run_argfold(op, attributes, operands[0], out); return;
        case ops::Kind::scan:
            run_scan(op, attributes, operands[0], out);
            note_infinities(out);
            return;
        case ops::Kind::make: run_make(op, attributes, out); return;
        case ops::Kind::move: run_move(op, attributes, operands[0], out); return;
        case ops::Kind::note: copy(operands[0], out); return;
        case ops::Kind::contract: run_contract(operands, out); return;
        case ops::Kind::collective: run_collective(op, attributes, operands, out); return;
        case ops::Kind::pick:
        case ops::Kind::library: break;
    }
    switch (op) {
        case ops::Op::concatenate: run_concatenate(attributes, operands, out); return;
        case ops::Op::pad: run_pad(attributes, operands, out); return;
        case ops::Op::take: run_take(attributes, operands, out); return;
        case ops::Op::scatter: run_scatter(attributes, operands, out); return;
        case ops::Op::across:
            throw TypeError("vmap: the function reads a value that is made of all parts of a mapped axis; what is returned can depend on it");
        case ops::Op::expect:
        case ops::Op::bind: copy(operands[0], out); return;
        case ops::Op::nonzero: run_nonzero(operands[0], out); return;
        case ops::Op::update: run_update(attributes, operands, out); return;
        case ops::Op::sort:
        case ops::Op::argsort: run_sort(op, attributes, operands[0], out); return;
        case ops::Op::searchsorted: run_searchsorted(attributes, operands[0], operands[1], out); return;
        case ops::Op::lu:
        case ops::Op::lu_solve:
        case ops::Op::cholesky:
        case ops::Op::triangular_solve:
        case ops::Op::qr:
        case ops::Op::householder_product: run_factor(op, attributes, operands, out); return;
        case ops::Op::eigh:
        case ops::Op::eigvalsh:
        case ops::Op::svd:
        case ops::Op::svdvals:
        case ops::Op::eig:
        case ops::Op::eigvals: run_spectral(op, attributes, operands[0], out); return;
        case ops::Op::fft:
        case ops::Op::rfft:
        case ops::Op::irfft: run_fft(op, attributes, operands[0], out); return;
        default: throw InternalError("no kernel for " + std::string(ops::info(op).name));
    }
}

}  // namespace fastnp::eager
