// Sizes of the blocks that caching allocators keep for reuse, and sizes in NumPy's words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>

namespace fastnp::device {

/// Classes are a quarter of a power of two apart, so at most a fifth of a block is unused.
struct SizeClass {
    std::size_t number, bytes;
};
constexpr std::size_t size_class_count = 4 * 58;

/// The class of a request, of multiples of `smallest` bytes, a power of two of 64 or more. Requests are below 2**63 bytes.
inline SizeClass size_class(std::size_t bytes, std::size_t smallest) {
    if (bytes <= smallest) return {0, smallest};
    const auto power = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 2**power < bytes <= 2**(power + 1)
    const std::size_t step = std::size_t{1} << (power - 2);
    const std::size_t quarter = (bytes - (std::size_t{1} << power) + step - 1) / step;  // 1 ... 4
    std::size_t rounded = (std::size_t{1} << power) + quarter * step;
    rounded = (rounded + smallest - 1) / smallest * smallest;
    return {(power - static_cast<std::size_t>(std::countr_zero(smallest))) * 4 + quarter, rounded};
}

/// "1.50 GiB", as NumPy's MemoryError writes it.
inline std::string readable(std::size_t bytes) {
    const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(units)) {
        value /= 1024;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f" : value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
    return std::string(text) + " " + units[unit];
}

}  // namespace fastnp::device
