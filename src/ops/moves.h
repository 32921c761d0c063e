// Questions about moves (views): ops that name the elements of their operand and compute nothing.
#pragma once

#include "ir/graph.h"
#include "ops/catalogue.h"

namespace fastnp::ops {

inline bool is_move(ir::Value value) { return info(value->op).kind == Kind::move; }

/// What a value is a view of, through any number of moves; itself if it is no move.
inline ir::Value viewed(ir::Value value) {
    while (is_move(value)) value = value->inputs[0];
    return value;
}

/// Whether the region that a slice takes, or an update replaces, is all of the first operand.
inline bool takes_all(ir::Value node) {
    const shape::Dims& region = node->op == Op::update ? node->inputs[1]->shape : node->shape;
    if (!(region == node->inputs[0]->shape)) return false;
    for (std::size_t i = 0; i < region.size(); ++i) {
        if (node->attributes.ints[i] != 1 || !(node->attributes.dims[i] == shape::Dim(0))) return false;
    }
    return true;
}

}  // namespace fastnp::ops
