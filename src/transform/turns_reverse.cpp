// Derivatives of loops in reverse mode.
#include <algorithm>
#include <cmath>
#include <utility>

#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "transform/reverse.h"
#include "transform/turns.h"

namespace fastnp::transform {

using shape::Dim;
using shape::Dims;

namespace {

// As long as all states of a loop take no more than that, the derivative keeps them.
constexpr std::int64_t most_saved_bytes = std::int64_t{16} << 20;

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
        if (looped_.is_while && !looped_.is_once) count_turns();
        every_ = looped_.save_every != 0 ? looped_.save_every : looped_.wanted_every != 0 ? looped_.wanted_every : best_every();
    }

    std::vector<std::optional<array>> run() {
        if (looped_.is_once) {
            back_through_one();
            return found({});
        }
        ir::Looped saving = looped_;
        saving.save_every = every_;
        const Turned forward = loop_of(saving, count_, operands_);
        Stretch all{count_, forward.saved, {}, of_collected_, of_saved_};
        for (std::size_t i = 0; i < turns_.parts.size(); ++i) all.parts.push_back(operands_[turns_.states.size() + i]);
        return found(every_ == 1 ? back_through_states(flow_, all) : back_through_fewer(all));
    }

private:
    std::vector<std::optional<array>> found(const std::vector<array>& of_parts) const {
        std::vector<std::optional<array>> found(turns_.states.size() + turns_.parts.size() + turns_.constants.size());
        for (std::size_t i = 0; i < flowing_.size(); ++i) found[flowing_[i]] = flow_.states[i];
        for (std::size_t i = 0; i < wanted_parts_.size(); ++i) found[turns_.states.size() + wanted_parts_[i]] = of_parts[i];
        for (std::size_t i = 0; i < wanted_constants_.size(); ++i) {
            found[turns_.states.size() + turns_.parts.size() + wanted_constants_[i]] = flow_.totals[i];
        }
        return found;
    }

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

    // A loop as long as a state holds counts its turns: they are taken again as so many.
    void count_turns() {
        const array turns = loop_of(looped_, count_, operands_).states[1];
        if (trace::turns_depth() > 0) {
            recorder().refuse(
                RecordError("takes a reverse derivative of a while_loop in the body of a loop, where its turns can't be counted beforehand"));
        }
        count_ = api::size_of(turns);
        looped_.is_while = false;
    }

    // A turn that is taken, or is not, from states that are there.
    void back_through_one() {
        const std::size_t states = turns_.states.size();
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < states; ++i) operands.push_back({operands_[i], turns_.states[i]});
        for (const Operand& each : begin(flow_)) operands.push_back(each);
        const auto turn = [&](Parts now, Parts) {
            const Flow before = back_through_turn(flow_of(now.subspan(states)), {Dim(1), {}, {}, {}, {}}).first;
            std::vector<array> next{api::constant(false, Dtype::bool_)};
            for (std::size_t i = 1; i < states; ++i) next.push_back(now[i]);
            for (const array& each : all_of(before)) next.push_back(each);
            return detail::TurnResult{std::move(next), {}};
        };
        const Turned turned = record_loop({count_, false, 0, 0, -1, true, true}, operands, {}, turn);
        flow_ = flow_of(std::span(turned.states).subspan(states));
    }

    // The cotangents before a turn, and those of the wanted parts.
    std::pair<Flow, std::vector<array>> back_through_turn(const Flow& now, const Stretch& own) const {
        Reverse reverse(starts_of(turns_), results_of(turns_));
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
        std::vector<array> of_parts;
        for (const std::size_t i : wanted_parts_) of_parts.push_back(reverse.cotangent(turns_.parts[i]));
        return {std::move(before), std::move(of_parts)};
    }

    // Gives the cotangents of the wanted parts.
    std::vector<array> back_through_states(Flow& flow, const Stretch& stretch) {
        const auto turn = [&](Parts states, Parts parts) {
            auto [before, of_parts] = back_through_turn(flow_of(states), part_of(stretch, parts));
            return detail::TurnResult{all_of(before), std::move(of_parts)};
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

}  // namespace

std::vector<std::optional<array>> pull_back_loop(const ir::Node& loop, const std::map<std::int64_t, array>& cotangents, const std::vector<bool>& wanted) {
    return PullBack(loop, cotangents, wanted).run();
}

}  // namespace fastnp::transform
