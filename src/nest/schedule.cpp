// From what to compute to how: axes of one step go, axes that every access walks as one are merged, then the lanes, the unrolling and the
// blocks that tasks take are chosen. Sizes at hand (hints) decide speed only, never results.
#include <algorithm>
#include <numeric>

#include "nest/axes.h"
#include "nest/kernel.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

using shape::Dim;

namespace {

constexpr std::int64_t few_steps = 16;        // about a vector of lanes
constexpr std::int64_t little_work = 65536;   // points that one thread does as well

// The last of some axes that has few steps, a constant number, so that it may be jammed; -1: none.
int narrow_axis(const Kernel& kernel, std::size_t from, std::size_t to) {
    for (std::size_t a = to; a-- > from;) {
        const Dim extent = kernel.axes[a].extent;
        const bool blocked = kernel.block != 0 && (a == 0 || a == kernel.outer_count());
        if (!blocked && extent.is_constant() && extent.value() >= 2 && extent.value() <= most_jammed) return static_cast<int>(a);
    }
    return -1;
}

// Whether the elements along a lane and a jammed axis, taken together, lie side by side. What is loaded may lie in longer rows.
bool is_interleaved(const Kernel& kernel, const Access& access, Use use, std::size_t lane, int jam) {
    if (use == Use::guarded_load || jam < 0 || static_cast<std::size_t>(jam) == lane) return false;
    const std::int64_t itemsize = itemsize_at(kernel, access), steps = kernel.axes[static_cast<std::size_t>(jam)].extent.value();
    if (!(access.strides[static_cast<std::size_t>(jam)] == Dim(itemsize)) || !access.strides[lane].is_constant()) return false;
    const std::int64_t apart = access.strides[lane].value();
    return apart == steps * itemsize || (use == Use::load && apart > steps * itemsize && apart <= most_jammed * itemsize && apart % itemsize == 0);
}

std::int64_t inner_hint(const Kernel& kernel, std::size_t outer) {
    std::int64_t points = 1;
    for (std::size_t a = outer; a < kernel.axes.size(); ++a) points *= std::max<std::int64_t>(kernel.axes[a].hint, 1);
    return points;
}

struct Score {
    int value = 0;
    std::int64_t hint = 0;
};

// How well memory is walked with lanes along an axis, while `jam` (-1: none) is jammed. What is done at each of many inner points counts most.
Score score_of(Kernel& kernel, std::size_t axis, int jam) {
    const std::size_t outer = kernel.outer_count();
    const bool many = inner_hint(kernel, outer) >= few_steps;
    Score score{0, kernel.axes[axis].hint};
    for_each_use(kernel, [&](const Access& access, Use use) {
        const Dim stride = access.strides[axis];
        const int weight = many && moves_within(kernel, access) ? 4 : 1;
        const bool together = is_interleaved(kernel, access, use, axis, jam);
        const bool whole = stride == Dim(itemsize_at(kernel, access)) || (together && kernel.axes[static_cast<std::size_t>(jam)].hint <= 4);
        if (whole) score.value += 4 * weight;
        else if (!(stride == Dim(0)) && !together) score.value -= 3 * weight;
    });
    if (score.hint < 4) score.value -= many ? 24 : 6;
    return score;
}

// Of the axes that have at least `least` steps.
int best_axis(Kernel& kernel, std::size_t from, std::size_t to, std::int64_t least, int jam) {
    int best = -1;
    Score best_score;
    for (std::size_t a = to; a-- > from;) {
        if ((kernel.block != 0 && a == 0) || kernel.axes[a].hint < least) continue;
        const Score score = score_of(kernel, a, jam);
        if (best < 0 || score.value > best_score.value) {
            best = static_cast<int>(a);
            best_score = score;
        }
    }
    return best;
}

int choose_lane(Kernel& kernel, std::size_t outer, int jam) {
    const std::size_t rank = kernel.axes.size();
    if (outer == rank) return best_axis(kernel, 0, outer, 0, jam);
    const int outer_best = best_axis(kernel, 0, outer, few_steps, jam);
    const int inner_best = best_axis(kernel, outer, rank, 0, jam);
    if (outer_best < 0 || !kernel.scratch.empty()) return inner_best;
    if (inner_hint(kernel, outer) < few_steps) return outer_best;
    const Score inner_score = score_of(kernel, static_cast<std::size_t>(inner_best), jam);
    const Score outer_score = score_of(kernel, static_cast<std::size_t>(outer_best), jam);
    return outer_score.value > inner_score.value ? outer_best : inner_best;
}

// Whether a good part of what is done at each inner point does not depend on an outer axis.
bool shares_work(const Kernel& kernel, std::size_t outer, std::size_t axis) {
    const auto depends = dependencies(kernel);
    const std::uint32_t inner = ((1U << kernel.axes.size()) - 1) & ~((1U << outer) - 1);
    int all = 0, shared = 0;
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        const Expr& expr = kernel.exprs[i];
        if ((depends[i] & inner) == 0 || (expr.kind != Expr::Kind::load && expr.kind != Expr::Kind::map)) continue;
        const bool costly = is_costly(expr) || (expr.kind == Expr::Kind::map && expr.op == ir::Op::divide);
        const int work = costly ? 4 : 1;
        all += work;
        if ((depends[i] & (1U << axis)) == 0) shared += work;
    }
    return shared * 4 >= all && shared > 0;
}

// Whether doing all steps of a narrow axis side by side saves something at each point: work that does not depend on it, or picking elements one by one.
// Few points are worth more on several threads.
bool worth_jamming(Kernel& kernel, std::size_t outer, std::size_t lane, std::size_t jam) {
    if (jam == lane || !fits_side_by_side(kernel, jam)) return false;
    bool saves = false;
    for_each_use(kernel, [&](const Access& access, Use use) {
        const bool at_each = outer == kernel.axes.size() || moves_within(kernel, access);
        saves = saves || (at_each && is_interleaved(kernel, access, use, lane, static_cast<int>(jam)));
    });
    // Stages share what they compute at all inner points.
    if (jam >= outer) return saves || (kernel.stages.size() > 1 && kernel.axes.size() == outer + 1);
    if (!kernel.scratch.empty()) return false;  // its rows are one outer point's
    saves = saves || shares_work(kernel, outer, jam);
    std::int64_t units = 1;
    for (std::size_t a = 0; a < outer; ++a) {
        if (a != jam) units *= std::max<std::int64_t>(kernel.axes[a].hint, 1);
    }
    return saves && (units >= few_steps || units * inner_hint(kernel, outer) <= little_work);
}

// The lanes, and with them what is jammed.
void choose_lane_and_jam(Kernel& kernel, Schedule& plan, std::size_t outer) {
    if (kernel.axes.empty()) return;
    for (const int narrow : {narrow_axis(kernel, 0, outer), narrow_axis(kernel, outer, kernel.axes.size())}) {
        if (narrow < 0) continue;
        const int lane = choose_lane(kernel, outer, narrow);
        if (lane < 0 || !worth_jamming(kernel, outer, static_cast<std::size_t>(lane), static_cast<std::size_t>(narrow))) continue;
        plan.lane = lane;
        plan.jam_axis = narrow;
        plan.jam = static_cast<int>(kernel.axes[static_cast<std::size_t>(narrow)].extent.value());
        return;
    }
    plan.lane = choose_lane(kernel, outer, -1);
}

int costly_ops(const Kernel& kernel) {
    int count = 0;
    for (const Expr& expr : kernel.exprs) {
        if (expr.kind != Expr::Kind::map || expr.op == ir::Op::cast || expr.op == ir::Op::select) continue;
        const bool cheap_root = expr.op == ir::Op::sqrt || expr.op == ir::Op::reciprocal;
        if (is_costly(expr) && !cheap_root) ++count;
    }
    return count;
}

// The largest of 8, 4, 2 that divides a known length, or fits an unknown one.
int unroll_for(const Axis& axis, int steps_each, int most) {
    for (int unroll = most; unroll > 1; unroll /= 2) {
        if (axis.extent.is_constant() ? axis.extent.value() % (unroll * steps_each) == 0 : axis.hint >= unroll * steps_each) return unroll;
    }
    const bool fits = axis.hint >= 4 * steps_each;
    return fits ? (axis.hint >= most * steps_each ? most : 4) : 1;
}

void choose_unrolling(Kernel& kernel, Schedule& plan, std::size_t outer) {
    const std::size_t rank = kernel.axes.size();
    const bool calls = costly_ops(kernel) > 0;
    const int lanes = 16;  // about; the target knows
    const auto lane = static_cast<std::size_t>(plan.lane);
    const int parts = plan.jam_axis < static_cast<int>(outer) ? plan.jam : 1;  // with accumulators of their own
    const int most = parts >= 5 ? 1 : parts >= 3 ? 2 : parts == 2 ? 4 : 8;
    if (kernel.stages.empty()) {
        plan.unroll_axis = plan.lane;
        plan.unroll = kernel.axes[lane].hint >= 256 && plan.jam == 1 ? 2 : 1;
        return;
    }
    if (lane >= outer) {  // rows
        int serial = -1;
        for (std::size_t a = outer; a < rank; ++a) {
            if (a != lane && static_cast<int>(a) != plan.jam_axis) serial = static_cast<int>(a);
        }
        const bool short_rows = kernel.axes[lane].hint <= 8 * lanes;
        if (serial >= 0 && short_rows && !calls && !(kernel.block != 0 && static_cast<std::size_t>(serial) == outer)) {
            plan.unroll_axis = serial;
            plan.unroll = unroll_for(kernel.axes[static_cast<std::size_t>(serial)], 1, most);
        } else {
            plan.unroll_axis = plan.lane;
            plan.unroll = calls ? (kernel.axes[lane].hint >= 64 && plan.jam == 1 ? 2 : 1) : unroll_for(kernel.axes[lane], lanes, most);
        }
        return;
    }
    const bool plain = kernel.stages.size() == 1 && kernel.stages[0].stores.empty() && rank - outer == 1;
    const std::int64_t steps = kernel.axes[outer].hint;
    if (plain && steps > 32) {
        plan.tiled = true;
        plan.unroll_axis = static_cast<int>(outer);
        plan.unroll = calls ? 2 : std::max(most, 4);
        return;
    }
    // Few inner steps: several outer points side by side, so that what does not depend on their axis is loaded once for all.
    int beside = -1;
    for (std::size_t a = 0; a < outer; ++a) {
        if (a != lane && static_cast<int>(a) != plan.jam_axis && kernel.axes[a].hint >= few_steps && !(kernel.block != 0 && a == 0))
            beside = static_cast<int>(a);
    }
    if (beside >= 0 && !calls && kernel.stages.size() == 1) {
        plan.unroll_axis = beside;
        plan.unroll = std::min(most, 4);
    } else {
        plan.unroll_axis = plan.lane;
        plan.unroll = calls || kernel.stages.size() > 1 ? 1 : std::min(most, 4);
    }
}

void choose_blocks(Kernel& kernel, Schedule& plan, std::size_t outer, shape::Sizes& sizes) {
    const bool outer_lanes = plan.lane >= 0 && plan.lane < static_cast<int>(outer);
    std::int64_t inner_points = 1;
    for (std::size_t a = outer; a < kernel.axes.size(); ++a) {
        const bool blocked = kernel.block != 0 && a == outer;
        inner_points *= std::max<std::int64_t>(blocked ? kernel.block : kernel.axes[a].hint, 1);
    }
    std::int64_t map_count = 1;
    for (const Expr& expr : kernel.exprs) map_count += expr.kind == Expr::Kind::map ? 1 : 0;
    std::int64_t per_point = 4 + map_count + 12 * costly_ops(kernel);
    plan.parallel = 1;
    std::int64_t unit_points = inner_points;
    for (std::size_t a = 0; a < outer; ++a) {
        Dim extent = kernel.axes[a].extent;
        if (static_cast<int>(a) == plan.jam_axis) {
            unit_points *= plan.jam;
            continue;
        }
        if (outer_lanes && static_cast<int>(a) == plan.lane) {
            const std::int64_t wanted = plan.tiled ? 2048 : std::clamp<std::int64_t>(16384 / std::max<std::int64_t>(inner_points, 1), 256, 4096);
            plan.lane_block = std::max<std::int64_t>(wanted / plan.jam / 256, 1) * 256;
            plan.lane_blocks = sizes.divide(sizes.add(extent, Dim(plan.lane_block - 1)), Dim(plan.lane_block));
            plan.parallel = sizes.multiply(plan.parallel, plan.lane_blocks);
            unit_points *= std::min(plan.lane_block, std::max<std::int64_t>(kernel.axes[a].hint, 1));
            continue;
        }
        if (plan.unroll_axis == static_cast<int>(a) && plan.unroll > 1) {
            extent = sizes.divide(sizes.add(extent, Dim(plan.unroll - 1)), Dim(plan.unroll));
            unit_points *= plan.unroll;
        }
        plan.parallel = sizes.multiply(plan.parallel, extent);
    }
    plan.cost = std::max<std::int64_t>(unit_points * per_point / 4, 16);
}

// Whether a result that lies side by side along the lanes, or along these and the jammed axis, has its vectors aligned at all steps of other axes.
bool stays_aligned(const Kernel& kernel, const Schedule& plan, const Access& access) {
    const auto lane = static_cast<std::size_t>(plan.lane);
    const bool together = is_interleaved(kernel, access, Use::store, lane, plan.jam_axis);
    if (!together && !(access.strides[lane] == Dim(itemsize_at(kernel, access)))) return false;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (a == lane || (together && static_cast<int>(a) == plan.jam_axis)) continue;
        if (!access.strides[a].is_constant() || access.strides[a].value() % 64 != 0) return false;
    }
    return kernel.buffers[static_cast<std::size_t>(access.buffer)].aligned;
}

// Results too large for the cache are stored past it, but not over what is read. The emitter aligns the vectors to the results' memory, so all of them
// must lie alike.
void choose_streaming(Kernel& kernel, Schedule& plan) {
    constexpr std::int64_t large = std::int64_t{16} << 20;
    if (!kernel.stages.empty() || plan.lane < 0) return;
    bool alike = !kernel.outer_stores.empty();
    std::int64_t bytes = 0;
    for (const Store& store : kernel.outer_stores) {
        const Access& access = store.access;
        const Buffer& buffer = kernel.buffers[static_cast<std::size_t>(access.buffer)];
        const auto itemsize = static_cast<std::int64_t>(itemsize_of(buffer.dtype));
        const bool fits =
            plan.jam > 1 ? stays_aligned(kernel, plan, access)
                         : (buffer.aligned || kernel.outer_stores.size() == 1) && access.strides[static_cast<std::size_t>(plan.lane)] == Dim(itemsize);
        const bool begins_aligned = access.offset.is_constant() && access.offset.value() % 64 == 0;
        alike = alike && !buffer.read && fits && begins_aligned && access.strides == kernel.outer_stores[0].access.strides;
        std::int64_t size = itemsize;
        for (const Axis& axis : kernel.axes) size *= axis.hint;
        bytes += size;
    }
    plan.streaming = alike && bytes >= large;
}

}  // namespace

Schedule schedule(Kernel& kernel, shape::Sizes& sizes, bool read_soon) {
    simplify_axes(kernel, sizes);
    Schedule plan;
    const std::size_t outer = kernel.outer_count();
    choose_lane_and_jam(kernel, plan, outer);
    if (plan.lane >= 0) choose_unrolling(kernel, plan, outer);
    if (plan.unroll == 1) plan.unroll_axis = -1;
    if (!read_soon) choose_streaming(kernel, plan);
    choose_blocks(kernel, plan, outer, sizes);
    return plan;
}

}  // namespace fastnp::nest
