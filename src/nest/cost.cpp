#include "nest/cost.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "nest/axes.h"
#include "ops/cost.h"

namespace fastnp::nest {

namespace {

class Costs {
public:
    Costs(const Kernel& kernel, const std::function<std::int64_t(shape::Dim)>& value_of)
        : kernel_(kernel), value_of_(value_of), depends_(dependencies(kernel)), all_((1U << kernel.axes.size()) - 1) {
        for (const Axis& axis : kernel.axes) extents_.push_back(value_of(axis.extent));
    }

    Cost all() const {
        Cost cost;
        for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
            cost.read += bytes_of(static_cast<int>(i), false);
            cost.written += bytes_of(static_cast<int>(i), true);
        }
        for (const Stage& stage : kernel_.stages) {
            std::vector<ExprId> wanted;
            for (const int number : stage.folds) {
                const Fold& fold = kernel_.folds[static_cast<std::size_t>(number)];
                wanted.push_back(fold.value);
                cost.flops += points(all_) * ops::flops_at_point(fold.combine, fold.dtype);
            }
            for (const Store& store : stage.stores) wanted.push_back(store.value);
            for (const auto& [row, value] : stage.keeps) wanted.push_back(value);
            cost.flops += flops_of(wanted);
        }
        std::vector<ExprId> wanted;
        for (const Store& store : kernel_.outer_stores) wanted.push_back(store.value);
        cost.flops += flops_of(wanted);
        return cost;
    }

private:
    // Points that the axes of these bits have.
    double points(std::uint32_t axes) const {
        double count = 1;
        for (std::size_t a = 0; a < extents_.size(); ++a) {
            if ((axes >> a & 1U) != 0) count *= static_cast<double>(extents_[a]);
        }
        const std::uint32_t blocked = kernel_.block == 0 ? 0 : 1U | 1U << kernel_.outer_count();
        if (blocked == 0 || (axes & blocked) != blocked || count == 0) return count;
        const double whole = static_cast<double>(extents_[0]) * static_cast<double>(extents_[kernel_.outer_count()]);
        return count / whole * static_cast<double>(value_of_(kernel_.blocked_extent));  // the last block is shorter
    }

    std::uint32_t axes_of(const Access& access) const {
        std::uint32_t axes = 0;
        for (std::size_t a = 0; a < access.strides.size(); ++a) axes |= access.strides[a] == shape::Dim(0) ? 0 : 1U << a;
        return axes;
    }

    // The bytes between the first and the last that an access is to.
    std::pair<std::int64_t, std::int64_t> extent_of(const Access& access) const {
        std::int64_t low = value_of_(access.offset), high = low + itemsize_at(kernel_, access);
        for (std::size_t a = 0; a < access.strides.size(); ++a) {
            const std::int64_t far = (extents_[a] - 1) * value_of_(access.strides[a]);
            (far < 0 ? low : high) += far;
        }
        return {low, high};
    }

    // What is loaded from a buffer, or stored to it: elements that several accesses share count once, as far as their extents show it.
    double bytes_of(int buffer, bool stored) const {
        std::vector<Access> seen;
        for_each_use(kernel_, [&](const Access& access, Use use) {
            const bool counts = access.buffer == buffer && use != Use::gather && (use == Use::store) == stored;
            if (counts && points(axes_of(access)) > 0 && std::find(seen.begin(), seen.end(), access) == seen.end()) seen.push_back(access);
        });
        double each = 0, together = 0;
        std::vector<std::pair<std::int64_t, std::int64_t>> extents;
        for (const Access& access : seen) {
            each += points(axes_of(access)) * static_cast<double>(itemsize_at(kernel_, access));
            extents.push_back(extent_of(access));
        }
        std::sort(extents.begin(), extents.end());
        std::int64_t end = extents.empty() ? 0 : extents.front().first;
        for (const auto& [low, high] : extents) {
            together += static_cast<double>(std::max<std::int64_t>(high - std::max(low, end), 0));
            end = std::max(end, high);
        }
        return std::min(each, together) + (stored ? 0 : gathered(buffer));
    }

    // Elements that are taken by index: one for each index.
    double gathered(int buffer) const {
        double bytes = 0;
        for (std::size_t i = 0; i < kernel_.exprs.size(); ++i) {
            const Expr& expr = kernel_.exprs[i];
            if (expr.kind != Expr::Kind::gather || expr.access.buffer != buffer) continue;
            bytes += points(depends_[i] & all_) * static_cast<double>(itemsize_at(kernel_, expr.access));
        }
        return bytes;
    }

    // What computing these values takes, each value that they share once.
    double flops_of(std::vector<ExprId> open) const {
        std::vector<bool> seen(kernel_.exprs.size(), false);
        double flops = 0;
        while (!open.empty()) {
            const ExprId at = open.back();
            open.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            const Expr& expr = kernel_.exprs[at];
            if (expr.kind == Expr::Kind::map) flops += points(depends_[at] & all_) * ops::flops_at_point(expr.op, expr.compute);
            open.insert(open.end(), expr.args.begin(), expr.args.end());
        }
        return flops;
    }

    const Kernel& kernel_;
    const std::function<std::int64_t(shape::Dim)>& value_of_;
    std::vector<std::uint32_t> depends_;
    std::uint32_t all_;
    std::vector<std::int64_t> extents_;
};

}  // namespace

Cost cost_of(const Kernel& kernel, const std::function<std::int64_t(shape::Dim)>& value_of) { return Costs(kernel, value_of).all(); }

}  // namespace fastnp::nest
