// How arrays lie in memory, told so that others can lie alike: what calls of the outside are given and give has other memory at each call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common.h"
#include "fastnp/array.h"
#include "numpy_api.h"

namespace fastnp::python {

/// An axis of an array, and where its elements lie.
struct LyingAxis {
    std::int64_t axis = 0;
    bool backward = false;  // its last element comes first
    bool repeated = false;  // all its elements are one
    bool spaced = false;    // there is room between what its elements hold
    bool operator==(const LyingAxis&) const = default;
};

/// The axes from the slowest in memory to the fastest; none for C order without room.
using Lying = std::vector<LyingAxis>;

/// Where an array lies that has memory. Without elements it lies in C order.
Lying lying_of(const Shape& shape, const Strides& strides, std::size_t itemsize);
/// As text, and back.
std::string text_of(const Lying& lying);
Lying lying_from(std::string_view text);

/// An array in C order, and the array in it that lies in some way: both NumPy's.
struct Laid {
    Ref whole;
    Ref part;
};
/// Copies an array to memory in which it lies so, with as little room as can be.
Laid laid(PyArrayObject* x, const Lying& lying);

/// What can be made anew with the strides that it has, from an array in C order.
class Likeness {
public:
    explicit Likeness(PyArrayObject* x);
    /// An array in C order that holds the elements: x itself where it is one.
    Ref whole() const;
    /// What `again` makes of such a whole, in words.
    std::string text() const;
    /// From a whole the array that lies as x does. (A recorded one is a view of it.)
    array again(const array& whole) const;

private:
    PyArrayObject* x_;
    Shape shape_;
    Lying lying_;
    Shape rooms_;  // sizes of the whole
};

}  // namespace fastnp::python
