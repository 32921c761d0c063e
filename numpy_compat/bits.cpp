// Elements as bits of bytes.
#include "fastnp/numpy_compat/bits.h"

#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::axis_of;
using compat::Size;
using compat::size_of;

namespace {

constexpr int bits = 8;

// How far each bit of a byte is from the last one.
array places_of(BitOrder order) {
    const array places = arange(bits).astype(Dtype::uint8);
    return order == BitOrder::big ? flip(places) : places;
}

// The axis last, or all elements along one.
array along_last(const array& x, std::optional<int> axis) { return axis ? moveaxis(x, axis_of(x, *axis), -1) : ravel(x); }
// As NumPy has it: in Fortran order where the operand lies so, else in C order.
array put_back(const array& x, std::optional<int> axis, const array& like) {
    return axis ? detail::laid_like(moveaxis(x, -1, *axis).copy(Order::c), like, Order::any) : x;
}

Shape with_last(const array& x, std::initializer_list<Size> last) {
    Shape shape = detail::symbolic_shape(x);
    shape.pop_back();
    for (const Size& each : last) shape.push_back(each.raw());
    return shape;
}

}  // namespace

array packbits(const array& x, std::optional<int> axis, BitOrder order) {
    if (x.dtype() != Dtype::bool_ && !is_integer(x.dtype())) throw TypeError("Expected an input array of integer or boolean data type");
    array set = along_last(x, axis).astype(Dtype::bool_).astype(Dtype::uint8);
    const Size count = size_of(set, -1), bytes = (count + bits - 1) / bits;
    if (!(bytes * bits == count)) set = concatenate({set, zeros(with_last(set, {bytes * bits - count}), Dtype::uint8)}, -1);
    const array shifted = left_shift(reshape(set, with_last(set, {bytes, bits})), places_of(order));
    return put_back(sum(shifted, {.axis = -1, .dtype = Dtype::uint8}), axis, x);
}

array unpackbits(const array& x, std::optional<int> axis, std::optional<std::int64_t> count, BitOrder order) {
    if (x.dtype() != Dtype::uint8) throw TypeError("Expected an input array of unsigned byte data type");
    const array bytes = along_last(x, axis);
    const array each = bitwise_and(right_shift(expand_dims(bytes, -1), places_of(order)), array(1, Dtype::uint8));
    const Size all = size_of(bytes, -1) * bits;
    array made = reshape(each, with_last(bytes, {all}));
    if (count) {
        const Size wanted = *count < 0 ? all + *count : Size(*count);
        if (wanted < 0) throw ValueError("-count larger than number of elements");
        if (wanted <= all) made = made.index({Index(ellipsis), Index(Slice{0, wanted.raw()})});
        else made = concatenate({made, zeros(with_last(made, {wanted - all}), Dtype::uint8)}, -1);
    }
    return axis ? put_back(made, axis, x) : made.copy(Order::c);
}

}  // namespace fastnp
