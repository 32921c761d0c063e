#include "lying.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "convert.h"
#include "fastnp/detail/size.h"
#include "fastnp/ops.h"

namespace fastnp::python {

namespace {

constexpr std::int64_t most_room = 8;  // times the elements, of what is copied with the room around it

Shape shape_of(PyArrayObject* x) { return Shape(PyArray_DIMS(x), PyArray_DIMS(x) + PyArray_NDIM(x)); }
Strides strides_of(PyArrayObject* x) { return Strides(PyArray_STRIDES(x), PyArray_STRIDES(x) + PyArray_NDIM(x)); }

bool has_room(const Lying& lying) { return std::ranges::any_of(lying, &LyingAxis::spaced); }

// The axes of more than one element: those with larger steps first, repeated ones last. Others stay where they are.
std::vector<std::int64_t> in_order(const Shape& shape, const Strides& strides) {
    std::vector<std::int64_t> places, sorted, order;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        order.push_back(static_cast<std::int64_t>(i));
        if (shape[i] != 1) places.push_back(order.back());
    }
    sorted = places;
    const auto step = [&](std::int64_t axis) { return std::abs(strides[static_cast<std::size_t>(axis)]); };
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) { return step(a) > step(b); });
    for (std::size_t i = 0; i < places.size(); ++i) order[static_cast<std::size_t>(places[i])] = sorted[i];
    return order;
}

// Sizes of a whole: of each axis, in the order in which they lie, and behind them the steps to the next element, where there is room anywhere.
// `steps`: those that the axes are to have, in elements; as little room as can be without them. Nothing where no whole has these.
std::optional<Shape> rooms_of(const Shape& shape, const Lying& lying, const Strides& steps) {
    Shape rooms(lying.size() + 1, 1);
    std::int64_t inner = 1, next = 0;  // the step of the axis that is further in, none being 0
    std::size_t inside = lying.size();
    for (std::size_t i = lying.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(lying[i].axis);
        if (shape[axis] == 1 || lying[i].repeated) continue;
        rooms[i] = shape[axis];
        const std::int64_t unit = next == 0 ? inner : next;
        const std::int64_t held = inside == lying.size() ? 1 : rooms[inside];
        const std::int64_t count = steps.empty() ? held + (lying[i].spaced ? 1 : 0) : steps[axis] / unit;
        if (count < held || (!steps.empty() && steps[axis] % unit != 0)) return std::nullopt;
        rooms[inside] = count;
        next = unit * count;
        inside = i;
    }
    if (!has_room(lying)) rooms.pop_back();
    return rooms;
}

std::int64_t count_of(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count)) return -1;
    }
    return count;
}

// The array that lies so in a whole of such sizes.
Ref part_of(const Ref& whole, const Shape& shape, const Lying& lying, const Shape& rooms) {
    PyArrayObject* memory = as_numpy(whole.get());
    Strides strides(shape.size(), 0);
    std::int64_t step = PyArray_ITEMSIZE(memory), offset = 0;
    if (rooms.size() > lying.size()) step *= rooms.back();
    for (std::size_t i = lying.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(lying[i].axis);
        strides[axis] = lying[i].repeated ? 0 : lying[i].backward ? -step : step;
        if (lying[i].backward) offset += (shape[axis] - 1) * step;
        step *= rooms[i];
    }
    PyArray_Descr* descr = PyArray_DESCR(memory);
    Py_INCREF(descr);
    Ref part = own(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(shape.size()), shape.data(), strides.data(), PyArray_BYTES(memory) + offset,
                                        NPY_ARRAY_WRITEABLE, nullptr));
    if (PyArray_SetBaseObject(as_numpy(part.get()), Py_NewRef(whole.get())) < 0) throw PythonError{};
    return part;
}

Laid laid_in(PyArrayObject* x, const Lying& lying, const Shape& rooms) {
    PyArray_Descr* descr = PyArray_DESCR(x);
    Py_INCREF(descr);
    Ref whole = own(PyArray_Zeros(static_cast<int>(rooms.size()), rooms.data(), descr, 0));
    Ref part = part_of(whole, shape_of(x), lying, rooms);
    if (PyArray_CopyInto(as_numpy(part.get()), x) < 0) throw PythonError{};
    return {std::move(whole), std::move(part)};
}

Lying plain_of(std::size_t rank) {
    Lying plain;
    for (std::size_t i = 0; i < rank; ++i) plain.push_back({static_cast<std::int64_t>(i)});
    return plain;
}

}  // namespace

Lying lying_of(const Shape& shape, const Strides& strides, std::size_t itemsize) {
    if (count_of(shape) == 0) return {};
    Lying lying;
    for (const std::int64_t axis : in_order(shape, strides)) {
        const std::int64_t step = strides[static_cast<std::size_t>(axis)];
        const bool has_steps = shape[static_cast<std::size_t>(axis)] != 1;
        lying.push_back({axis, has_steps && step < 0, has_steps && step == 0, false});
    }
    auto held = static_cast<std::int64_t>(itemsize);
    for (auto each = lying.rbegin(); each != lying.rend(); ++each) {
        const auto axis = static_cast<std::size_t>(each->axis);
        if (shape[axis] == 1 || each->repeated) continue;
        each->spaced = std::abs(strides[axis]) > held;
        held = std::abs(strides[axis]) * shape[axis];
    }
    return lying == plain_of(shape.size()) ? Lying() : lying;
}

std::string text_of(const Lying& lying) {
    std::string text;
    for (const LyingAxis& each : lying) {
        text += 'o' + std::to_string(each.axis);
        if (each.backward) text += '-';
        if (each.repeated) text += '*';
        if (each.spaced) text += '+';
    }
    return text;
}

Lying lying_from(std::string_view text) {
    Lying lying;
    while (!text.empty()) {
        const char mark = text.front();
        text.remove_prefix(1);
        if (mark == 'o') {
            LyingAxis& each = lying.emplace_back();
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), each.axis);
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        } else if (!lying.empty()) {
            (mark == '-' ? lying.back().backward : mark == '*' ? lying.back().repeated : lying.back().spaced) = true;
        }
    }
    return lying;
}

Laid laid(PyArrayObject* x, const Lying& lying) {
    const Lying wanted = lying.empty() ? plain_of(static_cast<std::size_t>(PyArray_NDIM(x))) : lying;
    return laid_in(x, wanted, *rooms_of(shape_of(x), wanted, {}));
}

Likeness::Likeness(PyArrayObject* x) : x_(x), shape_(shape_of(x)), lying_(lying_of(shape_, strides_of(x), static_cast<std::size_t>(PyArray_ITEMSIZE(x)))) {
    Strides steps = strides_of(x);
    bool are_whole = true;
    for (std::int64_t& step : steps) {
        are_whole = are_whole && step % PyArray_ITEMSIZE(x) == 0;
        step = std::abs(step) / PyArray_ITEMSIZE(x);
    }
    const std::optional<Shape> rooms = are_whole ? rooms_of(shape_, lying_, steps) : std::nullopt;
    const std::int64_t count = rooms ? count_of(*rooms) : -1;
    if (count >= 0 && count <= most_room * std::max<std::int64_t>(count_of(shape_), 1)) {
        rooms_ = *rooms;
        return;
    }
    for (LyingAxis& each : lying_) each.spaced = false;
    rooms_ = *rooms_of(shape_, lying_, {});
}

Ref Likeness::whole() const {
    if (lying_.empty()) return own(PyArray_FromArray(x_, nullptr, NPY_ARRAY_CARRAY));
    const auto is_bent = [](const LyingAxis& each) { return each.backward || each.repeated || each.spaced; };
    if (std::ranges::any_of(lying_, is_bent)) return laid_in(x_, lying_, rooms_).whole;
    Shape order;
    for (const LyingAxis& each : lying_) order.push_back(each.axis);
    PyArray_Dims axes{order.data(), static_cast<int>(order.size())};
    const Ref turned = own(PyArray_Transpose(x_, &axes));
    return own(PyArray_FromArray(as_numpy(turned.get()), nullptr, NPY_ARRAY_CARRAY));
}

std::string Likeness::text() const {
    std::string text = text_of(lying_);
    for (std::size_t i = 0; i < lying_.size(); ++i) {
        const std::int64_t size = shape_[static_cast<std::size_t>(lying_[i].axis)];
        if (size != rooms_[i]) text += ':' + std::to_string(i) + '=' + std::to_string(size);
    }
    return text;
}

array Likeness::again(const array& whole) const {
    if (lying_.empty()) return whole;
    std::vector<Index> kept, backward(lying_.size(), Index(Slice{}));
    Shape back(lying_.size());
    bool is_repeated = false, is_backward = false;
    for (std::size_t i = 0; i < lying_.size(); ++i) {
        const auto axis = static_cast<std::size_t>(lying_[i].axis);
        const bool is_part = !lying_[i].repeated && shape_[axis] != rooms_[i];
        kept.emplace_back(is_part ? Slice{0, shape_[axis], 1} : Slice{});
        back[axis] = static_cast<std::int64_t>(i);
        if (lying_[i].backward) backward[axis] = Index(Slice{{}, {}, -1});
        is_backward = is_backward || lying_[i].backward;
        is_repeated = is_repeated || lying_[i].repeated;
    }
    array part = whole;
    if (rooms_.size() > lying_.size()) {
        kept.emplace_back(0);
        part = part.index(kept);
    }
    part = transpose(part, back);
    if (is_backward) part = part.index(backward);
    if (!is_repeated) return part;
    Shape sizes = part.is_recorded() ? detail::symbolic_shape(part) : part.shape();
    for (const LyingAxis& each : lying_) {
        if (each.repeated) sizes[static_cast<std::size_t>(each.axis)] = shape_[static_cast<std::size_t>(each.axis)];
    }
    return broadcast_to(part, sizes);
}

}  // namespace fastnp::python
