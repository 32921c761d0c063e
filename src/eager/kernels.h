// The families of kernels behind eager::run.
#pragma once

#include "eager/eager.h"

namespace fastnp::eager {

void run_elementwise(ops::Op op, std::span<const View> operands, const View& out);
void run_fold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_argfold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
void run_scan(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out);
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
void run_matmul(const View& x, const View& y, const View& out);

/// Calls line(pointers) for the first element of every line along `axis`: of x, and of out if it has the axis too.
template <class Line>
void for_each_line(const View& x, std::size_t axis, const View& out, bool out_has_axis, Line line) {
    SmallVector<std::int64_t> shape, x_strides, out_strides;
    for (std::size_t i = 0, o = 0; i < x.shape.size(); ++i) {
        if (i == axis) {
            if (out_has_axis) ++o;
            continue;
        }
        shape.push_back(x.shape[i]);
        x_strides.push_back(x.strides[i]);
        out_strides.push_back(out.strides[o++]);
    }
    std::int64_t lines = 1;
    for (const std::int64_t extent : shape) lines *= extent;
    SmallVector<std::int64_t> index(shape.size(), 0);
    char* from = static_cast<char*>(x.data);
    char* to = static_cast<char*>(out.data);
    for (std::int64_t n = 0; n < lines; ++n) {
        line(from, to);
        for (std::size_t i = shape.size(); i-- > 0;) {
            from += x_strides[i];
            to += out_strides[i];
            if (++index[i] < shape[i]) break;
            from -= x_strides[i] * shape[i];
            to -= out_strides[i] * shape[i];
            index[i] = 0;
        }
    }
}

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
