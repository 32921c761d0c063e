#include "plan/device_steps.h"

#include <algorithm>

#include "ops/transforms.h"
#include "plan/device_copy.h"
#include "plan/device_factor.h"
#include "plan/device_lines.h"
#include "plan/device_pick.h"
#include "plan/device_product.h"
#include "plan/device_scatter.h"
#include "plan/device_transform.h"

namespace fastnp::plan {

using eager::View;

namespace {

// A reshape of strided memory is a copy in C order under the operand's shape; other moves show elements of the operand.
bool move_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    if (const auto moved = eager::moved(op, attributes, x, out.shape)) {
        copy_on_device(backend, *moved, out);
        return true;
    }
    const std::optional<View> seen = eager::moved(ops::Op::reshape, {}, out, x.shape);
    if (!seen) return false;
    copy_on_device(backend, x, *seen);
    return true;
}

void concatenate_on_device(device::Backend& backend, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    View part = out;
    for (const View& operand : operands) {
        part.shape[axis] = operand.shape[axis];
        copy_on_device(backend, operand, part);
        part.data = static_cast<char*>(part.data) + operand.shape[axis] * out.strides[axis];
    }
}

// A scatter that raises not only for its indices: whole numbers to negative powers.
bool may_raise_besides(const ir::Attributes& scatter, Dtype dtype) {
    return scatter.ints[0] == static_cast<std::int64_t>(ops::Op::power) && is_integer(dtype);
}

}  // namespace

std::string host_does(device::Backend& backend, ops::Op op, Dtype dtype) {
    using ops::Op;
    switch (ops::info(op).kind) {
        case ops::Kind::contract: return backend.lacks_products(dtype);
        case ops::Kind::move:
        case ops::Kind::argfold:
        case ops::Kind::scan: return "";
        default: break;
    }
    if (ops::is_transform(op)) return backend.lacks_transforms();
    if (is_factorisation(op)) return backend.lacks_factorisations();
    constexpr Op others[] = {Op::concatenate, Op::take, Op::scatter, Op::nonzero, Op::sort, Op::argsort, Op::searchsorted};
    return std::ranges::find(others, op) != std::end(others) ? "" : "it has no form for devices";
}

bool run_step_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out,
                        IndexChecks& checks) {
    using ops::Op;
    if (op == Op::take) {
        take_on_device(backend, attributes, operands[0], operands[1], out, checks);
        return true;
    }
    if (op == Op::scatter) {
        if (may_raise_besides(attributes, out.dtype)) return false;
        scatter_on_device(backend, attributes, operands[0], operands[1], operands[2], out, checks);
        return true;
    }
    if (std::ranges::find(out.shape, 0) != out.shape.end()) return host_does(backend, op, out.dtype).empty();
    switch (ops::info(op).kind) {
        case ops::Kind::contract: return product_on_device(backend, operands, out);
        case ops::Kind::move: return move_on_device(backend, op, attributes, operands[0], out);
        case ops::Kind::argfold: argfold_on_device(backend, op, attributes, operands[0], out); return true;
        case ops::Kind::scan: scan_on_device(backend, op, attributes, operands[0], out); return true;
        default: break;
    }
    if (ops::is_transform(op)) return transform_on_device(backend, op, attributes, operands[0], out);
    if (is_factorisation(op)) return factorise_on_device(backend, op, attributes, operands, out);
    switch (op) {
        case Op::concatenate: concatenate_on_device(backend, attributes, operands, out); return true;
        case Op::nonzero: nonzero_on_device(backend, operands[0], out); return true;
        case Op::searchsorted: search_on_device(backend, attributes, operands[0], operands[1], out); return true;
        case Op::sort:
        case Op::argsort: sort_on_device(backend, op, attributes, operands[0], out); return true;
        default: return false;
    }
}

}  // namespace fastnp::plan
