// The lines of a text that say which sizes there are, as SizeParser reads them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "shape/dim.h"

namespace fastnp::ir {

class SizesText {
public:
    explicit SizesText(const shape::Sizes& sizes) : sizes_(sizes) {}

    /// A size that the text shows.
    void note(shape::Dim dim);
    /// All symbols that there are, shown or not.
    void note_symbols();
    /// Symbols, and quotients where it shows in other sizes which of them was there first; guards.
    std::vector<std::string> lines(bool with_guards) const;

private:
    const shape::Sizes::Expression& expression(std::uint32_t id) const { return sizes_.expression(shape::Dim::expression(id)); }
    std::string symbol(std::uint32_t id) const;

    const shape::Sizes& sizes_;
    std::set<std::uint32_t> atoms_;  // symbols, and the quotients that show
};

}  // namespace fastnp::ir
