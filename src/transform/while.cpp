// fastnp::while_loop and fastnp::cond, outside of recordings and in them. In a recording both are the op `loop`, which goes on as long as its first state
// holds: a branch is one that takes a turn, or does not.
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "fastnp/loop.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "transform/turns.h"

namespace fastnp::detail {

namespace {

using shape::Dim;

std::string type_of(const array& x) {
    return "shape " + ops::shape_text(api::dims_of(x), api::active_sizes()) + " and dtype " + std::string(name_of(x.dtype()));
}

// Whether it holds, as a bool.
array truth(const char* function, const char* what, const array& x) {
    if (x.ndim() != 0) throw TypeError(std::string(function) + ": " + what + " is to be an array of no axes, not of " + type_of(x));
    return x.dtype() == Dtype::bool_ ? x : x != 0;
}

std::vector<array> checked_states(std::vector<array> next, std::span<const array> states) {
    if (next.size() != states.size()) {
        throw TypeError("while_loop: the body gives " + std::to_string(next.size()) + " arrays as the next states, not " + std::to_string(states.size()));
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (api::have_one_type(next[i], states[i])) continue;
        throw TypeError("while_loop: the body turns state " + std::to_string(i) + " of " + type_of(states[i]) + " into one of " + type_of(next[i]));
    }
    return next;
}

void check_alike(std::span<const array> a, std::span<const array> b) {
    if (a.size() != b.size()) {
        throw TypeError("cond: one function gives " + std::to_string(a.size()) + " arrays, the other " + std::to_string(b.size()));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (api::have_one_type(a[i], b[i])) continue;
        throw TypeError("cond: one function gives an array of " + type_of(a[i]) + ", the other one of " + type_of(b[i]));
    }
}

std::vector<array> while_recorded(std::span<const array> states, const ConditionFunction& condition, const StateFunction& body) {
    const auto holds = [&](std::span<const array> now) { return truth("while_loop", "the condition", condition(now)); };
    // Whether it goes on, and how many turns were taken: what a derivative in reverse mode asks for.
    std::vector<transform::Operand> begin{{holds(states)}, {array(std::int64_t{0})}};
    for (const array& each : states) begin.push_back({each});
    const auto turn = [&](std::span<const array> now, std::span<const array>) {
        const std::vector<array> next = checked_states(body(now.subspan(2)), states);
        TurnResult result{{holds(next), now[1] + std::int64_t{1}}, {}};
        result.states.insert(result.states.end(), next.begin(), next.end());
        return result;
    };
    transform::Turned turned = transform::record_loop({.count = Dim(0), .is_while = true}, begin, {}, turn);
    return {turned.states.begin() + 2, turned.states.end()};
}

// The results after a turn that is taken if `goes_on`; else those that there are.
std::vector<array> once(const array& goes_on, const std::vector<array>& results, const transform::Branch& branch) {
    std::vector<transform::Operand> begin{{goes_on}};
    for (const array& each : results) begin.push_back({each});
    const auto turn = [&](std::span<const array>, std::span<const array>) {
        TurnResult result{{array(false)}, {}};
        for (const array& each : transform::in_branch(branch)) result.states.push_back(each);
        return result;
    };
    transform::Turned turned = transform::record_loop({.count = Dim(0), .is_while = true, .is_once = true}, begin, {}, turn);
    return {turned.states.begin() + 1, turned.states.end()};
}

std::vector<array> branch_recorded(const array& predicate, const BranchFunction& then, const BranchFunction& otherwise) {
    const transform::Branch one = transform::record_branch(then), other = transform::record_branch(otherwise);
    check_alike(one.results, other.results);
    std::vector<array> results;  // of their types, to begin with
    for (const array& each : one.results) results.push_back(api::constant(0, each.dtype(), api::dims_of(each)));
    const array holds = truth("cond", "the predicate", predicate);
    return once(~holds, once(holds, results, one), other);
}

}  // namespace

std::vector<array> take_while(std::span<const array> states, const ConditionFunction& condition, const StateFunction& body) {
    if (trace::Recorder::active() != nullptr) return while_recorded(states, condition, body);
    std::vector<array> now;
    for (const array& each : states) now.push_back(each.copy());
    while (truth("while_loop", "the condition", condition(now)).item<bool>()) now = checked_states(body(now), states);
    return now;
}

std::vector<array> take_branch(const array& predicate, const BranchFunction& then, const BranchFunction& otherwise) {
    if (trace::Recorder::active() != nullptr) return branch_recorded(predicate, then, otherwise);
    return truth("cond", "the predicate", predicate).item<bool>() ? then() : otherwise();
}

}  // namespace fastnp::detail
