// Lines of the user's program: where a node was asked for. Each is kept once for the process, and travels as a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
const Line& line_of(Location location);
/// "model.py:12 in loss".
std::string text_of(Location location);

}  // namespace fastnp::ir
