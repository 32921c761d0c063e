// Plans get their code: all kernels of the plans of a function at once.
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/device_code.h"
#include "codegen/jit.h"
#include "codegen/prove.h"
#include "fastnp/detail/progress.h"
#include "fastnp/detail/timeline.h"
#include "interpret/kernel.h"
#include "plan/build.h"

namespace fastnp::plan {

namespace {

void note(const codegen::Code& code, Times& times) {
    times.emplace_back("load", code.load_ms);
    times.emplace_back("emit", code.emit_ms);
    times.emplace_back("optimize", code.optimize_ms);
    times.emplace_back("generate", code.generate_ms);
    times.emplace_back("link", code.link_ms);
    times.emplace_back("store", code.store_ms);
}

void generate_number_loops(std::span<Plan* const> plans, Times& times) {
    for (Plan* plan : plans) {
        for (Step& step : plan->steps) {
            if (!step.loop.numbers) continue;
            codegen::Code code = codegen::compile(step.loop.numbers->loop.program);
            note(code, times);
            step.loop.numbers->function = code.functions.at(0);
            step.loop.numbers->owner = std::move(code.owner);
        }
    }
}

// Bodies whose loops are all programs need no code of their own.
std::vector<Plan*> with_kernels(std::span<Plan* const> plans, std::span<Plan* const> all) {
    std::unordered_set<const Plan*> unused, used;
    for (const Plan* plan : all) {
        for (const Step& step : plan->steps) {
            if (step.is_loop()) (step.loop.numbers ? unused : used).insert(step.loop.body.get());
        }
    }
    std::vector<Plan*> found;
    for (Plan* plan : plans) {
        if (!unused.contains(plan) || used.contains(plan)) found.push_back(plan);
    }
    return found;
}

void interpret(std::span<Plan* const> plans) {
    for (Plan* plan : plans) {
        for (Step& step : plan->steps) {
            if (!step.is_kernel) continue;
            const std::size_t number = step.kernel.number;
            step.kernel.interpreted = std::make_shared<const interpret::Kernel>(plan->kernels[number], plan->schedules[number]);
        }
    }
}

void prove(std::span<Plan* const> plans) {
    for (const Plan* plan : plans) {
        std::vector<codegen::Job> jobs;
        for (std::size_t i = 0; i < plan->kernels.size(); ++i) jobs.push_back({&plan->kernels[i], &plan->schedules[i]});
        codegen::prove_all(jobs, plan->sizes);
    }
}

// Plans whose kernels are done by the same.
void generate_for_host(std::span<Plan* const> plans, Times& times) {
    if (!plans.empty() && plans.front()->kernels_by == KernelsBy::interpreter) return interpret(plans);
    std::vector<codegen::Job> jobs;
    for (const Plan* plan : plans) {
        for (std::size_t i = 0; i < plan->kernels.size(); ++i) jobs.push_back({&plan->kernels[i], &plan->schedules[i]});
    }
    if (jobs.empty()) return;
    const codegen::Code code = codegen::compile(jobs, effort_of(plans.front()->kernels_by));
    note(code, times);
    if (codegen::proves()) prove(plans);
    std::size_t first = 0;
    for (Plan* plan : plans) {
        for (Step& step : plan->steps) {
            if (step.is_kernel) step.kernel.function = code.functions[first + step.kernel.number];
        }
        plan->code = code.owner;
        first += plan->kernels.size();
    }
}

void generate_for_device(std::span<Plan* const> plans, Times& times) {
    std::vector<codegen::DeviceJob> jobs;
    for (const Plan* plan : plans) {
        for (std::size_t i = 0; i < plan->kernels.size(); ++i) jobs.push_back({&plan->kernels[i], &plan->on_device.kernels[i].grid});
    }
    if (jobs.empty()) return;
    const codegen::DeviceCode code = codegen::compile_for_device(jobs, *plans.front()->on_device.backend);
    times.emplace_back("load", code.fetch_ms);
    times.emplace_back("emit", code.write_ms);
    times.emplace_back("assemble", code.assemble_ms);
    times.emplace_back("link", code.load_ms);
    times.emplace_back("store", code.store_ms);
    std::size_t next = 0;
    for (Plan* plan : plans) {
        for (DeviceKernel& kernel : plan->on_device.kernels) kernel.function = code.kernels[next++];
    }
}

}  // namespace

codegen::Effort effort_of(KernelsBy kernels_by) { return kernels_by == KernelsBy::llvm_without_passes ? codegen::Effort::none : codegen::Effort::full; }

void generate(std::span<Plan* const> plans, Times& times) {
    const detail::TimelineSpan span("code", "code generation");
    detail::note_progress("code generation");
    generate_number_loops(plans, times);  // plans for devices have some that take their turns on the host
    std::vector<Plan*> on_host, on_device;
    for (Plan* plan : plans) (plan->on_device.backend == nullptr ? on_host : on_device).push_back(plan);
    generate_for_device(on_device, times);
    generate_for_host(with_kernels(on_host, plans), times);
}

}  // namespace fastnp::plan
