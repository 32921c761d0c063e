// A kernel's points in the order in which its schedule has them done, and its folds combined in the order that nest/order.h says. What an element is, and
// what expressions are, whoever runs it says: bytes (interpret/expressions.h), or terms (codegen/term_kernel.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "interpret/lists.h"
#include "nest/order.h"

namespace fastnp::interpret {

/// `Expressions`: its Element and Point (`index` per axis, `values` per expression, `folds`, `sizes`), lists(), and what Run calls of it.
template <class Expressions>
class Run {
    using Element = typename Expressions::Element;
    using Elements = std::vector<Element>;
    using Point = typename Expressions::Point;
    struct Range {
        std::int64_t begin, end;
    };

public:
    Run(const nest::Kernel& kernel, const nest::Schedule& schedule, const Expressions& expressions, Point at)
        : kernel_(kernel),
          schedule_(schedule),
          expressions_(expressions),
          at_(std::move(at)),
          outer_(kernel.outer_count()),
          folds_lanes_(nest::lanes_are_folded(kernel, schedule)),
          lanes_(folds_lanes_ ? nest::lanes_of(kernel, nest::vector_bytes_of(eager::host_isa())) : 1),
          steps_(nest::folded_steps(kernel, schedule)),
          parts_(schedule.jam_axis >= static_cast<int>(outer_) ? schedule.jam : 1),
          accumulators_(kernel.folds.size()),
          partial_sums_(kernel.folds.size()) {}

    /// One of the parallel range.
    void unit(std::int64_t number) { outer_points(ranges_of(number), 0); }

private:
    std::int64_t value(shape::Dim dim) const { return value_of(dim, at_.sizes); }
    std::int64_t extent(std::size_t axis) const { return value(kernel_.axes[axis].extent); }
    bool is_lanes(std::size_t axis) const { return static_cast<int>(axis) == schedule_.lane; }
    bool is_unrolled(std::size_t axis) const { return static_cast<int>(axis) == schedule_.unroll_axis && schedule_.unroll > 1; }
    bool is_jammed(std::size_t axis) const { return static_cast<int>(axis) == schedule_.jam_axis; }

    // --- outer points ------------------------------------------------------------------------------------------------------------

    // The outer points of a unit: all in these ranges of the outer axes.
    std::vector<Range> ranges_of(std::int64_t unit) const {
        std::vector<Range> ranges(outer_, Range{0, schedule_.jam});  // those of the jammed axis
        const std::vector<std::size_t> axes = nest::unit_axes(kernel_, schedule_);
        for (std::size_t i = axes.size(); i-- > 0;) {
            const std::size_t axis = axes[i];
            const std::int64_t each = is_lanes(axis) ? schedule_.lane_block : is_unrolled(axis) ? schedule_.unroll : 1;  // steps that are one unit's
            const std::int64_t count = is_lanes(axis) ? value(schedule_.lane_blocks) : (extent(axis) + each - 1) / each;
            const std::int64_t number = i == 0 ? unit : unit % count;
            if (i != 0) unit /= count;
            ranges[axis] = {number * each, std::min((number + 1) * each, extent(axis))};
        }
        return ranges;
    }

    void outer_points(const std::vector<Range>& ranges, std::size_t axis) {
        if (axis == outer_) {
            outer_point();
            return;
        }
        for (std::int64_t i = ranges[axis].begin; i < ranges[axis].end; ++i) {
            at_.index[axis] = i;
            outer_points(ranges, axis + 1);
        }
    }

    void outer_point() {
        expressions_.compute(expressions_.lists().outer_point, at_);
        for (stage_ = 0; stage_ < kernel_.stages.size(); ++stage_) {
            if (schedule_.tiled) do_passes();
            else do_stage();
        }
        expressions_.compute(expressions_.lists().outer_stores, at_);
        for (const nest::Store& store : kernel_.outer_stores) expressions_.store(store, at_);
    }

    // --- stages ------------------------------------------------------------------------------------------------------------------

    const nest::Stage& stage() const { return kernel_.stages[stage_]; }

    Range inner_range(std::size_t axis) const {
        if (kernel_.block == 0 || axis != outer_) return {0, extent(axis)};
        const std::int64_t begin = at_.index[0] * kernel_.block;
        return {begin, std::min(begin + kernel_.block, value(kernel_.blocked_extent))};
    }

    void do_stage() {
        cascades_ = nest::cascades(kernel_, schedule_, stage(), lanes_);
        chunks_ = 0;
        for (const int fold : stage().folds) {
            reset(fold);
            partial_sums_[static_cast<std::size_t>(fold)].clear();
        }
        inner_axes(outer_);
        for (const int fold : stage().folds) finish(fold);
    }

    // The inner axes but the lanes' in order; the unrolled one in groups of as many steps as are done side by side, and what is left one by one.
    void inner_axes(std::size_t axis) {
        if (axis >= kernel_.axes.size()) return lane_axis();
        if (is_lanes(axis) || is_jammed(axis)) return inner_axes(axis + 1);
        const Range range = inner_range(axis);
        const std::int64_t group = is_unrolled(axis) ? steps_ : 1;
        for (std::int64_t i = range.begin; i < range.end;) {
            const std::int64_t count = i + group <= range.end ? group : 1;
            at_.index[axis] = i;
            if (is_unrolled(axis)) side_by_side_ = {i, i + count};
            inner_axes(axis + 1);
            i += count;
        }
        if (is_unrolled(axis)) side_by_side_ = {0, 0};
    }

    void lane_axis() {
        if (!folds_lanes_) return steps(0);
        const Range range = inner_range(static_cast<std::size_t>(schedule_.lane));
        if (!cascades_) return lanes(range);
        const std::int64_t chunk = nest::cascade_chunk(schedule_, lanes_);
        for (std::int64_t from = range.begin; from < range.end; from += chunk) {
            lanes({from, std::min(from + chunk, range.end)});
            add_partial_sum();
        }
    }

    // Vectors of lanes: as many as are done side by side where they fit, then one by one, the last one in part.
    void lanes(Range range) {
        const bool along = is_unrolled(static_cast<std::size_t>(schedule_.lane));
        const std::int64_t group = along ? steps_ : 1;
        for (std::int64_t at = range.begin; at < range.end;) {
            const std::int64_t count = at + group * lanes_ <= range.end ? group : 1;
            for (std::int64_t step = 0; step < count; ++step) {
                vector({at + step * lanes_, std::min(at + (step + 1) * lanes_, range.end)}, static_cast<std::size_t>(step));
            }
            at += count * lanes_;
        }
    }

    void vector(Range range, std::size_t step) {
        for (std::int64_t at = range.begin; at < range.end; ++at) {
            at_.index[static_cast<std::size_t>(schedule_.lane)] = at;
            steps(step * static_cast<std::size_t>(lanes_) + static_cast<std::size_t>(at - range.begin));
        }
        // What lanes off the end have is the identity: it may make a NaN of infinities.
        const std::size_t count = side_by_side_.begin == side_by_side_.end ? 1 : static_cast<std::size_t>(side_by_side_.end - side_by_side_.begin);
        for (std::size_t lane = static_cast<std::size_t>(range.end - range.begin); lane < static_cast<std::size_t>(lanes_); ++lane) {
            for (std::size_t each = step; each < step + count; ++each) {
                for (const int fold : stage().folds) add(fold, each * static_cast<std::size_t>(lanes_) + lane, expressions_.identity(fold));
            }
        }
    }

    // The steps of an unrolled axis beside the lanes'. `place`: of the first one's accumulator.
    void steps(std::size_t place) {
        if (side_by_side_.begin == side_by_side_.end) return inner_point(place);
        for (std::int64_t i = side_by_side_.begin; i < side_by_side_.end; ++i) {
            at_.index[static_cast<std::size_t>(schedule_.unroll_axis)] = i;
            inner_point(place + static_cast<std::size_t>(i - side_by_side_.begin) * static_cast<std::size_t>(lanes_));
        }
    }

    void add(int fold, std::size_t place, const Element& value) {
        Element& sum = accumulators_[static_cast<std::size_t>(fold)][place];
        sum = expressions_.combine(fold, sum, value);
    }

    void inner_point(std::size_t place) {
        const Elements values = values_here(true);
        for (std::size_t i = 0; i < values.size(); ++i) add(stage().folds[i], place, values[i]);
    }

    // What the point adds to each of the stage's folds: where parts lie along an inner axis, the values of all in order.
    Elements values_here(bool stores) {
        Elements values;
        for (int part = 0; part < parts_; ++part) {
            if (parts_ > 1) at_.index[static_cast<std::size_t>(schedule_.jam_axis)] = part;
            expressions_.compute(expressions_.lists().stages[stage_], at_);
            for (std::size_t i = 0; i < stage().folds.size(); ++i) {
                const int fold = stage().folds[i];
                const Element& own = at_.values[kernel_.folds[static_cast<std::size_t>(fold)].value];
                if (part == 0) values.push_back(own);
                else values[i] = expressions_.combine(fold, values[i], own);
            }
            if (stores) store_here();
        }
        return values;
    }

    void store_here() {
        for (const auto& [row, value] : stage().keeps) expressions_.keep(row, value, at_);
        for (const nest::Store& store : stage().stores) expressions_.store(store, at_);
    }

    // --- folds -------------------------------------------------------------------------------------------------------------------

    void reset(int fold) {
        accumulators_[static_cast<std::size_t>(fold)].assign(static_cast<std::size_t>(steps_) * static_cast<std::size_t>(lanes_),
                                                             expressions_.identity(fold));
    }

    // Neighbours combined, then neighbouring results, until one is left.
    Element pairwise(int fold, Elements values) const {
        while (values.size() > 1) {
            Elements halves;
            for (std::size_t i = 0; i + 1 < values.size(); i += 2) halves.push_back(expressions_.combine(fold, values[i], values[i + 1]));
            if (values.size() % 2 != 0) halves.push_back(values.back());
            values = std::move(halves);
        }
        return values[0];
    }

    // The accumulators of the steps as one, by lane.
    Elements merged(int fold) const {
        const Elements& all = accumulators_[static_cast<std::size_t>(fold)];
        Elements result;
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes_); ++lane) {
            Elements of_lane;
            for (std::size_t at = lane; at < all.size(); at += static_cast<std::size_t>(lanes_)) of_lane.push_back(all[at]);
            result.push_back(pairwise(fold, std::move(of_lane)));
        }
        return result;
    }

    Elements combined(int fold, const Elements& x, const Elements& y) const {
        Elements result;
        for (std::size_t lane = 0; lane < x.size(); ++lane) result.push_back(expressions_.combine(fold, x[lane], y[lane]));
        return result;
    }

    // Levels whose bit of the count is set hold a sum, which joins the new one.
    void add_partial_sum() {
        for (const int fold : stage().folds) {
            if (!nest::rounds(kernel_.folds[static_cast<std::size_t>(fold)])) continue;
            Elements sum = merged(fold);
            std::vector<Elements>& levels = partial_sums_[static_cast<std::size_t>(fold)];
            std::size_t level = 0;
            for (; (chunks_ >> level & 1) != 0; ++level) sum = combined(fold, levels[level], sum);
            if (level == levels.size()) levels.emplace_back();
            levels[level] = std::move(sum);
            reset(fold);
        }
        ++chunks_;
    }

    Elements total(int fold) const {
        const std::vector<Elements>& levels = partial_sums_[static_cast<std::size_t>(fold)];
        Elements sum(static_cast<std::size_t>(lanes_), expressions_.identity(fold));
        for (std::size_t level = 0; level < levels.size(); ++level) {
            if ((chunks_ >> level & 1) != 0) sum = combined(fold, levels[level], sum);
        }
        return sum;
    }

    void finish(int fold) {
        Elements values = cascades_ && nest::rounds(kernel_.folds[static_cast<std::size_t>(fold)]) ? total(fold) : merged(fold);
        for (std::size_t width = values.size() / 2; width >= 1; width /= 2) {
            for (std::size_t lane = 0; lane < width; ++lane) values[lane] = expressions_.combine(fold, values[lane], values[lane + width]);
        }
        expressions_.tell_nan(fold, values[0]);
        at_.folds[static_cast<std::size_t>(fold)] = values[0];
    }

    // --- tiles -------------------------------------------------------------------------------------------------------------------

    // Column folds that take several steps of the inner axis a pass, and are added up in two levels.
    void do_passes() {
        const std::vector<int>& folds = stage().folds;
        Elements sums, totals;
        for (const int fold : folds) sums.push_back(expressions_.identity(fold));
        totals = sums;
        const bool two_levels = nest::has_total_tiles(kernel_, schedule_);
        const auto has_total = [&](int fold) { return two_levels && nest::rounds(kernel_.folds[static_cast<std::size_t>(fold)]); };
        const Range range = inner_range(outer_);
        const std::int64_t chunk = two_levels ? nest::passes_each * schedule_.unroll : std::max<std::int64_t>(range.end - range.begin, 1);
        for (std::int64_t from = range.begin; from < range.end; from += chunk) {
            add_passes({from, std::min(from + chunk, range.end)}, sums);
            for (std::size_t i = 0; i < folds.size(); ++i) {
                if (!has_total(folds[i])) continue;
                totals[i] = expressions_.combine(folds[i], totals[i], sums[i]);
                sums[i] = expressions_.identity(folds[i]);
            }
        }
        for (std::size_t i = 0; i < folds.size(); ++i) at_.folds[static_cast<std::size_t>(folds[i])] = has_total(folds[i]) ? totals[i] : sums[i];
    }

    void add_passes(Range range, Elements& sums) {
        const std::int64_t group = is_unrolled(outer_) ? schedule_.unroll : 1;
        for (std::int64_t i = range.begin; i < range.end;) {
            const std::int64_t count = i + group <= range.end ? group : 1;
            std::vector<Elements> values(sums.size());  // by fold and step
            for (at_.index[outer_] = i; at_.index[outer_] < i + count; ++at_.index[outer_]) {
                const Elements here = values_here(false);
                for (std::size_t f = 0; f < here.size(); ++f) values[f].push_back(here[f]);
            }
            for (std::size_t f = 0; f < sums.size(); ++f) {
                const int fold = stage().folds[f];
                sums[f] = expressions_.combine(fold, sums[f], pairwise(fold, std::move(values[f])));
            }
            i += count;
        }
    }

    const nest::Kernel& kernel_;
    const nest::Schedule& schedule_;
    const Expressions& expressions_;
    Point at_;
    const std::size_t outer_;
    const bool folds_lanes_;
    const int lanes_, steps_, parts_;
    std::size_t stage_ = 0;
    bool cascades_ = false;
    std::uint64_t chunks_ = 0;           // that became partial sums
    Range side_by_side_{0, 0};           // steps of an unrolled axis beside the lanes'; none: there is no such axis
    std::vector<Elements> accumulators_;               // by fold; in each by step and lane
    std::vector<std::vector<Elements>> partial_sums_;  // by fold and level: of 2**level chunks, by lane
};

}  // namespace fastnp::interpret
