#include "codegen/object.h"

#include <algorithm>
#include <optional>

#include "base/thread_pool.h"
#include "codegen/analyses.h"
#include "codegen/door.h"
#include "codegen/generate.h"
#include "codegen/host.h"
#include "codegen/llvm.h"
#include "codegen/planted.h"
#include "codegen/source_lines.h"
#include "codegen/stopwatch.h"
#include "eager/code_level.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// A job with its number among those that are linked together.
struct Numbered {
    Job job;
    std::size_t number;
};

std::vector<Numbered> numbered(std::span<const Job> jobs) {
    std::vector<Numbered> all;
    for (const Job& job : jobs) all.push_back({job, all.size()});
    return all;
}

Emitted emit_all(std::span<const Numbered> jobs, Effort effort, const std::string& prefix = {}) {
    Emitted out = new_module(effort);
    for (const auto& [job, number] : jobs) {
        out.symbols.push_back(prefix + kernel_symbol(*job.kernel, number));
        emit(*job.kernel, *job.schedule, host_machine(), *out.module, out.symbols.back(), out.externals);
        set_host_attributes(*out.module->getFunction(out.symbols.back()));
        plant(*out.module->getFunction(out.symbols.back()), "emit");
    }
    check_module(*out.module);
    return out;
}

// Whether to look for cheaper addresses (loop strength reduction). With many of them that takes most of the time of code generation, and the kernel has
// so much else to do that nothing is gained.
bool reduces_addresses(const llvm::Function& function) {
    constexpr int most_accesses = 12;
    int accesses = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) accesses += instruction.mayReadOrWriteMemory() ? 1 : 0;
    return accesses <= most_accesses;
}

void optimize(Emitted& emitted, Effort effort) {
    if (effort == Effort::none) return;
    Analyses analyses(*emitted.target);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    llvm::LoopPassManager licm;
    licm.addPass(llvm::LICMPass(llvm::LICMOptions()));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(licm), true));
    passes.addPass(llvm::InstCombinePass());
    llvm::FunctionPassManager addresses;
    addresses.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopStrengthReducePass()));
    for (llvm::Function& function : *emitted.module) {
        if (function.isDeclaration()) continue;
        passes.run(function, analyses.functions);
        if (reduces_addresses(function)) addresses.run(function, analyses.functions);
        plant(function, "optimise");
    }
}

// About how much work a kernel is: its beginning and end, and its expressions, with borders twice (codegen/borders).
std::size_t work_of(const Job& job) {
    const std::vector<nest::Expr>& exprs = job.kernel->exprs;
    const bool borders = std::any_of(exprs.begin(), exprs.end(), [](const nest::Expr& expr) { return expr.kind == nest::Expr::Kind::inside; });
    return 40 + exprs.size() * (borders ? 2 : 1);
}

// Jobs in as many parts as there are threads, of about the same work: the largest first, each to the part that has the least.
std::vector<std::vector<Numbered>> parts_of(std::span<const Job> jobs) {
    std::vector<Numbered> all = numbered(jobs);
    std::stable_sort(all.begin(), all.end(), [](const Numbered& x, const Numbered& y) { return work_of(x.job) > work_of(y.job); });
    std::vector<std::vector<Numbered>> parts(std::min(all.size(), static_cast<std::size_t>(base::thread_count())));
    std::vector<std::size_t> work(parts.size(), 0);
    for (const Numbered& each : all) {
        const auto least = static_cast<std::size_t>(std::min_element(work.begin(), work.end()) - work.begin());
        work[least] += work_of(each.job);
        parts[least].push_back(each);
    }
    return parts;
}

struct Part {
    std::vector<Numbered> jobs;
    Effort effort;
    std::optional<eager::Isa> level;
    std::string prefix;
    StoredCode made;
    Code times;
};

void make_part(Part& part) {
    enter_thread();
    const eager::CodeFor as_asked(part.level);
    Stopwatch clock;
    Emitted emitted = emit_all(part.jobs, part.effort, part.prefix);
    part.times.emit_ms = clock.lap("emit");
    optimize(emitted, part.effort);
    part.times.optimize_ms = clock.lap("optimize");
    for (std::size_t i = 0; i < part.jobs.size() && part.effort != Effort::none; ++i) {
        if (part.jobs[i].job.kernel->ops.size() > 1) plant(*emitted.module->getFunction(emitted.symbols[i]), "fused");
    }
    name_for_level(emitted);
    const auto object = generate(emitted, llvm::CodeGenFileType::ObjectFile);
    part.times.generate_ms = clock.lap("generate");
    part.made = {std::move(emitted.symbols), {}, {std::string(object.data(), object.size())}};
    for (const auto& [name, external] : emitted.externals) part.made.externals.push_back(external);
}

}  // namespace

StoredCode make_objects(std::span<const Job> jobs, Effort effort, Code& times, const std::string& prefix) {
    std::vector<Part> parts;
    for (std::vector<Numbered>& each : parts_of(jobs)) parts.push_back({std::move(each), effort, eager::CodeFor::current(), prefix, {}, {}});
    const auto make = [](void* context, std::int64_t part, int) { make_part(static_cast<Part*>(context)[part]); };
    base::parallel_for(static_cast<std::int64_t>(parts.size()), make, parts.data(), base::Tasks::of_any_length);
    StoredCode all;
    all.symbols.resize(jobs.size());
    for (const Part& part : parts) {
        for (std::size_t i = 0; i < part.jobs.size(); ++i) all.symbols[part.jobs[i].number] = part.made.symbols[i];
        for (const External& external : part.made.externals) {
            if (std::find(all.externals.begin(), all.externals.end(), external) == all.externals.end()) all.externals.push_back(external);
        }
        all.objects.push_back(part.made.objects[0]);
        times.emit_ms = std::max(times.emit_ms, part.times.emit_ms);
        times.optimize_ms = std::max(times.optimize_ms, part.times.optimize_ms);
        times.generate_ms = std::max(times.generate_ms, part.times.generate_ms);
    }
    return all;
}

Emitted emitted_code(const Job& job, Stage stage) {
    Emitted emitted = emit_all(numbered({&job, 1}), Effort::full);
    if (stage == Stage::optimised) optimize(emitted, Effort::full);
    return emitted;
}

std::string llvm_text(std::span<const Job> jobs, Effort effort, Stage stage) {
    Emitted emitted = emit_all(numbered(jobs), effort);
    if (stage == Stage::optimised) optimize(emitted, effort);
    return text_of(emitted);
}

std::string assembly_text(std::span<const Job> jobs, Effort effort) {
    Emitted emitted = emit_all(numbered(jobs), effort);
    optimize(emitted, effort);
    const auto bytes = generate(emitted, llvm::CodeGenFileType::AssemblyFile);
    return {bytes.data(), bytes.size()};
}

}  // namespace fastnp::codegen
