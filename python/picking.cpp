#include "picking.h"

#include <algorithm>

#include "compat.h"
#include "convert.h"
#include "fastnp/detail/at.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "number_list.h"
#include "size.h"

namespace fastnp::python {

namespace {

bool is_list_of_ints(PyObject* list, int depth = 0) {
    constexpr int most = 64;  // axes that NumPy has; a list may hold itself
    if (depth == most) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        PyObject* item = PyList_GET_ITEM(list, i);
        if (PyList_CheckExact(item) ? !is_list_of_ints(item, depth + 1) : !(PyLong_CheckExact(item) || is_size(item))) return false;
    }
    return PyList_GET_SIZE(list) > 0;
}

// An array of integers, or a list of ints, recorded ones among them, in lists of such, too. (Outside of recordings those without axes are plain indices.)
std::optional<array> integers(PyObject* item) {
    if (is_ndarray(item)) {
        if (!is_integer(value_of(item).dtype())) return std::nullopt;
        return value_of(item);
    }
    if (is_index_list(item)) return number_list_elements(item);
    if (PyArray_CheckExact(item) ? PyArray_NDIM(as_numpy(item)) == 0 || !PyArray_ISINTEGER(as_numpy(item)) : !PyList_CheckExact(item)) return std::nullopt;
    if (PyList_CheckExact(item)) {
        if (!is_list_of_ints(item)) return std::nullopt;
        array made = to_array(item);
        return is_integer(made.dtype()) && made.dtype() != Dtype::uint64 ? std::optional(made) : std::nullopt;  // numbers that are no indices
    }
    return to_array(item);
}

// A subscript, entry by entry: basic ones choose what of the axes is there, arrays then pick along some of them. Integers beside arrays pick, too.
class Picker {
public:
    Picker(const array& x, PyObject* key) : x_(x) {
        if (!PyTuple_Check(key)) {
            items_.push_back(key);
            return;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) items_.push_back(PyTuple_GET_ITEM(key, i));
    }

    std::optional<Picking> run() {
        if (!count_axes()) return std::nullopt;
        for (PyObject* item : items_) {
            if (!add(item)) return std::nullopt;
        }
        while (axis_ < x_.ndim()) keep_axis();
        const array seen = x_.index(basic_);
        Picking made{seen, std::move(indices_)};
        Shape order;
        for (const int axis : picked_) order.push_back(axis);
        for (int axis = 0; axis < seen.ndim(); ++axis) {
            if (std::find(picked_.begin(), picked_.end(), axis) == picked_.end()) order.push_back(axis);
        }
        if (!std::is_sorted(order.begin(), order.end())) made.x = transpose(seen, order);
        for (const array& each : made.indices) {
            made.axes = std::max(made.axes, each.ndim());
            made.are_plain = made.are_plain && each.ndim() == 0;
        }
        made.place = is_split_ ? 0 : picked_[0];
        made.are_distinct = are_distinct_;
        return made;
    }

private:
    static bool is_integer(PyObject* item) {
        if (PyLong_CheckExact(item)) return small_int(item).has_value();
        return !PyBool_Check(item) && (PyLong_Check(item) || is_size(item) || PyArray_IsScalar(item, Integer));
    }

    // Whether all entries are of a known kind, arrays among them, and are for no more axes than there are.
    bool count_axes() {
        int taken = 0, ellipses = 0;
        bool any_array = false;
        for (PyObject* item : items_) {
            if (item == Py_None) continue;
            if (item == Py_Ellipsis) {
                ++ellipses;
            } else if (PySlice_Check(item) || is_integer(item)) {
                ++taken;
            } else if (const auto mask = mask_of(item)) {
                taken += mask->ndim();
                any_array = true;
            } else if (integers(item)) {
                ++taken;
                any_array = true;
            } else {
                return false;
            }
        }
        rest_ = x_.ndim() - taken;
        return any_array && rest_ >= 0 && ellipses <= 1;
    }

    bool add(PyObject* item) {
        if (item == Py_None) {
            basic_.emplace_back(newaxis);
            ++seen_axis_;
            is_interrupted_ = !indices_.empty();
        } else if (item == Py_Ellipsis) {
            for (int i = 0; i < rest_; ++i) keep_axis();
            is_interrupted_ = !indices_.empty();
        } else if (PySlice_Check(item)) {
            basic_.emplace_back(slice_of(item));
            ++axis_;
            ++seen_axis_;
            is_interrupted_ = !indices_.empty();
        } else if (const auto mask = mask_of(item)) {
            const Shape sizes = detail::symbolic_shape(*mask), own = detail::symbolic_shape(x_);
            for (int i = 0; i < mask->ndim(); ++i) {
                if (!are_equal(sizes[static_cast<std::size_t>(i)], own[static_cast<std::size_t>(axis_ + i)])) return false;
            }
            for (const array& each : nonzero(*mask)) pick_along(each);
        } else {
            const array index = is_integer(item) ? to_array(item) : *integers(item);
            are_distinct_ = are_distinct_ && index.ndim() == 0;
            pick_along(index);
        }
        return true;
    }

    void keep_axis() {
        basic_.emplace_back(Slice{});
        ++axis_;
        ++seen_axis_;
    }

    void pick_along(const array& index) {
        is_split_ = is_split_ || is_interrupted_;
        is_interrupted_ = false;
        picked_.push_back(seen_axis_);
        indices_.push_back(index);
        keep_axis();
    }

    const array& x_;
    std::vector<PyObject*> items_;
    int rest_ = 0;                     // axes that an Ellipsis is for
    int axis_ = 0, seen_axis_ = 0;     // the next one, of x and of what is seen of it
    std::vector<Index> basic_;
    std::vector<int> picked_;          // axes of what is seen
    std::vector<array> indices_;
    bool is_interrupted_ = false, is_split_ = false;  // whether something lies between arrays
    bool are_distinct_ = true;
};

// Values for what is picked, with the arrays' axes in front, as these are. Nothing where they have more axes.
std::optional<Operand> values_for(const Picking& picking, const Operand& operand) {
    const array* elements = operand.as_array();
    if (elements == nullptr || elements->ndim() == 0 || picking.place == 0) return operand;
    const int rank = picking.x.ndim() - static_cast<int>(picking.indices.size()) + picking.axes;
    if (elements->ndim() > rank) return std::nullopt;
    std::vector<Index> whole(static_cast<std::size_t>(rank - elements->ndim()), newaxis);
    whole.emplace_back(ellipsis);
    Shape order;
    for (int i = 0; i < picking.axes; ++i) order.push_back(picking.place + i);
    for (int i = 0; i < rank; ++i) {
        if (i < picking.place || i >= picking.place + picking.axes) order.push_back(i);
    }
    return Operand(transpose(elements->index(whole), order));
}

// Whether elements that are named several times are so in the order that NumPy has: it goes over indices as they lie in memory.
bool are_in_order(const Picking& picking) {
    if (compat::is_elsewhere(picking.x)) return true;
    if (picking.are_distinct) return picking.is_usual();
    return picking.is_usual() && std::ranges::all_of(picking.indices, [](const array& each) {
               return compat::is_elsewhere(each) || each.size() == 1 || each.is_c_contiguous();
           });
}

bool is_plain_number(PyObject* value) {
    return PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyComplex_CheckExact(value) || PyBool_Check(value);
}

// x[mask] = value: one value for all, or one for each.
bool set_by_mask(const array& target, PyObject* key, PyObject* value) {
    const std::optional<array> mask = mask_of(key);
    if (!mask || mask->ndim() > target.ndim()) return false;
    const Operand operand = to_assigned(value, target.dtype());
    const array* elements = operand.as_array();
    const int further = target.ndim() - mask->ndim();
    if (further > 0 && !compat::is_elsewhere(target) && !compat::is_elsewhere(*mask) && (elements == nullptr || !elements->is_recorded())) return false;
    if (elements == nullptr || elements->ndim() <= further) {
        set_where(target, *mask, operand);
        return true;
    }
    if (elements->ndim() != further + 1) return false;
    set_masked(target, *mask, *elements);
    return true;
}

}  // namespace

std::optional<array> mask_of(PyObject* key) {
    if (PyArray_CheckExact(key) && PyArray_TYPE(as_numpy(key)) == NPY_BOOL && PyArray_NDIM(as_numpy(key)) > 0) return to_array(key);
    if (!is_ndarray(key) || value_of(key).dtype() != Dtype::bool_ || value_of(key).ndim() == 0) return std::nullopt;
    return value_of(key);
}

bool are_equal(std::int64_t a, std::int64_t b) { return a == b || ((detail::is_symbolic(a) || detail::is_symbolic(b)) && detail::sizes_equal(a, b)); }

bool set_picked(const array& target, PyObject* key, PyObject* value) {
    if (set_by_mask(target, key, value)) return true;
    const std::optional<Picking> picking = picking_of(target, key);
    if (!picking) return false;
    const std::optional<Operand> values = values_for(*picking, to_assigned(value, target.dtype()));
    if (!values) return false;
    if (!are_in_order(*picking)) return false;
    set_at(picking->x, picking->indices, *values);
    return true;
}

bool combine_picked(UnaryUfunc ufunc, const array& target, PyObject* key) {
    if (const auto view = basic_view(target, key)) {
        at(ufunc, *view, {});
        return true;
    }
    const std::optional<Picking> picking = picking_of(target, key);
    if (!picking || !are_in_order(*picking) || (!picking->are_distinct && detail::is_at_device(target))) return false;
    if (picking->are_distinct) set_at(picking->x, picking->indices, ufunc(pick(picking->x, picking->indices), {}));
    else at(ufunc, picking->x, picking->indices);
    return true;
}

bool combine_picked(BinaryUfunc ufunc, const array& target, PyObject* key, PyObject* value) {
    // A number is an array of its own dtype here.
    const Operand given = is_plain_number(value) ? to_operand(value) : Operand(to_array(value));
    if (const auto view = basic_view(target, key)) {
        at(ufunc, *view, {}, given);
        return true;
    }
    const std::optional<Picking> picking = picking_of(target, key);
    if (!picking || !are_in_order(*picking) || (!records() && !detail::combines_at_once(ufunc, target.dtype(), given))) return false;
    const std::optional<Operand> values = values_for(*picking, given);
    if (!values) return false;
    at(ufunc, picking->x, picking->indices, *values);
    return true;
}

std::optional<Picking> picking_of(const array& x, PyObject* key) { return Picker(x, key).run(); }

bool Picking::is_usual() const {
    constexpr std::size_t most = 31;
    if (indices.size() > most || static_cast<std::size_t>(x.ndim() + axes) > most) return false;
    return std::ranges::all_of(indices, [](const array& each) { return compat::is_elsewhere(each) || each.size() > 0; });
}

array Picking::in_place(const array& picked) const {
    if (place == 0) return picked;
    Shape order;
    for (int i = 0; i < place; ++i) order.push_back(axes + i);
    for (int i = 0; i < picked.ndim(); ++i) {
        if (i < axes || i >= axes + place) order.push_back(i);
    }
    return transpose(picked, order);
}

}  // namespace fastnp::python
