// See fastnp/detail/size.h: a Dim's own encoding, which plain numbers share, is what travels.
#include "fastnp/detail/size.h"

#include "api/primitives.h"
#include "api/user_sizes.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

shape::Sizes& sizes() {
    shape::Sizes* active = api::active_sizes();
    if (active == nullptr) throw ValueError("a size of a recording is used outside of it");
    return *active;
}

// Of two numbers that are no larger, no sum overflows; and of two factors, no product is larger.
constexpr std::int64_t largest = std::int64_t{1} << 58, largest_factor = std::int64_t{1} << 29;

// Whether it lies between -most and most, which is guarded.
bool is_within(api::Dim size, std::int64_t most) { return sizes().at_least(api::Dim(most), size) && sizes().at_least(size, api::Dim(-most)); }

std::int64_t handed_out(api::Dim size) {
    if (!size.is_constant()) sizes().hand_out(size);
    return size.raw();
}

Shape handed_out(const shape::Dims& dims) {
    Shape result;
    for (const api::Dim dim : dims) result.push_back(handed_out(dim));
    return result;
}

}  // namespace

bool is_symbolic(std::int64_t size) { return !api::Dim(size).is_constant(); }
Shape symbolic_shape(const array& x) { return handed_out(api::dims_of(x)); }
std::int64_t symbolic_size(const array& x) { return handed_out(sizes().product(api::dims_of(x))); }

std::optional<std::int64_t> combine(SizeOp op, std::int64_t a, std::int64_t b) {
    const api::Dim x = api::size_given(a), y = api::size_given(b);
    if (op == SizeOp::multiply && !(is_within(x, largest_factor) && is_within(y, largest_factor))) return std::nullopt;
    api::Dim result;
    switch (op) {
        case SizeOp::add: result = sizes().add(x, y); break;
        case SizeOp::subtract: result = sizes().subtract(x, y); break;
        case SizeOp::multiply: result = sizes().multiply(x, y); break;
        case SizeOp::floor_divide: result = sizes().divide(x, y); break;
    }
    if (sizes().is_intricate(result)) return std::nullopt;
    return is_within(result, largest) ? std::optional(handed_out(result)) : std::nullopt;
}

bool sizes_equal(std::int64_t a, std::int64_t b) { return sizes().equal(api::size_given(a), api::size_given(b)); }
bool size_at_least(std::int64_t a, std::int64_t b) { return sizes().at_least(api::size_given(a), api::size_given(b)); }
std::int64_t concretize(std::int64_t size) { return is_symbolic(size) ? sizes().concretize(api::size_given(size)) : size; }
array size_value(std::int64_t size) { return api::extent(api::size_given(size)); }
array size_range(std::int64_t start, std::int64_t stop) {
    const shape::Arithmetic arithmetic = api::arithmetic();
    const array count = api::iota({arithmetic.max(arithmetic.subtract(api::size_given(stop), api::size_given(start)), api::Dim(0))}, 0);
    return start == 0 ? count : add(count, size_value(start));
}
std::optional<std::int64_t> size_from(const array& count) {
    const api::Dim size = api::size_of(api::cast(count, Dtype::int64), INT64_MIN / 2, INT64_MAX);
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
    return sizes != nullptr && sizes->is_handed_out(number);
}

api::Dim size_given(std::int64_t number) {
    if (!api::Dim(number).is_constant() && !is_handed_out(number)) shape::throw_too_big();
    return number;
}

Dims sizes_given(const Shape& shape) {
    Dims dims;
    for (const std::int64_t size : shape) dims.push_back(size_given(size));
    return dims;
}

}  // namespace fastnp::api
