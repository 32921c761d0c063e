// Derivatives of loops in forward mode, and their batches.
#include "fastnp/ops.h"
#include "transform/batch.h"
#include "transform/forward.h"
#include "transform/turns.h"

namespace fastnp::transform {

using shape::Dim;
using shape::Dims;

namespace {

// Which states change with the operands that do: also by way of each other, from turn to turn.
std::vector<bool> moving_states(const trace::Turns& turns, const std::vector<std::optional<array>>& operands, bool inexact_only) {
    const std::size_t states = turns.states.size(), parts = turns.parts.size();
    std::vector<bool> moving(states, false);
    std::vector<Value> from;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!operands[i]) continue;
        if (i < states) moving[i] = true;
        from.push_back(i < states ? turns.states[i] : i < states + parts ? turns.parts[i - states] : turns.constants[i - states - parts]);
    }
    for (bool any = true; any;) {
        any = false;
        const std::vector<bool> reached = trace::depend_on(turns.next, from);
        for (std::size_t i = 0; i < states; ++i) {
            if (moving[i] || !reached[i] || (inexact_only && !is_inexact(turns.states[i]->dtype))) continue;
            moving[i] = any = true;
            from.push_back(turns.states[i]);
        }
    }
    return moving;
}

LoopShape shape_of(const ir::Node& loop) {
    const ir::Looped looped(loop.attributes.ints);
    return {loop.attributes.dims[0], looped.backward, looped.save_every, looped.wanted_every, -1, looped.is_while, looped.is_once};
}

// Where the arrays of a loop that is made of another one are, which has some of its states and results a second time.
struct Places {
    std::vector<std::optional<std::size_t>> states, collected;
};

std::vector<std::optional<array>> found_at(const Places& places, const Turned& turned) {
    std::vector<std::optional<array>> found;
    const auto take = [&](const std::vector<std::optional<std::size_t>>& at, const std::vector<array>& from) {
        for (const auto& place : at) found.push_back(place ? std::optional(from[*place]) : std::nullopt);
    };
    take(places.states, turned.states);
    take(places.collected, turned.collected);
    if (!turned.saved.empty()) take(places.states, turned.saved);
    return found;
}

}  // namespace

// A loop that has the tangents of states among its states.
std::vector<std::optional<array>> push_forward_loop(const ir::Node& loop, const std::vector<std::optional<array>>& tangents) {
    const trace::Turns& turns = turns_of(ir::Looped(loop.attributes.ints));
    const std::size_t states = turns.states.size(), parts = turns.parts.size();
    const std::vector<bool> moving = moving_states(turns, tangents, true);
    std::vector<Operand> begin, along;
    Places places;
    std::vector<Value> moving_parts, of_states;
    for (std::size_t i = 0; i < states; ++i) begin.push_back({array_of(loop.inputs[i]), turns.states[i]});
    for (std::size_t i = 0; i < states; ++i) {
        places.states.push_back(moving[i] ? std::optional(begin.size()) : std::nullopt);
        if (!moving[i]) continue;
        of_states.push_back(turns.states[i]);
        begin.push_back({tangents[i] ? *tangents[i] : zeros_of(turns.states[i])});
    }
    for (std::size_t i = 0; i < parts; ++i) along.push_back({array_of(loop.inputs[states + i]), turns.parts[i]});
    for (std::size_t i = 0; i < parts; ++i) {
        if (!tangents[states + i]) continue;
        moving_parts.push_back(turns.parts[i]);
        along.push_back({*tangents[states + i]});
    }
    const auto turn = [&](std::span<const array> now, std::span<const array> own) {
        const std::vector<Value> starts = starts_of(turns), results = results_of(turns);
        Forward forward(starts, results);
        for (std::size_t i = 0; i < of_states.size(); ++i) forward.set(of_states[i], now[states + i]);
        for (std::size_t i = 0; i < moving_parts.size(); ++i) forward.set(moving_parts[i], own[parts + i]);
        for (std::size_t i = 0; i < turns.constants.size(); ++i) {
            if (tangents[states + parts + i]) forward.set(turns.constants[i], *tangents[states + parts + i]);
        }
        forward.run();
        detail::TurnResult result;
        for (const Value next : turns.next) result.states.push_back(array_of(next));
        for (std::size_t i = 0; i < states; ++i) {
            if (moving[i]) result.states.push_back(forward.tangent(turns.next[i]));
        }
        for (const Value each : turns.collected) result.collected.push_back(array_of(each));
        for (const Value each : turns.collected) {
            if (!is_inexact(each->dtype)) {
                places.collected.emplace_back();
                continue;
            }
            places.collected.emplace_back(result.collected.size());
            result.collected.push_back(forward.tangent(each));
        }
        return result;
    };
    LoopShape shape = shape_of(loop);
    shape.covers = ir::Looped(loop.attributes.ints).body;
    return found_at(places, record_loop(shape, begin, along, turn));
}

// A loop that goes on as long as any of its parts does. Those that are done keep their states; where a turn may raise, they compute with what one
// that goes on has, which raises nothing that it does not.
std::vector<array> batch_while(const ir::Node& loop, const std::vector<std::optional<array>>& operands, Dim count, std::int64_t axis) {
    const ir::Looped looped(loop.attributes.ints);
    const trace::Turns& turns = turns_of(looped);
    const std::size_t states = turns.states.size();
    std::vector<Operand> begin;
    std::vector<Value> examples = turns.states;
    for (std::size_t i = 0; i < states; ++i) {
        begin.push_back({operands[i] ? *operands[i] : api::broadcast(array_of(loop.inputs[i]), with_first(count, turns.states[i]->shape))});
    }
    begin.insert(begin.begin(), Operand{any(begin[0].value)});
    for (std::size_t i = 0; i < turns.constants.size(); ++i) {
        if (operands[states + i]) examples.push_back(turns.constants[i]);
    }
    const auto turn = [&](std::span<const array> now, std::span<const array>) {
        const array& goes_on = now[1];
        const auto chosen = [&](const array& x, const array& y) {
            Dims column{count};
            column.resize(api::dims_of(x).size(), Dim(1));
            return api::select(api::reshape(goes_on, column), x, y);
        };
        Batch batch(examples, results_of(turns), count, axis);
        const array one = argmax(goes_on).reshape({1});
        const auto safe = [&](const array& x) { return looped.may_raise ? chosen(x, take(x, one, 0)) : x; };
        for (std::size_t i = 0; i < states; ++i) batch.set(turns.states[i], safe(now[i + 1]));
        for (std::size_t i = 0; i < turns.constants.size(); ++i) {
            if (operands[states + i]) batch.set(turns.constants[i], safe(*operands[states + i]));
        }
        batch.run();
        detail::TurnResult result;
        for (std::size_t i = 0; i < states; ++i) result.states.push_back(chosen(batch.parts(turns.next[i]), now[i + 1]));
        result.states[0] = result.states[0] & goes_on;
        result.states.insert(result.states.begin(), any(result.states[0]));
        return result;
    };
    Turned turned = record_loop({Dim(0), false, 0, 0, -1, true, looped.is_once}, begin, {}, turn);
    turned.states.erase(turned.states.begin());
    return turned.states;
}

// A loop whose states, parts and constants that differ are those of all parts at once.
std::vector<array> batch_loop(const ir::Node& loop, const std::vector<std::optional<array>>& operands, Dim count, std::int64_t axis) {
    const trace::Turns& turns = turns_of(ir::Looped(loop.attributes.ints));
    const std::size_t states = turns.states.size(), parts = turns.parts.size();
    const std::vector<bool> moving = moving_states(turns, operands, false);
    if (ir::Looped(loop.attributes.ints).is_while && moving[0]) return batch_while(loop, operands, count, axis);
    std::vector<Operand> begin, along;
    std::vector<Value> examples;
    for (std::size_t i = 0; i < states; ++i) {
        if (!moving[i]) {
            begin.push_back({array_of(loop.inputs[i]), turns.states[i]});
            continue;
        }
        examples.push_back(turns.states[i]);
        begin.push_back({operands[i] ? *operands[i] : api::broadcast(array_of(loop.inputs[i]), with_first(count, turns.states[i]->shape))});
    }
    for (std::size_t i = 0; i < parts; ++i) {
        const auto& given = operands[states + i];
        if (given) examples.push_back(turns.parts[i]);
        along.push_back(given ? Operand{moveaxis(*given, 0, 1)} : Operand{array_of(loop.inputs[states + i]), turns.parts[i]});
    }
    for (std::size_t i = 0; i < turns.constants.size(); ++i) {
        if (operands[states + parts + i]) examples.push_back(turns.constants[i]);
    }
    std::vector<bool> differs;
    const auto turn = [&](std::span<const array> now, std::span<const array> own) {
        const std::vector<Value> results = results_of(turns);
        Batch batch(examples, results, count, axis);
        for (std::size_t i = 0; i < states; ++i) {
            if (moving[i]) batch.set(turns.states[i], now[i]);
        }
        for (std::size_t i = 0; i < parts; ++i) {
            if (operands[states + i]) batch.set(turns.parts[i], own[i]);
        }
        for (std::size_t i = 0; i < turns.constants.size(); ++i) {
            if (operands[states + parts + i]) batch.set(turns.constants[i], *operands[states + parts + i]);
        }
        batch.run();
        detail::TurnResult result;
        for (std::size_t i = 0; i < states; ++i) result.states.push_back(moving[i] ? batch.parts(turns.next[i]) : array_of(turns.next[i]));
        differs = trace::depend_on(turns.collected, examples);
        for (std::size_t i = 0; i < turns.collected.size(); ++i) {
            result.collected.push_back(differs[i] ? batch.parts(turns.collected[i]) : array_of(turns.collected[i]));
        }
        return result;
    };
    const Turned turned = record_loop(shape_of(loop), begin, along, turn);
    std::vector<array> found;  // of this loop, all of them: the one that is batched may depend on an example by others of its arrays
    const auto take = [&](const std::vector<array>& arrays, const std::vector<bool>& which, bool stacked) {
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (!which[i]) found.push_back(api::broadcast(arrays[i], with_first(count, api::dims_of(arrays[i]))));
            else found.push_back(stacked ? moveaxis(arrays[i], 1, 0) : arrays[i]);
        }
    };
    take(turned.states, moving, false);
    take(turned.collected, differs, true);
    take(turned.saved, moving, true);
    return found;
}

}  // namespace fastnp::transform
