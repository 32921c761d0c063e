// What a composition reads: eagerly, a look at values can save passes over memory, and errors that depend on values are thrown at once.
#pragma once

#include <optional>

#include "fastnp/array.h"
#include "fastnp/detail/compiled.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/memory.h"
#include "fastnp/ops.h"

namespace fastnp::compat {

/// Whether elements can be read now, and nobody waits for them: they are not recorded, and not on a device.
inline bool is_at_hand(const array& x) { return !x.is_recorded() && !detail::is_recording() && !detail::is_at_device(x); }

/// Of an array at hand.
inline bool has_nan(const array& x) { return any(isnan(x)).item<bool>(); }

/// The flags of floating-point errors are afterwards what they were, unless they are kept.
class TriedFlags {
public:
    TriedFlags() : before_(detail::float_flags()) {}
    ~TriedFlags() {
        if (is_kept_ || detail::float_flags() == before_) return;
        detail::clear_float_flags();
        if (before_ != 0) detail::raise_float_flags(before_);
    }
    TriedFlags(const TriedFlags&) = delete;
    TriedFlags& operator=(const TriedFlags&) = delete;
    void keep() { is_kept_ = true; }

private:
    unsigned before_;
    bool is_kept_ = false;
};

/// What f gives of x as it is, if there is no NaN in that: then x holds none. f looks at all elements, and a NaN is in each result that it takes part in.
template <class F>
std::optional<array> as_it_is(const array& x, F&& f) {
    if (!is_at_hand(x)) return std::nullopt;
    TriedFlags flags;
    array result = f();
    if (has_nan(result)) return std::nullopt;
    flags.keep();
    return result;
}

/// Whether there may be a NaN in an array that is not empty: it is looked for where the array is at hand.
inline bool may_have_nan(const array& x) {
    if (!is_inexact(x.dtype())) return false;
    const TriedFlags flags;
    return !is_at_hand(x) || has_nan(max(x));
}

/// NaN where `none` is true, made by a division, so that compiled code, too, raises the flag by which NumPy is asked for its warning; else 1.
inline array nan_where(const array& none, Dtype dtype) {
    const array count = logical_not(none).astype(dtype);
    return count / count;
}

}  // namespace fastnp::compat
