#include "fastnp/detail/graph_text.h"

#include "ir/parse.h"
#include "ops/verify.h"

namespace fastnp::detail {

std::string parsed_graph_text(std::string_view text, bool with_lines) {
    const ir::Graph graph = ir::parse(text);
    ops::verify(graph, "as it was read");
    return graph.text({.lines = with_lines});
}

}  // namespace fastnp::detail
