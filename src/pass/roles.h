// Whether a root fits into a region, and as what: by shapes and lengths alone.
#pragma once

#include <optional>

#include "pass/fuse.h"

namespace fastnp::pass {

class Roles {
public:
    Roles(shape::Sizes& sizes, Walkers walkers) : sizes_(sizes), walkers_(walkers) {}

    /// The points that a root is computed over, and which of the axes it folds.
    static shape::Dims domain_of(ir::Value root);
    static SmallVector<bool> mask_of(ir::Value root);

    /// The role that a root could play in a region.
    std::optional<Region::Role> role_in(const Region& region, ir::Value root) const;

    /// What it reads of a region: nothing, values of the same point, or folds, which are there only after all points of the reduced axes.
    enum class Reads : std::uint8_t { nothing, points, folds };
    /// Whether doing a root in a region is good, not only possible.
    bool is_worthwhile(const Region& region, ir::Value root, Region::Role role, Reads reads) const;

    /// Whether a region's folds are so few and long that blocks of them are to be folded side by side.
    bool is_split(const Region& region) const { return is_split(region.domain, region.reduced); }

    /// How many points a shape has, as far as known; of the axes that are (not) reduced alone.
    std::int64_t points(const shape::Dims& dims) const;
    std::int64_t points(const shape::Dims& dims, const SmallVector<bool>& reduced, bool wanted) const;

private:
    bool is_split(const shape::Dims& domain, const SmallVector<bool>& reduced) const;
    bool takes_points(const shape::Dims& domain, const SmallVector<bool>& reduced, bool after_folds) const;

    shape::Sizes& sizes_;
    Walkers walkers_;
};

}  // namespace fastnp::pass
