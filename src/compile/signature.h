// What a compiled entry was made for, and the test whether a call fits it: dtype, rank, sizes (exact or a range), layout, plain values, and the
// conditions that the recording noted. One pass over flat structs, without allocation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fastnp/compile.h"
#include "shape/dim.h"

namespace fastnp::compiler {

/// A size or a stride of an argument: a number it must equal, or the symbol that takes its value.
struct Extent {
    int symbol = -1;
    std::int64_t value = 0;
};

struct ArgumentGuard {
    Dtype dtype;
    std::int8_t rank;
    bool contiguous;               // C order; otherwise `strides` are checked
    SmallVector<Extent> shape;
    SmallVector<Extent> strides;   // bytes
};

struct Symbol {
    std::string name;
    std::int64_t low, high;
    std::int64_t multiple_of = 1;
};

struct Signature {
    std::string key;
    std::vector<ArgumentGuard> arguments;
    std::vector<Symbol> symbols;
    bool any_layout = false;       // of an entry that runs uncompiled: dtypes and ranks alone are compared

    /// Whether the call fits; gives the symbols their values. The recording's own size guards are left to the caller.
    bool matches(std::span<const detail::Argument> call, std::string_view call_key, std::int64_t* symbol_values) const;
    /// The first thing that does not fit, for reports.
    MissInfo mismatch(std::span<const detail::Argument> call, std::string_view call_key) const;
    /// Whether the call differs in sizes alone; then which (argument, axis).
    bool same_but_sizes(std::span<const detail::Argument> call, std::string_view call_key, std::vector<std::pair<int, int>>& differing) const;
    /// Guards as text.
    std::vector<std::string> describe() const;
};

/// The signature of a call: exact but for the (argument, axis) in `dynamic` and the sizes in `named` that fit the call.
Signature describe(std::span<const detail::Argument> call, std::string_view key, const std::vector<std::pair<int, int>>& dynamic, DynamicSizes sizes,
                   const NamedSizes& named);

bool is_c_contiguous(const detail::Argument& argument);

}  // namespace fastnp::compiler
