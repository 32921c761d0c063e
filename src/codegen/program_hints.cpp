#include "codegen/program_hints.h"

#include <optional>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/MDBuilder.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using ir::Step;
using Kind = Step::Kind;

bool is_order(const Step& step) {
    const bool compares = step.op == ir::Op::less || step.op == ir::Op::less_equal || step.op == ir::Op::greater || step.op == ir::Op::greater_equal;
    return step.kind == Kind::map && compares && step.compute == Dtype::float64;
}

// The variable that a comparison of floats has on one side, if any, whose value there is what the iteration before left.
std::optional<std::int32_t> compared(const ir::Program& program, const Step& order) {
    for (const std::int32_t side : {order.a, order.b}) {
        const Step& step = program.steps[static_cast<std::size_t>(side)];
        if (step.kind != Kind::get) continue;
        // Up to the loop's begin nothing sets it.
        for (auto at = static_cast<std::size_t>(side); at-- > 0;) {
            const Step& before = program.steps[at];
            if (before.kind == Kind::loop || before.kind == Kind::share) return step.a;
            if (before.kind == Kind::set && before.a == step.a) break;
        }
    }
    return std::nullopt;
}

// Whether the `if_` there sets the variable, and does nothing otherwise.
bool only_sets(const ir::Program& program, std::size_t at, std::int32_t variable) {
    bool sets = false;
    for (int depth = 0; ++at < program.steps.size();) {
        const Step& step = program.steps[at];
        switch (step.kind) {
            case Kind::if_: ++depth; break;
            case Kind::loop:
            case Kind::share: return false;
            case Kind::set: sets = sets || step.a == variable; break;
            case Kind::else_:
                if (depth == 0) return sets && program.steps[at + 1].kind == Kind::end;
                break;
            case Kind::end:
                if (depth-- == 0) return sets;
                break;
            default: break;
        }
    }
    return false;
}

}  // namespace

void hint_loop(llvm::BranchInst* back, const char* what, llvm::ConstantInt* value) {
    llvm::LLVMContext& context = back->getContext();
    llvm::Metadata* wish[] = {llvm::MDString::get(context, what), llvm::ConstantAsMetadata::get(value)};
    llvm::Metadata* nodes[] = {nullptr, llvm::MDNode::get(context, wish)};
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context, nodes);
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

llvm::MDNode* rarely(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createBranchWeights(1, 2000); }

std::vector<bool> running_extremes(const ir::Program& program) {
    std::vector<bool> found(program.steps.size());
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        if (program.steps[i].kind != Kind::if_) continue;
        const Step& order = program.steps[static_cast<std::size_t>(program.steps[i].a)];
        const auto variable = is_order(order) ? compared(program, order) : std::nullopt;
        found[i] = variable && only_sets(program, i, *variable);
    }
    return found;
}

}  // namespace fastnp::codegen
