// Products of many parts of one array with one matrix, as loops over time steps make them (`xs[t] @ w`): one product of the whole array costs less.
#pragma once

#include <span>
#include <unordered_map>

#include "ir/graph.h"

namespace fastnp::pass {

/// A product as a part of the product of a whole array with a matrix.
struct PartOfProduct {
    ir::Value whole, matrix;
    shape::Dims starts, shape;  // where it lies in that, its last axis the matrix's
};

/// The products that are taken together, by value.
std::unordered_map<ir::Value, PartOfProduct> joined_products(std::span<const ir::Value> values, shape::Sizes& sizes);

}  // namespace fastnp::pass
