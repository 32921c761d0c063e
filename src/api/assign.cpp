// Writing into arrays: through views, and the in-place operators.
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
    const Dims shape = dims_of(out);
    SmallVector<std::int64_t> dropped;
    for (std::size_t i = 0, extra = leading_ones(dims_of(x), shape); i < extra; ++i) dropped.push_back(static_cast<std::int64_t>(i));
    const array source = squeeze(x, {dropped.data(), dropped.size()});
    record_write(recorder, out, broadcast(cast(source, out.dtype()), shape));
}

}  // namespace

void assign(const array& out, const array& x) {
    if (trace::Recorder* recorder = trace::Recorder::active()) {
        record_assign(*recorder, out, x);
        return;
    }
    const Memory& target = memory_of(out, "writing into an array");
    const Memory* source = &memory_of(x, "writing a recorded value into an array outside the recording");
    const std::size_t extra = leading_ones(shape::to_dims(source->shape), shape::to_dims(target.shape));
    const Shape from(source->shape.begin() + extra, source->shape.end());
    if (is_same(layout_of(*source), layout_of(target)) && source->dtype == target.dtype) return;
    Memory copied;
    if (may_overlap(layout_of(*source), layout_of(target))) {
        copied = allocate(source->dtype, source->shape);
        eager::copy(view_of(*source), view_of(copied));
        source = &copied;
    }
    eager::View view = view_of(*source);
    view.shape = from;
    view.strides.assign(source->strides.begin() + extra, source->strides.end());
    view.strides = shape::broadcast_strides(view.shape, view.strides, target.shape);
    view.shape = target.shape;
    device::HostWrite write(target);
    eager::copy(view, view_of(target));
    write.done();
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
