#include "codegen/quiet_compares.h"

#include <optional>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsX86.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using llvm::CmpInst;
using llvm::Intrinsic::ID;

// AVX's predicate that is like this one and raises no flag.
std::optional<std::uint8_t> quiet_predicate(CmpInst::Predicate predicate) {
    switch (predicate) {
        case CmpInst::FCMP_OEQ: return 0;
        case CmpInst::FCMP_UNO: return 3;
        case CmpInst::FCMP_UNE: return 4;
        case CmpInst::FCMP_ORD: return 7;
        case CmpInst::FCMP_UEQ: return 8;
        case CmpInst::FCMP_ONE: return 12;
        case CmpInst::FCMP_OLT: return 17;
        case CmpInst::FCMP_OLE: return 18;
        case CmpInst::FCMP_OGE: return 29;
        case CmpInst::FCMP_OGT: return 30;
        case CmpInst::FCMP_UGE: return 21;
        case CmpInst::FCMP_UGT: return 22;
        case CmpInst::FCMP_ULT: return 25;
        case CmpInst::FCMP_ULE: return 26;
        default: return std::nullopt;
    }
}

// Whether the usual instructions raise a flag for NaN.
bool is_loud(CmpInst::Predicate predicate) { return *quiet_predicate(predicate) > 12; }

class Quieter {
public:
    explicit Quieter(llvm::Function& function) : function_(function) {
        const llvm::StringRef features = function.getFnAttribute("target-features").getValueAsString();
        has_masks_ = features.contains("+avx512f");
        has_predicates_ = features.contains("+avx,") || features.ends_with("+avx") || has_masks_;
    }

    void run() const {
        if (!has_predicates_) return;
        std::vector<llvm::FCmpInst*> all;
        for (llvm::BasicBlock& block : function_) {
            for (llvm::Instruction& each : block) {
                auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&each);
                if (compare != nullptr && quiet_predicate(compare->getPredicate())) all.push_back(compare);
            }
        }
        for (llvm::FCmpInst* compare : all) {
            if (!compare->getOperand(0)->getType()->isVectorTy()) of_numbers(compare);
            else if (is_loud(compare->getPredicate())) of_vectors(compare);
        }
    }

private:
    // As code that looks at flags compares.
    static void of_vectors(llvm::FCmpInst* compare) {
        llvm::IRBuilder<> ir(compare);
        auto* quiet = ir.CreateConstrainedFPCmp(llvm::Intrinsic::experimental_constrained_fcmp, compare->getPredicate(), compare->getOperand(0),
                                                compare->getOperand(1), "", llvm::fp::ebStrict);
        compare->replaceAllUsesWith(quiet);
        compare->eraseFromParent();
    }

    void of_numbers(llvm::FCmpInst* compare) const {
        llvm::Type* type = compare->getOperand(0)->getType();
        if (!type->isDoubleTy() && !type->isFloatTy()) return;
        std::vector<llvm::SelectInst*> choices;
        bool is_joined = false;
        for (llvm::User* user : compare->users()) {
            auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
            is_joined = is_joined || joins(user);
            if (choice != nullptr && choice->getCondition() == compare && choice->getType() == type && is_loud(compare->getPredicate()))
                choices.push_back(choice);
        }
        if (is_joined) {
            llvm::IRBuilder<> ir(compare);
            llvm::Value* holds = bit(ir, compare, type);
            compare->replaceUsesWithIf(holds, [](const llvm::Use& use) { return joins(use.getUser()); });
        }
        if (!choices.empty()) {
            llvm::IRBuilder<> ir(compare);
            llvm::Value* ones = lane_of_ones(ir, compare, type);
            for (llvm::SelectInst* choice : choices) {
                ir.SetInsertPoint(choice);
                choice->replaceAllUsesWith(chosen(ir, ones, choice));
                choice->eraseFromParent();
            }
        }
        if (compare->use_empty()) compare->eraseFromParent();
    }

    // With another condition: these become comparisons of vectors, whose other lanes hold anything.
    static bool joins(const llvm::User* user) {
        return user->getType()->isIntegerTy(1) && (llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::SelectInst>(user));
    }

    // In the first lane of a vector.
    static llvm::Value* lane(llvm::IRBuilder<>& ir, llvm::Value* x) {
        auto* vector = llvm::FixedVectorType::get(x->getType(), x->getType()->isDoubleTy() ? 2 : 4);
        return ir.CreateInsertElement(llvm::PoisonValue::get(vector), x, std::uint64_t{0});
    }

    // As a bit.
    llvm::Value* bit(llvm::IRBuilder<>& ir, llvm::FCmpInst* compare, llvm::Type* type) const {
        if (!has_masks_) return ir.CreateICmpSLT(ir.CreateExtractElement(lane_of_ones(ir, compare, type), std::uint64_t{0}), zero_of(ir, type));
        llvm::Value *x = lane(ir, compare->getOperand(0)), *y = lane(ir, compare->getOperand(1));
        const ID id = type->isDoubleTy() ? llvm::Intrinsic::x86_avx512_mask_cmp_sd : llvm::Intrinsic::x86_avx512_mask_cmp_ss;
        llvm::Value* predicate = ir.getInt32(*quiet_predicate(compare->getPredicate()));
        constexpr std::uint32_t rounding_as_set = 4;
        return ir.CreateTrunc(ir.CreateIntrinsic(id, {}, {x, y, predicate, ir.getInt8(0xFF), ir.getInt32(rounding_as_set)}), ir.getInt1Ty());
    }

    static llvm::Value* zero_of(llvm::IRBuilder<>& ir, llvm::Type* type) { return ir.getIntN(type->getScalarSizeInBits(), 0); }

    // As ones or zeros in the first lane of a vector: what is chosen by these is there sooner than by a mask, which takes a way through other registers.
    static llvm::Value* lane_of_ones(llvm::IRBuilder<>& ir, llvm::FCmpInst* compare, llvm::Type* type) {
        llvm::Value *x = lane(ir, compare->getOperand(0)), *y = lane(ir, compare->getOperand(1));
        const ID id = type->isDoubleTy() ? llvm::Intrinsic::x86_sse2_cmp_sd : llvm::Intrinsic::x86_sse_cmp_ss;
        llvm::Value* made = ir.CreateIntrinsic(id, {}, {x, y, ir.getInt8(*quiet_predicate(compare->getPredicate()))});
        return ir.CreateBitCast(made, llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(made->getType())));
    }

    // By bits, which no pass makes a mask of.
    static llvm::Value* chosen(llvm::IRBuilder<>& ir, llvm::Value* ones, llvm::SelectInst* choice) {
        const auto bits = [&](llvm::Value* x) { return ir.CreateBitCast(lane(ir, x), ones->getType()); };
        llvm::Value* made = ir.CreateOr(ir.CreateAnd(bits(choice->getTrueValue()), ones), ir.CreateAnd(bits(choice->getFalseValue()), ir.CreateNot(ones)));
        llvm::Type* floats = lane(ir, choice->getTrueValue())->getType();
        return ir.CreateExtractElement(ir.CreateBitCast(made, floats), std::uint64_t{0});
    }

    llvm::Function& function_;
    bool has_masks_ = false, has_predicates_ = false;
};

}  // namespace

void make_compares_quiet(llvm::Function& function) { Quieter(function).run(); }

}  // namespace fastnp::codegen
