// Floating-point errors of values that are looked at while recording.
#pragma once

namespace fastnp::trace {

/// detail::FloatFlags of all that this thread computed for it so far, to be cleared by whoever takes them.
unsigned& looked_flags();

}  // namespace fastnp::trace
