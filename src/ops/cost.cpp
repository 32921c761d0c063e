#include "ops/cost.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "fastnp/detail/op_cost.h"
#include "fastnp/error.h"

namespace fastnp::ops {

namespace {

// Additions that one operation over complex numbers takes, on an average of sums and products.
constexpr double of_complex = 4;

double elements_of(const Sized& array) {
    double count = 1;
    for (const std::int64_t size : array.shape) count *= static_cast<double>(size);
    return count;
}

// A size, counted from the last axis; 1 if there is none.
double size_of(const Sized& array, std::size_t from_last) {
    return array.shape.size() < from_last ? 1 : static_cast<double>(array.shape[array.shape.size() - from_last]);
}

// How many matrices, or lines, a stack has.
double stack_of(const Sized& array, std::size_t axes) {
    double count = 1;
    for (std::size_t i = 0; i + axes < array.shape.size(); ++i) count *= static_cast<double>(array.shape[i]);
    return count;
}

// Of a library's op, over real numbers (Golub and Van Loan); negative: it depends on the values.
double of_library(Op op, std::span<const Sized> operands, const Sized& result) {
    const Sized& first = operands[0];
    const double m = size_of(first, 2), n = size_of(first, 1), stack = stack_of(first, 2);
    const double points = std::max(n, size_of(result, 1));
    switch (op) {
        case Op::lu: return stack * 2 / 3 * n * n * n;
        case Op::cholesky: return stack * n * n * n / 3;
        case Op::qr:
        case Op::householder_product: return stack * 2 * n * n * (m - n / 3);
        case Op::lu_solve: return 2 * n * n * size_of(operands[1], 1) * stack_of(operands[1], 2);
        case Op::triangular_solve: return n * n * size_of(operands[1], 1) * stack_of(operands[1], 2);
        case Op::fft: return stack_of(first, 1) * 5 * points * std::log2(std::max(points, 2.0));
        case Op::rfft:
        case Op::irfft: return stack_of(first, 1) * 2.5 * points * std::log2(std::max(points, 2.0));
        default: return -1;
    }
}

}  // namespace

int additions(Op op) {
    if (op == Op::count) return 1;  // what an accumulation joins by is said by its attributes
    constexpr int of_function = 16, of_quotient = 4;
    if ((info(op).traits & costly) != 0) return of_function;
    return op == Op::divide ? of_quotient : 1;
}

double flops_at_point(Op op, Dtype dtype) {
    if (op == Op::cast || op == Op::select || (!is_floating(dtype) && !is_complex(dtype))) return 0;
    return additions(op) * (is_complex(dtype) ? of_complex : 1);
}

double flops_of(Op op, std::span<const Sized> operands, const Sized& result) {
    const Info& known = info(op);
    if (operands.empty()) return 0;
    const Dtype dtype = operands[0].dtype;
    switch (known.kind) {
        case Kind::map: return elements_of(result) * flops_at_point(op, dtype);
        case Kind::fold:
        case Kind::scan: return elements_of(operands[0]) * flops_at_point(known.combine, result.dtype);
        case Kind::argfold: return elements_of(operands[0]) * flops_at_point(Op::greater, dtype);
        case Kind::contract: return elements_of(result) * size_of(operands[0], 1) * 2 * flops_at_point(Op::add, result.dtype);
        case Kind::library: {
            const double real = of_library(op, operands, result);
            return is_complex(dtype) && !is_fourier(op) && real > 0 ? real * of_complex : real;
        }
        case Kind::make:
        case Kind::move:
        case Kind::pick:
        case Kind::collective:
        case Kind::note: return 0;
    }
    return -1;
}

}  // namespace fastnp::ops

int fastnp::detail::additions_of(std::string_view op) {
    const std::optional<ops::Op> found = ops::find(op);
    if (!found) throw ValueError("there is no op '" + std::string(op) + "'");
    const ops::Info& known = ops::info(*found);
    switch (known.kind) {
        case ops::Kind::fold:
        case ops::Kind::scan: return ops::additions(known.combine);
        case ops::Kind::map:
        case ops::Kind::argfold:
        case ops::Kind::contract:
        case ops::Kind::library: return ops::additions(*found);
        case ops::Kind::make:
        case ops::Kind::move:
        case ops::Kind::pick:
        case ops::Kind::collective:
        case ops::Kind::note: return 0;
    }
    return 0;
}
