#include "transform/turns.h"

#include <algorithm>

#include "fastnp/compile.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "pass/index_map.h"
#include "transform/counted.h"

namespace fastnp::transform {

using shape::Dim;
using shape::Dims;

namespace {

class Inside {
public:
    Inside() { ++trace::turns_depth(); }
    ~Inside() { --trace::turns_depth(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

Dims without_first(const Dims& shape) { return Dims(shape.begin() + 1, shape.end()); }

// What the body has for a value: memory of the loop's, which states may be written to; a variable's is from outside.
array stand_in(Value place, bool held, bool is_variable = false) {
    auto storage = std::make_shared<trace::Storage>(trace::Storage{-1, place, {}, held});
    if (is_variable) --storage->depth;
    return api::wrap(place, recorder().shared_from_this(), std::move(storage),
                     pass::contiguous_strides(place->shape, place->dtype, recorder().graph().sizes()));
}

std::string text_of(Value value) {
    return "shape " + ops::shape_text(value->shape, api::active_sizes()) + " and dtype " + std::string(name_of(value->dtype));
}

void check_states(const trace::Turns& turns) {
    if (turns.next.size() != turns.states.size()) {
        throw TypeError("loop: the body gives " + std::to_string(turns.next.size()) + " arrays for " + std::to_string(turns.states.size()) +
                        " of the state");
    }
    for (std::size_t i = 0; i < turns.next.size(); ++i) {
        const Value next = turns.next[i], state = turns.states[i];
        bool fits = next->dtype == state->dtype && next->shape.size() == state->shape.size();
        for (std::size_t axis = 0; fits && axis < state->shape.size(); ++axis) fits = api::arithmetic().equal(next->shape[axis], state->shape[axis]);
        if (!fits) throw TypeError("loop: the body turns state " + std::to_string(i) + " of " + text_of(state) + " into one of " + text_of(next));
    }
}

// What a body gives, which does nothing that a front end has noted.
template <class F>
auto without_notes(const F& body) {
    const std::vector<detail::Effect>* noted = detail::noted_effects();
    const std::size_t notes = noted == nullptr ? 0 : noted->size();
    auto given = body();
    if (noted != nullptr && noted->size() != notes) throw RecordError("has an effect in the body of a loop");
    return given;
}

// ... and leaves none of its effects where it comes to no end.
template <class F>
auto recorded_turn(std::size_t effects, const F& body) {
    try {
        return without_notes(body);
    } catch (...) {
        recorder().keep_effects(effects);
        throw;
    }
}

// What was recorded since then is a branch's.
void keep_from(std::size_t first) {
    recorder().kept_in_branches().add(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(recorder().graph().nodes().size()));
}

// What the body may raise is its own from here on.
void take_effects(trace::Turns& turns, std::size_t before) {
    const std::vector<Value> all = recorder().effects(), fresh(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    const std::vector<bool> varies = trace::depend_on(fresh, turns.given());
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        if (varies[i] || turns.kept != nullptr) turns.effects.push_back(fresh[i]);
    }
    recorder().drop_effects([&](Value value) { return std::find(turns.effects.begin(), turns.effects.end(), value) != turns.effects.end(); });
}

// Arrays of parts that the body has no use for.
std::vector<bool> drop_unused_parts(trace::Turns& turns, std::vector<array>& operands) {
    const std::vector<Value> all = ir::reachable(turns.ends());
    const auto is_used = [&](Value part) { return std::find(all.begin(), all.end(), part) != all.end(); };
    std::vector<bool> used;
    for (const Value part : turns.parts) used.push_back(is_used(part));
    for (std::size_t i = turns.parts.size(); i-- > 0;) {
        if (is_used(turns.parts[i])) continue;
        turns.parts.erase(turns.parts.begin() + static_cast<std::ptrdiff_t>(i));
        operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(turns.states.size() + i));
    }
    return used;
}

array after(Value loop, std::size_t number, Dtype dtype, const Dims& shape) {
    ir::Attributes attributes;
    attributes.ints.push_back(static_cast<std::int64_t>(number));
    attributes.dims = shape;
    return array_of(recorder().graph().make(Op::after, {&loop, 1}, std::move(attributes), dtype, shape));
}

}  // namespace

Branch record_branch(const std::function<std::vector<array>()>& function) {
    const std::size_t before = recorder().effects().size(), first = recorder().graph().nodes().size();
    Branch made;
    {
        const Inside inside;
        made.results = without_notes(function);
    }
    const std::vector<Value> all = recorder().effects();
    made.effects.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    recorder().keep_effects(before);
    keep_from(first);
    return made;
}

std::vector<array> in_branch(const Branch& branch) {
    for (const Value effect : branch.effects) recorder().effect(effect);
    return branch.results;
}

const trace::Turns& turns_of(const ir::Looped& looped) {
    return *static_cast<const trace::Turns*>(recorder().kept(static_cast<std::size_t>(looped.recorded)));
}

std::vector<Value> starts_of(const trace::Turns& turns) {
    std::vector<Value> starts = turns.given();
    starts.insert(starts.end(), turns.constants.begin(), turns.constants.end());
    return starts;
}

std::vector<Value> results_of(const trace::Turns& turns) {
    std::vector<Value> results = turns.next;
    results.insert(results.end(), turns.collected.begin(), turns.collected.end());
    return results;
}

Turned loop_of(const ir::Looped& looped, Dim count, std::span<const array> operands) {
    const trace::Turns& turns = turns_of(looped);
    std::vector<Value> inputs;
    for (const array& each : operands) inputs.push_back(value_of(each));
    inputs.insert(inputs.end(), turns.constants.begin(), turns.constants.end());
    ir::Attributes attributes;
    attributes.ints = looped.ints();
    attributes.dims.push_back(count);
    recorder().note_line();
    const Value loop = recorder().graph().make(Op::loop, inputs, std::move(attributes), Dtype::bool_, {});
    if (looped.may_raise) recorder().effect(loop);
    Turned turned;
    std::size_t number = 0;
    for (const Value state : turns.states) turned.states.push_back(after(loop, number++, state->dtype, state->shape));
    for (const Value each : turns.collected) turned.collected.push_back(after(loop, number++, each->dtype, with_first(count, each->shape)));
    if (looped.save_every == 0) return turned;
    const shape::Arithmetic sizes = api::arithmetic();
    const Dim saves = sizes.divide(sizes.add(count, Dim(looped.save_every - 1)), Dim(looped.save_every));
    for (const Value state : turns.states) turned.saved.push_back(after(loop, number++, state->dtype, with_first(saves, state->shape)));
    return turned;
}

Turned record_loop(const LoopShape& loop, std::span<const Operand> states, std::span<const Operand> parts, const TurnBody& body) {
    trace::Recorder& recorder = transform::recorder();
    recorder.note_example();
    auto turns = std::make_shared<trace::Turns>();
    std::vector<array> operands;
    {
        const Inside inside;
        std::vector<array> given_states, given_parts;
        for (const Operand& state : states) {
            operands.push_back(state.value);
            const Value place = state.place != nullptr ? state.place : trace::turn_value(recorder.graph(), state.value.dtype(), api::dims_of(state.value));
            turns->states.push_back(place);
            given_states.push_back(stand_in(place, true, loop.are_variables));
        }
        for (const Operand& part : parts) {
            operands.push_back(part.value);
            const Dims shape = without_first(api::dims_of(part.value));
            const Value place = part.place != nullptr ? part.place : trace::turn_value(recorder.graph(), part.value.dtype(), shape);
            turns->parts.push_back(place);
            given_parts.push_back(stand_in(place, false));
        }
        const std::size_t effects = recorder.effects().size(), first = recorder.graph().nodes().size();
        std::optional<Counted> counted;
        if (loop.numbers) counted.emplace(turns->parts[0], loop.numbers->first, loop.numbers->second);
        const detail::TurnResult result = recorded_turn(effects, [&] {
            detail::TurnResult given = body(given_states, given_parts);
            check_counted(recorder.graph(), first);
            return given;
        });
        for (const array& each : result.states) turns->next.push_back(value_of(each));
        for (const array& each : result.collected) turns->collected.push_back(value_of(each));
        if (loop.is_once) {
            keep_from(first);
            turns->kept = &recorder.kept_in_branches();
        }
        take_effects(*turns, effects);
    }
    check_states(*turns);
    std::vector<bool> uses_part = drop_unused_parts(*turns, operands);
    ir::Looped looped;
    looped.recorded = static_cast<std::int64_t>(recorder.keep(turns));
    looped.body = recorder.graph().add_body(trace::close(recorder.graph(), *turns));
    looped.save_every = loop.save_every;
    looped.backward = loop.backward;
    looped.may_raise = !turns->effects.empty();
    looped.wanted_every = loop.wanted_every;
    looped.covers = loop.covers;
    looped.is_while = loop.is_while;
    looped.is_once = loop.is_once;
    Turned turned = loop_of(looped, loop.count, operands);
    turned.uses_part = std::move(uses_part);
    return turned;
}

}  // namespace fastnp::transform
