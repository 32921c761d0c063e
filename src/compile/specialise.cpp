#include "compile/specialise.h"

#include <chrono>

#include "base/thread_pool.h"
#include "pass/commit.h"
#include "pass/fuse.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"

namespace fastnp::compiler {

namespace {

// Notes how long its life was as a phase.
class Phase {
public:
    Phase(const char* name, plan::Times& times) : name_(name), times_(times) {}
    ~Phase() { times_.emplace_back(name_, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count()); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

private:
    const char* name_;
    plan::Times& times_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool fuses(const std::string& backend) { return backend != "eager"; }

}  // namespace

bool is_backend(const std::string& name) { return name == "llvm" || name == "eager"; }

void prepare(ir::Graph& graph, const std::string& backend, plan::Times& times) {
    const Phase phase("simplify", times);
    pass::place_outputs(graph);
    pass::commit_at_end(graph);
    if (fuses(backend)) pass::simplify(graph);
    pass::drop_copies(graph);
    pass::keep_overwritten(graph);
}

plan::Plan specialise(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend, plan::Times& times) {
    const pass::Program program = [&] {
        const Phase phase("fuse", times);
        return pass::fuse(graph, parameter_strides, {fuses(backend), base::thread_count()});
    }();
    return plan::build(graph, program, times);
}

}  // namespace fastnp::compiler
