#include "codegen/nvptx_passes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// Instructions of a function once what it calls is inlined.
class Sizes {
public:
    std::size_t of(const llvm::Function& function) {
        if (const auto found = known_.find(&function); found != known_.end()) return found->second;
        std::size_t size = function.getInstructionCount();
        for (const llvm::Instruction& each : llvm::instructions(function)) {
            const llvm::Function* const called = called_by(each);
            if (called != nullptr && !called->isDeclaration()) size += of(*called);
        }
        return known_[&function] = size;
    }
    static llvm::Function* called_by(const llvm::Instruction& instruction) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        return call == nullptr ? nullptr : call->getCalledFunction();
    }

private:
    std::map<const llvm::Function*, std::size_t> known_;  // no function calls itself
};

// The stores of a block, and for each what is computed in the block for it alone.
class Stores {
public:
    explicit Stores(llvm::BasicBlock& block) {
        bool uses_memory = false;  // something else behind a store
        for (llvm::Instruction& each : llvm::reverse(block)) {
            if (llvm::isa<llvm::StoreInst>(each)) {
                own_.push_back({&each});
                are_alone_ = !uses_memory;
            } else {
                uses_memory = uses_memory || each.mayReadOrWriteMemory();
            }
            note(each);
        }
    }
    // Whether there are several, and nothing but them uses memory after the first.
    bool are_apart() const { return own_.size() >= 4 && are_alone_; }
    // The last first; of each, what it needs from its end to its beginning.
    const std::vector<std::vector<llvm::Instruction*>>& own() const { return own_; }

private:
    void note(llvm::Instruction& instruction) {
        if (own_.empty() || instruction.isTerminator() || llvm::isa<llvm::PHINode>(instruction)) return;
        if (llvm::isa<llvm::StoreInst>(instruction)) {
            owner_[&instruction] = own_.size() - 1;
            return;
        }
        if (instruction.mayReadOrWriteMemory() || instruction.use_empty()) return;
        const auto of = [&](const llvm::User* user) {
            const auto found = owner_.find(llvm::cast<llvm::Instruction>(user));
            return found == owner_.end() ? own_.size() : found->second;
        };
        const std::size_t first = of(*instruction.user_begin());
        if (first == own_.size() || !llvm::all_of(instruction.users(), [&](const llvm::User* user) { return of(user) == first; })) return;
        owner_[&instruction] = first;
        own_[first].push_back(&instruction);
    }

    std::vector<std::vector<llvm::Instruction*>> own_;
    std::map<const llvm::Instruction*, std::size_t> owner_;
    bool are_alone_ = false;  // from the first of them on
};

}  // namespace

bool is_kernel(const llvm::Function& function) { return function.getCallingConv() == llvm::CallingConv::PTX_Kernel; }

void keep_calls_of_large_functions(llvm::Module& module) {
    constexpr std::size_t few = 8, most_inlined = 6000;  // places; instructions of one function in a kernel
    Sizes sizes;
    for (llvm::Function& kernel : module) {
        if (kernel.isDeclaration() || !is_kernel(kernel)) continue;
        std::map<const llvm::Function*, std::vector<llvm::CallInst*>> calls;
        for (llvm::Instruction& each : llvm::instructions(kernel)) {
            const llvm::Function* const called = Sizes::called_by(each);
            if (called != nullptr && !called->isDeclaration()) calls[called].push_back(llvm::cast<llvm::CallInst>(&each));
        }
        for (const auto& [function, places] : calls) {
            if (places.size() <= few || places.size() * sizes.of(*function) <= most_inlined) continue;
            for (llvm::CallInst* call : places) call->addFnAttr(llvm::Attribute::NoInline);
        }
    }
}

llvm::PreservedAnalyses UnrollLoads::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    constexpr std::size_t most_instructions = 40;
    constexpr std::uint64_t most_steps = 16, most_bytes = 64;  // more would take too many registers
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
        if (!loop->isInnermost() || llvm::getBooleanLoopAttribute(loop, "llvm.loop.unroll.disable")) continue;
        if (llvm::getOptionalIntLoopAttribute(loop, unroll_count)) continue;  // known better
        std::size_t instructions = 0;
        std::uint64_t loaded = 0;  // bytes
        for (const llvm::BasicBlock* block : loop->blocks()) {
            instructions += block->size();
            for (const llvm::Instruction& each : *block) {
                if (llvm::isa<llvm::LoadInst>(each)) loaded += layout.getTypeStoreSize(each.getType()).getFixedValue();
            }
        }
        if (loaded == 0 || instructions > most_instructions) continue;
        const std::uint64_t steps = std::min(most_steps, most_bytes / std::bit_ceil(loaded));
        if (steps > 1) llvm::addStringMetadataToLoop(loop, unroll_count, static_cast<unsigned>(steps));
    }
    return llvm::PreservedAnalyses::all();
}

void put_stores_in_turn(llvm::Module& module) {
    llvm::Type* const word = llvm::Type::getInt32Ty(module.getContext());
    for (llvm::Function& function : module) {
        if (!is_kernel(function) || !function.hasFnAttribute(stores_in_turn)) continue;
        std::vector<llvm::BasicBlock*> blocks;
        for (llvm::BasicBlock& block : function) blocks.push_back(&block);
        for (llvm::BasicBlock* block : blocks) {
            const Stores stores(*block);
            if (!stores.are_apart()) continue;
            llvm::Value* const units = function.getArg(static_cast<unsigned>(function.arg_size()) - 1);  // which are not negative
            for (std::size_t i = stores.own().size(); i-- > 0;) {
                const std::vector<llvm::Instruction*>& own = stores.own()[i];
                llvm::BasicBlock* const mine = block->splitBasicBlock(own.front());
                llvm::BasicBlock* const after = mine->splitBasicBlock(std::next(own.front()->getIterator()));
                for (std::size_t k = 1; k < own.size(); ++k) own[k]->moveBefore(*mine, mine->begin());
                llvm::Instruction* const end = block->getTerminator();
                llvm::IRBuilder<> ir(end);
                llvm::Value* const high = ir.CreateTrunc(ir.CreateLShr(units, 32), word);
                const auto never = llvm::ConstantInt::get(word, 0x80000000U + static_cast<std::uint32_t>(i));  // each another condition
                ir.CreateCondBr(ir.CreateICmpNE(high, never), mine, after);
                end->eraseFromParent();
                block = after;
            }
        }
    }
}

void overlap_launches(llvm::Module& module) {
    auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false);
    constexpr bool has_side_effects = true;
    auto* const code = llvm::InlineAsm::get(type, "griddepcontrol.launch_dependents; griddepcontrol.wait;", "~{memory}", has_side_effects);
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || !is_kernel(function)) continue;
        llvm::CallInst::Create(type, code, "", function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
        // What a kernel is given is not constant while it runs: loads that seem so (ld.global.nc) are moved before the wait by ptxas.
        for (llvm::Argument& argument : function.args()) argument.removeAttr(llvm::Attribute::NoAlias);
    }
}

namespace {

// Of 32 bits or fewer, or a vector of such.
bool is_short(const llvm::Type* type) { return type->isIntOrIntVectorTy() && type->getScalarSizeInBits() <= 32; }

bool is_least_or_most(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !is_short(call->getType())) return false;
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    return id == llvm::Intrinsic::smax || id == llvm::Intrinsic::smin || id == llvm::Intrinsic::umax || id == llvm::Intrinsic::umin;
}

// What is negated, or null.
llvm::Value* negated(const llvm::Instruction& instruction) {
    using namespace llvm::PatternMatch;
    llvm::Value* x = nullptr;
    if (!is_short(instruction.getType())) return nullptr;
    return match(&instruction, m_Neg(m_Value(x))) || match(&instruction, m_Mul(m_Value(x), m_AllOnes())) ? x : nullptr;
}

// Of 16 bits, in which there are instructions, and of which ptxas makes ones of 32.
bool is_widened(const llvm::Instruction& instruction) {
    return instruction.getType()->isIntOrIntVectorTy() && instruction.getType()->getScalarSizeInBits() == 16;
}

bool is_magnitude(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::abs;
}

// Whether it has the sign of a narrower number, as it is or with zeros before it.
bool is_sign_extended(const llvm::Value* value) {
    if (const auto* widened = llvm::dyn_cast<llvm::ZExtInst>(value)) value = widened->getOperand(0);
    return llvm::isa<llvm::SExtInst>(value) || llvm::isa<llvm::AShrOperator>(value);
}

// A zero that ptxas does not know to be one.
class UnknownZero {
public:
    explicit UnknownZero(llvm::Function& function) : function_(function) {}
    llvm::Value* of(llvm::IRBuilder<>& ir, llvm::Type* type) {
        if (zero_ == nullptr) {
            llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
            zero_ = entry.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z, {}, {});  // blocks have one number
        }
        llvm::Value* own = ir.CreateZExtOrTrunc(zero_, type->getScalarType());
        const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
        return vector != nullptr ? ir.CreateVectorSplat(vector->getNumElements(), own) : own;
    }

private:
    llvm::Function& function_;
    llvm::Value* zero_ = nullptr;
};

}  // namespace

void hide_negations(llvm::Function& function) {
    std::vector<llvm::Instruction*> negations, magnitudes;
    bool any = false;
    for (llvm::Instruction& each : llvm::instructions(function)) {
        any = any || is_least_or_most(each);
        if (negated(each) != nullptr) negations.push_back(&each);
        if (is_magnitude(each) && is_widened(each)) magnitudes.push_back(&each);
    }
    std::erase_if(negations, [&](const llvm::Instruction* each) { return !any && !is_widened(*each); });
    UnknownZero zero(function);
    const auto replace = [](llvm::Instruction* instruction, llvm::Value* by) {
        instruction->replaceAllUsesWith(by);
        instruction->eraseFromParent();
    };
    for (llvm::Instruction* each : negations) {
        llvm::IRBuilder<> ir(each);
        replace(each, ir.CreateSub(zero.of(ir, each->getType()), negated(*each)));
    }
    for (llvm::Instruction* each : magnitudes) {
        llvm::IRBuilder<> ir(each);
        llvm::Value* x = each->getOperand(0);
        replace(each, ir.CreateSelect(ir.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType())), ir.CreateSub(zero.of(ir, x->getType()), x), x));
    }
}

void hide_sign_extensions(llvm::Function& function) {
    std::vector<llvm::Instruction*> conversions;
    for (llvm::Instruction& each : llvm::instructions(function)) {
        if (llvm::isa<llvm::UIToFPInst>(each) && is_sign_extended(each.getOperand(0))) conversions.push_back(&each);
    }
    UnknownZero zero(function);
    for (llvm::Instruction* each : conversions) {
        auto* const widened = llvm::dyn_cast<llvm::ZExtInst>(each->getOperand(0));
        llvm::Instruction* const user = widened != nullptr ? widened : each;
        llvm::IRBuilder<> ir(user);
        llvm::Value* extended = user->getOperand(0);
        user->setOperand(0, ir.CreateAdd(extended, zero.of(ir, extended->getType())));
    }
}

}  // namespace fastnp::codegen
