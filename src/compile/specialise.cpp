#include "compile/specialise.h"

#include <chrono>

#include "base/thread_pool.h"
#include "pass/commit.h"
#include "pass/fuse.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"

namespace fastnp::compiler {

bool is_backend(const std::string& name) { return name == "llvm" || name == "eager"; }

Specialised specialise(ir::Graph graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend) {
    Specialised result;
    auto clock = std::chrono::steady_clock::now();
    auto note = [&](const char* phase) {
        const auto now = std::chrono::steady_clock::now();
        result.times.emplace_back(phase, std::chrono::duration<double, std::milli>(now - clock).count());
        clock = now;
    };
    const bool fuses = backend != "eager";
    pass::place_outputs(graph);
    pass::commit_at_end(graph);
    if (fuses) pass::simplify(graph);
    pass::drop_copies(graph);
    pass::keep_overwritten(graph);
    note("simplify");
    const pass::Program program = pass::fuse(graph, parameter_strides, {fuses, base::thread_count()});
    note("fuse");
    result.plan = plan::build(graph, program, result.times);
    result.ir = graph.text();
    return result;
}

}  // namespace fastnp::compiler
