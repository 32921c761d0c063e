// How many attributes each op reads.
#pragma once

#include <string>

#include "ir/graph.h"

namespace fastnp::ops {

/// What is wrong with the attributes of a node, by its operands' ranks; empty if nothing is. infer() reads no others after this.
std::string wrong_attributes(const ir::Node& node);

}  // namespace fastnp::ops
