// What a node's text leaves out of its attributes, as the type behind the colon says it.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace fastnp::ir {

/// Whether `dims` are the shape of the result, as the op's row in the catalogue says.
constexpr bool dims_are_shape(Op op) {
    constexpr std::string_view says = "dims: the shape";
    switch (op) {
#define ARRAY(name, kind, operands, doc) \
    case Op::name: return std::string_view(doc).find(says) != std::string_view::npos;
#include "fastnp/ops/array.def"
        default: return false;
    }
}

/// The attribute `dtype` of a node of this type, unless its text says another one.
constexpr Dtype implied_dtype(Op op, Dtype dtype) {
    switch (op) {
        case Op::constant:
        case Op::iota:
        case Op::extent:
        case Op::example:
        case Op::turn:
        case Op::cast: return dtype;
        default: return Dtype::bool_;
    }
}

}  // namespace fastnp::ir
