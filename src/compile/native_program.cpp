#include <algorithm>

#include "base/shared_loop.h"
#include "codegen/jit.h"
#include "codegen/tells_lines.h"
#include "fastnp/detail/program.h"
#include "fastnp/error.h"
#include "ir/program.h"
#include "ops/infer.h"

namespace fastnp::detail {

namespace {

ir::Program program_of(const ProgramText& text) {
    ir::Program program;
    program.variables = text.variables;
    for (const auto& variables : text.exits) program.exits.push_back({variables});
    program.arrays = text.arrays;
    program.made_arrays = text.made_arrays;
    program.inputs = text.inputs;
    program.apart = text.apart;
    for (const ProgramStep& each : text.steps) {
        const ir::Location where{program.steps.size() < text.lines.size() ? text.lines[program.steps.size()] : 0};
        const auto kind = ir::step_kind(each.kind);
        const auto op = each.op.empty() ? ir::Op::count : ops::find(each.op);
        if (!kind || !op) throw InternalError("a program has no step '" + each.kind + " " + each.op + "'");
        program.steps.push_back({*kind, each.dtype, each.compute, *op, each.a, each.b, each.c, each.bits, each.more_bits, where});
    }
    return program;
}

// A number of this kind that every dtype of that kind holds.
Scalar weak_number(WeakKind kind) {
    switch (kind) {
        case WeakKind::boolean: return false;
        case WeakKind::integer: return 0;
        case WeakKind::floating: return 0.0;
        case WeakKind::complex: return std::complex<double>();
    }
    return 0;
}

// Memory is as dear to an interpreter as to a program.
bool takes_memory(const ir::Step& step) { return step.kind == ir::Step::Kind::allocate || step.kind == ir::Step::Kind::collect; }

}  // namespace

NativeProgram::NativeProgram(const ProgramText& text) {
    const ir::Program program = program_of(text);
    is_plain_ = std::ranges::none_of(program.steps, takes_memory);
    codegen::Code code = codegen::compile(program);
    function_ = code.functions.at(0);
    owner_ = std::move(code.owner);
    words_ = static_cast<std::size_t>(program.words());
    compile_ms_ = code.load_ms + code.emit_ms + code.optimize_ms + code.generate_ms + code.link_ms + code.store_ms;
}

bool tells_lines() { return codegen::tells_lines(); }

std::uint64_t shared_rounds() { return base::shared_rounds(); }

std::string program_text(const ProgramText& text) { return ir::to_text(program_of(text)); }
std::string program_llvm(const ProgramText& text) { return codegen::llvm_text(program_of(text)); }

std::optional<NumberLoop> loop_of(const std::string& op, std::span<const NumberKind> operands) {
    const auto found = ops::find(op);
    if (!found || ops::info(*found).kind != ops::Kind::map || ops::info(*found).operands != static_cast<int>(operands.size())) return std::nullopt;
    std::vector<ops::LoopOperand> given;
    for (const NumberKind& each : operands) {
        if (each.dtype) given.push_back({each.dtype, std::nullopt});
        else given.push_back({std::nullopt, weak_number(each.weak)});
    }
    const ops::Loop loop = ops::resolve(*found, given);
    return NumberLoop{{loop.operands.begin(), loop.operands.end()}, loop.compute, loop.output};
}

}  // namespace fastnp::detail
