// What explain() tells of an entry.
#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/entry.h"
#include "api/guard_text.h"
#include "codegen/jit.h"
#include "nest/cost.h"
#include "ops/cost.h"
#include "plan/device_steps.h"
#include "plan/profile.h"

namespace fastnp::detail {

std::string guard_text(const shape::SizeGuard& guard, const shape::Sizes& sizes) {
    const std::string text = sizes.text(guard.expression);
    switch (guard.kind) {
        case shape::SizeGuard::Kind::zero: return text + " == 0";
        case shape::SizeGuard::Kind::nonzero: return text + " != 0";
        case shape::SizeGuard::Kind::nonnegative: return text + " >= 0";
    }
    return text;
}

namespace {

std::string kind_of_step(const plan::Plan& plan, const plan::EagerStep& step) {
    if (plan.on_device.backend == nullptr || ops::is_read(step.op)) return "precompiled";
    const std::string why = plan::host_does(*plan.on_device.backend, step.op, step.out.dtype);
    return why.empty() ? "precompiled" : "by the host: " + why;
}

std::string kind_of_loop(const plan::Plan& plan, const plan::LoopStep& loop) {
    if (plan.on_device.backend == nullptr || loop.body->on_device.backend != nullptr) return "loop";
    return loop.looped.is_while ? "by the host: how many turns it takes is found on the way" : "by the host: a step of its body has no form for devices";
}

// The ops of a loop over numbers.
std::vector<std::string> ops_of(const ir::Program& program) {
    std::vector<std::string> found;
    for (const ir::Step& step : program.steps) {
        if (step.kind == ir::Step::Kind::map) found.emplace_back(ops::info(step.op).name);
    }
    return found;
}

// Each line once, in the order of the program's text.
std::vector<std::string> texts_of(std::vector<ir::Location> lines) {
    const auto place = [](ir::Location each) {
        const ir::Line& line = ir::line_of(each);
        return std::tuple<std::string_view, int, std::string_view>(line.file, line.number, line.function);
    };
    std::ranges::sort(lines, {}, place);
    std::vector<std::string> texts;
    for (const ir::Location each : lines) {
        std::string text = ir::text_of(each);
        if (!text.empty() && (texts.empty() || text != texts.back())) texts.push_back(std::move(text));  // several calls may be in one line
    }
    return texts;
}

using Costs = std::optional<nest::Cost>;  // nothing: not known

// Fills in an entry's kernels, loops and memory.
class Description {
public:
    // `profile`: of a run, or null.
    Description(const plan::Plan& plan, const plan::Profile* profile, EntryInfo& result)
        : sizes_(plan.sizes), values_(profile == nullptr ? std::vector<std::int64_t>() : profile->sizes()), result_(result) {
        std::vector<int> rows;
        (void)add(plan, profile, &rows);
        add_memory(plan, rows);
    }

    // A size, for the call that was measured, else for the one that the entry was made for.
    std::int64_t value_of(shape::Dim dim) const {
        if (dim.is_constant()) return dim.value();
        return dim.id() < values_.size() ? values_[dim.id()] : sizes_.hint(dim);
    }

private:
    // The steps in order; those of a loop's body come after it. Gives what all of them cost; `rows`: where each step is among the kernels.
    Costs add(const plan::Plan& plan, const plan::Profile* profile, std::vector<int>* rows = nullptr) {
        std::vector<int> places;
        Costs all = nest::Cost();
        for (std::size_t number = 0; number < plan.steps.size(); ++number) {
            const plan::Step& step = plan.steps[number];
            const plan::StepTime time = profile == nullptr ? plan::StepTime() : profile->of(number);
            const std::size_t place = result_.kernels.size();
            places.push_back(static_cast<int>(place));
            const Costs cost = add(plan, step, profile == nullptr ? nullptr : profile->body(number));
            KernelInfo& kernel = result_.kernels[place];
            kernel.lines = texts_of(step.lines);
            kernel.milliseconds = time.milliseconds;
            kernel.count = time.count;
            kernel.apart = pass::text_of(step.apart);
            if (step.from >= 0) kernel.apart_from = places[static_cast<std::size_t>(step.from)];
            if (cost) {
                kernel.bytes_read = cost->read;
                kernel.bytes_written = cost->written;
                kernel.flops = cost->flops;
            }
            all = sum(all, cost);
        }
        if (rows != nullptr) *rows = std::move(places);
        return all;
    }

    static Costs sum(const Costs& a, const Costs& b) {
        if (!a || !b || a->flops < 0 || b->flops < 0) return std::nullopt;
        return nest::Cost{a->read + b->read, a->written + b->written, a->flops + b->flops};
    }

    Costs add(const plan::Plan& plan, const plan::Step& step, const plan::Profile* body) {
        if (step.is_kernel) return add_kernel(plan, step.kernel.number);
        if (step.is_loop()) return add_loop(plan, step, body);
        const std::string name = plan::name_of(plan, step);
        if (step.read.call >= 0) {
            result_.kernels.push_back({name, "call", {}, ""});
            return std::nullopt;
        }
        result_.kernels.push_back({name, kind_of_step(plan, step.eager), {name}, ""});
        return cost_of(step.eager);
    }

    Costs add_kernel(const plan::Plan& plan, std::size_t number) {
        const nest::Kernel& kernel = plan.kernels[number];
        std::string axes;
        for (const nest::Axis& axis : kernel.axes) axes += (axes.empty() ? "" : " x ") + sizes_.text(axis.extent) + (axis.inner ? " (reduced)" : "");
        result_.kernels.push_back({kernel.name, kernel.name, kernel.ops, axes});
        result_.loops += nest::to_string(kernel, plan.schedules.empty() ? nest::Schedule() : plan.schedules[number], sizes_);
        return nest::cost_of(kernel, [this](shape::Dim dim) { return value_of(dim); });
    }

    Costs add_loop(const plan::Plan& plan, const plan::Step& step, const plan::Profile* body) {
        const plan::NumberTurns* const numbers = step.loop.numbers.get();
        const std::string count = step.loop.looped.is_while ? "as long as its first state holds" : sizes_.text(step.loop.count);
        result_.kernels.push_back({plan::name_of(plan, step), kind_of_loop(plan, step.loop),
                                   numbers == nullptr ? std::vector<std::string>() : ops_of(numbers->loop.program), count});
        result_.loops += (numbers == nullptr ? "loop " : "loop over numbers ") + count + ":\n";
        Costs turn;
        if (numbers != nullptr) result_.loops += ir::to_text(numbers->loop.program);
        else turn = add(*step.loop.body, body);
        result_.loops += "end\n";
        if (!turn || step.loop.looped.is_while) return std::nullopt;
        const auto turns = static_cast<double>(value_of(step.loop.count));
        return nest::Cost{turns * turn->read, turns * turn->written, turns * turn->flops};
    }

    ops::Sized sized(const plan::ViewOf& view, bool repeats) const {
        ops::Sized array{view.dtype, {}};
        for (std::size_t i = 0; i < view.shape.size(); ++i) {
            array.shape.push_back(!repeats && view.strides[i] == shape::Dim(0) ? std::min<std::int64_t>(value_of(view.shape[i]), 1)
                                                                               : value_of(view.shape[i]));
        }
        return array;
    }

    double bytes_of(const plan::ViewOf& view) const {
        const ops::Sized array = sized(view, false);
        double bytes = itemsize_of(array.dtype);
        for (const std::int64_t size : array.shape) bytes *= static_cast<double>(size);
        return bytes;
    }

    Costs cost_of(const plan::EagerStep& step) const {
        nest::Cost cost;
        std::vector<ops::Sized> operands;
        for (const plan::ViewOf& operand : step.operands) {
            cost.read += bytes_of(operand);
            operands.push_back(sized(operand, true));
        }
        if (ops::is_read(step.op) || step.only_checks) return cost;
        cost.written = bytes_of(step.out);
        cost.flops = ops::flops_of(step.op, operands, sized(step.out, true));
        return cost;
    }

    // `rows`: of the steps, among the kernels.
    void add_memory(const plan::Plan& plan, const std::vector<int>& rows) {
        for (const plan::Slot& slot : plan.slots) {
            constexpr const char* kinds[] = {"argument", "temporary", "result", "given"};
            MemoryInfo memory{kinds[static_cast<std::size_t>(slot.kind)], slot.number};
            const bool is_ours = slot.kind == plan::Slot::Kind::temporary || slot.kind == plan::Slot::Kind::result;
            if (is_ours) memory.size = sizes_.text(slot.bytes);
            const bool is_known = sizes_.stage(slot.bytes) == 0 || !values_.empty();
            if (is_ours && is_known) memory.bytes = value_of(slot.bytes);
            if (slot.kind == plan::Slot::Kind::temporary) memory.place = plan.temporary_group[static_cast<std::size_t>(slot.number)];
            result_.memory.push_back(std::move(memory));
        }
        for (std::size_t i = 0; i < plan.steps.size(); ++i) {
            const plan::Step& step = plan.steps[i];
            for (const int slot : step.kernel.slots) use(slot, rows[i]);
            if (step.is_kernel) continue;
            for (const plan::ViewOf& operand : step.eager.operands) use(operand.slot, rows[i]);
            if (step.read.call < 0 && !step.is_loop()) use(step.eager.out.slot, rows[i]);
            for (const int slot : step.read.given) use(slot, rows[i]);
            for (const int slot : step.loop.given) use(slot, rows[i]);
        }
        const int last = static_cast<int>(result_.kernels.size()) - 1;
        for (const plan::ViewOf& output : plan.outputs) {
            if (last >= 0) use(output.slot, last);
        }
    }

    void use(int slot, int row) {
        if (slot < 0) return;
        MemoryInfo& memory = result_.memory[static_cast<std::size_t>(slot)];
        if (memory.first < 0) memory.first = row;
        memory.last = std::max(memory.last, row);
    }

    const shape::Sizes& sizes_;
    std::vector<std::int64_t> values_;
    EntryInfo& result_;
};

void add_jobs(const plan::Plan& plan, std::vector<codegen::Job>& jobs) {
    for (std::size_t i = 0; i < plan.schedules.size(); ++i) jobs.push_back({&plan.kernels[i], &plan.schedules[i]});
    for (const plan::Step& step : plan.steps) {
        if (step.is_loop() && !step.loop.numbers) add_jobs(*step.loop.body, jobs);
    }
}

// LLVM's code for loops over numbers.
std::string code_of_number_loops(const plan::Plan& plan) {
    std::string text;
    for (const plan::Step& step : plan.steps) {
        if (!step.is_loop()) continue;
        text += step.loop.numbers ? codegen::llvm_text(step.loop.numbers->loop.program) : code_of_number_loops(*step.loop.body);
    }
    return text;
}

void add_jobs(const plan::Plan& plan, std::vector<codegen::DeviceJob>& jobs) {
    for (std::size_t i = 0; i < plan.on_device.kernels.size(); ++i) jobs.push_back({&plan.kernels[i], &plan.on_device.kernels[i].grid});
    for (const plan::Step& step : plan.steps) {
        if (step.is_loop()) add_jobs(*step.loop.body, jobs);
    }
}

void add_code(const Entry& entry, EntryInfo& result) {
    std::vector<codegen::Job> jobs;
    if (entry.plan.kernels_by != plan::KernelsBy::interpreter) add_jobs(entry.plan, jobs);
    if (!jobs.empty()) {
        const codegen::Effort effort = plan::effort_of(entry.plan.kernels_by);
        result.emitted = codegen::llvm_text(jobs, effort, codegen::Stage::emitted);
        result.llvm = codegen::llvm_text(jobs, effort);
        result.assembly = codegen::assembly_text(jobs, effort);
    }
    std::vector<codegen::DeviceJob> there;
    if (entry.device != nullptr) add_jobs(entry.plan, there);
    if (!there.empty()) {
        codegen::DeviceStages stages = codegen::device_stages(there, entry.device->capability());
        result.emitted = std::move(stages.emitted);
        result.llvm = std::move(stages.optimised);
        result.assembly = std::move(stages.ptx);
    }
    result.llvm += code_of_number_loops(entry.plan);
}

// Bytes of the parameters, which the graph knows.
void add_parameters(const ir::Graph& graph, const Description& description, EntryInfo& result) {
    for (MemoryInfo& memory : result.memory) {
        if (memory.kind != "argument") continue;
        const ir::Value parameter = graph.parameters()[static_cast<std::size_t>(memory.number)];
        memory.bytes = itemsize_of(parameter->dtype);
        memory.size = std::to_string(memory.bytes);
        for (const shape::Dim size : parameter->shape) {
            memory.bytes *= description.value_of(size);
            memory.size += "*" + graph.sizes().text(size);
        }
    }
}

}  // namespace

EntryInfo Entry::info(bool with_code) const {
    EntryInfo result;
    result.reason = reason;
    result.uncompiled = uncompiled;
    result.device = device == nullptr ? "cpu" : device->name();
    result.passes = passes;
    result.inputs = inputs;
    result.guards = signature.describe();
    for (const shape::SizeGuard& guard : plan.sizes.guards()) result.guards.push_back(guard_text(guard, plan.sizes));
    for (std::size_t i = 0; i < reads.size(); ++i) {
        if (reads[i].bound == 0 && reads[i].call < 0) result.guards.push_back("value " + std::to_string(i) + " read is " + ir::text_of(reads[i].value));
    }
    result.milliseconds = times;
    const std::shared_ptr<const plan::Profile> profile = plan.profiled ? plan.profiled->get() : nullptr;
    const Description description(plan, profile.get(), result);
    if (!graph.empty()) {
        base::Reader packed(graph);
        const ir::Graph made = ir::Graph::unpack(packed);
        result.ir = made.text();
        result.ir_lines = made.text({.lines = true});
        add_parameters(made, description, result);
    }
    if (with_code) add_code(*this, result);
    return result;
}

}  // namespace fastnp::detail
