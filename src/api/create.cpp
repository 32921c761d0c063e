// Arrays made from nothing. While recording they are values of the recording, so sizes taken from other arrays stay symbolic.
#include <cmath>
#include <cstring>

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "shape/strides.h"

namespace fastnp {

using api::Dims;

namespace {

constexpr Dtype default_dtype(const Scalar& value) {
    constexpr Dtype defaults[] = {Dtype::bool_, Dtype::int64, Dtype::float64, Dtype::complex128};
    return defaults[static_cast<int>(value.kind())];
}

// As numpy.full: of a complex number the real part goes into a real array.
Scalar fitted(const Scalar& value, Dtype dtype) {
    return value.kind() == WeakKind::complex && !is_complex(dtype) && dtype != Dtype::bool_ ? Scalar(value.real()) : value;
}

constexpr std::size_t few_bytes = 1 << 16;  // more are for threads

// A few bytes of the host's that are all 0 are set as such.
array filled(const Dims& shape, const Scalar& value, Dtype dtype) {
    const bool is_zero = value.kind() == WeakKind::integer && value.bits() == 0;
    if (is_zero && trace::Recorder::active() == nullptr && !detail::may_use_devices()) {
        const Shape sizes = shape::concrete(shape);
        if (const std::size_t bytes = shape::byte_count(sizes, itemsize_of(dtype)); bytes <= few_bytes) {
            device::Memory memory = device::allocate(dtype, sizes);
            std::memset(memory.data, 0, bytes);
            return api::wrap(std::move(memory));
        }
    }
    return api::constant(fitted(value, dtype), dtype, shape);
}

array uninitialized(const Dims& shape, Dtype dtype) {
    if (trace::Recorder::active() != nullptr) return api::constant(0, dtype, shape);
    return array::uninitialized(dtype, shape::concrete(shape));
}

}  // namespace

array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype) {
    const Dtype made = dtype.value_or(default_dtype(value));
    return filled(api::checked_sizes(shape, itemsize_of(made)), value, made);
}
array zeros(const Shape& shape, Dtype dtype) { return filled(api::checked_sizes(shape, itemsize_of(dtype)), 0, dtype); }
array ones(const Shape& shape, Dtype dtype) { return filled(api::checked_sizes(shape, itemsize_of(dtype)), 1, dtype); }
array empty(const Shape& shape, Dtype dtype) { return uninitialized(api::checked_sizes(shape, itemsize_of(dtype)), dtype); }

namespace {

// What `make` makes of x's shape, lying in memory as x does.
template <class F>
array made_like(const array& x, F make) {
    const Dims shape = api::dims_of(x);
    const shape::AxisOrder order = api::order_of(x);
    if (order.empty()) return make(shape);
    Dims dense;
    SmallVector<std::int64_t> back(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        dense.push_back(shape[static_cast<std::size_t>(order[i])]);
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return api::permute(make(dense), {back.data(), back.size()});
}

}  // namespace

array full_like(const array& x, const Scalar& value, std::optional<Dtype> dtype) {
    return made_like(x, [&](const Dims& shape) { return filled(shape, value, dtype.value_or(x.dtype())); });
}
array zeros_like(const array& x, std::optional<Dtype> dtype) { return full_like(x, 0, dtype); }
array ones_like(const array& x, std::optional<Dtype> dtype) { return full_like(x, 1, dtype); }
array empty_like(const array& x, std::optional<Dtype> dtype) {
    return made_like(x, [&](const Dims& shape) { return uninitialized(shape, dtype.value_or(x.dtype())); });
}

namespace {

// 0, 1, 2 ... n-1 in another dtype.
array counted(api::Dim length, Dtype dtype) { return api::cast(api::iota({length}, 0), dtype); }

std::int64_t integer_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
    const __int128 span = static_cast<__int128>(stop) - start;
    if ((span > 0) != (step > 0) || span == 0) return 0;
    const __int128 size = step > 0 ? step : -static_cast<__int128>(step);
    const __int128 length = ((span > 0 ? span : -span) + size - 1) / size;
    if (length >= api::Dim::too_big) shape::throw_too_big();
    return static_cast<std::int64_t>(length);
}

std::int64_t rounded_length(double distance, double step) {
    const double steps = distance / step;
    if (std::isnan(steps)) throw ValueError("arange: cannot compute length");
    if (std::abs(steps) >= static_cast<double>(api::Dim::too_big)) throw ValueError("Maximum allowed size exceeded");
    if (steps == 0 && distance != 0) return std::signbit(steps) ? 0 : 1;  // a step beyond all numbers
    return static_cast<std::int64_t>(std::max(0.0, std::ceil(steps)));
}

std::int64_t arange_length(const Scalar& start, const Scalar& stop, const Scalar& step, bool whole) {
    if (step.real() == 0 && step.imag() == 0) throw ZeroDivisionError(whole ? "division by zero" : "float division by zero");
    if (whole) return integer_length(start.as_int64(), stop.as_int64(), step.as_int64());
    if (start.kind() == WeakKind::complex || stop.kind() == WeakKind::complex || step.kind() == WeakKind::complex) {
        const auto number = [](const Scalar& s) { return std::complex<double>(s.real(), s.imag()); };
        const std::complex<double> steps = (number(stop) - number(start)) / number(step);
        return rounded_length(std::min(steps.real(), steps.imag()), 1);
    }
    return rounded_length(stop.real() - start.real(), step.real());
}

Scalar sum_of(const Scalar& a, const Scalar& b) {
    if (a.kind() == WeakKind::complex || b.kind() == WeakKind::complex) return std::complex<double>(a.real() + b.real(), a.imag() + b.imag());
    if (a.kind() == WeakKind::floating || b.kind() == WeakKind::floating) return a.real() + b.real();
    return static_cast<std::int64_t>(a.bits() + b.bits());
}

}  // namespace

namespace {

constexpr std::int64_t few_numbers = 4096;

// What the ops of arange come to, in one go.
array few_steps(double start, double step, std::int64_t length) {
    device::Memory memory = device::allocate(Dtype::float64, {length});
    auto* const to = static_cast<double*>(memory.data);
    for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<double>(i) * step + start;
    return api::wrap(std::move(memory));
}

}  // namespace

array arange(const Scalar& stop) { return arange(0, stop, 1); }

array arange(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<Dtype> dtype) {
    const WeakKind kind = std::max({start.kind(), stop.kind(), step.kind(), WeakKind::integer});
    constexpr Dtype defaults[] = {Dtype::bool_, Dtype::int64, Dtype::float64, Dtype::complex128};
    const Dtype wanted = dtype.value_or(defaults[static_cast<int>(kind)]);
    const std::int64_t length = arange_length(start, stop, step, kind == WeakKind::integer);
    if (is_integer(wanted)) {
        // NumPy fills from the first two values: the step is their difference, in the result's dtype.
        const Scalar first = ops::convert(start, wanted);
        if (length <= 1) return api::constant(first, wanted, {api::Dim(length)});
        const Scalar second = ops::convert(sum_of(start, step), wanted);
        array values = counted(api::Dim(length), wanted);
        const Scalar delta(static_cast<std::int64_t>(second.bits() - first.bits()));
        // As arrays of the dtype: steps down wrap around in unsigned dtypes.
        if (delta.as_int64() != 1) values = multiply(values, api::cast(api::constant(delta, Dtype::int64), wanted));
        return first.bits() == 0 ? values : add(values, api::constant(first, wanted));
    }
    if (wanted == Dtype::bool_) {
        if (length > 2) throw TypeError("no fill-function for data-type.");
        return api::cast(add(multiply(counted(api::Dim(length), Dtype::float64), step), start), wanted);
    }
    const bool half = wanted == Dtype::float16 || wanted == Dtype::bfloat16;
    const Dtype compute = half ? Dtype::float32 : wanted;
    const Scalar first = ops::convert(ops::convert(start, wanted), compute);
    const Scalar second = ops::convert(ops::convert(sum_of(start, step), wanted), compute);
    if (length <= 1) return api::cast(api::constant(first, compute, {api::Dim(length)}), wanted);
    if (wanted == Dtype::float64 && length <= few_numbers && trace::Recorder::active() == nullptr && !detail::may_use_devices()) {
        return few_steps(first.real(), second.real() - first.real(), length);
    }
    const array delta = subtract(api::constant(second, compute), api::constant(first, compute));
    return api::cast(add(multiply(counted(api::Dim(length), compute), delta), api::constant(first, compute)), wanted);
}

namespace {

constexpr double least_span = 1e-280;  // which no number of parts divides down to 0

// Of a number of samples that varies from call to call: the step is computed in each. Nothing where that is another program at times.
std::optional<array> varying_linspace(double start, double stop, std::int64_t num, bool endpoint) {
    if (!(std::abs(stop - start) > least_span) || !detail::size_at_least(num, 2)) return std::nullopt;
    const auto parts = endpoint ? detail::combine(detail::SizeOp::subtract, num, 1) : num;
    if (!parts) return std::nullopt;
    const array divisor = api::cast(detail::size_value(*parts), Dtype::float64);
    const array places = counted(api::size_given(num), Dtype::float64);
    const array step = divide(api::constant(stop - start, Dtype::float64), divisor);
    array values = add(multiply(places, step), start);
    return endpoint ? api::select(equal(places, divisor), api::constant(stop, Dtype::float64), values) : values;
}

}  // namespace

array linspace(const Scalar& start, const Scalar& stop, std::int64_t num, bool endpoint, std::optional<Dtype> dtype) {
    if (num < 0) throw ValueError("Number of samples, " + std::to_string(num) + ", must be non-negative.");
    const bool complex = start.kind() == WeakKind::complex || stop.kind() == WeakKind::complex;
    const Dtype compute = complex ? Dtype::complex128 : Dtype::float64;
    const Dtype wanted = dtype.value_or(compute);
    const std::complex<double> from(start.real(), start.imag());
    const std::complex<double> span = std::complex<double>(stop.real(), stop.imag()) - from;
    if (detail::is_symbolic(num)) {
        auto values = complex ? std::nullopt : varying_linspace(start.real(), stop.real(), num, endpoint);
        if (!values) return linspace(start, stop, detail::concretize(num), endpoint, dtype);
        return api::cast(is_integer(wanted) ? floor(*values) : *values, wanted);
    }
    const auto scalar = [complex](std::complex<double> value) { return complex ? Scalar(value) : Scalar(value.real()); };
    const std::int64_t parts = endpoint ? num - 1 : num;
    const array places = counted(api::size_given(num), compute);
    array values = places;
    if (parts > 0) {
        const std::complex<double> step = span / static_cast<double>(parts);
        values = step == 0.0 ? multiply(divide(places, parts), scalar(span)) : multiply(places, scalar(step));
    } else {
        values = multiply(places, scalar(span));
    }
    values = add(values, scalar(from));
    if (endpoint && num > 1) values = api::select(equal(places, num - 1), api::constant(scalar({stop.real(), stop.imag()}), compute), values);
    if (is_integer(wanted)) values = floor(values);
    return api::cast(values, wanted);
}

array eye(std::int64_t rows, std::optional<std::int64_t> columns, int k, Dtype dtype) {
    const Dims shape = api::checked_sizes({rows, columns.value_or(rows)});
    return api::cast(equal(add(api::iota(shape, 0), k), api::iota(shape, 1)), dtype);
}

}  // namespace fastnp
