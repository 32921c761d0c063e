#include "ir/shared.h"

#include <algorithm>
#include <optional>

namespace fastnp::ir {

namespace {

using Kind = Step::Kind;

std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

bool opens(Kind kind) { return kind == Kind::if_ || kind == Kind::loop || kind == Kind::share; }

Step renumbered(Step step, const std::vector<std::int32_t>& numbers) {
    const Operands uses = operands_of(step);
    if (uses.a) step.a = numbers[at(step.a)];
    if (uses.b) step.b = numbers[at(step.b)];
    if (uses.c) step.c = numbers[at(step.c)];
    return step;
}

// The step that closes a block.
std::size_t end_of(const Program& program, std::size_t block) {
    std::size_t depth = 1, number = block;
    while (depth > 0) {
        const Kind kind = program.steps[++number].kind;
        if (opens(kind)) ++depth;
        else if (kind == Kind::end) --depth;
    }
    return number;
}

// Which variables are set for certain, as a block's steps are walked.
class Sets {
public:
    /// `counter`: is set by the loop itself.
    Sets(const Program& program, std::size_t first, std::size_t last) : program_(program), first_(first), last_(last), is_set_(program.variables.size()) {
        for (std::size_t i = first; i < last; ++i) {
            if (program.steps[i].kind == Kind::set) is_set_[at(program.steps[i].a)] = true;
        }
    }
    bool sets(std::int32_t variable) const { return is_set_[at(variable)]; }

    /// Whether no variable is read before the iteration sets it, but the counter; nor is the loop left in another way than by an exit.
    bool are_private(std::int32_t counter) {
        State now(program_.variables.size(), false);
        now[at(counter)] = true;
        now_ = std::move(now);
        blocks_.push_back({Kind::share, {}, {}, {}});
        for (std::size_t i = first_; i < last_; ++i) {
            if (!take(program_.steps[i])) return false;
        }
        return true;
    }

private:
    using State = std::vector<bool>;
    using Known = std::optional<State>;  // nothing: no path comes here
    struct Block {
        Kind kind;
        Known other;  // an if's other arm
        Known broken, continued;
    };

    static void join(Known& known, const Known& other) {
        if (!known) known = other;
        else if (other) {
            for (std::size_t i = 0; i < known->size(); ++i) (*known)[i] = (*known)[i] && (*other)[i];
        }
    }

    Block* loop_around(std::int32_t depth) {
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            if (blocks_[i].kind != Kind::if_ && depth-- == 0) return &blocks_[i];
        }
        return nullptr;
    }

    bool take(const Step& step) {
        switch (step.kind) {
            case Kind::set:
                if (now_) (*now_)[at(step.a)] = true;
                break;
            case Kind::get: return !now_ || !sets(step.a) || (*now_)[at(step.a)];
            case Kind::exit: now_.reset(); break;
            case Kind::if_: blocks_.push_back({step.kind, now_, {}, {}}); break;
            case Kind::else_: std::swap(now_, blocks_.back().other); break;
            case Kind::share: blocks_.push_back({step.kind, {}, now_, {}}); break;
            case Kind::loop: blocks_.push_back({step.kind, {}, {}, {}}); break;
            case Kind::next: join(now_, blocks_.back().continued); break;
            case Kind::break_: return leave(step, true);
            case Kind::continue_: return leave(step, false);
            case Kind::end: close(); break;
            default: break;
        }
        return true;
    }

    bool leave(const Step& step, bool breaks) {
        Block* const loop = loop_around(step.a);
        if (breaks && loop == &blocks_.front()) return false;
        join(breaks ? loop->broken : loop->continued, now_);
        now_.reset();
        return true;
    }

    void close() {
        const Block block = std::move(blocks_.back());
        blocks_.pop_back();
        if (block.kind == Kind::if_) join(now_, block.other);
        else now_ = block.broken;
    }

    const Program& program_;
    std::size_t first_, last_;
    std::vector<bool> is_set_;
    Known now_;
    std::vector<Block> blocks_;
};

bool is_forbidden(Kind kind) {
    return kind == Kind::allocate || kind == Kind::point || kind == Kind::address || kind == Kind::collect || kind == Kind::draw;
}

// Takes one loop out of a program.
class Taken {
public:
    Taken(const Program& program, std::size_t block) : program_(program), block_(block), end_(end_of(program, block)), sets_(program, block + 1, end_) {}

    /// Whether that can be.
    bool is_possible() {
        const Step& loop = program_.steps[block_];
        made_.least = static_cast<std::int64_t>(loop.bits);
        if (!program_.apart || loop.c >= 0 || sets_.sets(loop.b)) return false;
        find_parts();
        for (std::size_t i = block_ + 1; i < end_; ++i) {
            const Step& step = program_.steps[i];
            const auto is_it = [&](const SharedLoop::Part& part) { return part.is_stored && part.array == step.a; };
            if (is_forbidden(step.kind) || (step.kind == Kind::store && std::ranges::none_of(made_.parts, is_it))) return false;
            made_.may_leave = made_.may_leave || step.kind == Kind::require || step.kind == Kind::exit;
        }
        return sets_.are_private(loop.a);
    }

    std::size_t end() const { return end_; }

    SharedLoop take() {
        Program& own = made_.program;
        own.variables = program_.variables;
        own.exits = program_.exits;
        own.arrays = program_.arrays + program_.made_arrays;
        own.apart = program_.apart;
        own.aliases = program_.aliases;
        for (const Step& step : program_.steps) {
            if (step.kind == Kind::point) own.aliases.emplace_back(step.a, step.b);
        }
        numbers_.assign(program_.steps.size(), -1);
        hand_in();
        const std::int32_t first = input(Dtype::int64), last = input(Dtype::int64);
        const Step& loop = program_.steps[block_];
        // What is known of where it begins and ends takes checks out of it.
        if (first_ >= 0) assume_not_below(first, first_);
        if (end_value_ >= 0) assume_not_below(end_value_, last);
        assume_required();
        own.steps.push_back({.kind = Kind::set, .a = loop.a, .b = first, .where = loop.where});
        own.steps.push_back({.kind = Kind::share, .a = loop.a, .c = last, .where = loop.where});
        for (std::size_t i = block_ + 1; i <= end_; ++i) copy(i);
        own.steps.push_back({.kind = Kind::exit, .b = static_cast<std::int32_t>(own.exits.size())});
        own.exits.push_back({made_.set});
        return std::move(made_);
    }

private:
    void find_parts() {
        std::size_t first = block_;
        while (first > 0 && (program_.steps[first - 1].kind == Kind::part || program_.steps[first - 1].kind == Kind::extent)) --first;
        for (; first < block_; ++first) {
            const Step& step = program_.steps[first];
            if (step.kind == Kind::part) made_.parts.push_back({step.a, step.b, step.dtype, step.bits == 0});
            else if (!made_.parts.empty()) made_.parts.back().axes.emplace_back(step.b, step.c);
        }
    }

    std::int32_t input(Dtype dtype, std::uint64_t bits = 0) {
        Program& own = made_.program;
        own.steps.push_back({.kind = Kind::input, .dtype = dtype, .a = own.inputs, .bits = bits});
        own.inputs += is_complex(dtype) ? 2 : 1;
        return static_cast<std::int32_t>(own.steps.size()) - 1;
    }

    // Values of the program that the loop uses, then variables: those that it reads, sets, or hands out.
    void hand_in() {
        std::vector<bool> used(program_.variables.size());
        for (std::size_t i = block_ + 1; i < end_; ++i) {
            const Step& step = program_.steps[i];
            for (const std::int32_t value : values_of(step)) {
                if (at(value) < block_) hand_in(value);
            }
            if (step.kind == Kind::get || step.kind == Kind::set) used[at(step.a)] = true;
            if (step.kind == Kind::share && step.c < 0) used[at(step.b)] = true;
            if (step.kind != Kind::require && step.kind != Kind::exit) continue;
            for (const std::int32_t each : program_.exits[at(step.b)].variables) used[at(each)] = true;
        }
        const Step& loop = program_.steps[block_];
        const std::vector<std::int32_t> before = values_before();
        std::vector<std::int32_t> known(used.size(), -1);
        for (std::int32_t variable = 0; variable < static_cast<std::int32_t>(used.size()); ++variable) {
            if (sets_.sets(variable)) made_.set.push_back(variable);
            const bool is_bound = variable == loop.a || variable == loop.b;
            if (is_bound || (used[at(variable)] && !sets_.sets(variable))) known[at(variable)] = before[at(variable)];
            if (known[at(variable)] >= 0) known[at(variable)] = hand_in(known[at(variable)]);
        }
        first_ = known[at(loop.a)];
        end_value_ = known[at(loop.b)];
        for (std::int32_t variable = 0; variable < static_cast<std::int32_t>(used.size()); ++variable) {
            if (!used[at(variable)] || variable == loop.a) continue;
            const std::int32_t value = known[at(variable)] >= 0 ? known[at(variable)] : input(program_.variables[at(variable)]);
            made_.program.steps.push_back({.kind = Kind::set, .a = variable, .b = value});
            if (known[at(variable)] < 0) made_.variables.push_back(variable);
        }
    }

    // What is computed of sizes is made again, so that it is known how one is the other.
    static bool is_made_again(const Step& step) {
        const auto is_whole = [](Dtype dtype) { return is_integer(dtype) || dtype == Dtype::bool_; };
        switch (step.kind) {
            case Kind::constant:
            case Kind::plus:
            case Kind::times: return true;
            case Kind::select:
            case Kind::overflows: return is_whole(step.dtype);
            case Kind::map: return is_whole(step.dtype) && is_whole(step.compute) && step.op != Op::floor_divide && step.op != Op::remainder;
            default: return false;
        }
    }

    // Whether a value needs nothing to be handed in that is not.
    bool is_known(std::int32_t value, int depth = 0) const {
        if (numbers_[at(value)] >= 0) return true;
        const Step& made = program_.steps[at(value)];
        if (depth > most_depth || !is_made_again(made)) return false;
        return std::ranges::all_of(values_of(made), [&](std::int32_t each) { return is_known(each, depth + 1); });
    }
    static constexpr int most_depth = 6;

    // What was required on the way to the loop holds in it.
    void assume_required() {
        int closed = 0;
        for (std::size_t i = block_; i-- > 0;) {
            const Step& step = program_.steps[i];
            if (closed == 0 && step.kind == Kind::require && is_known(step.a)) {
                const std::int32_t value = hand_in(step.a);
                made_.program.steps.push_back({.kind = Kind::assume, .a = value});
            }
            closed = closed_before(step, closed);
        }
    }

    // How many blocks, of those that are closed before the loop begins, are around what comes before a step.
    static int closed_before(const Step& step, int closed) {
        if (step.kind == Kind::end) return closed + 1;
        if (closed == 0 && (step.kind == Kind::else_ || step.kind == Kind::next)) return 1;
        return opens(step.kind) && closed > 0 ? closed - 1 : closed;
    }

    std::int32_t hand_in(std::int32_t value) {
        std::int32_t& number = numbers_[at(value)];
        if (number >= 0) return number;
        const Step& made = program_.steps[at(value)];
        if (is_made_again(made)) {
            for (const std::int32_t each : values_of(made)) hand_in(each);
            made_.program.steps.push_back(renumbered(made, numbers_));
            return numbers_[at(value)] = static_cast<std::int32_t>(made_.program.steps.size()) - 1;
        }
        made_.values.push_back(value);
        return number = input(made.dtype, made.kind == Kind::input ? made.bits : 0);
    }

    void assume_not_below(std::int32_t x, std::int32_t y) {
        std::vector<Step>& steps = made_.program.steps;
        steps.push_back({.kind = Kind::map, .dtype = Dtype::bool_, .compute = Dtype::int64, .op = Op::greater_equal, .a = x, .b = y});
        steps.push_back({.kind = Kind::assume, .a = static_cast<std::int32_t>(steps.size()) - 1});
    }

    // The value that each variable has where the loop begins; -1: it is not known. It is the one that it was given on the way there, unless a loop or a
    // branch in between may have given it another.
    std::vector<std::int32_t> values_before() const {
        std::vector<int> sets(program_.variables.size(), 0);
        for (const Step& step : program_.steps) {
            if (step.kind == Kind::set) ++sets[at(step.a)];
        }
        std::vector<std::int32_t> found(sets.size(), -1);
        int closed = 0;  // blocks around the step that are closed before the loop begins
        bool is_straight = true;
        for (std::size_t i = block_; i-- > 0;) {
            const Step& step = program_.steps[i];
            const bool is_known = step.kind == Kind::set && closed == 0 && (is_straight || sets[at(step.a)] == 1);
            if (is_known && found[at(step.a)] < 0) found[at(step.a)] = step.b;
            is_straight = is_straight && !opens(step.kind) && step.kind != Kind::end && step.kind != Kind::else_ && step.kind != Kind::next;
            closed = closed_before(step, closed);
        }
        return found;
    }

    void copy(std::size_t number) {
        numbers_[number] = static_cast<std::int32_t>(made_.program.steps.size());
        made_.program.steps.push_back(renumbered(program_.steps[number], numbers_));
    }

    static std::vector<std::int32_t> values_of(const Step& step) {
        const Operands uses = operands_of(step);
        std::vector<std::int32_t> found;
        if (uses.a) found.push_back(step.a);
        if (uses.b) found.push_back(step.b);
        if (uses.c) found.push_back(step.c);
        return found;
    }

    const Program& program_;
    std::size_t block_, end_;
    Sets sets_;
    SharedLoop made_;
    std::vector<std::int32_t> numbers_;  // of the program's values, in its own
    std::int32_t first_ = -1, end_value_ = -1;  // in its own: where the whole loop begins and ends, if that is known
};

}  // namespace

SharedLoops shared_out(const Program& program) {
    SharedLoops made{program, {}};
    std::vector<Step>& steps = made.program.steps;
    steps.clear();
    std::vector<std::int32_t> numbers(program.steps.size(), -1);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const Step& step = program.steps[i];
        if (step.kind == Kind::share) {
            Taken loop(program, i);
            if (loop.is_possible()) {
                made.loops.push_back(loop.take());
                for (std::int32_t& each : made.loops.back().values) each = numbers[at(each)];
                for (SharedLoop::Part& each : made.loops.back().parts) {
                    each.start = numbers[at(each.start)];
                    for (auto& [size, stride] : each.axes) {
                        size = numbers[at(size)];
                        stride = numbers[at(stride)];
                    }
                }
                steps.push_back(
                    {.kind = Kind::shared, .a = static_cast<std::int32_t>(made.loops.size()) - 1, .b = step.a, .c = step.b, .where = step.where});
                i = loop.end();
                continue;
            }
        }
        numbers[i] = static_cast<std::int32_t>(steps.size());
        steps.push_back(renumbered(step, numbers));
    }
    return made;
}

}  // namespace fastnp::ir
