// The axes of a kernel, and what walks along them.
#pragma once

#include "base/for_codegen.h"
#include "nest/kernel.h"

namespace fastnp::nest {

enum class Use : std::uint8_t { load, guarded_load, gather, store };

/// Calls visit(access, use) for all that a kernel (const or not) loads and stores.
template <class K, class F>
void for_each_use(K& kernel, F visit) {
    for (auto& expr : kernel.exprs) {
        if (expr.kind == Expr::Kind::load) visit(expr.access, expr.args.empty() ? Use::load : Use::guarded_load);
        if (expr.kind == Expr::Kind::gather) visit(expr.access, Use::gather);
    }
    for (auto& stage : kernel.stages) {
        for (auto& store : stage.stores) visit(store.access, Use::store);
    }
    for (auto& store : kernel.outer_stores) visit(store.access, Use::store);
}

template <class K, class F>
void for_each_access(K& kernel, F visit) {
    for_each_use(kernel, [&](auto& access, Use) { visit(access); });
}

/// Bytes of the elements that an access is to.
FASTNP_FOR_CODEGEN std::int64_t itemsize_at(const Kernel& kernel, const Access& access);

/// Whether an access is to another element at each inner point.
bool moves_within(const Kernel& kernel, const Access& access);

/// Bytes of an element of the widest dtype that is computed for each step of an axis.
std::int64_t widest_along(const Kernel& kernel, std::size_t axis);

/// Points that some axes have, as far as their sizes are guessed.
std::int64_t hinted_points(const Kernel& kernel, std::size_t from, std::size_t to);

/// Counts the inner points, removes axes of one step, and merges those that every access walks as one.
void simplify_axes(Kernel& kernel, shape::Sizes& sizes);

}  // namespace fastnp::nest
