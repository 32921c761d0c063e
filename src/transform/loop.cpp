// fastnp::loop and fastnp::scan, outside of recordings and in them.
#include <algorithm>
#include <optional>

#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "fastnp/loop.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "transform/turns.h"

namespace fastnp::detail {

namespace {

using shape::Dim;

void check_parts(Dim count, std::span<const array> parts) {
    for (const array& each : parts) {
        const shape::Dims shape = api::dims_of(each);
        if (shape.empty() || !api::arithmetic().equal(shape[0], count)) {
            throw ValueError("loop: an array of shape " + ops::shape_text(shape, api::active_sizes()) + " does not have a part for each of " +
                             api::arithmetic().told(count) + " turns");
        }
    }
}

void check_state(const array& next, const array& state, std::size_t number) {
    if (api::have_one_type(next, state)) return;
    const auto text = [](const array& x) {
        return "shape " + ops::shape_text(api::dims_of(x), api::active_sizes()) + " and dtype " + std::string(name_of(x.dtype()));
    };
    throw TypeError("loop: the body turns state " + std::to_string(number) + " of " + text(state) + " into one of " + text(next));
}

// The body, which gives as many states as it is given, and collects the same number of arrays at each turn.
TurnFunction checked(const TurnFunction& body) {
    return [&body, collected = std::optional<std::size_t>()](std::span<const array> states, std::span<const array> parts) mutable {
        TurnResult next = body(states, parts);
        const auto check = [](const char* what, std::size_t given, std::size_t wanted) {
            if (given == wanted) return;
            throw TypeError("loop: the body gives " + std::to_string(given) + what + ", not " + std::to_string(wanted));
        };
        check(states.size() == 1 ? " arrays as the next state" : " arrays as the next states", next.states.size(), states.size());
        check(" arrays to collect", next.collected.size(), collected.value_or(next.collected.size()));
        collected = next.collected.size();
        return next;
    };
}

// One turn after the other, as written. States are copies: the body may write to them.
TurnResult at_once(std::int64_t count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options, const TurnFunction& body) {
    TurnResult now;
    for (const array& each : states) now.states.push_back(each.copy());
    std::vector<std::vector<array>> collected;
    for (std::int64_t turn = 0; turn < count; ++turn) {
        const std::int64_t number = options.backward ? count - 1 - turn : turn;
        std::vector<array> own;
        for (const array& each : parts) own.push_back(take(each, array(number), 0));
        TurnResult next = body(now.states, own);
        for (std::size_t i = 0; i < states.size(); ++i) check_state(next.states[i], states[i], i);
        now.states = std::move(next.states);
        collected.resize(next.collected.size());
        for (std::size_t i = 0; i < collected.size(); ++i) collected[i].push_back(expand_dims(next.collected[i], 0));
    }
    for (std::vector<array>& each : collected) {
        if (options.backward) std::reverse(each.begin(), each.end());
        now.collected.push_back(concatenate(each, 0));
    }
    return now;
}

TurnResult in_recording(Dim count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options, const TurnFunction& body) {
    std::vector<transform::Operand> begin, arrays;
    for (const array& each : states) begin.push_back({each});
    for (const array& each : parts) arrays.push_back({each});
    const transform::LoopShape loop{.count = count,
                                    .backward = options.backward,
                                    .wanted_every = options.save_every,
                                    .are_variables = options.are_variables,
                                    .numbers = options.numbers};
    transform::Turned turned = transform::record_loop(loop, begin, arrays, body);
    return {std::move(turned.states), std::move(turned.collected)};
}

// With no turn to take only a recording tells what a turn would give.
TurnResult no_turns(std::span<const array> states, std::span<const array> parts, const LoopOptions& options, const TurnFunction& body) {
    const std::vector<array> all = recorded([&] {
        TurnResult result = in_recording(0, states, parts, options, body);
        result.states.insert(result.states.end(), result.collected.begin(), result.collected.end());
        return std::move(result.states);
    });
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(states.size());
    return {{all.begin(), end}, {end, all.end()}};
}

void check_options(const LoopOptions& options) {
    if (options.save_every < 0) throw ValueError("loop: save_every must not be negative");
}

}  // namespace

TurnResult take_turns(std::int64_t count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options,
                      const TurnFunction& written) {
    const TurnFunction body = checked(written);
    check_options(options);
    if (count < 0) throw ValueError("loop: the number of turns must not be negative");
    check_parts(count, parts);
    if (trace::Recorder::active() != nullptr) return in_recording(count, states, parts, options, body);
    return count == 0 ? no_turns(states, parts, options, body) : at_once(count, states, parts, options, body);
}

TurnResult take_turns(std::span<const array> states, std::span<const array> parts, const LoopOptions& options, const TurnFunction& written) {
    if (parts.empty() || parts[0].ndim() == 0) throw ValueError("scan: there is no array whose first axis says how many turns to take");
    if (trace::Recorder::active() == nullptr) return take_turns(parts[0].shape(0), states, parts, options, written);
    const TurnFunction body = checked(written);
    check_options(options);
    const Dim count = api::dims_of(parts[0])[0];
    check_parts(count, parts);
    return in_recording(count, states, parts, options, body);
}

TurnResult take_turns(const array& count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options,
                      const TurnFunction& written) {
    if (count.ndim() != 0 || !is_integer(count.dtype())) throw TypeError("loop: the number of turns must be an integer, or an integer array of no axes");
    if (trace::Recorder::active() == nullptr) return take_turns(count.item<std::int64_t>(), states, parts, options, written);
    check_options(options);
    const TurnFunction body = checked(written);
    const Dim turns = api::size_of(count);
    check_parts(turns, parts);
    return in_recording(turns, states, parts, options, body);
}

array turn_numbers(std::int64_t count) { return arange(std::max<std::int64_t>(count, 0)); }
array turn_numbers(const array& count) {
    if (trace::Recorder::active() == nullptr) return arange(count.item<std::int64_t>());
    return api::iota({api::size_of(count)}, 0);
}

}  // namespace fastnp::detail
