// Derivatives and batches of loops.
#include <algorithm>
#include <cmath>

#include "fastnp/ops.h"
#include "transform/batch.h"
#include "transform/forward.h"
#include "transform/reverse.h"
#include "transform/turns.h"

namespace fastnp::transform {

using shape::Dim;
using shape::Dims;

namespace {

// As long as all states of a loop take no more than that, the derivative keeps them.
constexpr std::int64_t most_saved_bytes = std::int64_t{16} << 20;

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

// Parts along the first axis.
array parts_of(const array& x, Dim start, Dim count) {
    const Dims shape = api::dims_of(x);
    Dims starts(shape.size(), Dim(0)), lengths = shape;
    starts[0] = start;
    lengths[0] = count;
    return api::slice(x, starts, lengths, span_of(AxisList(shape.size(), 1)));
}

array only_part(const array& x) {
    const Dims shape = api::dims_of(x);
    return api::reshape(x, Dims(shape.begin() + 1, shape.end()));
}

// The first axis as two.
array in_segments(const array& x, Dim count, Dim length) {
    const Dims shape = api::dims_of(x);
    Dims split{count, length};
    for (std::size_t i = 1; i < shape.size(); ++i) split.push_back(shape[i]);
    return api::reshape(x, split);
}

array out_of_segments(const array& x) {
    const Dims shape = api::dims_of(x);
    Dims joined{api::arithmetic().multiply(shape[0], shape[1])};
    for (std::size_t i = 2; i < shape.size(); ++i) joined.push_back(shape[i]);
    return api::reshape(x, joined);
}

// Reverse mode: from the last turn to the first, from states that the loop saved on its way. Where it saves every state, one loop goes back through them.
// Else a loop goes back through the segments between saved states: it takes the turns of a segment again, saving every state, and goes back through these.
class PullBack {
public:
    PullBack(const ir::Node& loop, const std::map<std::int64_t, array>& cotangents, const std::vector<bool>& wanted)
        : looped_(loop.attributes.ints), turns_(turns_of(looped_)), count_(loop.attributes.dims[0]), sizes_(api::arithmetic()) {
        const std::size_t states = turns_.states.size(), parts = turns_.parts.size(), collected = turns_.collected.size();
        for (std::size_t i = 0; i < loop.inputs.size() - turns_.constants.size(); ++i) operands_.push_back(array_of(loop.inputs[i]));
        const auto given = [&](std::size_t number) {
            const auto found = cotangents.find(static_cast<std::int64_t>(number));
            return found == cotangents.end() ? std::nullopt : std::optional(found->second);
        };
        for (std::size_t i = 0; i < states; ++i) {
            if (!is_inexact(turns_.states[i]->dtype)) continue;
            flowing_.push_back(i);
            const auto g = given(i);
            flow_.states.push_back(g ? *g : zeros_of(turns_.states[i]));
            of_saved_.push_back(given(states + collected + i));
        }
        for (std::size_t i = 0; i < collected; ++i) of_collected_.push_back(given(states + i));
        for (std::size_t i = 0; i < parts; ++i) {
            if (wanted[states + i]) wanted_parts_.push_back(i);
        }
        for (std::size_t i = 0; i < turns_.constants.size(); ++i) {
            if (!wanted[states + parts + i]) continue;
            wanted_constants_.push_back(i);
            flow_.totals.push_back(zeros_of(turns_.constants[i]));
        }
        every_ = looped_.save_every != 0 ? looped_.save_every : looped_.wanted_every != 0 ? looped_.wanted_every : best_every();
    }

    std::vector<std::optional<array>> run() {
        ir::Looped saving = looped_;
        saving.save_every = every_;
        const Turned forward = loop_of(saving, count_, operands_);
        Stretch all{count_, forward.saved, {}, of_collected_, of_saved_};
        for (std::size_t i = 0; i < turns_.parts.size(); ++i) all.parts.push_back(operands_[turns_.states.size() + i]);
        const std::vector<array> of_parts = every_ == 1 ? back_through_states(flow_, all) : back_through_fewer(all);
        std::vector<std::optional<array>> found(turns_.states.size() + turns_.parts.size() + turns_.constants.size());
        for (std::size_t i = 0; i < flowing_.size(); ++i) found[flowing_[i]] = flow_.states[i];
        for (std::size_t i = 0; i < wanted_parts_.size(); ++i) found[turns_.states.size() + wanted_parts_[i]] = of_parts[i];
        for (std::size_t i = 0; i < wanted_constants_.size(); ++i) {
            found[turns_.states.size() + turns_.parts.size() + wanted_constants_[i]] = flow_.totals[i];
        }
        return found;
    }

private:
    // The cotangents on their way back.
    struct Flow {
        std::vector<array> states, totals;  // of the states that have any; of the constants that are wanted, summed up
    };
    // Some turns: the states before each (or before each segment), and what belongs to each.
    struct Stretch {
        Dim count;
        std::vector<array> saved, parts;
        std::vector<std::optional<array>> of_collected, of_saved;
    };
    using Parts = std::span<const array>;

    std::int64_t best_every() const {
        const std::int64_t count = sizes_.hint(count_);
        double bytes = 0;
        for (const Value state : turns_.states) {
            double size = static_cast<double>(itemsize_of(state->dtype));
            for (const Dim dim : state->shape) size *= static_cast<double>(sizes_.hint(dim));
            bytes += size;
        }
        if (count < 4 || bytes * static_cast<double>(count) <= static_cast<double>(most_saved_bytes)) return 1;
        return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    }

    std::vector<Operand> begin(const Flow& flow) const {
        std::vector<Operand> operands;
        for (const array& each : flow.states) operands.push_back({each});
        for (const array& each : flow.totals) operands.push_back({each});
        return operands;
    }

    Flow flow_of(std::span<const array> states) const {
        const auto middle = states.begin() + static_cast<std::ptrdiff_t>(flowing_.size());
        return {{states.begin(), middle}, {middle, states.end()}};
    }

    static std::vector<array> all_of(const Flow& flow) {
        std::vector<array> all = flow.states;
        all.insert(all.end(), flow.totals.begin(), flow.totals.end());
        return all;
    }

    // What a loop back takes along: saved states and parts in the places that the body knows them by (`places`), then cotangents that are there.
    std::vector<Operand> taken_along(const Stretch& stretch, bool places) const {
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < stretch.saved.size(); ++i) operands.push_back({stretch.saved[i], places ? turns_.states[i] : nullptr});
        for (std::size_t i = 0; i < stretch.parts.size(); ++i) operands.push_back({stretch.parts[i], places ? turns_.parts[i] : nullptr});
        for (const auto* list : {&stretch.of_collected, &stretch.of_saved}) {
            for (const std::optional<array>& each : *list) {
                if (each) operands.push_back({*each});
            }
        }
        return operands;
    }

    // Those of one turn of it, in the same order.
    static Stretch part_of(const Stretch& stretch, Parts own) {
        Stretch part{Dim(1), {}, {}, {}, {}};
        std::size_t at = 0;
        for (std::size_t i = 0; i < stretch.saved.size(); ++i) part.saved.push_back(own[at++]);
        for (std::size_t i = 0; i < stretch.parts.size(); ++i) part.parts.push_back(own[at++]);
        for (const auto& each : stretch.of_collected) part.of_collected.push_back(each ? std::optional(own[at++]) : std::nullopt);
        for (const auto& each : stretch.of_saved) part.of_saved.push_back(each ? std::optional(own[at++]) : std::nullopt);
        return part;
    }

    static void add_saved(Flow& flow, const std::vector<std::optional<array>>& of_saved) {
        for (std::size_t i = 0; i < of_saved.size(); ++i) {
            if (of_saved[i]) flow.states[i] = flow.states[i] + *of_saved[i];
        }
    }

    // Gives the cotangents of the wanted parts.
    std::vector<array> back_through_states(Flow& flow, const Stretch& stretch) {
        const std::vector<Value> starts = starts_of(turns_), results = results_of(turns_);
        const auto turn = [&](Parts states, Parts parts) {
            const Flow now = flow_of(states);
            const Stretch own = part_of(stretch, parts);
            Reverse reverse(starts, results);
            for (std::size_t i = 0; i < flowing_.size(); ++i) reverse.add(turns_.next[flowing_[i]], now.states[i]);
            for (std::size_t i = 0; i < own.of_collected.size(); ++i) {
                if (own.of_collected[i]) reverse.add(turns_.collected[i], *own.of_collected[i]);
            }
            reverse.run();
            Flow before;
            for (const std::size_t i : flowing_) before.states.push_back(reverse.cotangent(turns_.states[i]));
            add_saved(before, own.of_saved);
            for (std::size_t i = 0; i < wanted_constants_.size(); ++i) {
                api::assign(now.totals[i], now.totals[i] + reverse.cotangent(turns_.constants[wanted_constants_[i]]));
                before.totals.push_back(now.totals[i]);
            }
            detail::TurnResult result{all_of(before), {}};
            for (const std::size_t i : wanted_parts_) result.collected.push_back(reverse.cotangent(turns_.parts[i]));
            return result;
        };
        const Turned turned = record_loop({stretch.count, !looped_.backward}, begin(flow), taken_along(stretch, true), turn);
        flow = flow_of(turned.states);
        uses_states_ = std::find(turned.uses_part.begin(), turned.uses_part.begin() + std::ssize(stretch.saved), true) !=
                       turned.uses_part.begin() + std::ssize(stretch.saved);
        return turned.collected;
    }

    // The states do not matter where turns are linear in them: then all of the way back is one loop.
    std::vector<array> back_through_fewer(const Stretch& all) {
        const bool may_skip =
            !looped_.may_raise && std::none_of(all.of_saved.begin(), all.of_saved.end(), [](const auto& each) { return each.has_value(); });
        if (!may_skip) return back_through_segments(all);
        ir::Looped saving = looped_;
        saving.save_every = 1;
        Stretch one = all;
        one.saved = loop_of(saving, count_, operands_).saved;
        Flow flow = flow_;
        std::vector<array> of_parts = back_through_states(flow, one);
        if (uses_states_) return back_through_segments(all);
        flow_ = flow;
        return of_parts;
    }

    // `segment`'s saved states are those before its first turn.
    std::vector<array> back_through_segment(Flow& flow, const Stretch& segment) {
        ir::Looped saving = looped_;
        saving.save_every = 1;
        std::vector<array> operands = segment.saved;
        operands.insert(operands.end(), segment.parts.begin(), segment.parts.end());
        Stretch turns = segment;
        turns.saved = loop_of(saving, segment.count, operands).saved;
        turns.of_saved.clear();
        std::vector<array> of_parts = back_through_states(flow, turns);
        add_saved(flow, segment.of_saved);
        return of_parts;
    }

    // The segments that are complete, and what is left over, which is where the loop ends.
    std::vector<array> back_through_segments(const Stretch& all) {
        const Dim every(every_), full = sizes_.divide(count_, every), turns = sizes_.multiply(full, every), rest = sizes_.subtract(count_, turns);
        const Dim saves = sizes_.divide(sizes_.add(count_, Dim(every_ - 1)), every), more = sizes_.subtract(saves, full);
        const bool backward = looped_.backward, has_rest = !sizes_.equal(rest, Dim(0));
        const auto of_turns = [&](const array& x) { return parts_of(x, backward ? rest : Dim(0), turns); };
        const auto of_rest = [&](const array& x) { return parts_of(x, backward ? Dim(0) : turns, rest); };
        const auto of_saves = [&](const array& x) { return parts_of(x, backward ? more : Dim(0), full); };
        const auto of_last_save = [&](const array& x) { return only_part(parts_of(x, backward ? Dim(0) : full, Dim(1))); };
        std::vector<array> of_left;
        if (has_rest) of_left = back_through_segment(flow_, mapped(all, rest, of_last_save, of_rest));
        const auto segmented = [&](const array& x) { return in_segments(of_turns(x), full, every); };
        const Stretch segments = mapped(all, full, of_saves, segmented);
        const auto turn = [&](Parts states, Parts parts) {
            Flow flow = flow_of(states);
            Stretch segment = part_of(segments, parts);
            segment.count = every;
            std::vector<array> of_parts = back_through_segment(flow, segment);
            return detail::TurnResult{all_of(flow), std::move(of_parts)};
        };
        Turned turned = record_loop({full, !backward}, begin(flow_), taken_along(segments, false), turn);
        flow_ = flow_of(turned.states);
        std::vector<array> of_parts;
        for (std::size_t i = 0; i < turned.collected.size(); ++i) {
            std::vector<array> pieces{out_of_segments(turned.collected[i])};
            if (has_rest) pieces.insert(backward ? pieces.begin() : pieces.end(), of_left[i]);
            of_parts.push_back(has_rest ? concatenate(pieces, 0) : pieces[0]);
        }
        return of_parts;
    }

    template <class OfSaved, class OfTurn>
    static Stretch mapped(const Stretch& all, Dim count, const OfSaved& of_save, const OfTurn& of_turn) {
        Stretch result{count, {}, {}, {}, {}};
        for (const array& each : all.saved) result.saved.push_back(of_save(each));
        for (const array& each : all.parts) result.parts.push_back(of_turn(each));
        for (const auto& each : all.of_collected) result.of_collected.push_back(each ? std::optional(of_turn(*each)) : std::nullopt);
        for (const auto& each : all.of_saved) result.of_saved.push_back(each ? std::optional(of_save(*each)) : std::nullopt);
        return result;
    }

    ir::Looped looped_;
    const trace::Turns& turns_;
    Dim count_;
    shape::Arithmetic sizes_;
    std::int64_t every_ = 1;
    std::vector<array> operands_;  // the states' beginnings, the parts
    std::vector<std::size_t> flowing_, wanted_parts_, wanted_constants_;
    Flow flow_;
    bool uses_states_ = false;  // whether the last loop back did
    std::vector<std::optional<array>> of_collected_, of_saved_;
};

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
    return {loop.attributes.dims[0], looped.backward, looped.save_every, looped.wanted_every};
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

std::vector<std::optional<array>> pull_back_loop(const ir::Node& loop, const std::map<std::int64_t, array>& cotangents, const std::vector<bool>& wanted) {
    return PullBack(loop, cotangents, wanted).run();
}

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

// A loop whose states, parts and constants that differ are those of all parts at once.
std::vector<array> batch_loop(const ir::Node& loop, const std::vector<std::optional<array>>& operands, Dim count, std::int64_t axis) {
    const trace::Turns& turns = turns_of(ir::Looped(loop.attributes.ints));
    const std::size_t states = turns.states.size(), parts = turns.parts.size();
    const std::vector<bool> moving = moving_states(turns, operands, false);
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
