// What a collective's attributes are: the group's key, how many ranks it has, a number that keeps two of one recording apart (each of them is made,
// whatever values it is of: other ranks have others), and its options.
#pragma once

#include <cstddef>

#include "ir/attributes.h"
#include "ops/catalogue.h"

namespace fastnp::ops {

class Collective {
public:
    explicit Collective(const ir::Attributes& attributes) : ints_(attributes.ints) {}

    static SmallVector<std::int64_t> ints(std::int64_t group, std::int64_t ranks) { return {group, ranks, 0}; }
    static constexpr std::size_t number = 2, options = 3;

    std::int64_t group() const { return ints_[0]; }
    std::int64_t ranks() const { return ints_[1]; }
    std::int64_t option(std::size_t which) const { return ints_[options + which]; }
    std::size_t option_count() const { return ints_.size() - options; }
    /// Of a permutation: whose elements go to a rank; -1: nobody's.
    int source_of(int rank) const {
        for (std::size_t i = 0; i < option_count(); ++i) {
            if (option(i) == rank) return static_cast<int>(i);
        }
        return -1;
    }
    int target_of(int rank) const { return static_cast<int>(option(static_cast<std::size_t>(rank))); }
    /// Of those that join elements.
    Op joins() const { return static_cast<Op>(option(0)); }

private:
    const SmallVector<std::int64_t>& ints_;
};

inline bool is_collective(Op op) { return info(op).kind == Kind::collective; }

}  // namespace fastnp::ops
