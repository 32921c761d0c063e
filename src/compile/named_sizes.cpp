// Sizes that users name: ranges that make sense, and calls that have them.
#include <algorithm>
#include <map>
#include <numeric>

#include "fastnp/compile.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

std::string text_of(const Dim& dim) {
    std::string text = "'" + dim.name + "', which is " + std::to_string(dim.low);
    text += dim.high == INT64_MAX ? " or more" : " to " + std::to_string(dim.high);
    return dim.multiple_of == 1 ? text : text + ", a multiple of " + std::to_string(dim.multiple_of);
}

void check(const Dim& dim) {
    if (dim.multiple_of < 1) throw ValueError("multiple_of of '" + dim.name + "' must be at least 1");
    if (dim.low > dim.high) {
        throw ValueError("no size is '" + dim.name + "', which is at least " + std::to_string(dim.low) + " and at most " + std::to_string(dim.high));
    }
}

}  // namespace

NamedSizes unified(NamedSizes named) {
    std::map<std::string, Dim> known;
    for (const auto& [where, dim] : named) {
        check(dim);
        const auto [found, is_new] = known.try_emplace(dim.name, dim);
        if (is_new) continue;
        Dim& both = found->second;
        both.low = std::max(both.low, dim.low);
        both.high = std::min(both.high, dim.high);
        both.multiple_of = std::lcm(both.multiple_of, dim.multiple_of);
        check(both);
    }
    for (auto& [where, dim] : named) dim = known.at(dim.name);
    return named;
}

void check_named_sizes(std::span<const Argument> call, const NamedSizes& named, const std::function<std::string(int)>& name_of) {
    struct Seen {
        std::int64_t size;
        std::string place;
    };
    std::map<std::string, Seen> seen;
    for (const auto& [where, dim] : named) {
        const auto [argument, axis] = where;
        if (argument < 0 || static_cast<std::size_t>(argument) >= call.size()) {
            throw IndexError("a size of argument " + std::to_string(argument) + " is named '" + dim.name + "', but the call has " +
                             std::to_string(call.size()) + " arrays");
        }
        const Argument& array = call[static_cast<std::size_t>(argument)];
        const std::string words = name_of ? name_of(argument) : "argument " + std::to_string(argument);
        if (axis < -array.rank || axis >= array.rank) {
            throw AxisError("axis " + std::to_string(axis) + " of " + words + ", whose size is named '" + dim.name +
                            "', is out of bounds for an array of dimension " + std::to_string(array.rank));
        }
        const std::int64_t size = array.shape[axis < 0 ? axis + array.rank : axis];
        const std::string place = "axis " + std::to_string(axis) + " of " + words;
        if (size < dim.low || size > dim.high || size % dim.multiple_of != 0) {
            throw ValueError(place + " has size " + std::to_string(size) + ", but it is named " + text_of(dim));
        }
        const auto [first, is_new] = seen.try_emplace(dim.name, Seen{size, place});
        if (!is_new && first->second.size != size) {
            throw ValueError("the sizes named " + dim.name + " differ: " + first->second.place + " has size " + std::to_string(first->second.size) + ", " +
                             place + " has size " + std::to_string(size));
        }
    }
}

}  // namespace fastnp::detail
