#include "pass/roles.h"

#include <algorithm>

#include "ops/catalogue.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::int64_t small_total = 32768;  // elements below which one thread and one kernel are best

bool is_fold(Value value) { return ops::info(value->op).kind == ops::Kind::fold; }

bool is_rows(const SmallVector<bool>& reduced) { return !reduced.empty() && reduced.back(); }

}  // namespace

Dims Roles::domain_of(Value root) {
    if (root->op == Op::update) return root->inputs[1]->shape;
    return is_fold(root) ? root->inputs[0]->shape : root->shape;
}

SmallVector<bool> Roles::mask_of(Value root) {
    SmallVector<bool> mask(domain_of(root).size(), false);
    if (is_fold(root)) {
        for (const std::int64_t axis : root->attributes.ints) mask[static_cast<std::size_t>(axis)] = true;
    }
    return mask;
}

std::optional<Region::Role> Roles::role_in(const Region& region, Value root) const {
    if (is_fold(root)) {
        if (!(domain_of(root) == region.domain)) return std::nullopt;
        const auto stores_back = [](const Region::Member& member) { return member.value->op == Op::update; };
        const bool opens = !region.has_fold() && std::none_of(region.members.begin(), region.members.end(), stores_back);
        return opens || mask_of(root) == region.reduced ? std::optional(Region::Role::fold) : std::nullopt;
    }
    if (domain_of(root) == region.domain) return Region::Role::full;
    if (root->op == Op::update || !region.has_fold()) return std::nullopt;
    const bool keeps = root->shape.size() == region.domain.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < region.domain.size(); ++i) {
        if (region.reduced[i]) {
            if (keeps && !(root->shape[at++] == Dim(1))) return std::nullopt;
            continue;
        }
        if (at >= root->shape.size() || !(root->shape[at++] == region.domain[i])) return std::nullopt;
    }
    return at == root->shape.size() ? std::optional(Region::Role::outer) : std::nullopt;
}

bool Roles::is_worthwhile(const Region& region, Value root, Region::Role role, Reads reads) const {
    switch (role) {
        case Region::Role::outer: return reads != Reads::nothing;
        case Region::Role::full: return !region.has_fold() || takes_points(region.domain, region.reduced, reads == Reads::folds);
        case Region::Role::fold: break;
    }
    const SmallVector<bool> reduced = mask_of(root);
    if (!region.has_fold()) return takes_points(region.domain, reduced, false);
    // Folds after folds need them whole, so they can't be split: on long lines that few would walk, they are a kernel of their own.
    return reads != Reads::folds || !is_split(region.domain, reduced) || points(region.domain, reduced, false) >= walkers_.at_once;
}

// Whether a kernel of folds should compute values at all of its points, too.
bool Roles::takes_points(const Dims& domain, const SmallVector<bool>& reduced, bool after_folds) const {
    if (points(domain) <= small_total) return true;
    if (!is_rows(reduced)) return false;
    return points(domain, reduced, false) >= walkers_.busy || (!after_folds && is_split(domain, reduced));
}

bool Roles::is_split(const Dims& domain, const SmallVector<bool>& reduced) const {
    const std::int64_t outer = points(domain, reduced, false), inner = points(domain, reduced, true);
    if (outer * inner < 8 * small_total) return false;
    return is_rows(reduced) ? outer < walkers_.busy && inner > small_total : outer <= 4096 && inner >= 1024;
}

std::int64_t Roles::points(const Dims& dims) const {
    std::int64_t product = 1;
    for (const Dim dim : dims) product *= sizes_.hint(dim);
    return product;
}

std::int64_t Roles::points(const Dims& dims, const SmallVector<bool>& reduced, bool wanted) const {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (reduced[i] == wanted) product *= sizes_.hint(dims[i]);
    }
    return product;
}

}  // namespace fastnp::pass
