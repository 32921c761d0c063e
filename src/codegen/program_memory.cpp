#include "codegen/program_memory.h"

#include <algorithm>
#include <numeric>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/MDBuilder.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

using Kind = ir::Step::Kind;

void ProgramMemory::begin(llvm::Value* bases, llvm::Value* blocks) {
    auto& ir = b_.ir;
    llvm::Type* pointer = ir.getPtrTy();
    for (std::int32_t i = 0; i < program_.arrays; ++i) {
        bases_.push_back(ir.CreateLoad(pointer, ir.CreateConstInBoundsGEP1_64(pointer, bases, static_cast<std::uint64_t>(i))));
    }
    if (program_.made_arrays > 0) {
        blocks_ = ir.CreateIntToPtr(blocks, pointer);
        roots_ = ir.CreateAlloca(pointer, ir.getInt32(static_cast<std::uint32_t>(program_.made_arrays)));
        has_new_ = ir.CreateAlloca(ir.getInt1Ty());
        ir.CreateStore(ir.getFalse(), has_new_);
    }
    for (std::int32_t i = 0; i < program_.made_arrays; ++i) {
        slots_.push_back(ir.CreateAlloca(pointer));
        ir.CreateStore(llvm::ConstantPointerNull::get(ir.getPtrTy()), slots_.back());
    }
    if (program_.apart) name_scopes();
}

// LLVM follows an index from one iteration to the next (what one has stored, the next one loads), where it does not follow products.
ProgramMemory::Place ProgramMemory::place_of(std::int32_t offset, std::uint64_t size, std::span<const Value> values) const {
    const auto step = [&](std::int32_t id) -> const ir::Step& { return program_.steps[static_cast<std::size_t>(id)]; };
    const auto number = [&](std::int32_t id) { return values[static_cast<std::size_t>(id)].re; };
    const auto is_size = [&](std::int32_t id) { return step(id).kind == Kind::constant && step(id).bits == size; };
    const ir::Step& made = step(offset);
    if (made.kind == Kind::times && is_size(made.b)) return {nullptr, number(made.a)};
    if (made.kind == Kind::times && is_size(made.a)) return {nullptr, number(made.b)};
    if (made.kind != Kind::plus) return {number(offset), nullptr};
    for (const auto& [term, rest] : {std::pair(made.b, made.a), std::pair(made.a, made.b)}) {
        const Place place = place_of(term, size, values);
        if (place.index != nullptr && place.offset == nullptr) return {number(rest), place.index};
    }
    return {number(offset), nullptr};
}

llvm::Value* ProgramMemory::address(const ir::Step& step, std::span<const Value> values, std::int64_t more) {
    auto& ir = b_.ir;
    const auto size = static_cast<std::uint64_t>(itemsize_of(step.dtype));
    const Place place = place_of(step.b, size, values);
    llvm::Value* at = base_of(step.a);
    if (place.offset != nullptr) at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, place.offset);
    if (place.index != nullptr) at = ir.CreateInBoundsGEP(ir.getIntNTy(static_cast<unsigned>(8 * size)), at, place.index);
    return more == 0 ? at : ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), at, static_cast<std::uint64_t>(more));
}

// Arrays that may lie in one memory have one number: those between which addresses go.
std::vector<int> ProgramMemory::classes() const {
    std::vector<int> parents(static_cast<std::size_t>(program_.arrays + program_.made_arrays));
    std::iota(parents.begin(), parents.end(), 0);
    const auto root = [&](int each) {
        while (parents[static_cast<std::size_t>(each)] != each) each = parents[static_cast<std::size_t>(each)];
        return each;
    };
    for (const ir::Step& step : program_.steps) {
        if (step.kind == Kind::point) parents[static_cast<std::size_t>(root(step.a))] = root(step.b);
    }
    for (const auto& [one, other] : program_.aliases) parents[static_cast<std::size_t>(root(one))] = root(other);
    std::vector<int> found(parents.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = root(static_cast<int>(i));
    return found;
}

// A scope of aliases for each class.
void ProgramMemory::name_scopes() {
    llvm::LLVMContext& context = b_.module.getContext();
    llvm::MDBuilder metadata(context);
    auto* domain = metadata.createAnonymousAliasScopeDomain("arrays");
    const std::vector<int> found = classes();
    std::vector<llvm::Metadata*> scopes(found.size(), nullptr);
    for (const int each : found) {
        llvm::Metadata*& scope = scopes[static_cast<std::size_t>(each)];
        if (scope == nullptr) scope = metadata.createAnonymousAliasScope(domain, "array");
    }
    for (const int each : found) {
        llvm::Metadata* own = scopes[static_cast<std::size_t>(each)];
        std::vector<llvm::Metadata*> others;
        std::copy_if(scopes.begin(), scopes.end(), std::back_inserter(others), [&](llvm::Metadata* scope) { return scope != nullptr && scope != own; });
        scopes_.push_back({llvm::MDNode::get(context, own), llvm::MDNode::get(context, others)});
    }
}

llvm::Value* ProgramMemory::base_of(std::int32_t array) {
    if (array < program_.arrays) return bases_[static_cast<std::size_t>(array)];
    return b_.ir.CreateLoad(b_.ir.getPtrTy(), slot(array));
}

void ProgramMemory::mark(llvm::Instruction* access, std::int32_t array) const {
    if (scopes_.empty()) return;
    const Scope& scope = scopes_[static_cast<std::size_t>(array)];
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, scope.own);
    access->setMetadata(llvm::LLVMContext::MD_noalias, scope.others);
}

llvm::Value* ProgramMemory::allocate(std::int32_t array, llvm::Value* bytes) {
    auto& ir = b_.ir;
    auto* type = llvm::FunctionType::get(ir.getPtrTy(), {ir.getPtrTy(), ir.getInt64Ty()}, false);
    llvm::CallInst* made = ir.CreateCall(b_.external({.kind = External::Kind::allocate}, type), {blocks_, bytes});
    made->addRetAttr(llvm::Attribute::NoAlias);
    made->setDoesNotThrow();
    ir.CreateStore(made, slot(array));
    ir.CreateStore(ir.getTrue(), has_new_);
    return ir.CreateIsNotNull(made);
}

void ProgramMemory::point(std::int32_t array, std::int32_t other) { b_.ir.CreateStore(base_of(other), slot(array)); }

// Iterations that made nothing leave nothing behind that is worth a call.
void ProgramMemory::collect() {
    auto& ir = b_.ir;
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    auto* made = llvm::BasicBlock::Create(ir.getContext(), "made", function);
    auto* after = llvm::BasicBlock::Create(ir.getContext(), "collected", function);
    ir.CreateCondBr(ir.CreateLoad(ir.getInt1Ty(), has_new_), made, after);
    ir.SetInsertPoint(made);
    ir.CreateStore(ir.getFalse(), has_new_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        ir.CreateStore(ir.CreateLoad(ir.getPtrTy(), slots_[i]), ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), roots_, i));
    }
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), ir.getPtrTy(), ir.getInt64Ty()}, false);
    ir.CreateCall(b_.external({.kind = External::Kind::collect}, type), {blocks_, roots_, ir.getInt64(slots_.size())})->setDoesNotThrow();
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
}

}  // namespace fastnp::codegen
