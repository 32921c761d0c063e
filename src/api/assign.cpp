// Writing into arrays: through views, and the in-place operators.
#include "api/at_device.h"
#include "api/primitives.h"
#include "device/span.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "shape/strides.h"

namespace fastnp {

using device::Memory;
using ir::Op;

namespace api {

namespace {

shape::Layout layout_of(const Memory& memory) { return {memory.data, memory.shape, memory.strides, itemsize_of(memory.dtype)}; }

}  // namespace

void check_writable(const array& out, const char* message) {
    if (!out.writable()) throw ValueError(message);
}

namespace {

// As NumPy: how many leading axes of size 1 are dropped, which the target does not have. ValueError unless the rest can be broadcast.
std::size_t leading_ones(const Dims& from, const Dims& to) {
    std::size_t extra = 0;
    while (from.size() - extra > to.size() && arithmetic().equal(from[extra], Dim(1))) ++extra;
    const Dims rest(from.begin() + extra, from.end());
    bool fits = rest.size() <= to.size();
    for (std::size_t i = 0; fits && i < rest.size(); ++i) {
        fits = arithmetic().equal(rest[i], to[to.size() - rest.size() + i]) || arithmetic().equal(rest[i], Dim(1));
    }
    if (fits) return extra;
    throw ValueError("could not broadcast input array from shape " + ops::compact_text(rest, active_sizes()) + " into shape " +
                     ops::compact_text(to, active_sizes()));
}

void record_assign(trace::Recorder& recorder, const array& out, const array& x) {
    record_write(recorder, out, broadcast_into(cast(x, out.dtype()), dims_of(out)));
}

// On a device, if it is to be done on one, which is told in any case. Memory that does not move is written to by the host.
bool assign_there(const array& out, const array& x, device::Backend*& device) {
    const Memory& target = out.body()->memory;
    if (!device::can_move(target.data) || shape::repeats(target.shape, target.strides)) return false;
    Operation operation("assign");
    operation.note_lengths(target.shape, false);
    const auto to = static_cast<std::size_t>(operation.take_output(target));
    const auto from = static_cast<std::size_t>(operation.take(x.body()->memory));
    device = operation.device();
    const auto record = [&](std::span<const array> given) {
        record_assign(*trace::Recorder::active(), given[to], given[from]);
        return std::vector<array>();
    };
    std::vector<array> results;
    return device != nullptr && operation.run(*device, record, results);
}

}  // namespace

array broadcast_into(const array& x, const shape::Dims& shape) {
    SmallVector<std::int64_t> dropped;
    for (std::size_t i = 0, extra = leading_ones(dims_of(x), shape); i < extra; ++i) dropped.push_back(static_cast<std::int64_t>(i));
    return broadcast(squeeze(x, {dropped.data(), dropped.size()}), shape);
}

void assign(const array& out, const array& x) {
    if (trace::Recorder* recorder = trace::Recorder::active()) {
        record_assign(*recorder, out, x);
        return;
    }
    const Memory& target = memory_of(out, "writing into an array");
    const Memory& given = memory_of(x, "writing a recorded value into an array outside the recording");
    const std::size_t extra = leading_ones(shape::to_dims(given.shape), shape::to_dims(target.shape));
    if (is_same(layout_of(given), layout_of(target)) && given.dtype == target.dtype) return;
    const array source = may_overlap(layout_of(given), layout_of(target)) ? x.copy() : x;
    device::Backend* device = nullptr;
    if (may_be_on_device() && assign_there(out, source, device)) return;
    eager::View view = view_of(source.body()->memory);
    const Shape shape(view.shape.begin() + extra, view.shape.end());
    const Strides strides(view.strides.begin() + extra, view.strides.end());
    view.strides = shape::broadcast_strides(shape, strides, target.shape);
    view.shape = target.shape;
    device::HostWrite write(target);
    eager::copy(view, view_of(target));
    write.done();
    if (device != nullptr) device::bring_home(*device, target.data);
}

}  // namespace api

void array::operator=(const Operand& values) && {
    api::check_writable(*this, "assignment destination is read-only");
    api::assign(*this, api::as_array(values, values.as_scalar() != nullptr ? std::optional(dtype()) : std::nullopt));
}

void array::operator=(const array& values) && { std::move(*this) = Operand(values); }

namespace {

array& in_place(Op op, array& x, const Operand& y) {
    const Operand first(x);
    const Operand* operands[] = {&first, &y};
    UfuncOptions options;
    options.out = x;
    api::ufunc(op, operands, options);
    return x;
}

}  // namespace

array& array::operator+=(const Operand& y) { return in_place(Op::add, *this, y); }
array& array::operator-=(const Operand& y) { return in_place(Op::subtract, *this, y); }
array& array::operator*=(const Operand& y) { return in_place(Op::multiply, *this, y); }
array& array::operator/=(const Operand& y) { return in_place(Op::divide, *this, y); }
array& array::operator%=(const Operand& y) { return in_place(Op::remainder, *this, y); }
array& array::operator&=(const Operand& y) { return in_place(Op::bitwise_and, *this, y); }
array& array::operator|=(const Operand& y) { return in_place(Op::bitwise_or, *this, y); }
array& array::operator^=(const Operand& y) { return in_place(Op::bitwise_xor, *this, y); }

}  // namespace fastnp
