#include "compile/signature.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "fastnp/error.h"

namespace fastnp::compiler {

// Of an array without elements: whether results made of it lie as those of a contiguous one. Its steps decide that as any others.
static bool is_descending(const detail::Argument& argument) {
    std::int64_t last = INT64_MAX;
    for (int i = 0; i < argument.rank; ++i) {
        if (argument.shape[i] == 1) continue;
        const std::int64_t step = std::abs(argument.strides[i]);
        if (step > last) return false;
        last = step;
    }
    return true;
}

bool is_c_contiguous(const detail::Argument& argument) {
    auto step = static_cast<std::int64_t>(itemsize_of(argument.dtype));
    for (int i = argument.rank; i-- > 0;) {
        if (argument.shape[i] == 0) return is_descending(argument);
    }
    for (int i = argument.rank; i-- > 0;) {
        if (argument.shape[i] != 1 && argument.strides[i] != step) return false;
        step *= argument.shape[i];
    }
    return true;
}

bool Signature::matches(std::span<const detail::Argument> call, std::string_view call_key, std::int64_t* values) const {
    if (call.size() != arguments.size() || call_key != key) return false;
    for (std::size_t s = 0; s < symbols.size(); ++s) values[s] = INT64_MIN;
    auto fits = [&](const Extent& extent, std::int64_t actual) {
        if (extent.symbol < 0) return extent.value == actual;
        std::int64_t& held = values[extent.symbol];
        if (held == INT64_MIN) {
            const Symbol& symbol = symbols[static_cast<std::size_t>(extent.symbol)];
            held = actual;
            return actual >= symbol.low && actual <= symbol.high && actual % symbol.multiple_of == 0;
        }
        return held == actual;
    };
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const ArgumentGuard& guard = arguments[a];
        const detail::Argument& argument = call[a];
        if (guard.dtype != argument.dtype || guard.rank != argument.rank) return false;
        if (any_layout) continue;
        for (int i = 0; i < guard.rank; ++i) {
            if (!fits(guard.shape[static_cast<std::size_t>(i)], argument.shape[i])) return false;
        }
        if (guard.contiguous) {
            if (!is_c_contiguous(argument)) return false;
            continue;
        }
        for (int i = 0; i < guard.rank; ++i) {
            if (!fits(guard.strides[static_cast<std::size_t>(i)], argument.strides[i])) return false;
        }
    }
    return true;
}

namespace {

std::string place(std::size_t argument) { return "argument " + std::to_string(argument); }

std::string extent_text(const Extent& extent, const std::vector<Symbol>& symbols) {
    return extent.symbol < 0 ? std::to_string(extent.value) : symbols[static_cast<std::size_t>(extent.symbol)].name;
}

}  // namespace

MissInfo Signature::mismatch(std::span<const detail::Argument> call, std::string_view call_key) const {
    if (call_key != key) {
        return {"plain values or structure of the arguments changed", "pass what varies as an array (a number as one of shape ())", 0};
    }
    if (call.size() != arguments.size()) {
        return {"number of arrays changed from " + std::to_string(arguments.size()) + " to " + std::to_string(call.size()), "", 0};
    }
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const ArgumentGuard& guard = arguments[a];
        const detail::Argument& argument = call[a];
        if (guard.dtype != argument.dtype) {
            return {place(a) + ": dtype changed from " + std::string(name_of(guard.dtype)) + " to " + std::string(name_of(argument.dtype)),
                    "pass arrays of one dtype", 0};
        }
        if (guard.rank != argument.rank) {
            return {place(a) + ": rank changed from " + std::to_string(guard.rank) + " to " + std::to_string(argument.rank), "", 0};
        }
        for (int i = 0; i < guard.rank; ++i) {
            const Extent& extent = guard.shape[static_cast<std::size_t>(i)];
            if (extent.symbol < 0 && extent.value != argument.shape[i]) {
                return {place(a) + ": size of axis " + std::to_string(i) + " changed from " + std::to_string(extent.value) + " to " +
                            std::to_string(argument.shape[i]),
                        "name the size in dynamic=, so that the first entry serves all", 0};
            }
        }
        if (guard.contiguous != is_c_contiguous(argument)) return {place(a) + ": memory layout changed", "pass arrays in one layout", 0};
    }
    return {"a condition on the sizes or strides no longer holds", "", 0};
}

bool Signature::same_but_sizes(std::span<const detail::Argument> call, std::string_view call_key, std::vector<std::pair<int, int>>& differing) const {
    if (call.size() != arguments.size() || call_key != key || any_layout) return false;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const ArgumentGuard& guard = arguments[a];
        const detail::Argument& argument = call[a];
        if (guard.dtype != argument.dtype || guard.rank != argument.rank || guard.contiguous != is_c_contiguous(argument)) return false;
        for (int i = 0; i < guard.rank; ++i) {
            const Extent& extent = guard.shape[static_cast<std::size_t>(i)];
            if (extent.symbol >= 0 || extent.value != argument.shape[i]) differing.emplace_back(static_cast<int>(a), i);
        }
    }
    return true;
}

std::vector<std::string> Signature::describe() const {
    std::vector<std::string> lines;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
        const ArgumentGuard& guard = arguments[a];
        std::string line = place(a) + ": " + std::string(name_of(guard.dtype)) + "[";
        if (any_layout) {
            lines.push_back(line + "rank " + std::to_string(guard.rank) + "]");
            continue;
        }
        for (std::size_t i = 0; i < guard.shape.size(); ++i) line += (i == 0 ? "" : ", ") + extent_text(guard.shape[i], symbols);
        line += guard.contiguous ? "] contiguous" : "] strides (";
        if (!guard.contiguous) {
            for (std::size_t i = 0; i < guard.strides.size(); ++i) line += (i == 0 ? "" : ", ") + extent_text(guard.strides[i], symbols);
            line += ")";
        }
        lines.push_back(line);
    }
    for (const Symbol& symbol : symbols) {
        if (symbol.low == INT64_MIN) continue;
        lines.push_back(std::to_string(symbol.low) + " <= " + symbol.name +
                        (symbol.high >= shape::most_elements ? "" : " <= " + std::to_string(symbol.high)));
        if (symbol.multiple_of != 1) lines.back() += ", a multiple of " + std::to_string(symbol.multiple_of);
    }
    if (!key.empty()) lines.push_back("plain values equal");
    return lines;
}

namespace {

bool fits(const Dim& dim, std::int64_t size) { return size >= dim.low && size <= dim.high && size % dim.multiple_of == 0; }

// What an axis is called, or null.
const Dim* name_of(const NamedSizes& named, std::pair<int, int> where, int rank) {
    auto found = named.find(where);
    if (found == named.end()) found = named.find({where.first, where.second - rank});
    return found == named.end() ? nullptr : &found->second;
}

}  // namespace

Signature describe(std::span<const detail::Argument> call, std::string_view key, const std::vector<std::pair<int, int>>& dynamic, DynamicSizes sizes,
                   const NamedSizes& named) {
    Signature signature;
    signature.key = key;
    std::map<std::string, std::int64_t> size_of;  // by name
    const auto takes = [&](const Dim* dim, std::int64_t size) {
        return dim != nullptr && fits(*dim, size) && size_of.emplace(dim->name, size).first->second == size;
    };
    auto symbol_named = [&](const std::string& name, std::int64_t low, std::int64_t high, std::int64_t multiple_of = 1) {
        for (std::size_t s = 0; s < signature.symbols.size(); ++s) {
            if (signature.symbols[s].name == name) return static_cast<int>(s);
        }
        signature.symbols.push_back({name, low, high, multiple_of});
        return static_cast<int>(signature.symbols.size() - 1);
    };
    for (std::size_t a = 0; a < call.size(); ++a) {
        const detail::Argument& argument = call[a];
        ArgumentGuard guard{argument.dtype, argument.rank, is_c_contiguous(argument), {}, {}};
        const std::string suffix = std::to_string(a) + "_";
        for (int i = 0; i < argument.rank; ++i) {
            const std::pair<int, int> where{static_cast<int>(a), i};
            Extent extent{-1, argument.shape[i]};
            const Dim* const dim = named.empty() ? nullptr : name_of(named, where, argument.rank);
            const bool is_large = argument.shape[i] > shape::most_elements;  // of elements that are repeated: no size that varies
            if (!is_large && takes(dim, argument.shape[i])) {
                extent.symbol = symbol_named(dim->name, dim->low, std::min(dim->high, shape::most_elements), dim->multiple_of);
            } else if (!is_large && (sizes == DynamicSizes::always || std::find(dynamic.begin(), dynamic.end(), where) != dynamic.end())) {
                extent.symbol = symbol_named("n" + suffix + std::to_string(i), 0, shape::most_elements);
            }
            guard.shape.push_back(extent);
        }
        if (!guard.contiguous) {
            for (int i = 0; i < argument.rank; ++i) {
                Extent extent{-1, argument.strides[i]};
                const auto itemsize = static_cast<std::int64_t>(itemsize_of(argument.dtype));
                const bool fixed = argument.strides[i] == 0 || argument.strides[i] == itemsize;  // broadcast, or side by side
                if (!fixed) extent.symbol = symbol_named("s" + suffix + std::to_string(i), INT64_MIN, INT64_MAX);
                guard.strides.push_back(extent);
            }
        }
        signature.arguments.push_back(std::move(guard));
    }
    return signature;
}

}  // namespace fastnp::compiler
