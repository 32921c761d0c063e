#include "fastnp/detail/graph_text.h"

#include "ir/parse.h"
#include "nest/text.h"
#include "ops/verify.h"

namespace fastnp::detail {

std::string parsed_graph_text(std::string_view text, bool with_lines) {
    const ir::Graph graph = ir::parse(text);
    ops::verify(graph, "as it was read");
    return graph.text({.lines = with_lines});
}

std::string parsed_kernel_text(std::string_view text) {
    const nest::KernelText found = nest::parse(text);
    const nest::KernelText again = nest::parse(nest::whole_text(found.kernel, found.schedule, found.sizes));
    return nest::to_string(again.kernel, again.schedule, again.sizes);
}

}  // namespace fastnp::detail
