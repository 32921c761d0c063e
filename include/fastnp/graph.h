// Graphs of recorded ops, for back ends of users: to be walked, printed, run, changed and handed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp {

namespace detail {
struct GraphState;
}

/// \addtogroup compile
/// @{

/// A value of a graph, and the op that computes it.
struct GraphNode {
    std::size_t number = 0;            ///< its place among the nodes: operands come first
    std::string op;                    ///< its name in the catalogue: "parameter", "add", "sum", "transpose" ...
    std::vector<std::size_t> inputs;   ///< the numbers of its operands
    Dtype dtype = Dtype::bool_;        ///< of its elements
    Shape shape;                       ///< its shape
    std::vector<std::int64_t> ints;    ///< what the op is told besides: axes, permutations, steps, flags, as the catalogue says
    std::vector<std::int64_t> dims;    ///< sizes, starts, widths, as the catalogue says
    std::optional<Scalar> scalar;      ///< of a constant: its value
    std::string text;                  ///< the line that Graph::text() has for it
    std::string place;                 ///< the user's line that it came of: "model.py:12 in loss"; empty: unknown
};

/// What computes a graph: arrays for its inputs to arrays for its outputs.
using GraphFunction = std::function<std::vector<array>(const std::vector<array>&)>;

/// The ops that a function does, as a graph of values that never changes.
class FASTNP_API Graph {
public:
    /// The graph of a text, as text() gives it. ValueError, which names line and column, where it is none, and where dtypes or shapes are not what the ops
    /// give. Graphs that call functions of the outside, or have sizes that vary, are refused, too.
    static Graph parse(std::string_view text);

    /// All values that it takes to compute the outputs, operands first.
    const std::vector<GraphNode>& nodes() const;
    /// The numbers of its parameters, in the order of the arrays that it is run on.
    const std::vector<std::size_t>& inputs() const;
    /// The numbers of its results, in order.
    const std::vector<std::size_t>& outputs() const;
    /// A line a node: "%3 = add %1, %2 : float32[4, 4]".
    const std::string& text() const;

    /// Whether an op may raise an error that depends on values, such as an index out of bounds. Such errors of what computes it are the function's.
    bool may_raise() const;

    /// Computes it op by op, on precompiled kernels. ValueError for arrays that are not like its inputs.
    std::vector<array> run(const std::vector<array>& arrays) const;
    /// What another back end makes of it; code is made at its first call. ValueError for a name that there is none of.
    GraphFunction compile(std::string_view backend = "llvm") const;
    /// The graph that computes other values of it. `outputs`: their numbers; `inputs`: the numbers of the values that are given, in the order of its
    /// inputs, by default those of this graph. ValueError for numbers of none, and where an input of this graph is needed that is none of `inputs`.
    Graph part(const std::vector<std::size_t>& outputs, const std::optional<std::vector<std::size_t>>& inputs = std::nullopt) const;
    /// The graph after each pass of a back end that changes it: the pass's name, and a text.
    std::vector<std::pair<std::string, std::string>> passes(std::string_view backend = "llvm") const;
    /// A graph in which `function` computes the node, of arrays that stand for other ones before it: by default for those that the node takes. ValueError
    /// unless what it gives has the node's dtype and shape.
    Graph replace(std::size_t node, const std::function<array(const std::vector<array>&)>& function,
                  const std::optional<std::vector<std::size_t>>& inputs = std::nullopt) const;

    explicit Graph(std::shared_ptr<const detail::GraphState> state) : state_(std::move(state)) {}  ///< for fastnp itself

private:
    std::shared_ptr<const detail::GraphState> state_;
};

/// A back end of users: what computes a graph. It is called once for each kind of arguments, with arrays like those of the call.
using Backend = std::function<GraphFunction(const Graph& graph, const std::vector<array>& examples)>;

/// Has CompileOptions::backend mean `backend` by this name; a name that was registered before is given anew. An empty one takes the name
/// back; what is compiled stays as it is. ValueError for the name of a back end of
/// fastnp's, and for an empty one. `recorded`: it is given the graph as it was recorded, before the passes that rewrite it.
FASTNP_API void register_backend(const std::string& name, Backend backend, bool recorded = false);

/// @}

}  // namespace fastnp
