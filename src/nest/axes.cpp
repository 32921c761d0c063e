#include "nest/axes.h"

#include <algorithm>
#include <vector>

namespace fastnp::nest {

using shape::Dim;

namespace {

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

}  // namespace

std::int64_t itemsize_at(const Kernel& kernel, const Access& access) {
    return static_cast<std::int64_t>(itemsize_of(kernel.buffers[static_cast<std::size_t>(access.buffer)].dtype));
}

bool moves_within(const Kernel& kernel, const Access& access) {
    for (std::size_t a = kernel.outer_count(); a < kernel.axes.size(); ++a) {
        if (!(access.strides[a] == Dim(0))) return true;
    }
    return false;
}

std::int64_t widest_along(const Kernel& kernel, std::size_t axis) {
    const std::vector<std::uint32_t> depends = dependencies(kernel);
    std::int64_t widest = 1;
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        if ((depends[i] >> axis & 1U) != 0) widest = std::max(widest, static_cast<std::int64_t>(itemsize_of(kernel.exprs[i].dtype)));
    }
    return widest;
}

std::int64_t hinted_points(const Kernel& kernel, std::size_t from, std::size_t to) {
    std::int64_t product = 1;
    for (std::size_t a = from; a < to; ++a) product *= std::max<std::int64_t>(kernel.axes[a].hint, 1);
    return product;
}

void simplify_axes(Kernel& kernel, shape::Sizes& sizes) {
    kernel.inner_points = 1;
    for (const Axis& axis : kernel.axes) {
        if (axis.inner) kernel.inner_points = sizes.multiply(kernel.inner_points, axis.extent);
    }
    for (std::size_t a = kernel.axes.size(); a-- > 0;) {
        const bool blocked = kernel.block != 0 && (a == 0 || a == kernel.outer_count());
        if (!blocked && kernel.axes[a].extent == Dim(1)) remove_axis(kernel, a);
    }
    for (std::size_t a = kernel.axes.size(); a-- > 1;) {
        if (walks_as_one(kernel, a - 1, sizes)) merge_axes(kernel, a - 1, sizes);
    }
}

}  // namespace fastnp::nest
