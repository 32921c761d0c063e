// From what to compute to how: axes of one step go, axes that every access walks as one are merged, then the lanes, the unrolling and the
// blocks that tasks take are chosen. Sizes at hand (hints) decide speed only, never results.
#include <algorithm>
#include <numeric>

#include "nest/kernel.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

using shape::Dim;

namespace {

template <class F>
void for_each_access(Kernel& kernel, F visit) {
    for (Expr& expr : kernel.exprs) {
        if (expr.kind == Expr::Kind::load) visit(expr.access);
    }
    for (Stage& stage : kernel.stages) {
        for (Store& store : stage.stores) visit(store.access);
    }
    for (Store& store : kernel.outer_stores) visit(store.access);
}

// Whether it is made of an index along an axis.
bool is_index(const Expr& expr) { return expr.kind == Expr::Kind::index || (expr.kind == Expr::Kind::inside && expr.step != 0); }

void remove_axis(Kernel& kernel, std::size_t axis) {
    kernel.axes.erase(kernel.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    for_each_access(kernel, [&](Access& access) { access.strides.erase(access.strides.begin() + axis); });
    for (Expr& expr : kernel.exprs) {
        if (!is_index(expr)) continue;
        if (expr.number == static_cast<int>(axis)) {  // its only index is 0
            if (expr.kind == Expr::Kind::index) expr.kind = Expr::Kind::extent;
            expr.step = 0;
            expr.number = 0;
        } else if (expr.number > static_cast<int>(axis)) {
            --expr.number;
        }
    }
}

bool is_indexed(const Kernel& kernel, std::size_t axis) {
    return std::any_of(kernel.exprs.begin(), kernel.exprs.end(),
                       [&](const Expr& expr) { return is_index(expr) && expr.number == static_cast<int>(axis); });
}

// Whether walking `axis` and then `axis + 1` is walking one axis, for every access.
bool walks_as_one(Kernel& kernel, std::size_t axis, shape::Sizes& sizes) {
    if (kernel.axes[axis].inner != kernel.axes[axis + 1].inner) return false;
    if (is_indexed(kernel, axis) || is_indexed(kernel, axis + 1)) return false;
    const bool blocked = kernel.block != 0 && (axis == 0 || axis == kernel.outer_count());
    if (blocked) return false;
    bool one = true;
    for_each_access(kernel,
                    [&](Access& access) { one = one && access.strides[axis] == sizes.multiply(access.strides[axis + 1], kernel.axes[axis + 1].extent); });
    return one;
}

void merge_axes(Kernel& kernel, std::size_t axis, shape::Sizes& sizes) {
    Axis& first = kernel.axes[axis];
    first.extent = sizes.multiply(first.extent, kernel.axes[axis + 1].extent);
    first.hint *= kernel.axes[axis + 1].hint;
    for_each_access(kernel, [&](Access& access) { access.strides[axis] = access.strides[axis + 1]; });
    kernel.axes.erase(kernel.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    for_each_access(kernel, [&](Access& access) { access.strides.erase(access.strides.begin() + axis + 1); });
    for (Expr& expr : kernel.exprs) {
        if (is_index(expr) && expr.number > static_cast<int>(axis)) --expr.number;
    }
}

void simplify_axes(Kernel& kernel, shape::Sizes& sizes) {
    for (std::size_t a = kernel.axes.size(); a-- > 0;) {
        const bool blocked = kernel.block != 0 && (a == 0 || a == kernel.outer_count());
        if (!blocked && kernel.axes[a].extent == Dim(1)) remove_axis(kernel, a);
    }
    for (std::size_t a = kernel.axes.size(); a-- > 1;) {
        if (walks_as_one(kernel, a - 1, sizes)) merge_axes(kernel, a - 1, sizes);
    }
}

struct Score {
    int value = 0;
    std::int64_t hint = 0;
};

// How well memory is walked with lanes along an axis.
Score score_of(Kernel& kernel, std::size_t axis) {
    Score score{0, kernel.axes[axis].hint};
    for_each_access(kernel, [&](Access& access) {
        const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel.buffers[static_cast<std::size_t>(access.buffer)].dtype));
        const Dim stride = access.strides[axis];
        if (stride == Dim(itemsize)) score.value += 4;
        else if (!(stride == Dim(0))) score.value -= 3;
    });
    if (score.hint < 4) score.value -= 6;
    return score;
}

int best_axis(Kernel& kernel, std::size_t from, std::size_t to) {
    int best = -1;
    Score best_score;
    for (std::size_t a = to; a-- > from;) {
        if (kernel.block != 0 && a == 0) continue;
        const Score score = score_of(kernel, a);
        if (best < 0 || score.value > best_score.value) {
            best = static_cast<int>(a);
            best_score = score;
        }
    }
    return best;
}

int choose_lane(Kernel& kernel, std::size_t outer) {
    const std::size_t rank = kernel.axes.size();
    const int outer_best = best_axis(kernel, 0, outer);
    if (outer == rank) return outer_best;
    const int inner_best = best_axis(kernel, outer, rank);
    if (outer_best < 0 || !kernel.scratch.empty()) return inner_best;
    std::int64_t inner_points = 1;
    for (std::size_t a = outer; a < rank; ++a) inner_points *= std::max<std::int64_t>(kernel.axes[a].hint, 1);
    const Score inner_score = score_of(kernel, static_cast<std::size_t>(inner_best));
    const Score outer_score = score_of(kernel, static_cast<std::size_t>(outer_best));
    const bool outer_is_wide = outer_score.hint >= 16;
    if (inner_points < 16 && outer_is_wide) return outer_best;
    return outer_score.value > inner_score.value && outer_is_wide ? outer_best : inner_best;
}

int costly_ops(const Kernel& kernel) {
    int count = 0;
    for (const Expr& expr : kernel.exprs) {
        if (expr.kind != Expr::Kind::map || expr.op == ir::Op::cast || expr.op == ir::Op::select) continue;
        const bool cheap_root = expr.op == ir::Op::sqrt || expr.op == ir::Op::reciprocal;
        if ((ops::info(expr.op).traits & ops::costly) != 0 && !cheap_root) ++count;
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
    if (kernel.stages.empty()) {
        plan.unroll_axis = plan.lane;
        plan.unroll = kernel.axes[lane].hint >= 256 ? 2 : 1;
        return;
    }
    if (lane >= outer) {  // rows
        int serial = -1;
        for (std::size_t a = outer; a < rank; ++a) {
            if (a != lane) serial = static_cast<int>(a);
        }
        const bool short_rows = kernel.axes[lane].hint <= 8 * lanes;
        if (serial >= 0 && short_rows && !calls && !(kernel.block != 0 && static_cast<std::size_t>(serial) == outer)) {
            plan.unroll_axis = serial;
            plan.unroll = unroll_for(kernel.axes[static_cast<std::size_t>(serial)], 1, 8);
        } else {
            plan.unroll_axis = plan.lane;
            plan.unroll = calls ? (kernel.axes[lane].hint >= 64 ? 2 : 1) : unroll_for(kernel.axes[lane], lanes, 8);
        }
        return;
    }
    const bool plain = kernel.stages.size() == 1 && kernel.stages[0].stores.empty() && rank - outer == 1;
    const std::int64_t steps = kernel.axes[outer].hint;
    if (plain && steps > 32) {
        plan.tiled = true;
        plan.unroll_axis = static_cast<int>(outer);
        plan.unroll = calls ? 2 : 8;
        return;
    }
    // Few inner steps: several outer points side by side, so that what does not depend on their axis is loaded once for all.
    int jam = -1;
    for (std::size_t a = 0; a < outer; ++a) {
        if (a != lane && kernel.axes[a].hint >= 16 && !(kernel.block != 0 && a == 0)) jam = static_cast<int>(a);
    }
    if (jam >= 0 && !calls && kernel.stages.size() == 1) {
        plan.unroll_axis = jam;
        plan.unroll = 4;
    } else {
        plan.unroll_axis = plan.lane;
        plan.unroll = calls || kernel.stages.size() > 1 ? 1 : 4;
    }
}

void choose_blocks(Kernel& kernel, Schedule& plan, std::size_t outer, shape::Sizes& sizes) {
    const bool outer_lanes = plan.lane >= 0 && plan.lane < static_cast<int>(outer);
    std::int64_t inner_hint = 1;
    for (std::size_t a = outer; a < kernel.axes.size(); ++a) {
        const bool blocked = kernel.block != 0 && a == outer;
        inner_hint *= std::max<std::int64_t>(blocked ? kernel.block : kernel.axes[a].hint, 1);
    }
    std::int64_t map_count = 1;
    for (const Expr& expr : kernel.exprs) map_count += expr.kind == Expr::Kind::map ? 1 : 0;
    std::int64_t per_point = 4 + map_count + 12 * costly_ops(kernel);
    plan.parallel = 1;
    std::int64_t unit_points = inner_hint;
    for (std::size_t a = 0; a < outer; ++a) {
        Dim extent = kernel.axes[a].extent;
        if (outer_lanes && static_cast<int>(a) == plan.lane) {
            const std::int64_t wanted = plan.tiled ? 2048 : std::clamp<std::int64_t>(16384 / std::max<std::int64_t>(inner_hint, 1), 256, 4096);
            plan.lane_block = wanted / 256 * 256;
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
        alike = alike && !buffer.read && (buffer.aligned || kernel.outer_stores.size() == 1) && access.offset == Dim(0) &&
                access.strides[static_cast<std::size_t>(plan.lane)] == Dim(itemsize) && access.strides == kernel.outer_stores[0].access.strides;
        std::int64_t size = itemsize;
        for (const Axis& axis : kernel.axes) size *= axis.hint;
        bytes += size;
    }
    plan.streaming = alike && bytes >= large;
}

}  // namespace

Schedule schedule(Kernel& kernel, shape::Sizes& sizes) {
    kernel.inner_points = 1;
    for (const Axis& axis : kernel.axes) {
        if (axis.inner) kernel.inner_points = sizes.multiply(kernel.inner_points, axis.extent);
    }
    simplify_axes(kernel, sizes);
    Schedule plan;
    const std::size_t outer = kernel.outer_count();
    if (!kernel.axes.empty()) plan.lane = choose_lane(kernel, outer);
    if (plan.lane >= 0) choose_unrolling(kernel, plan, outer);
    if (plan.unroll == 1) plan.unroll_axis = -1;
    choose_streaming(kernel, plan);
    choose_blocks(kernel, plan, outer, sizes);
    return plan;
}

}  // namespace fastnp::nest
