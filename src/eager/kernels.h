// The families of kernels behind eager::run.
#pragma once

#include "eager/eager.h"

namespace fastnp::eager {

void run_elementwise(ops::Op op, std::span<const View> operands, const View& out);
/// Whether one of these whole numbers is below 0.
bool has_negative(const View& x);
/// ValueError "Integers to negative integer powers are not allowed.", if one of these is negative.
void check_exponents(const View& exponents);
void run_fold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_argfold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_scan(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
/// Running results by an op that gives its operands' dtype; the last ones alone where `out` has one element along the axis.
void run_accumulate(ops::Op joins, std::size_t axis, const View& x, const View& out);
void run_sort(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_searchsorted(const ir::Attributes& attributes, const View& sorted, const View& values, const View& out);
void run_make(ops::Op op, const ir::Attributes& attributes, const View& out);
void run_move(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_concatenate(const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_pad(const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_update(const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_scatter(const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_nonzero(const View& mask, const View& out);
void run_take(const ir::Attributes& attributes, std::span<const View> operands, const View& out);
/// Factors of matrices and what is solved with them; their eigenvalues and singular values. LinAlgError in NumPy's words.
void run_factor(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_spectral(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
/// Fourier transforms over the last axis.
void run_fft(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
/// What the ranks of a group do together (src/dist). RankError where they do not agree, or one of them does not come.
void run_collective(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out);
void run_matmul(const View& x, const View& y, const View& out);

/// visit.template operator()<T>() with the element type of a dtype.
template <class Visit>
decltype(auto) with_element(Dtype dtype, Visit visit) {
    switch (dtype) {
#define DTYPE(name, type, kind, code, text) \
    case Dtype::name: return visit.template operator()<type>();
#include "fastnp/ops/dtype.def"
    }
    return visit.template operator()<bool>();
}

}  // namespace fastnp::eager
