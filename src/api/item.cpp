// Elements as numbers that recordings follow.
#include "fastnp/item.h"

#include "api/primitives.h"

namespace fastnp {

namespace {

// Of Python's number for an element of it.
Dtype widest(Dtype dtype) {
    if (is_complex(dtype)) return Dtype::complex128;
    return is_inexact(dtype) ? Dtype::float64 : dtype;
}

array widened_element(const array& x) {
    api::check_single(api::dims_of(x));
    return reshape(x, {}).astype(widest(x.dtype()));  // a copy: x may be written to
}

}  // namespace

Item::Item(const array& x) : value_(widened_element(x)) {}

}  // namespace fastnp
