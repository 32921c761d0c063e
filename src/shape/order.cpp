#include "shape/order.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "shape/strides.h"

namespace fastnp::shape {

namespace {

enum class Verdict : std::uint8_t { unknown, stays, moves };

// An insertion sort of axes, stable, in which an axis passes those that it can't be compared with only to pass another.
template <class Compare>
bool sort_axes(AxisOrder& axes, Compare compare) {
    bool moved = false;
    for (std::size_t i = 1; i < axes.size(); ++i) {
        const std::int64_t axis = axes[i];
        std::size_t place = i;
        for (std::size_t j = i; j-- > 0;) {
            const Verdict verdict = compare(static_cast<std::size_t>(axis), static_cast<std::size_t>(axes[j]));
            if (verdict == Verdict::stays) break;
            if (verdict == Verdict::moves) place = j;
        }
        if (place == i) continue;
        moved = true;
        for (std::size_t j = i; j > place; --j) axes[j] = axes[j - 1];
        axes[place] = axis;
    }
    return moved;
}

// What the operands say to `axis` passing `other`: the first that can tell decides, but any may object.
template <class Tells, class Passes>
Verdict verdict_of(std::span<const Steps> operands, std::size_t axis, std::size_t other, Tells tells, Passes passes) {
    Verdict verdict = Verdict::unknown;
    for (const Steps& steps : operands) {
        if (!tells(steps[axis]) || !tells(steps[other])) continue;
        if (!passes(steps[axis], steps[other])) verdict = Verdict::stays;
        else if (verdict == Verdict::unknown) verdict = Verdict::moves;
    }
    return verdict;
}

}  // namespace

AxisOrder keep_order(std::size_t rank, std::span<const Steps> operands) {
    AxisOrder fastest_first;
    for (std::size_t axis = rank; axis-- > 0;) fastest_first.push_back(static_cast<std::int64_t>(axis));
    const bool moved = sort_axes(fastest_first, [&](std::size_t axis, std::size_t other) {
        return verdict_of(operands, axis, other, [](std::int64_t step) { return step > 0; }, std::less<>());
    });
    if (!moved) return {};
    std::reverse(fastest_first.begin(), fastest_first.end());
    return fastest_first;
}

AxisOrder join_order(std::size_t rank, std::span<const Steps> operands) {
    AxisOrder order;
    for (std::size_t axis = 0; axis < rank; ++axis) order.push_back(static_cast<std::int64_t>(axis));
    const bool moved = sort_axes(order, [&](std::size_t axis, std::size_t other) {
        return verdict_of(operands, axis, other, [](std::int64_t step) { return step >= 0; }, std::greater<>());
    });
    return moved ? order : AxisOrder{};
}

AxisOrder like_order(const Steps& steps) {
    AxisOrder order;
    for (std::size_t axis = 0; axis < steps.size(); ++axis) order.push_back(static_cast<std::int64_t>(axis));
    const auto step = [&](std::int64_t axis) { return steps[static_cast<std::size_t>(axis)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return step(a) > step(b); });
    return std::is_sorted(order.begin(), order.end()) ? AxisOrder{} : order;
}

Steps steps_of(const Shape& shape, const Strides& strides) {
    Steps steps;
    for (std::size_t i = 0; i < shape.size(); ++i) steps.push_back(shape[i] == 1 ? -1 : std::abs(strides[i]));
    return steps;
}

bool is_descending(const Shape& shape, const Strides& strides) {
    std::int64_t last = INT64_MAX;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t step = std::abs(strides[i]);
        if (shape[i] == 1 || step == 0) continue;
        if (step > last) return false;
        last = step;
    }
    return true;
}

Strides strides_in(const Shape& shape, const AxisOrder& order, std::size_t itemsize) {
    Strides strides(shape.size(), 0);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strides;  // as NumPy's new arrays without elements
    if (order.empty()) return c_strides(shape, itemsize);
    auto step = static_cast<std::int64_t>(itemsize);
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

AxisOrder without_axes(const AxisOrder& order, std::size_t rank, std::span<const std::int64_t> axes) {
    if (order.empty()) return {};
    SmallVector<std::int64_t> place(rank, 0);  // in the result; -1 if reduced
    for (const std::int64_t axis : axes) place[static_cast<std::size_t>(axis)] = -1;
    std::int64_t next = 0;
    for (std::int64_t& each : place) each = each < 0 ? -1 : next++;
    AxisOrder left;
    bool c_order = true;
    for (const std::int64_t axis : order) {
        const std::int64_t at = place[static_cast<std::size_t>(axis)];
        if (at < 0) continue;
        c_order = c_order && at == static_cast<std::int64_t>(left.size());
        left.push_back(at);
    }
    return c_order ? AxisOrder{} : left;
}

}  // namespace fastnp::shape
