// How much is computed between a value and memory, for deciding what is better kept than computed again.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "pass/roots.h"

namespace fastnp::pass {

class Work {
public:
    /// `weight`: of computing a value's elements from its operands' elements. Sums are exact up to `most`.
    Work(const Roots& roots, int (*weight)(ir::Value), int most) : roots_(roots), weight_(weight), most_(most) {}

    /// The weight of all that is computed for a value that is no root, each value counted once; more than `most` for more. Asked in the program's order;
    /// roots may be added meanwhile.
    int of(ir::Value value);

private:
    int below(ir::Value value) const;
    int exact(ir::Value value);

    const Roots& roots_;
    int (*weight_)(ir::Value);
    int most_;
    std::unordered_map<ir::Value, int> known_;
    std::vector<std::uint32_t> seen_;  // by a value's number, the last walk that came by
    std::uint32_t walk_ = 0;
    std::vector<ir::Value> open_;
};

/// 1 for each op.
int each_op(ir::Value value);
/// About how many additions an op takes.
int additions(ir::Value value);
bool is_costly(ir::Value value);

}  // namespace fastnp::pass
