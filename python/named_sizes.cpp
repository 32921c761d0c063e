#include "named_sizes.h"

#include <algorithm>

namespace fastnp::python {

std::vector<NamedParameter> read_named(PyObject* dict) {
    std::vector<NamedParameter> found;
    NamedSizes by_place;
    Py_ssize_t position = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &position, &key, &value) != 0) {
        NamedParameter each{.dim = Dim("")};
        const char *argument = nullptr, *name = nullptr;
        long long low = 0, high = 0, multiple = 1;
        int is_own = 0;
        if (PyArg_ParseTuple(key, "ii", &each.parameter, &each.axis) == 0 ||
            PyArg_ParseTuple(value, "ssLLLp", &argument, &name, &low, &high, &multiple, &is_own) == 0) {
            throw PythonError{};
        }
        each.argument = argument;
        each.is_own = is_own != 0;
        each.dim = Dim(name, low, high, multiple);
        by_place.emplace(std::pair(each.parameter, each.axis), each.dim);
        found.push_back(std::move(each));
    }
    by_place = detail::unified(std::move(by_place));
    for (NamedParameter& each : found) each.dim = by_place.at({each.parameter, each.axis});
    return found;
}

namespace {

// Which of the call's parameters it is, or none: one that was not given.
std::optional<std::size_t> place_of(const NamedParameter& named, const Bound& bound) {
    const auto number = static_cast<std::size_t>(named.parameter);
    const std::size_t slots = bound.slots.size(), extra = bound.extra.size();
    for (std::size_t i = 0; i < bound.names.size(); ++i) {
        if (PyUnicode_CompareWithASCIIString(bound.names[i], named.argument.c_str()) == 0) return slots + extra + i;
    }
    return number < slots + extra ? std::optional(number) : std::nullopt;
}

}  // namespace

NamedSizes named_sizes_of(const std::vector<NamedParameter>& named, const Bound& bound, const Starts& starts, const Flat& flat, bool checks) {
    NamedSizes found;
    std::map<int, const NamedParameter*> owners;
    for (const NamedParameter& each : named) {
        const auto place = place_of(each, bound);
        if (!place) continue;
        const std::size_t first = starts[*place], last = *place + 1 < starts.size() ? starts[*place + 1] : flat.arrays;
        for (std::size_t i = first; i < last; ++i) {
            Dim dim = each.dim;
            if (each.is_own && i > first) dim.name += "_" + std::to_string(i - first);
            found.emplace(std::pair(static_cast<int>(i), each.axis), std::move(dim));
            owners[static_cast<int>(i)] = &each;
        }
    }
    if (!checks) return found;
    detail::check_named_sizes({flat.arguments.data(), flat.arrays}, found, [&](int argument) {
        const auto owner = owners.find(argument);
        return owner == owners.end() ? "argument " + std::to_string(argument) : "argument '" + owner->second->argument + "'";
    });
    return found;
}

}  // namespace fastnp::python
