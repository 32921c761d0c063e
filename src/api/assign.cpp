// Writing into arrays: through views, and the in-place operators.
#include "api/primitives.h"
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

void assign(const array& out, const array& x) {
    const Memory& target = memory_of(out, "writing into an array");
    const Memory* source = &memory_of(x, "writing a recorded value into an array outside the recording");
    // As NumPy: leading axes of size 1 that the target does not have are dropped.
    std::size_t extra = source->shape.size() > target.shape.size() ? source->shape.size() - target.shape.size() : 0;
    for (std::size_t i = 0; i < extra; ++i) {
        if (source->shape[i] != 1) extra = 0;
    }
    const Shape from(source->shape.begin() + extra, source->shape.end());
    bool fits = from.size() <= target.shape.size();
    for (std::size_t i = 0; fits && i < from.size(); ++i) fits = from[i] == 1 || from[i] == target.shape[target.shape.size() - from.size() + i];
    if (!fits) {
        throw ValueError("could not broadcast input array from shape " + ops::compact_text(shape::to_dims(source->shape)) + " into shape " +
                         ops::compact_text(shape::to_dims(target.shape)));
    }
    if (is_same(layout_of(*source), layout_of(target)) && source->dtype == target.dtype) return;
    Memory copied;
    if (may_overlap(layout_of(*source), layout_of(target))) {
        copied = allocate(source->dtype, source->shape);
        eager::copy(view_of(*source), view_of(copied));
        source = &copied;
    }
    eager::View view{source->data, source->dtype, from, {}};
    view.strides.assign(source->strides.begin() + extra, source->strides.end());
    view.strides = shape::broadcast_strides(view.shape, view.strides, target.shape);
    view.shape = target.shape;
    eager::copy(view, view_of(target));
}

}  // namespace api

void array::operator=(const Operand& values) && {
    api::refuse_while_recording("writing into an array");
    api::check_writable(*this, "assignment destination is read-only");
    api::assign(*this, api::as_array(values, values.as_scalar() != nullptr ? std::optional(dtype()) : std::nullopt));
}

void array::operator=(const array& values) && { std::move(*this) = Operand(values); }

namespace {

array& in_place(Op op, array& x, const Operand& y, const char* symbol) {
    if (trace::Recorder::active() != nullptr) api::refuse_while_recording((std::string("the in-place operator ") + symbol).c_str());
    const Operand first(x);
    const Operand* operands[] = {&first, &y};
    UfuncOptions options;
    options.out = x;
    api::ufunc(op, operands, options);
    return x;
}

}  // namespace

array& array::operator+=(const Operand& y) { return in_place(Op::add, *this, y, "+="); }
array& array::operator-=(const Operand& y) { return in_place(Op::subtract, *this, y, "-="); }
array& array::operator*=(const Operand& y) { return in_place(Op::multiply, *this, y, "*="); }
array& array::operator/=(const Operand& y) { return in_place(Op::divide, *this, y, "/="); }
array& array::operator%=(const Operand& y) { return in_place(Op::remainder, *this, y, "%="); }
array& array::operator&=(const Operand& y) { return in_place(Op::bitwise_and, *this, y, "&="); }
array& array::operator|=(const Operand& y) { return in_place(Op::bitwise_or, *this, y, "|="); }
array& array::operator^=(const Operand& y) { return in_place(Op::bitwise_xor, *this, y, "^="); }

}  // namespace fastnp
