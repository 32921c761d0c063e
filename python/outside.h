// Calls of functions of the outside (fastnp._outside.Outside) from compiled functions: their arguments put together, what they give taken apart.
#pragma once

#include <optional>

#include "fastnp/detail/outside.h"
#include "pytree.h"

namespace fastnp::python {

/// A call that was made.
struct Performed {
    Ref function;
    Ref state;   // of its source before, or None; null if it was not taken
    Ref result;
    detail::Given given;
};

/// Whether a call without operands is an OutsideCall that is steady, by what it gave.
bool is_steady_draw(const Performed& call);
/// Calls it as `call` says with the values of its array operands, which lie as they do in the program and which it can't write to. `saves`: the state of
/// its source is taken before.
Performed perform(const OutsideCall& call, const Flat& flat, std::span<const array> operands, bool saves);
/// Puts the state of its source back. InternalError where it was not taken.
void take_back(const Performed& call);

/// What a result is for the recording: the same around recorded arrays and numbers.
Ref recorded_result(PyObject* result, std::span<const array> arrays);

}  // namespace fastnp::python
