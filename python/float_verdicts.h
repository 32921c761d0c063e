// Floating-point errors of compiled calls. Flags that are set after one are a suspicion; the verdict is the call as written, in which each function
// tells of its own (float_errors.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "common.h"
#include "fastnp/small_vector.h"

namespace fastnp::python {

/// Whether a suspicion is worth a verdict. Where it may raise an exception, call a function or show a warning each time, it always is. Warnings that are
/// shown once are looked for in the first calls with the same flags, and ever more rarely after these: data with NaN would be computed twice for ever.
class FloatVerdicts {
public:
    /// After a call: `met` are the flags that it set.
    bool is_worth(unsigned met, const FloatErrors& known);
    /// Bytes that are kept before each call that writes over them: they are copied in less time than a call takes.
    static constexpr std::size_t small = 16384;
    /// Before a call that writes over more: whether these are kept. Takes Python's lock.
    bool keeps_large() const;
    /// What a recording of the function knows.
    void note(const FloatErrors& known) {
        is_strict_inside_ = is_strict_inside_ || known.strict != 0;
        leaves_out_ = leaves_out_ || known.leaves_out;
    }
    /// Before a call: whether it is asked for floating-point errors of what compiled code leaves out, so that it runs as written.
    bool is_asked_for_all() const;
    /// Of a suspicion that nobody can look into any more, since the call wrote over what it was given: a warning that says so.
    static void tell_unseen(unsigned met, const FloatErrors& known, const std::string& function);

private:
    bool leaves_out_ = false;  // a recording does
    bool is_strict_inside_ = false;  // a state that the function enters itself asks for more than warnings
    std::array<std::uint32_t, 32> suspicions_{};  // so far, by their flags
    Ref filters_;                                 // of warnings, at that time
};

/// The memory that a call has written to, as it was before.
class Overwritten {
public:
    using Memory = std::span<const std::span<std::byte>>;

    static std::size_t bytes(Memory memory);
    void keep(Memory memory, bool is_kept);
    bool is_whole() const { return is_whole_; }
    void restore();

private:
    SmallVector<std::span<std::byte>, 4> memory_;
    SmallVector<std::byte, 512> before_;  // one after the other; few bytes take no allocation
    bool is_whole_ = true;
};

}  // namespace fastnp::python
