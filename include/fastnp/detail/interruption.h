// What long runs of native programs ask now and then.
#pragma once

#include <cstdint>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether a run is to be left, as a signal came: `ask(*this)`, which may take its time.
struct Interruption {
    bool (*ask)(Interruption& self) = nullptr;
};

/// What generated code calls, once in `asks` iterations.
FASTNP_API std::int32_t ask_interruption(Interruption* interruption) noexcept;
inline constexpr std::int32_t asks = 1 << 20;

}  // namespace fastnp::detail
