#include "nest/kernel.h"

#include <algorithm>

#include "fastnp/error.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

bool is_costly(const Expr& expr) { return expr.kind == Expr::Kind::map && (ops::info(expr.op).traits & ops::costly) != 0; }

std::vector<std::int64_t> Kernel::rebase() {
    std::vector<std::vector<Access*>> named(buffers.size());
    const auto note = [&](Access& access) { named[static_cast<std::size_t>(access.buffer)].push_back(&access); };
    for (Expr& expr : exprs) {
        if (expr.kind == Expr::Kind::load || expr.kind == Expr::Kind::gather) note(expr.access);
    }
    for (Stage& stage : stages) {
        for (Store& store : stage.stores) note(store.access);
    }
    for (Store& store : outer_stores) note(store.access);
    std::vector<std::int64_t> later(buffers.size(), 0);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto is_constant = [](const Access* access) { return access->offset.is_constant(); };
        if (named[i].empty() || !std::all_of(named[i].begin(), named[i].end(), is_constant)) continue;
        later[i] = std::max<std::int64_t>(named[i][0]->offset.value(), 0);
        for (const Access* access : named[i]) later[i] = std::clamp<std::int64_t>(access->offset.value(), 0, later[i]);
        for (Access* access : named[i]) access->offset = access->offset.value() - later[i];
        buffers[i].past = static_cast<int>(later[i] % 64);
        buffers[i].aligned = buffers[i].aligned && buffers[i].past == 0;
    }
    return later;
}

bool fits_side_by_side(const Kernel& kernel, std::size_t axis) {
    constexpr std::size_t most_exprs = 256;  // that are written out
    const shape::Dim extent = kernel.axes[axis].extent;
    if (!extent.is_constant() || extent.value() < 1 || extent.value() > most_jammed) return false;
    return kernel.exprs.size() * static_cast<std::size_t>(extent.value()) <= most_exprs;
}

std::size_t Kernel::outer_count() const {
    std::size_t count = 0;
    while (count < axes.size() && !axes[count].inner) ++count;
    return count;
}

ExprId Kernel::add(Expr expr) {
    for (ExprId i = 0; i < exprs.size(); ++i) {
        if (exprs[i] == expr) return i;
    }
    exprs.push_back(std::move(expr));
    return static_cast<ExprId>(exprs.size() - 1);
}

void Kernel::note_line(ir::Location line) {
    if (line) lines.resize(exprs.size(), line);
}

ir::Location Kernel::line_of_fold(std::size_t fold) const {
    const auto is_its = [fold](const Expr& expr) { return expr.kind == Expr::Kind::fold && static_cast<std::size_t>(expr.number) == fold; };
    return line_of(static_cast<ExprId>(std::ranges::find_if(exprs, is_its) - exprs.begin()));
}

std::vector<std::size_t> unit_axes(const Kernel& kernel, const Schedule& schedule) {
    const std::size_t outer = kernel.outer_count();
    std::vector<std::size_t> axes;
    for (std::size_t a = 0; a < outer; ++a) {
        if (static_cast<int>(a) != schedule.lane && static_cast<int>(a) != schedule.jam_axis) axes.push_back(a);
    }
    if (schedule.lane >= 0 && schedule.lane < static_cast<int>(outer)) axes.push_back(static_cast<std::size_t>(schedule.lane));
    return axes;
}

std::vector<std::uint32_t> dependencies(const Kernel& kernel) {
    std::vector<std::uint32_t> result(kernel.exprs.size(), 0);
    std::uint32_t inner = 0, empty = 0;
    for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
        if (!kernel.axes[a].inner) continue;
        inner |= 1U << a;
        if (kernel.axes[a].extent == shape::Dim(0)) empty |= 1U << a;
    }
    const std::uint32_t outer = ((1U << kernel.axes.size()) - 1) & ~inner;
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        const Expr& expr = kernel.exprs[i];
        for (const ExprId arg : expr.args) result[i] |= result[arg];
        switch (expr.kind) {
            case Expr::Kind::load:
            case Expr::Kind::gather:
                result[i] |= empty;  // no step reads, and the array may have nothing to be read before the loop
                for (std::size_t a = 0; a < expr.access.strides.size(); ++a) {
                    if (expr.access.strides[a] != shape::Dim(0)) result[i] |= 1U << a;
                }
                break;
            case Expr::Kind::index: result[i] |= 1U << expr.number; break;
            case Expr::Kind::inside: result[i] |= expr.step == 0 ? 0U : 1U << expr.number; break;
            case Expr::Kind::fold: result[i] |= depends_on_folds | outer; break;
            case Expr::Kind::scratch: result[i] |= depends_on_folds | outer | inner; break;
            case Expr::Kind::constant:
            case Expr::Kind::extent:
            case Expr::Kind::map: break;
        }
    }
    return result;
}

std::string fingerprint(const Kernel& kernel, const Schedule& schedule) {
    std::string bytes;
    auto add = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    auto add_access = [&](const Access& access) {
        add(access.buffer);
        add(access.offset.raw());
        for (const shape::Dim stride : access.strides) add(stride.raw());
    };
    for (const std::size_t count : {kernel.axes.size(), kernel.buffers.size(), kernel.exprs.size(), kernel.folds.size(), kernel.stages.size(),
                                    kernel.outer_stores.size(), kernel.scratch.size()}) {
        add(count);
    }
    for (const Axis& axis : kernel.axes) {
        add(axis.extent.raw());
        add(axis.inner);
    }
    for (const Buffer& buffer : kernel.buffers) {
        add(buffer.dtype);
        add(buffer.by_value);
    }
    for (const Expr& expr : kernel.exprs) {
        add(expr.kind);
        add(expr.op);
        add(expr.dtype);
        add(expr.compute);
        add(expr.args.size());
        for (const ExprId arg : expr.args) add(arg);
        add_access(expr.access);
        add(expr.scalar.kind());
        add(expr.scalar.bits());
        add(expr.scalar.real());
        add(expr.scalar.imag());
        add(expr.offset.raw());
        add(expr.step);
        add(expr.extent.raw());
        add(expr.number);
    }
    for (const Fold& fold : kernel.folds) {
        add(fold.combine);
        add(fold.dtype);
        add(fold.value);
    }
    auto add_stores = [&](const std::vector<Store>& stores) {
        add(stores.size());
        for (const Store& store : stores) {
            add_access(store.access);
            add(store.value);
        }
    };
    for (const Stage& stage : kernel.stages) {
        add(stage.folds.size());
        for (const int fold : stage.folds) add(fold);
        add_stores(stage.stores);
        add(stage.keeps.size());
        for (const auto& [row, value] : stage.keeps) {
            add(row);
            add(value);
        }
    }
    add_stores(kernel.outer_stores);
    for (const Dtype dtype : kernel.scratch) add(dtype);
    add(kernel.block);
    add(kernel.blocked_extent.raw());
    add(kernel.inner_points.raw());
    add(schedule.lane);
    add(schedule.unroll_axis);
    add(schedule.unroll);
    add(schedule.jam_axis);
    add(schedule.jam);
    add(schedule.tiled);
    add(schedule.streaming);
    add(schedule.lane_block);
    add(schedule.lane_blocks.raw());
    return bytes;
}

}  // namespace fastnp::nest
