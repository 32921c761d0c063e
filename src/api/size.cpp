// See fastnp/detail/size.h: a Dim's own encoding, which plain numbers share, is what travels.
#include "fastnp/detail/size.h"

#include <algorithm>
#include <array>

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/error.h"

namespace fastnp::detail {

using api::Dim;

namespace {

shape::Sizes& sizes() {
    shape::Sizes* active = api::active_sizes();
    if (active == nullptr) throw ValueError("a size of a recording is used outside of it");
    return *active;
}

// Of two numbers that are no larger, no sum overflows; and of two factors, no product is larger.
constexpr std::int64_t largest = std::int64_t{1} << 58, largest_factor = std::int64_t{1} << 29;

// Whether it lies between -most and most, which is guarded.
bool is_within(Dim size, std::int64_t most) { return sizes().at_least(Dim(most), size) && sizes().at_least(size, Dim(-most)); }

// The tables whose expressions have left as numbers: of the recordings that a thread is in, and some of those before.
thread_local std::array<const shape::Sizes*, 64> travelling{};
thread_local std::size_t next_travelling = 0;

bool travels(const shape::Sizes* sizes) { return std::ranges::find(travelling, sizes) != travelling.end(); }

std::int64_t handed_out(Dim size) {
    if (!size.is_constant() && !travels(api::active_sizes())) travelling[next_travelling++ % travelling.size()] = api::active_sizes();
    return size.raw();
}

Shape handed_out(const shape::Dims& dims) {
    Shape result;
    for (const Dim dim : dims) result.push_back(handed_out(dim));
    return result;
}

}  // namespace

bool is_symbolic(std::int64_t size) { return !Dim(size).is_constant(); }
Shape symbolic_shape(const array& x) { return handed_out(api::dims_of(x)); }
std::int64_t symbolic_size(const array& x) { return handed_out(sizes().product(api::dims_of(x))); }

std::optional<std::int64_t> combine(SizeOp op, std::int64_t a, std::int64_t b) {
    if (op == SizeOp::multiply && !(is_within(Dim(a), largest_factor) && is_within(Dim(b), largest_factor))) return std::nullopt;
    Dim result;
    switch (op) {
        case SizeOp::add: result = sizes().add(Dim(a), Dim(b)); break;
        case SizeOp::subtract: result = sizes().subtract(Dim(a), Dim(b)); break;
        case SizeOp::multiply: result = sizes().multiply(Dim(a), Dim(b)); break;
        case SizeOp::floor_divide: result = sizes().divide(Dim(a), Dim(b)); break;
    }
    return is_within(result, largest) ? std::optional(handed_out(result)) : std::nullopt;
}

bool sizes_equal(std::int64_t a, std::int64_t b) { return sizes().equal(Dim(a), Dim(b)); }
bool size_at_least(std::int64_t a, std::int64_t b) { return sizes().at_least(Dim(a), Dim(b)); }
std::int64_t concretize(std::int64_t size) { return is_symbolic(size) ? sizes().concretize(Dim(size)) : size; }
array size_value(std::int64_t size) { return api::extent(Dim(size)); }
array size_range(std::int64_t start, std::int64_t stop) {
    const shape::Arithmetic arithmetic = api::arithmetic();
    const array count = api::iota({arithmetic.max(arithmetic.subtract(Dim(stop), Dim(start)), Dim(0))}, 0);
    return start == 0 ? count : add(count, api::extent(Dim(start)));
}
std::optional<std::int64_t> size_from(const array& count) {
    const Dim size = api::size_of(api::cast(count, Dtype::int64), INT64_MIN / 2, INT64_MAX);
    return size.is_constant() || is_within(size, largest) ? std::optional(handed_out(size)) : std::nullopt;
}

const void* recording_of_sizes() { return trace::Recorder::active(); }

array read_only(const array& x) {
    auto body = std::make_shared<ArrayBody>(*x.body());
    body->writable = false;
    return array(std::move(body));
}

bool is_beside(const array& x, const array& other) {
    if (trace::Recorder* recorder = trace::Recorder::active()) return api::storage_of(*recorder, x) == api::storage_of(*recorder, other);
    return x.body()->memory.buffer == other.body()->memory.buffer;
}

}  // namespace fastnp::detail

namespace fastnp::api {

bool is_handed_out(std::int64_t number) {
    const shape::Sizes* sizes = active_sizes();
    const Dim size(number);
    return !size.is_constant() && sizes != nullptr && detail::travels(sizes) && number - Dim::too_big < static_cast<std::int64_t>(sizes->size());
}

Dim size_given(std::int64_t number) {
    if (!Dim(number).is_constant() && !is_handed_out(number)) shape::throw_too_big();
    return number;
}

Dims sizes_given(const Shape& shape) {
    Dims dims;
    for (const std::int64_t size : shape) dims.push_back(size_given(size));
    return dims;
}

}  // namespace fastnp::api
