#include "codegen/program_draw.h"

namespace fastnp::codegen {

// The ways by their numbers, as _loop_draws.py has them.
llvm::Value* drawn(Builder& b, const ir::Step& step, llvm::Value* address, llvm::Value* most) {
    constexpr External::Kind reals[] = {External::Kind::draw_uniform, External::Kind::draw_normal,        External::Kind::draw_exponential,
                                        External::Kind::draw_gauss,   External::Kind::draw_legacy_normal, External::Kind::draw_legacy_exponential};
    constexpr External::Kind integers[] = {External::Kind::draw_integer, External::Kind::draw_below, External::Kind::draw_masked};
    auto& ir = b.ir;
    llvm::SmallVector<llvm::Value*, 2> arguments{ir.CreateIntToPtr(address, ir.getPtrTy())};
    llvm::SmallVector<llvm::Type*, 2> types{ir.getPtrTy()};
    if (most != nullptr) {
        arguments.push_back(most);
        types.push_back(ir.getInt64Ty());
    }
    const External::Kind kind = most != nullptr ? integers[step.bits] : reals[step.bits];
    llvm::CallInst* drawn = ir.CreateCall(b.external({.kind = kind}, llvm::FunctionType::get(b.element_type(step.dtype), types, false)), arguments);
    drawn->setDoesNotThrow();
    drawn->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());  // a generator's state is nobody's array
    return drawn;
}

}  // namespace fastnp::codegen
