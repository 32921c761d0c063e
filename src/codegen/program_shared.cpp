#include "codegen/program_shared.h"

#include <algorithm>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using ir::Program;

std::string layout_name(const llvm::Function& run) { return (run.getName() + "_layout").str(); }
constexpr unsigned may_leave = 4;  // its place there

llvm::AllocaInst* room(Builder& b, llvm::Type* type, std::size_t count) {
    llvm::IRBuilder<> at(b.entry, b.entry->getFirstInsertionPt());
    return at.CreateAlloca(llvm::ArrayType::get(type, std::max<std::size_t>(count, 1)));
}

// Memory with these in it, all of one size.
llvm::Value* table(Builder& b, std::span<llvm::Value* const> held) {
    llvm::Type* const word = b.ir.getInt64Ty();
    llvm::Value* const made = room(b, word, held.size());
    for (std::size_t i = 0; i < held.size(); ++i) b.ir.CreateStore(held[i], b.ir.CreateConstInBoundsGEP1_64(word, made, i));
    return made;
}

llvm::Value* arrays_of(Builder& b, ProgramMemory& memory, const ir::SharedLoop& loop) {
    std::vector<llvm::Value*> bases;
    for (std::int32_t i = 0; i < loop.program.arrays; ++i) bases.push_back(memory.base_of(i));
    return table(b, bases);
}

// Values, variables as they are, and room for two numbers.
llvm::Value* inputs_of(Builder& b, std::span<const Value> numbers) {
    std::vector<llvm::Value*> words;
    for (const Value& each : numbers) {
        words.push_back(to_word(b, each.re, each.dtype));
        if (each.im != nullptr) words.push_back(to_word(b, each.im, each.dtype));
    }
    words.resize(words.size() + 2, b.ir.getInt64(0));
    return table(b, words);
}

// base::SharedLoopCall::layout.
llvm::Value* layout_of(Builder& b, const SharedFunction& function, std::span<const Value> numbers) {
    const ir::SharedLoop& loop = function.loop;
    std::vector<std::uint64_t> carried;
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const int words = numbers[i].im != nullptr ? 2 : 1;
        const std::int32_t variable = i < loop.values.size() ? -1 : loop.variables[i - loop.values.size()];
        const bool is_set = variable >= 0 && std::ranges::find(loop.set, variable) != loop.set.end();
        for (int part = 0; is_set && part < words; ++part) {
            carried.push_back(place + static_cast<std::uint64_t>(part));
            carried.push_back(static_cast<std::uint64_t>(Program::word_of(variable) + part));
        }
        place += static_cast<std::uint64_t>(words);
    }
    std::vector<std::uint64_t> words;
    for (const std::int32_t each : {loop.program.inputs, loop.program.words(), loop.program.note_word(), loop.done(), loop.may_leave ? 1 : 0}) {
        words.push_back(static_cast<std::uint64_t>(each));
    }
    words.push_back(loop.parts.size());
    words.push_back(static_cast<std::uint64_t>(loop.least));
    words.push_back(carried.size() / 2);
    words.insert(words.end(), carried.begin(), carried.end());
    llvm::Constant* const data = llvm::ConstantDataArray::get(b.module.getContext(), words);
    return new llvm::GlobalVariable(b.module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, layout_name(*function.run));
}

bool is_marked_exit(const llvm::Instruction& each) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::sideeffect;
}

}  // namespace

llvm::Value* from_word(Builder& b, llvm::Value* word, Dtype dtype) {
    llvm::Type* type = b.element_type(dtype);
    if (type->isIntegerTy()) return b.ir.CreateTrunc(word, type);
    return b.ir.CreateFPCast(b.ir.CreateBitCast(word, b.ir.getDoubleTy()), type);
}

llvm::Value* to_word(Builder& b, llvm::Value* part, Dtype dtype) {
    if (part->getType()->isFloatingPointTy()) return b.ir.CreateBitCast(b.ir.CreateFPCast(part, b.ir.getDoubleTy()), b.ir.getInt64Ty());
    return kind_of(dtype) == 'i' ? b.ir.CreateSExt(part, b.ir.getInt64Ty()) : b.ir.CreateZExt(part, b.ir.getInt64Ty());
}

llvm::Value* call_shared(Builder& b, ProgramMemory& memory, const SharedFunction& function, const SharedHanded& handed, llvm::Value* first,
                         llvm::Value* end) {
    llvm::Value* const fields[] = {function.run,
                                   arrays_of(b, memory, function.loop),
                                   inputs_of(b, handed.numbers),
                                   layout_of(b, function, handed.numbers),
                                   table(b, handed.parts),
                                   handed.interruption,
                                   handed.words};
    llvm::Type* const word = b.ir.getInt64Ty();
    auto* const type = llvm::FunctionType::get(b.ir.getInt32Ty(), {b.ir.getPtrTy(), word, word}, false);
    llvm::CallInst* const told = b.ir.CreateCall(b.external({.kind = External::Kind::shared_loop}, type), {table(b, fields), first, end});
    told->setDoesNotThrow();
    return b.ir.CreateICmpNE(told, b.ir.getInt32(0));
}

void mark_exit(Builder& b) { b.ir.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {}); }

void forget_exits(llvm::Module& module) {
    for (const llvm::Function& function : module) {
        llvm::GlobalVariable* const layout = module.getGlobalVariable(layout_name(function), true);
        if (layout == nullptr || llvm::any_of(llvm::instructions(function), is_marked_exit)) continue;
        const auto* data = llvm::cast<llvm::ConstantDataArray>(layout->getInitializer());
        std::vector<std::uint64_t> words;
        for (unsigned i = 0; i < data->getNumElements(); ++i) words.push_back(i == may_leave ? 0 : data->getElementAsInteger(i));
        layout->setInitializer(llvm::ConstantDataArray::get(module.getContext(), words));
    }
}

}  // namespace fastnp::codegen
