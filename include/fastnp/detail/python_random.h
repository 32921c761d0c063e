// The generator of Python's module `random`, for native programs that draw from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fastnp/export.h"

namespace fastnp::detail {

/// MT19937 (M. Matsumoto, T. Nishimura, 1998) with the state that a `random.Random` has, as a copy, and what it draws: bit for bit Python's.
class FASTNP_API PythonRandom {
public:
    static constexpr std::size_t size = 624;
    std::array<std::uint32_t, size> words{};
    std::int32_t next = size;  // word; `size` if all are used up
    std::optional<double> gauss{};  // the second one of a pair, which comes next

    PythonRandom();
    PythonRandom(const PythonRandom&) = delete;
    PythonRandom& operator=(const PythonRandom&) = delete;

    /// What programs take: NumPy's `bitgen_t`, whose state this is.
    void* stream() { return static_cast<void*>(stream_.data()); }

private:
    std::array<void*, 5> stream_{};
};

}  // namespace fastnp::detail
