// Ops along one axis, a line at a time: argmax and argmin, scans, sorts.
#include <algorithm>
#include <numeric>
#include <vector>

#include "eager/iterate.h"
#include "eager/kernels.h"
#include "eager/order.h"
#include "fastnp/error.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

using ops::Number;

template <class T>
void arg_line(const char* from, std::int64_t stride, std::int64_t count, bool greatest, std::int64_t* out) {
    std::int64_t best = 0;
    T held = *reinterpret_cast<const T*>(from);
    for (std::int64_t i = 1; i < count && !is_nan(held); ++i) {
        const T& x = *reinterpret_cast<const T*>(from + i * stride);
        const bool better = greatest ? (ops::load(held) < ops::load(x)).v : (ops::load(x) < ops::load(held)).v;
        if (better || is_nan(x)) {
            best = i;
            held = x;
        }
    }
    *out = best;
}

template <class T, bool multiplies>
void scan_line(const char* from, std::int64_t stride, std::int64_t count, char* to, std::int64_t out_stride) {
    Number<T> running{};
    for (std::int64_t i = 0; i < count; ++i) {
        const Number<T> x = ops::load(*reinterpret_cast<const T*>(from + i * stride));
        if (i == 0) running = x;
        else if constexpr (multiplies) running = running * x;
        else running = running + x;
        const T stored = ops::store(running);
        *reinterpret_cast<T*>(to + i * out_stride) = stored;
        running = ops::load(stored);  // NumPy rounds each running value
    }
}

}  // namespace

void run_argfold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    with_element(x.dtype, [&]<class T>() {
        for_each_line(x, axis, out, false, [&](char* from, char* to) {
            arg_line<T>(from, x.strides[axis], x.shape[axis], op == ops::Op::argmax, reinterpret_cast<std::int64_t*>(to));
        });
    });
}

void run_scan(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    with_element(x.dtype, [&]<class T>() {
        for_each_line(x, axis, out, true, [&](char* from, char* to) {
            if (op == ops::Op::cumprod) scan_line<T, true>(from, x.strides[axis], x.shape[axis], to, out.strides[axis]);
            else scan_line<T, false>(from, x.strides[axis], x.shape[axis], to, out.strides[axis]);
        });
    });
}

void run_sort(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const bool stable = attributes.ints.size() > 1 && attributes.ints[1] != 0;
    with_element(x.dtype, [&]<class T>() {
        const auto count = static_cast<std::size_t>(x.shape[axis]);
        std::unique_ptr<T[]> line(new T[count]);
        std::vector<std::int64_t> order(op == ops::Op::argsort ? count : 0);
        for_each_line(x, axis, out, true, [&](char* from, char* to) {
            gather(from, x.strides[axis], sizeof(T), x.shape[axis], reinterpret_cast<char*>(line.get()));
            if (op == ops::Op::sort) {
                if (stable) std::stable_sort(line.get(), line.get() + count, sorts_before<T>);
                else std::sort(line.get(), line.get() + count, sorts_before<T>);
                const std::int64_t first = attributes.dims.empty() ? 0 : attributes.dims[0].value();
                scatter(reinterpret_cast<const char*>(line.get() + first), out.strides[axis], sizeof(T), out.shape[axis], to);
                return;
            }
            std::iota(order.begin(), order.end(), std::int64_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                return sorts_before<T>(line[static_cast<std::size_t>(a)], line[static_cast<std::size_t>(b)]);
            });
            scatter(reinterpret_cast<const char*>(order.data()), out.strides[axis], sizeof(std::int64_t), x.shape[axis], to);
        });
    });
}

}  // namespace fastnp::eager
