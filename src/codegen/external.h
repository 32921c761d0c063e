// Precompiled functions that generated code calls. They are known by what they do, so that code kept from another process finds them again.
#pragma once

#include <cstdint>
#include <string>

#include "eager/isa.h"
#include "fastnp/dtype.h"
#include "ir/op.h"

namespace fastnp::codegen {

struct External {
    /// The C library's vector function; an op's span kernel; a cast's; the C library's function of one element; an op's device function for
    /// usual arguments alone (ops/usual.h); memory for what a program makes (detail/blocks.h), what it draws
    /// (eager/stream.h), whether it is to be left (detail/interruption.h), loops that threads share
    /// (base/shared_loop.h), and arithmetic that raises no flag (eager/quiet.h).
    /// (Exported functions have their numbers: new ones come last.)
    enum class Kind : std::uint8_t {
        vector,
        span,
        cast,
        libm,
        usual,
        allocate,
        collect,
        draw_uniform,
        draw_normal,
        draw_exponential,
        draw_integer,
        draw_gauss,
        draw_below,
        draw_legacy_normal,
        draw_legacy_exponential,
        draw_masked,
        ask,
        shared_loop,
        quiet
    };
    Kind kind = Kind::span;
    ir::Op op = ir::Op::cast;       // vector, span, libm, usual
    Dtype dtype = Dtype::float64;   // computed in; of a cast: from
    Dtype to = Dtype::float64;      // of a cast
    friend bool operator==(const External&, const External&) = default;
};

/// Its name in generated code; for messages too.
std::string symbol_of(const External& external);
/// The same in code for others (eager::CodeFor): libraries have it once for each level.
std::string symbol_at(const External& external, eager::Isa level);
/// Null where this machine has none.
void* address_of(const External& external);

}  // namespace fastnp::codegen
