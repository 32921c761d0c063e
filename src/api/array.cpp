// class array: making handles, what they tell of themselves, and reading elements.
#include "fastnp/array.h"

#include <algorithm>
#include <cstring>

#include "api/at_device.h"
#include "api/primitives.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/detail/tape.h"
#include "fastnp/detail/transform.h"
#include "ops/element.h"
#include "ops/infer.h"
#include "shape/strides.h"

namespace fastnp {

using device::Memory;
using trace::Recorder;

array::array() {
    Memory memory;
    memory.dtype = Dtype::float64;
    memory.shape = {0};
    memory.strides = {static_cast<std::int64_t>(sizeof(double))};
    body_ = api::wrap(std::move(memory)).body();
}

array::array(const Scalar& value, std::optional<Dtype> dtype) {
    constexpr Dtype defaults[] = {Dtype::bool_, Dtype::int64, Dtype::float64, Dtype::complex128};
    Dtype wanted = dtype.value_or(defaults[static_cast<int>(value.kind())]);
    const bool large = value.kind() == WeakKind::integer && !value.negative() && value.bits() > static_cast<std::uint64_t>(INT64_MAX);
    if (!dtype && large) wanted = Dtype::uint64;
    if (Recorder::active() != nullptr) {
        *this = api::constant(value, wanted);
        return;
    }
    const Scalar converted = ops::convert(value, wanted);
    Memory memory = api::allocate(wanted, {});
    ops::store(converted, wanted, memory.data);
    body_ = api::wrap(std::move(memory)).body();
}

array array::from_memory(void* data, Dtype dtype, Shape shape, Strides strides, std::function<void()> release, bool writable) {
    const std::size_t bytes = shape::byte_count(shape, itemsize_of(dtype));
    if (strides.empty()) strides = shape::c_strides(shape, itemsize_of(dtype));
    if (strides.size() != shape.size()) throw ValueError("strides, if given, must be the same length as shape");
    Memory memory;
    memory.buffer = device::Buffer::borrow(data, bytes, std::move(release));
    memory.data = data;
    memory.dtype = dtype;
    memory.shape = std::move(shape);
    memory.strides = std::move(strides);
    return api::wrap(std::move(memory), writable);
}

array array::from_elements(const void* data, Dtype dtype, const Shape& shape) {
    // A single number written in a recorded function is part of the function; more are memory that the recording captures.
    if (shape.empty() && Recorder::active() != nullptr) return api::constant(ops::load(dtype, data), dtype);
    Memory memory = api::allocate(dtype, shape);
    const std::size_t bytes = shape::byte_count(shape, itemsize_of(dtype));
    if (bytes != 0) std::memcpy(memory.data, data, bytes);
    return api::wrap(std::move(memory));
}

array array::uninitialized(Dtype dtype, const Shape& shape) { return api::wrap(api::allocate(dtype, shape)); }

Dtype array::dtype() const { return body_->memory.dtype; }

namespace api {

bool have_one_type(const array& x, const array& y) {
    const shape::Dims p = dims_of(x), q = dims_of(y);
    return x.dtype() == y.dtype() &&
           std::equal(p.begin(), p.end(), q.begin(), q.end(), [](shape::Dim a, shape::Dim b) { return arithmetic().equal(a, b); });
}

}  // namespace api

bool array::is_recorded() const { return body_->value != nullptr; }

int array::ndim() const {
    if (!is_recorded()) return static_cast<int>(body_->memory.shape.size());
    api::check_alive(*this);
    return static_cast<int>(body_->value->shape.size());
}

Shape array::shape() const {
    if (!is_recorded()) return body_->memory.shape;
    Shape result;
    for (const shape::Dim dim : api::dims_of(*this)) result.push_back(api::active_sizes()->concretize(dim));
    return result;
}

std::int64_t array::shape(int axis) const {
    const int place = ops::normalize_axis(axis, ndim());
    if (!is_recorded()) return body_->memory.shape[static_cast<std::size_t>(place)];
    return api::active_sizes()->concretize(api::dims_of(*this)[static_cast<std::size_t>(place)]);
}

std::int64_t array::size() const {
    if (!is_recorded()) return shape::count(body_->memory.shape);
    return api::active_sizes()->concretize(api::active_sizes()->product(api::dims_of(*this)));
}

Strides array::strides() const {
    if (!is_recorded()) return body_->memory.strides;
    api::check_alive(*this);
    Strides known;  // those that it will have, where they do not vary from call to call
    for (const shape::Dim stride : body_->strides) {
        if (!stride.is_constant()) return api::memory_of(*this, "strides").strides;
        known.push_back(stride.value());
    }
    return known;
}

bool array::writable() const { return body_->writable; }

void array::set_writable(bool writable) {
    api::memory_of(*this, "set_writable()");
    body_->writable = writable;
}

bool array::is_c_contiguous() const { return api::lies_in_c_order(*this); }

bool array::is_f_contiguous() const { return api::lies_in_f_order(*this); }

void* array::data() const {
    void* address = api::memory_of(*this, "data()").data;
    device::use_on_host(address, device::Access::expose);
    return address;
}

void array::check_dtype(Dtype wanted) const {
    if (dtype() == wanted) return;
    throw TypeError("elements of dtype " + std::string(name_of(dtype())) + " read as " + std::string(name_of(wanted)));
}

void array::check_contiguous() const {
    if (!is_c_contiguous()) throw ValueError("as_span() needs a C contiguous array; copy() makes one");
}

Scalar array::item_scalar() const {
    if (Recorder* recorder = Recorder::active()) {
        api::check_single(api::dims_of(*this));
        if (is_recorded() && detail::is_marked(*this)) {
            throw TypeError(
                "item() makes a plain number of an array that is being differentiated, and the derivative would be lost; leave it an array (a comparison "
                "is read as a bool), or stop_gradient(x) makes it a constant");
        }
        return recorder->read(api::value_of(*recorder, *this));
    }
    const Memory& memory = api::memory_of(*this, "item()");
    if (shape::count(memory.shape) != 1) api::throw_no_single_element();
    alignas(16) std::byte element[16];
    device::read_bytes(element, memory.data, itemsize_of(memory.dtype));
    return ops::load(memory.dtype, element);
}

array::operator bool() const {
    const bool is_recorded = Recorder::active() != nullptr;
    const shape::Dim count = is_recorded ? api::arithmetic().product(api::dims_of(*this)) : shape::Dim(size());
    if (api::arithmetic().equal(count, shape::Dim(0))) {
        throw ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.");
    }
    if (!api::arithmetic().equal(count, shape::Dim(1))) {
        throw ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
    }
    if (is_recorded) return api::cast(*this, Dtype::bool_).item_scalar().bits() != 0;
    const Scalar element = item_scalar();
    const bool is_whole = element.kind() == WeakKind::boolean || element.kind() == WeakKind::integer;
    return is_whole ? element.bits() != 0 : element.real() != 0 || element.imag() != 0;
}

array array::T() const { return transpose(*this); }

namespace {

// In memory of its own, in another dtype perhaps: where x is at home. `record` does the same in a recording.
template <class F>
array copied(const array& x, Dtype dtype, const shape::AxisOrder& order, F record) {
    const Memory& memory = x.body()->memory;
    device::Backend* device = nullptr;
    if (api::may_be_on_device()) {
        api::Operation operation("copy");
        operation.note(dtype);
        for (const std::int64_t axis : order) operation.note(axis);
        operation.note_lengths(memory.shape, false);
        operation.take(memory);
        device = operation.device();
        std::vector<array> results;
        const auto again = [&](std::span<const array> given) { return std::vector<array>{record(given[0])}; };
        if (device != nullptr && operation.run(*device, again, results)) return std::move(results[0]);
    }
    Memory out = api::allocate_at(device, dtype, memory.shape, order);
    eager::copy(api::view_of(memory), api::view_of(out));
    return api::wrap(std::move(out));
}

}  // namespace

namespace api {

array laid_out(const array& x, const shape::AxisOrder& order) {
    if (Recorder* recorder = Recorder::active()) return wrap(value_of(*recorder, x), recorder->shared_from_this(), order);
    const Memory& memory = memory_of(x, "a layout");
    if (memory.strides == shape::strides_in(memory.shape, order, itemsize_of(memory.dtype))) return x;
    return copied(x, x.dtype(), order, [&order](const array& other) { return laid_out(other, order); });
}

}  // namespace api

array array::copy(Order order) const {
    order = api::settled(*this, order);
    const shape::AxisOrder axes = api::order_of(*this, order);
    if (Recorder* recorder = Recorder::active()) return api::wrap(api::value_of(*recorder, *this), recorder->shared_from_this(), axes);
    api::memory_of(*this, "copy()");
    return copied(*this, dtype(), axes, [&axes](const array& x) { return api::laid_out(x, axes); });
}

array array::astype(Dtype dtype, Casting casting) const {
    if (!can_cast(this->dtype(), dtype, casting)) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(this->dtype())) + "') to dtype('" + std::string(name_of(dtype)) +
                        "') according to the rule '" + std::string(name_of(casting)) + "'");
    }
    if (dtype == this->dtype()) return copy(Order::keep);
    const shape::AxisOrder order = api::order_of(*this);
    if (Recorder* recorder = Recorder::active()) return api::wrap(api::value_of(*recorder, api::cast(*this, dtype)), recorder->shared_from_this(), order);
    api::check_alive(*this);
    return copied(*this, dtype, order, [dtype, &order](const array& x) { return api::laid_out(api::cast(x, dtype), order); });
}

array array::reshape(const Shape& shape) const { return fastnp::reshape(*this, shape); }

namespace detail {

void throw_ragged() {
    throw ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape: rows differ in length");
}

}  // namespace detail

}  // namespace fastnp
