// Questions about moves (views): ops that name the elements of their operand and compute nothing; and about the regions that updates replace.
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

/// The shape of the region that a slice takes, or an update replaces.
inline const shape::Dims& region_shape(ir::Value node) { return node->op == Op::update ? node->inputs[1]->shape : node->shape; }

/// Whether that region is all of the first operand.
inline bool takes_all(ir::Value node) {
    const shape::Dims& region = region_shape(node);
    if (!(region == node->inputs[0]->shape)) return false;
    for (std::size_t i = 0; i < region.size(); ++i) {
        if (node->attributes.ints[i] != 1 || !(node->attributes.dims[i] == shape::Dim(0))) return false;
    }
    return true;
}

/// Whether it is most of it, as those of stencils are, by the sizes at hand.
bool takes_most(ir::Value node, const shape::Sizes& sizes);

/// What pads a part of this shape, which lies in the region (of steps of 1) from its start, to the shape of the first operand.
ir::Attributes pad_around(ir::Value node, const shape::Dims& part, shape::Sizes& sizes);

}  // namespace fastnp::ops
