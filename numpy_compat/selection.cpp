#include "selection.h"

#include <algorithm>
#include <cstring>

#include "at_hand.h"
#include "fastnp/detail/order.h"

namespace fastnp::compat {

namespace {

using Place = std::int64_t;

// Ascending, each once, within the line.
std::vector<Place> places_in(const std::vector<array>& places, Place length, Place line, Place lines) {
    std::vector<Place> found;
    for (const array& each : places) {
        const auto* const data = each.data<Place>();
        for (Place i = line; i < each.size(); i += lines) found.push_back(std::clamp<Place>(data[i] < 0 ? data[i] + length : data[i], 0, length - 1));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void select_lines(const array& x, const std::vector<array>& places, bool is_by_line) {
    const Shape shape = x.shape();
    const Strides strides = x.strides();
    const auto itemsize = static_cast<Place>(itemsize_of(x.dtype()));
    const Place length = shape.back(), lines = length == 0 ? 0 : x.size() / length, step = strides.back();
    std::vector<Place> same = is_by_line ? std::vector<Place>() : places_in(places, length, 0, 1);
    std::vector<char> buffer(step == itemsize ? 0 : static_cast<std::size_t>(length * itemsize));
    char* const data = static_cast<char*>(x.data());
    for (Place line = 0; line < lines; ++line) {
        char* at = data;
        for (Place rest = line, axis = static_cast<Place>(shape.size()) - 2; axis >= 0; --axis) {
            at += rest % shape[static_cast<std::size_t>(axis)] * strides[static_cast<std::size_t>(axis)];
            rest /= shape[static_cast<std::size_t>(axis)];
        }
        const std::vector<Place>& wanted = is_by_line ? same = places_in(places, length, line, lines) : same;
        if (buffer.empty()) {
            detail::partition_line(at, x.dtype(), length, wanted);
            continue;
        }
        const auto size = static_cast<std::size_t>(itemsize);
        for (Place i = 0; i < length; ++i) std::memcpy(buffer.data() + i * itemsize, at + i * step, size);
        detail::partition_line(buffer.data(), x.dtype(), length, wanted);
        for (Place i = 0; i < length; ++i) std::memcpy(at + i * step, buffer.data() + i * itemsize, size);
    }
}

}  // namespace

bool is_selectable(const array& x) {
    const Dtype dtype = x.dtype();
    return (dtype == Dtype::float64 || dtype == Dtype::float32 || dtype == Dtype::int64 || dtype == Dtype::int32) && is_at_hand(x) && x.size() != 0;
}

array partly_sorted(const array& x, const std::vector<array>& places, bool is_by_line) {
    array made = x.copy(Order::keep);
    const TriedFlags flags;
    select_lines(made, places, is_by_line);
    return made;
}

}  // namespace fastnp::compat
