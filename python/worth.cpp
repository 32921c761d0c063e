#include "worth.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "fastnp/detail/compiling_time.h"

namespace fastnp::python {

namespace {

constexpr Nanoseconds first_grace = 100'000'000;  // that a function's first call may spend on compiling whatever it takes otherwise,
constexpr Nanoseconds grace = 150'000'000;        // that all of its calls may,
constexpr Nanoseconds share = 4;                  // and beyond that this part of what they take otherwise
constexpr Nanoseconds long_loop = 10'000;   // the mean time of native loops from which calls as written would take too long to be tried
constexpr Nanoseconds long_plain_loop = 2'000;  // ... of those that take as written at least
constexpr Nanoseconds plain_gain = 4;           // times as long
constexpr int most_compiling = 2;              // calls that compile something, before their other time counts
constexpr Nanoseconds long_call = 20'000'000, short_part = 30'000;  // of a call in parts, and of the mean part, that had better be as written, perhaps:
constexpr std::int64_t many_parts = 256, look_after = 32;           // so many are such
constexpr Nanoseconds least_patience = 1'000'000;
constexpr Nanoseconds short_call = 1'000'000;  // which other work of the machine may well double
constexpr int enough = 2, enough_short = 5;    // calls each way
constexpr int most_slow = 8;                   // calls in a row that take longer than as written; eight times as many each time that they did
constexpr int most_again = 6;
constexpr std::size_t most_trials = 64;
constexpr int clear_lead = 2;  // times as long: no second long call is needed

thread_local Spending* innermost = nullptr;

// Whether calls as written would take too long to be tried,
bool are_long(const NativeLoops& loops) { return loops.time > loops.count * long_loop || loops.plain > loops.count * long_plain_loop; }

// and whether the loops alone would take longer as written than the call did, in which they ran.
bool are_most(const NativeLoops& loops, Nanoseconds call) { return loops.time + (plain_gain - 2) / 2 * loops.plain > call / 2; }

Nanoseconds grace_of(int calls) { return calls == 0 ? first_grace : grace; }

}  // namespace

Nanoseconds Account::left() const { return grace_of(calls) + otherwise / share - compiling; }

// What is needed as a whole is worth as much as it would take otherwise.
bool Account::affords(Nanoseconds needed) const { return needed == 0 ? left() >= 0 : compiling + needed <= grace_of(calls) + otherwise; }

Stopwatch::Stopwatch(bool is_running) : compiling_before_(detail::compiling_time()), begin_(is_running ? ticks() : 0) {}

Nanoseconds Stopwatch::compiling() const { return detail::compiling_time() - compiling_before_; }

Account Stopwatch::spent() const {
    const Nanoseconds compiling = this->compiling();
    if (begin_ == 0) return {compiling, 0};
    return {compiling, std::max<Nanoseconds>(nanoseconds_of(ticks() - begin_) - compiling, 0)};
}

Spending::Spending(Account& account, bool is_timed, bool draws_on_caller)
    : account_(account), outer_(std::exchange(innermost, this)), is_timed_(is_timed), draws_on_caller_(draws_on_caller), watch_(is_timed) {}

Spending::~Spending() {
    const Account now = spent();
    account_.compiling += now.compiling;
    account_.otherwise += now.otherwise;
    if (account_.calls < 1) ++account_.calls;
    innermost = outer_;
}

Account Spending::total() const {
    const Account now = spent();
    return {account_.compiling + now.compiling, account_.otherwise + now.otherwise, account_.calls};
}

bool Spending::affords_itself(Nanoseconds needed) const {
    const Nanoseconds compiling = account_.compiling + watch_.compiling();
    const Account before{compiling, account_.otherwise, account_.calls};
    return before.affords(needed) || total().affords(needed);  // the clock is asked where it matters
}

bool Spending::affords(Nanoseconds needed) {
    for (const Spending* each = innermost; each != nullptr; each = each->draws_on_caller_ ? each->outer_ : nullptr) {
        if (!each->affords_itself(needed)) return false;
    }
    return true;
}

bool Spending::affords_or_waits(Nanoseconds needed) {
    if (affords(needed)) return true;
    for (Spending* each = innermost; each != nullptr; each = each->draws_on_caller_ ? each->outer_ : nullptr) each->waits_ = true;
    return false;
}

bool Spending::is_inside() { return innermost != nullptr; }

Nanoseconds Spending::left() { return innermost == nullptr ? std::numeric_limits<Nanoseconds>::max() : innermost->total().left(); }

Spending::NativeLoop::NativeLoop(bool asks, bool is_apart, bool is_plain)
    : in_(!is_apart && innermost != nullptr && innermost->is_timed_ ? innermost : nullptr),
      begin_(asks || in_ != nullptr ? ticks() : 0),
      is_plain_(is_plain) {}

Spending::NativeLoop::~NativeLoop() {
    if (in_ == nullptr) return;
    ++in_->native_loops_.count;
    const Nanoseconds time = spent();
    in_->native_loops_.time += time;
    if (is_plain_) in_->native_loops_.plain += time;
}

Patience::Patience(std::optional<Nanoseconds> written) {
    if (written) most_ = 3 * *written + least_patience;
}

bool Patience::is_over() {
    if (is_over_ || ++calls_ % look_after != 0) return is_over_;
    const Nanoseconds spent = watch_.spent().otherwise;
    is_over_ = most_ ? spent > *most_ : calls_ >= many_parts && spent > long_call && spent < calls_ * short_part;
    return is_over_;
}

// A call in parts comes first: it is to compile what there is to compile. Then one as written says how long the next one may take; but where the first had
// long native loops, another one first says whether calls are mostly these.
Trial::Way Trial::next() const {
    if (decided_) return *decided_;
    const Times &compiled = times_[0], &written = times_[1];
    if (written.count == 0) return (compiling_ > 0 && !loops_first_) || compiled.count > 0 ? Way::written : Way::compiled;
    return written.count < compiled.count ? Way::written : Way::compiled;
}

void Trial::note(Way way, const Account& spent, const NativeLoops& native_loops, bool gave_up) {
    Times& times = times_[static_cast<int>(way)];
    if (decided_) return look_again(way, spent);
    const bool compiles = way == Way::compiled && spent.compiling != 0 && ++compiling_ <= most_compiling;
    const bool has_long_loops = way == Way::compiled && !gave_up && are_long(native_loops);
    loops_first_ = compiles && has_long_loops;
    if (gave_up ? times_[1].count == 0 : compiles) return;
    ++times.count;
    times.least = std::min(times.least, spent.otherwise);
    if (times.count == 1 && has_long_loops && are_most(native_loops, spent.otherwise)) decided_ = Way::compiled;
    else decide();
}

// What is compiled later on may be worth less than what ran as written when parts were timed.
void Trial::look_again(Way way, const Account& spent) {
    if (way != Way::compiled || times_[1].count == 0) return;
    const bool is_slow = spent.otherwise + spent.compiling > times_[1].least / 4 * 5;
    slow_ = is_slow ? slow_ + 1 : 0;
    if (slow_ < most_slow << 3 * again_) return;
    // The machine may have become slower for both: they are timed again, more and more rarely.
    again_ = std::min(again_ + 1, most_again);
    slow_ = 0;
    times_[0] = times_[1] = {};
    decided_.reset();
}

void Trial::decide() {
    const Times &compiled = times_[0], &written = times_[1];
    if (compiled.count == 0 || written.count == 0) return;
    const bool is_faster = compiled.least < written.least;
    const auto [less, more] = std::minmax(compiled.least, written.least);
    const int needed = less < short_call ? enough_short : more / clear_lead < less ? enough : 1;
    if (compiled.count < needed || written.count < needed) return;
    decided_ = is_faster ? Way::compiled : Way::written;
}

std::string Trial::text() const {
    char words[120];
    std::snprintf(words, sizeof words, "calls like this take %.1f us as written, and %.1f us compiled", static_cast<double>(times_[1].least) * 1e-3,
                  static_cast<double>(times_[0].least) * 1e-3);
    return words;
}

std::shared_ptr<Trial> Trials::find(std::uint64_t kind) const {
    const auto found = trials_.find(kind);
    return found == trials_.end() ? nullptr : found->second;
}

std::shared_ptr<Trial> Trials::add(std::uint64_t kind, std::optional<Trial::Way> decided) {
    if (trials_.size() >= most_trials) trials_.clear();
    return trials_[kind] = std::make_shared<Trial>(kind, decided);
}

}  // namespace fastnp::python
