#include "codegen/term_run.h"

#include <algorithm>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using llvm::CmpInst;
using llvm::Instruction;

std::string name_of(const Instruction& instruction) { return instruction.getOpcodeName(); }

// LLVM may take an address for a multiple of it.
void check_alignment(std::uint64_t address, llvm::Align align) {
    if (address % align.value() != 0) throw OutOfBounds("it takes an address for aligned to " + std::to_string(align.value()) + " bytes that is not");
}

unsigned count_of(const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector == nullptr ? 1 : vector->getNumElements();
}

}  // namespace

TermRun::TermRun(const llvm::Function& function, const std::map<std::string, External>& externals, Terms& terms, TermMemory& memory)
    : externals_(externals), terms_(terms), memory_(memory), function_(function), layout_(function.getDataLayout()) {
    for (const llvm::Argument& argument : function.args()) slot_of(&argument);
    for (const llvm::BasicBlock& block : function) {
        Block& made = blocks_[&block];
        for (const Instruction& instruction : block) {
            (llvm::isa<llvm::PHINode>(instruction) ? made.phis : made.steps).push_back(step_of(instruction));
        }
    }
}

// --- the function as lists of steps ----------------------------------------------------------------------------------------------

TermType TermRun::type_of(const llvm::Type* type) {
    const llvm::Type* element = type->getScalarType();
    if (element->isPointerTy()) return TermType::i64;
    if (element->isHalfTy()) return TermType::f16;
    if (element->isFloatTy()) return TermType::f32;
    if (element->isDoubleTy()) return TermType::f64;
    for (const TermType each : {TermType::i1, TermType::i8, TermType::i16, TermType::i32, TermType::i64}) {
        if (element->isIntegerTy(bits_of(each))) return each;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    type->print(stream);
    throw Unproved("a value of type " + text);
}

int TermRun::slot_of(const llvm::Value* value) {
    const auto [at, is_new] = numbers_.try_emplace(value, static_cast<int>(slots_.size()));
    if (is_new) {
        slots_.emplace_back();
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value); constant != nullptr && !llvm::isa<llvm::Function>(constant))
            slots_.back() = lanes_of(*constant);
    }
    return at->second;
}

TermRun::Lanes TermRun::lanes_of_sequence(const llvm::Constant& constant, unsigned count) {
    Lanes lanes;
    for (unsigned i = 0; i < count; ++i) lanes.push_back(lanes_of(*constant.getAggregateElement(i))[0]);
    return lanes;
}

TermRun::Lanes TermRun::lanes_of(const llvm::Constant& constant) {
    const TermType type = type_of(constant.getType());
    const unsigned count = count_of(constant.getType());
    if (llvm::isa<llvm::UndefValue>(constant)) return Lanes(count, terms_.poison(type));
    if (constant.isNullValue()) return Lanes(count, terms_.constant(type, 0));
    if (constant.getType()->isVectorTy()) return lanes_of_sequence(constant, count);
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) return {terms_.constant(type, integer->getZExtValue())};
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant))
        return {terms_.constant(type, number->getValueAPF().bitcastToAPInt().getZExtValue())};
    throw Unproved("a constant that is no number");
}

TermRun::Step TermRun::step_of(const Instruction& instruction) {
    Step step{&instruction, -1, {}};
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        read_address(*address, step);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        for (const llvm::Use& argument : call->args()) {
            step.operands.push_back(llvm::isa<llvm::MetadataAsValue>(argument.get()) ? -1 : slot_of(argument.get()));
        }
    } else if (!llvm::isa<llvm::AllocaInst>(instruction)) {
        for (const llvm::Use& used : instruction.operands()) step.operands.push_back(llvm::isa<llvm::BasicBlock>(used.get()) ? -1 : slot_of(used.get()));
    }
    step.result = instruction.getType()->isVoidTy() ? -1 : slot_of(&instruction);
    return step;
}

void TermRun::read_address(const llvm::GetElementPtrInst& instruction, Step& step) {
    step.operands.push_back(slot_of(instruction.getPointerOperand()));
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt offset(64, 0);
    if (!llvm::cast<llvm::GEPOperator>(instruction).collectOffset(layout_, 64, variable, offset)) throw Unproved("an address of unknown size");
    step.offset = offset.getSExtValue();
    for (const auto& [value, factor] : variable) step.scaled.emplace_back(slot_of(value), factor.getSExtValue());
}

// --- steps -----------------------------------------------------------------------------------------------------------------------

std::uint64_t TermRun::run(std::span<const std::uint64_t> arguments, std::uint64_t most_steps) {
    steps_left_ = most_steps;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        slots_[static_cast<std::size_t>(slot_of(function_.getArg(static_cast<unsigned>(i))))] = {terms_.constant(TermType::i64, arguments[i])};
    }
    const llvm::BasicBlock* before = nullptr;
    for (const llvm::BasicBlock* block = &function_.getEntryBlock(); block != nullptr;) {
        const llvm::BasicBlock* next = run_block(block, before);
        before = block;
        block = next;
    }
    return most_steps - steps_left_;
}

const llvm::BasicBlock* TermRun::run_block(const llvm::BasicBlock* block, const llvm::BasicBlock* before) {
    const Block& here = blocks_.at(block);
    if (steps_left_ < here.steps.size()) throw Unproved("it takes too many steps");
    steps_left_ -= here.steps.size();
    enter(here, before);
    for (const Step& step : here.steps) {
        if (step.instruction->isTerminator()) return leave(step);
        if (step.result < 0 && !llvm::isa<llvm::CallInst>(step.instruction)) {
            store(step);
            continue;
        }
        Lanes lanes = compute(step);
        if (step.result >= 0) slots_[static_cast<std::size_t>(step.result)] = std::move(lanes);
    }
    throw Unproved("a block without an end");
}

// All at once: one may be another's.
void TermRun::enter(const Block& block, const llvm::BasicBlock* before) {
    std::vector<Lanes> values;
    for (const Step& step : block.phis) {
        const int from = llvm::cast<llvm::PHINode>(step.instruction)->getBasicBlockIndex(before);
        values.push_back(operand(step, static_cast<unsigned>(from)));
    }
    for (std::size_t i = 0; i < values.size(); ++i) slots_[static_cast<std::size_t>(block.phis[i].result)] = std::move(values[i]);
}

const llvm::BasicBlock* TermRun::leave(const Step& step) {
    if (llvm::isa<llvm::ReturnInst>(step.instruction)) return nullptr;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(step.instruction)) {
        const bool taken = branch->isUnconditional() || known(operand(step, 0)[0], "where it goes on") != 0;
        return branch->getSuccessor(taken ? 0 : 1);
    }
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(step.instruction)) {
        const std::uint64_t value = known(operand(step, 0)[0], "where it goes on");
        for (const auto& each : choice->cases()) {
            if (each.getCaseValue()->getZExtValue() == value) return each.getCaseSuccessor();
        }
        return choice->getDefaultDest();
    }
    throw Unproved("the instruction " + name_of(*step.instruction));
}

std::uint64_t TermRun::known(Term term, const char* what) const {
    if (!terms_.is_constant(term)) throw Unproved(std::string(what) + " depends on an element");
    return terms_.bits(term);
}

TermRun::Lanes TermRun::compute(const Step& step) {
    switch (step.instruction->getOpcode()) {
        case Instruction::Add: return map(step, TermOp::add);
        case Instruction::Sub: return map(step, TermOp::sub);
        case Instruction::Mul: return map(step, TermOp::mul);
        case Instruction::SDiv: return map(step, TermOp::sdiv);
        case Instruction::UDiv: return map(step, TermOp::udiv);
        case Instruction::SRem: return map(step, TermOp::srem);
        case Instruction::URem: return map(step, TermOp::urem);
        case Instruction::Shl: return map(step, TermOp::shl);
        case Instruction::LShr: return map(step, TermOp::lshr);
        case Instruction::AShr: return map(step, TermOp::ashr);
        case Instruction::And: return map(step, TermOp::bit_and);
        case Instruction::Or: return map(step, TermOp::bit_or);
        case Instruction::Xor: return map(step, TermOp::bit_xor);
        case Instruction::FAdd: return map(step, TermOp::fadd);
        case Instruction::FSub: return map(step, TermOp::fsub);
        case Instruction::FMul: return map(step, TermOp::fmul);
        case Instruction::FDiv: return map(step, TermOp::fdiv);
        case Instruction::FRem: return map(step, TermOp::frem);
        case Instruction::FNeg: return map(step, TermOp::fneg);
        case Instruction::ZExt: return map(step, TermOp::zext);
        case Instruction::SExt: return map(step, TermOp::sext);
        case Instruction::Trunc: return map(step, TermOp::trunc);
        case Instruction::FPExt: return map(step, TermOp::fpext);
        case Instruction::FPTrunc: return map(step, TermOp::fptrunc);
        case Instruction::SIToFP: return map(step, TermOp::sitofp);
        case Instruction::UIToFP: return map(step, TermOp::uitofp);
        case Instruction::PtrToInt:
        case Instruction::IntToPtr:
        case Instruction::Freeze: return operand(step, 0);
        case Instruction::BitCast:
            if (count_of(step.instruction->getType()) != operand(step, 0).size()) throw Unproved("a bitcast to another number of lanes");
            return map(step, TermOp::bitcast);
        case Instruction::ICmp: return compare_integers(step);
        case Instruction::FCmp: return compare_floats(step);
        case Instruction::Select: return choose(step);
        case Instruction::GetElementPtr: return address(step);
        case Instruction::Load: return load(step);
        case Instruction::Alloca: {
            const auto& made = *llvm::cast<llvm::AllocaInst>(step.instruction);
            const auto size = made.getAllocationSize(layout_);
            if (!size) throw Unproved("memory of unknown size");
            const bool holds_bits = made.getAllocatedType()->isVectorTy() && made.getAllocatedType()->getScalarSizeInBits() == 1;
            const auto bytes = holds_bits ? count_of(made.getAllocatedType()) : static_cast<std::int64_t>(size->getFixedValue());  // a byte for each lane
            return {terms_.constant(TermType::i64, memory_.add(TermMemory::Kind::undefined, bytes))};
        }
        case Instruction::ExtractElement: {
            const std::uint64_t at = known(operand(step, 1)[0], "a lane's number");
            return {operand(step, 0)[static_cast<std::size_t>(at)]};
        }
        case Instruction::InsertElement: {
            Lanes lanes = operand(step, 0);
            lanes[static_cast<std::size_t>(known(operand(step, 2)[0], "a lane's number"))] = operand(step, 1)[0];
            return lanes;
        }
        case Instruction::ShuffleVector: return shuffle(step);
        case Instruction::Call: return call(step);
        default: throw Unproved("the instruction " + name_of(*step.instruction));
    }
}

TermRun::Lanes TermRun::map(const Step& step, TermOp op, bool swapped) {
    const bool compares = llvm::isa<CmpInst>(step.instruction);
    const TermType type = compares ? TermType::i1 : type_of(step.instruction->getType());
    const Lanes& first = operand(step, swapped ? 1 : 0);
    const std::size_t operands = step.instruction->getNumOperands() > 1 && !llvm::isa<llvm::CallInst>(step.instruction) ? 2 : step.operands.size();
    const Lanes& second = operands > 1 && step.operands[1] >= 0 ? operand(step, swapped ? 0 : 1) : first;
    Lanes lanes;
    for (std::size_t i = 0; i < first.size(); ++i) {
        lanes.push_back(operands > 1 ? terms_.make(op, type, {first[i], second[i]}) : terms_.make(op, type, {first[i]}));
    }
    return lanes;
}

TermRun::Lanes TermRun::negated(Lanes lanes) {
    for (Term& lane : lanes) lane = terms_.negation(lane);
    return lanes;
}

TermRun::Lanes TermRun::compare_integers(const Step& step) {
    switch (llvm::cast<llvm::ICmpInst>(step.instruction)->getPredicate()) {
        case CmpInst::ICMP_EQ: return map(step, TermOp::equal);
        case CmpInst::ICMP_NE: return negated(map(step, TermOp::equal));
        case CmpInst::ICMP_SLT: return map(step, TermOp::signed_less);
        case CmpInst::ICMP_SGT: return map(step, TermOp::signed_less, true);
        case CmpInst::ICMP_SGE: return negated(map(step, TermOp::signed_less));
        case CmpInst::ICMP_SLE: return negated(map(step, TermOp::signed_less, true));
        case CmpInst::ICMP_ULT: return map(step, TermOp::unsigned_less);
        case CmpInst::ICMP_UGT: return map(step, TermOp::unsigned_less, true);
        case CmpInst::ICMP_UGE: return negated(map(step, TermOp::unsigned_less));
        default: return negated(map(step, TermOp::unsigned_less, true));
    }
}

TermRun::Lanes TermRun::compare_floats(const Step& step) {
    switch (llvm::cast<llvm::FCmpInst>(step.instruction)->getPredicate()) {
        case CmpInst::FCMP_OEQ: return map(step, TermOp::ordered_equal);
        case CmpInst::FCMP_OLT: return map(step, TermOp::ordered_less);
        case CmpInst::FCMP_OGT: return map(step, TermOp::ordered_less, true);
        case CmpInst::FCMP_OLE: return map(step, TermOp::ordered_less_equal);
        case CmpInst::FCMP_OGE: return map(step, TermOp::ordered_less_equal, true);
        case CmpInst::FCMP_ONE: return map(step, TermOp::ordered_unequal);
        case CmpInst::FCMP_UNO: return map(step, TermOp::unordered);
        case CmpInst::FCMP_ORD: return negated(map(step, TermOp::unordered));
        case CmpInst::FCMP_UNE: return negated(map(step, TermOp::ordered_equal));
        case CmpInst::FCMP_UGE: return negated(map(step, TermOp::ordered_less));
        case CmpInst::FCMP_ULE: return negated(map(step, TermOp::ordered_less, true));
        case CmpInst::FCMP_UGT: return negated(map(step, TermOp::ordered_less_equal));
        case CmpInst::FCMP_ULT: return negated(map(step, TermOp::ordered_less_equal, true));
        case CmpInst::FCMP_UEQ: return negated(map(step, TermOp::ordered_unequal));
        default: throw Unproved("a comparison that is always or never true");
    }
}

TermRun::Lanes TermRun::address(const Step& step) {
    const Lanes& base = operand(step, 0);
    Lanes lanes;
    for (std::size_t i = 0; i < count_of(step.instruction->getType()); ++i) {
        std::uint64_t at = known(lane(base, i), "an address") + static_cast<std::uint64_t>(step.offset);
        for (const auto& [slot, factor] : step.scaled) {
            const Term number = lane(slots_[static_cast<std::size_t>(slot)], i);
            static_cast<void>(known(number, "an address"));
            at += static_cast<std::uint64_t>(terms_.signed_bits(number)) * static_cast<std::uint64_t>(factor);
        }
        lanes.push_back(terms_.constant(TermType::i64, at));
    }
    return lanes;
}

TermRun::Lanes TermRun::choose(const Step& step) {
    const Lanes &condition = operand(step, 0), &x = operand(step, 1), &y = operand(step, 2);
    const TermType type = type_of(step.instruction->getType());
    Lanes lanes;
    for (std::size_t i = 0; i < x.size(); ++i) lanes.push_back(terms_.make(TermOp::select, type, {lane(condition, i), x[i], y[i]}));
    return lanes;
}

TermRun::Lanes TermRun::shuffle(const Step& step) {
    const Lanes &x = operand(step, 0), &y = operand(step, 1);
    Lanes lanes;
    for (const int from : llvm::cast<llvm::ShuffleVectorInst>(step.instruction)->getShuffleMask()) {
        const auto at = static_cast<std::size_t>(from);
        if (from < 0) lanes.push_back(terms_.poison(type_of(step.instruction->getType())));
        else lanes.push_back(at < x.size() ? x[at] : y[at - x.size()]);
    }
    return lanes;
}

TermRun::Lanes TermRun::load(const Step& step) {
    std::uint64_t at = known(operand(step, 0)[0], "an address");
    check_alignment(at, llvm::cast<llvm::LoadInst>(step.instruction)->getAlign());
    const TermType type = type_of(step.instruction->getType());
    Lanes lanes;
    for (unsigned i = 0; i < count_of(step.instruction->getType()); ++i) {
        lanes.push_back(memory_.load(at, type));
        at += (bits_of(type) + 7) / 8;
    }
    return lanes;
}

void TermRun::store(const Step& step) {
    if (!llvm::isa<llvm::StoreInst>(step.instruction)) throw Unproved("the instruction " + name_of(*step.instruction));
    std::uint64_t at = known(operand(step, 1)[0], "an address");
    check_alignment(at, llvm::cast<llvm::StoreInst>(step.instruction)->getAlign());
    for (const Term value : operand(step, 0)) {
        memory_.store(at, value);
        at += (bits_of(terms_.type(value)) + 7) / 8;
    }
}

}  // namespace fastnp::codegen
