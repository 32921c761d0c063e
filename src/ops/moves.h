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

/// Whether a slice is all of its operand.
inline bool takes_all(ir::Value slice) {
    if (!(slice->shape == slice->inputs[0]->shape)) return false;
    for (std::size_t i = 0; i < slice->shape.size(); ++i) {
        if (slice->attributes.ints[i] != 1 || !(slice->attributes.dims[i] == shape::Dim(0))) return false;
    }
    return true;
}

}  // namespace fastnp::ops
