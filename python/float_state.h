// numpy.errstate's state, as NumPy keeps it: a variable of the context that holds an object for each state.
#pragma once

#include <utility>

#include "common.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::python {

/// NumPy's names of the kinds of errors.
inline constexpr std::pair<const char*, unsigned> float_kinds[] = {
    {"divide", detail::float_divide}, {"over", detail::float_overflow}, {"under", detail::float_underflow}, {"invalid", detail::float_invalid}};

/// What the numpy.errstate at hand asks for, as detail::FloatFlag bits.
struct FloatState {
    unsigned told = 0;    // not ignored
    unsigned strict = 0;  // of these, what is more than a warning: an exception, a call, a print
};
FloatState float_state();
/// NumPy's object for it, one for each state, which is never changed; borrowed.
PyObject* state_object();
/// The object of a state like the one at hand but for these modes, as numpy.errstate takes them: a dict.
Ref state_with(PyObject* modes);
/// numpy.geterr(): a dict.
Ref float_modes();
/// Makes it the state at hand; the token to take that back by.
Ref set_state(PyObject* state);
/// What was raised stays on its way.
void reset_state(const Ref& token) noexcept;

}  // namespace fastnp::python
