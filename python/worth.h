// Whether compiling pays: what it may cost, and whether calls are faster in parts than as written.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ticks.h"

namespace fastnp::python {

/// FNV-1a, which is the same in every process.
class Hash {
public:
    void add(std::uint64_t word) { value_ = (value_ ^ word) * 1099511628211U; }
    void add(std::string_view text) {
        for (const char each : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(each)));
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037U;
};

/// What the calls of a function have spent on compiling, and, those that Python ran, otherwise.
struct Account {
    Nanoseconds compiling = 0, otherwise = 0;
    int calls = 0;  // that are over: 1 stands for several
    /// Whether it may compile what it can do without, a part or a further course, say, which is likely to take `needed`.
    bool affords(Nanoseconds needed = 0) const;
    /// What a part may take.
    Nanoseconds left() const;
};

/// How many a call ran, and what they took in all.
struct NativeLoops {
    std::int64_t count = 0;
    Nanoseconds time = 0;
    Nanoseconds plain = 0;  // of those that Python takes several times as long for
};

/// What this thread spends while it lives.
class Stopwatch {
public:
    /// `is_running`: else what it spends otherwise is not known.
    explicit Stopwatch(bool is_running = true);
    Account spent() const;
    Nanoseconds compiling() const;

private:
    Nanoseconds compiling_before_;
    std::uint64_t begin_;  // or 0
};

/// A call that Python runs, as written or in parts, while it lives: what it spends goes to the account of its function.
class Spending {
public:
    /// `is_timed`: else what it takes otherwise counts for nothing, nor do its native loops. `draws_on_caller`: what it compiles has to be affordable for
    /// the call that it is in, too.
    explicit Spending(Account& account, bool is_timed = true, bool draws_on_caller = false);
    ~Spending();
    Spending(const Spending&) = delete;
    Spending& operator=(const Spending&) = delete;

    /// Of the innermost one of this thread, and those that it draws on: whether they can afford a compilation now; yes without one.
    static bool affords(Nanoseconds needed = 0);
    /// The same of what is dear; what can't be afforded yet is waited for.
    static bool affords_or_waits(Nanoseconds needed);
    /// Whether there is one: this is called by a function that Python runs.
    static bool is_inside();
    /// What a compilation may take now; without one, as long as it likes.
    static Nanoseconds left();
    /// The innermost one of this thread runs a native loop while this lives, until that ends or is left.
    class NativeLoop {
    public:
        /// `asks`: whoever makes it wants to know what it takes. `is_apart`: it is of no frame, the loop of a compiled function that another one calls.
        /// `is_plain`: Python takes several times as long for it.
        explicit NativeLoop(bool asks, bool is_apart = false, bool is_plain = false);
        ~NativeLoop();
        NativeLoop(const NativeLoop&) = delete;
        NativeLoop& operator=(const NativeLoop&) = delete;
        Nanoseconds spent() const { return nanoseconds_of(ticks() - begin_); }

    private:
        Spending* in_;  // null: nothing is to be noted
        std::uint64_t begin_;
        bool is_plain_;
    };

    /// What it has spent so far.
    Account spent() const { return watch_.spent(); }
    const NativeLoops& native_loops() const { return native_loops_; }
    /// Whether something ran as written in it that is to be compiled once that is affordable: it says nothing of what calls take.
    bool waits() const { return waits_; }

private:
    /// That of its function, with what it has spent so far.
    Account total() const;
    Account& account_;
    Spending* outer_;
    bool is_timed_, draws_on_caller_, waits_ = false;
    bool affords_itself(Nanoseconds needed) const;
    NativeLoops native_loops_;
    Stopwatch watch_;
};

/// How long a call in parts may take while both ways are timed. Then its parts run as written: what they are worth is known.
class Patience {
public:
    /// `written`: what a call takes as written, if it is known.
    explicit Patience(std::optional<Nanoseconds> written);
    /// Whether it is over; asked at each call of a part.
    bool is_over();
    bool was_over() const { return is_over_; }

private:
    std::optional<Nanoseconds> most_;
    Stopwatch watch_;
    std::int64_t calls_ = 0;
    bool is_over_ = false;
};

/// How calls of one kind are run of a function that is compiled in parts, or that calls functions of the outside: both ways are timed, then the faster
/// one is kept.
class Trial {
public:
    enum class Way : std::uint8_t { compiled, written };  // compiled: in parts, or as a whole
    /// `decided`: what was found before.
    Trial(std::uint64_t kind, std::optional<Way> decided) : kind_(kind), decided_(decided) {}
    std::uint64_t kind() const { return kind_; }
    Way next() const;
    bool is_decided() const { return decided_.has_value(); }
    /// A call took this way, and spent this. `gave_up`: its parts ran as written in the end.
    void note(Way way, const Account& spent, const NativeLoops& native_loops, bool gave_up = false);
    /// What a call takes as written, as far as it is known.
    std::optional<Nanoseconds> written() const { return times_[1].count == 0 ? std::nullopt : std::optional(times_[1].least); }
    /// What it was decided by, in words.
    std::string text() const;

private:
    struct Times {
        int count = 0;
        Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
    };
    void decide();
    void look_again(Way way, const Account& spent);
    std::uint64_t kind_;
    Times times_[2];
    int compiling_ = 0;  // calls in parts in which something was compiled
    bool loops_first_ = false;  // the last of these had long native loops: how much of a call they are is asked before a call as written
    int slow_ = 0;  // calls in a row that took longer in parts than as written, though parts were found to be faster
    int again_ = 0;  // how often it was asked again because of these
    std::optional<Way> decided_;
};

/// The kinds of calls of one function, by a hash of all that its arguments are but for arrays' sizes and whole numbers, and of the order of magnitude of
/// these.
class Trials {
public:
    /// That of a kind, or null.
    std::shared_ptr<Trial> find(std::uint64_t kind) const;
    std::shared_ptr<Trial> add(std::uint64_t kind, std::optional<Trial::Way> decided);
    void clear() { trials_.clear(); }

private:
    std::unordered_map<std::uint64_t, std::shared_ptr<Trial>> trials_;
};

}  // namespace fastnp::python
