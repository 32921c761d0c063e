// Lines of the user's program: where a node was asked for. Each is kept once for the process, and travels as a number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/for_codegen.h"

namespace fastnp::ir {

/// A line, by its number; 0: none is known.
struct Location {
    std::uint32_t id = 0;
    explicit operator bool() const { return id != 0; }
    friend bool operator==(Location, Location) = default;
};

/// What a location stands for.
struct Line {
    std::string file;
    int number = 0;
    std::string function;  // empty: it is not known
    friend bool operator==(const Line&, const Line&) = default;
};

/// The location of a line: the same one for equal lines.
Location location_of(std::string_view file, int number, std::string_view function);
/// An empty line for the location 0.
FASTNP_FOR_CODEGEN const Line& line_of(Location location);

/// The addresses of calls that lie in each other, the innermost first, in a program of machine code.
using Calls = std::span<const std::uintptr_t>;
/// The location of the innermost call whose line is found, where somebody asks for it; else `other`. The same one for equal calls.
Location location_of(Calls calls, Location other);
/// Finds that line, in debug information: an empty one where there is none. It is called under a lock, and asks for no lines itself.
using FindLine = Line (*)(Calls calls);
void set_line_finder(FindLine find);

/// "model.py:12 in loss".
FASTNP_FOR_CODEGEN std::string text_of(Location location);

}  // namespace fastnp::ir
