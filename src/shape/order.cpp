#include "shape/order.h"

#include <algorithm>
#include <cstdlib>

#include "shape/strides.h"

namespace fastnp::shape {

namespace {

enum class Verdict : std::uint8_t { unknown, stays, moves };

// Whether `axis` belongs on the faster side of `other`, which is faster in C order's terms so far.
Verdict compare(std::span<const Steps> operands, std::size_t axis, std::size_t other, std::int64_t least) {
    Verdict verdict = Verdict::unknown;
    for (const Steps& steps : operands) {
        const std::int64_t a = steps[axis];
        const std::int64_t b = steps[other];
        if (a < least || b < least) continue;
        if (b <= a) verdict = Verdict::stays;
        else if (verdict == Verdict::unknown) verdict = Verdict::moves;
    }
    return verdict;
}

}  // namespace

AxisOrder keep_order(std::size_t rank, std::span<const Steps> operands, bool with_repeated) {
    // An insertion sort from C order, stable, in which an axis passes others that it can't be compared with only to pass a slower one.
    AxisOrder fastest_first;
    for (std::size_t axis = rank; axis-- > 0;) fastest_first.push_back(static_cast<std::int64_t>(axis));
    bool c_order = true;
    for (std::size_t i = 1; i < rank; ++i) {
        const std::int64_t axis = fastest_first[i];
        std::size_t place = i;
        for (std::size_t j = i; j-- > 0;) {
            const Verdict verdict = compare(operands, static_cast<std::size_t>(axis), static_cast<std::size_t>(fastest_first[j]), with_repeated ? 0 : 1);
            if (verdict == Verdict::stays) break;
            if (verdict == Verdict::moves) place = j;
        }
        if (place == i) continue;
        c_order = false;
        for (std::size_t j = i; j > place; --j) fastest_first[j] = fastest_first[j - 1];
        fastest_first[place] = axis;
    }
    if (c_order) return {};
    std::reverse(fastest_first.begin(), fastest_first.end());
    return fastest_first;
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
    if (order.empty()) return c_strides(shape, itemsize);
    Strides strides(shape.size(), 0);
    auto step = static_cast<std::int64_t>(itemsize);
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        strides[axis] = step;
        step *= std::max<std::int64_t>(shape[axis], 1);
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
