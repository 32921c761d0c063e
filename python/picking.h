// Subscripts of integer arrays and masks, as far as they can be recorded.
#pragma once

#include <optional>

#include "common.h"

namespace fastnp::python {

/// A slice object; ValueError for a step of 0.
Slice slice_of(PyObject* slice);
/// Whether an axis of a mask has the size of the array's; while recording, of the sizes at hand.
bool are_equal(std::int64_t a, std::int64_t b);
/// The mask that a subscript is, or nothing.
std::optional<array> mask_of(PyObject* key);
/// An array with the axes in front that a subscript's integer arrays pick along, and these arrays: what is picked has their axes in front, too, and NumPy
/// has them at `place`.
struct Picking {
    array x;
    std::vector<array> indices;
    int axes = 0;  // of the arrays together
    int place = 0;
    bool are_plain = true;  // none of the arrays has axes
    bool are_distinct = true;  // no element is picked twice: masks and integers alone

    /// Whether each array has elements, and NumPy takes so many: it checks others in ways of its own.
    bool is_usual() const;
    /// What was picked, with its axes as NumPy has them.
    array in_place(const array& picked) const;
};
/// Any subscript that integer arrays or masks are part of, beside integers, slices, None and Ellipsis; nothing for others, and wrong ones.
std::optional<Picking> picking_of(const array& x, PyObject* key);
/// x[key] = value in a recording; false for another subscript. What NumPy says about wrong ones is for NumPy to say: such a call runs as written.
bool set_picked(const array& target, PyObject* key, PyObject* value);
/// The view that a subscript of integers, slices, None and Ellipsis is; nothing for others.
std::optional<array> basic_view(const array& x, PyObject* key);
/// ufunc.at of one operand and of two, in recordings and on devices; false where it is for NumPy to do or to say what is wrong.
bool combine_picked(UnaryUfunc ufunc, const array& target, PyObject* key);
bool combine_picked(BinaryUfunc ufunc, const array& target, PyObject* key, PyObject* value);

}  // namespace fastnp::python
