// Whether a graph is one that ops could have made.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace fastnp::ops {

/// Whether graphs and kernels are verified as they are made: in debug builds, and with FASTNP_VERIFY_IR=1.
bool verifies();

/// InternalError, which names the node by its line of the text and `when` ("after simplify"), unless
///
/// - a node's inputs come before it, and are as many as its op takes;
/// - its attributes are as many as its op reads, and name axes, calls and bodies that there are;
/// - its dtype and shape are what infer() says;
/// - parameters are numbered, and outputs lie where their places say;
/// - loops and their bodies agree on states, parts, constants and what is collected.
void verify(const ir::Graph& graph, std::string_view when = "as it is");

}  // namespace fastnp::ops
