#include "codegen/program_emitter.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "codegen/floored.h"
#include "codegen/near_power.h"
#include "codegen/program_draw.h"
#include "codegen/program_hints.h"
#include "codegen/program_memory.h"
#include "codegen/program_passes.h"
#include "codegen/program_shared.h"
#include "codegen/quiet_op.h"
#include "codegen/value.h"
#include "codegen/wrapped.h"
#include "fastnp/detail/interruption.h"
#include "fastnp/detail/program.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/MDBuilder.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using ir::Program;
using ir::Step;
using Kind = Step::Kind;

class ProgramEmitter {
public:
    /// `loops`: what steps of the kind `shared` do.
    ProgramEmitter(const Program& program, llvm::Module& module, std::span<const SharedFunction> loops = {})
        : program_(program), b_(module, 1), memory_(b_, program), loops_(loops), values_(program.steps.size()), is_extreme_(running_extremes(program)) {}

    llvm::Function* function() const { return function_; }

    std::map<std::string, External> emit(const std::string& symbol, llvm::GlobalValue::LinkageTypes linkage = llvm::Function::ExternalLinkage) {
        b_.leaves_vectors = true;
        begin(symbol, linkage);
        for (std::size_t i = 0; i < program_.steps.size(); ++i) values_[i] = step(program_.steps[i]);
        b_.ir.CreateUnreachable();  // a program ends by an exit
        return b_.externals;
    }

private:
    struct Slot {
        llvm::Value* re = nullptr;
        llvm::Value* im = nullptr;
    };
    struct Block {
        llvm::BasicBlock* otherwise = nullptr;  // an if's
        llvm::BasicBlock* after = nullptr;
        llvm::BasicBlock* again = nullptr;      // a loop's: where it begins
        llvm::BasicBlock* next = nullptr;       // ... and where `continue_` goes
        bool skips = false;                     // ... and whether something went there already
        bool is_scalar = false;                 // ... and must not become vectors
        bool is_fold = false;                   // ... and whether it adds up in any order
        bool is_loop() const { return again != nullptr; }
    };

    void begin(const std::string& symbol, llvm::GlobalValue::LinkageTypes linkage) {
        auto& ir = b_.ir;
        llvm::Type* pointer = ir.getPtrTy();
        llvm::Type* word = ir.getInt64Ty();
        auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, word, word, pointer}, false);
        function_ = llvm::Function::Create(type, linkage, symbol, b_.module);
        function_->setDoesNotThrow();
        b_.begin_lines(*function_, first_line(program_));
        function_->addFnAttr(note_attribute, std::to_string(sizeof(std::int64_t) * static_cast<std::size_t>(program_.note_word())));
        for (const unsigned argument : {0U, 1U, 4U}) function_->addParamAttr(argument, llvm::Attribute::NoAlias);
        b_.entry = new_block("entry");
        ir.SetInsertPoint(b_.entry);
        for (const Dtype dtype : program_.variables) slots_.push_back(make_slot(dtype));
        note_ = make_slot(Dtype::int64).re;
        unasked_ = make_slot(Dtype::int32).re;
        b_.ir.CreateStore(b_.ir.getInt32(detail::asks), unasked_);
        memory_.begin(function_->getArg(0), function_->getArg(2));
        exits_.resize(program_.exits.size());
        llvm::BasicBlock* body = new_block("body");
        ir.CreateBr(body);
        ir.SetInsertPoint(body);
    }

    llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(b_.module.getContext(), name, function_); }

    Slot make_slot(Dtype dtype) {
        const auto make = [&] {
            llvm::Type* type = b_.element_type(dtype);
            auto* slot = b_.ir.CreateAlloca(type);
            b_.ir.CreateStore(llvm::Constant::getNullValue(type), slot);  // a variable that was not set holds zero
            return slot;
        };
        return {make(), is_complex(dtype) ? make() : nullptr};
    }

    std::size_t place_of(const Step& step) const { return static_cast<std::size_t>(&step - program_.steps.data()); }
    const Value& value(std::int32_t id) const { return values_[static_cast<std::size_t>(id)]; }
    Value of(Dtype dtype, llvm::Value* re, llvm::Value* im = nullptr) { return {&b_, dtype, re, im}; }

    Value step(const Step& step) {
        const AtLine at = b_.at(step.where);
        switch (step.kind) {
            case Kind::constant: return constant(step);
            case Kind::input: return input(step);
            case Kind::get: return get(step.a);
            case Kind::set: return set(step);
            case Kind::map: return map(step);
            case Kind::cast: return flagged(is_inexact(value(step.a).dtype), [&] { return b_.cast(value(step.a), step.dtype); });
            case Kind::plus: return of(step.dtype, b_.ir.CreateNSWAdd(value(step.a).re, value(step.b).re));
            case Kind::times: return of(step.dtype, b_.ir.CreateNSWMul(value(step.a).re, value(step.b).re));
            case Kind::truncate: return flagged(true, [&] { return of(step.dtype, b_.ir.CreateFPToSI(value(step.a).re, b_.element_type(step.dtype))); });
            case Kind::select: return b_.select(value(step.a), value(step.b), value(step.c));
            case Kind::floored: return floored(step);
            case Kind::overflows: return overflows(step);
            case Kind::wraps: return wraps(step);
            case Kind::libm: return libm(step);
            case Kind::load: return load(step);
            case Kind::store: return store(step);
            case Kind::require: return require(step);
            case Kind::allocate: return of(Dtype::bool_, memory_.allocate(step.a, value(step.b).re));
            case Kind::point: memory_.point(step.a, step.b); return {};
            case Kind::address: return of(Dtype::int64, b_.ir.CreatePtrToInt(memory_.base_of(step.a), b_.ir.getInt64Ty()));
            case Kind::draw: return draw(step);
            case Kind::collect: memory_.collect(); return {};
            case Kind::part:
            case Kind::extent: return {};
            case Kind::assume: b_.ir.CreateAssumption(value(step.a).re); return {};
            case Kind::shared: return shared(step);
            case Kind::interrupted: return interrupted();
            case Kind::exit: b_.ir.CreateBr(exit_block(step.b)); return dead();
            default: return control(step);
        }
    }

    // Once in many iterations it is asked for. What is asked knows nothing of arrays.
    Value interrupted() {
        auto& ir = b_.ir;
        llvm::Type* whole = ir.getInt32Ty();
        llvm::Value* left = ir.CreateSub(ir.CreateLoad(whole, unasked_), ir.getInt32(1));
        ir.CreateStore(left, unasked_);
        llvm::BasicBlock *from = ir.GetInsertBlock(), *ask = new_block("ask"), *after = new_block("asked");
        llvm::MDNode* rarely = llvm::MDBuilder(b_.module.getContext()).createBranchWeights(1, detail::asks);
        ir.CreateCondBr(ir.CreateICmpSLT(left, ir.getInt32(0)), ask, after, rarely);
        ir.SetInsertPoint(ask);
        ir.CreateStore(ir.getInt32(detail::asks), unasked_);
        auto* type = llvm::FunctionType::get(whole, {ir.getPtrTy()}, false);
        llvm::CallInst* answer = ir.CreateCall(b_.external({.kind = External::Kind::ask}, type), {ir.CreateIntToPtr(function_->getArg(3), ir.getPtrTy())});
        answer->setDoesNotThrow();
        answer->setOnlyAccessesInaccessibleMemory();
        llvm::Value* told = ir.CreateICmpNE(answer, ir.getInt32(0));
        ir.CreateBr(after);
        ir.SetInsertPoint(after);
        llvm::PHINode* found = ir.CreatePHI(ir.getInt1Ty(), 2);
        found->addIncoming(ir.getFalse(), from);
        found->addIncoming(told, ask);
        return of(Dtype::bool_, found);
    }

    Value constant(const Step& step) {
        const auto part = [&](std::uint64_t bits) -> llvm::Value* {
            llvm::Type* type = b_.element_type(step.dtype);
            if (type->isIntegerTy()) return llvm::ConstantInt::get(type, bits, true);
            return llvm::ConstantFP::get(type, std::bit_cast<double>(bits));
        };
        return of(step.dtype, part(step.bits), is_complex(step.dtype) ? part(step.more_bits) : nullptr);
    }

    Value input(const Step& step) {
        const auto part = [&](std::int32_t number) {
            llvm::Type* word = b_.ir.getInt64Ty();
            llvm::Value* place = b_.ir.CreateConstInBoundsGEP1_64(word, function_->getArg(1), static_cast<std::uint64_t>(number));
            auto* read = b_.ir.CreateLoad(word, place);
            for (const unsigned known : {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_noundef})
                read->setMetadata(known, llvm::MDNode::get(b_.module.getContext(), {}));
            if (step.bits != 0) {
                const auto bits = [](std::uint64_t value) { return llvm::APInt(64, value); };
                read->setMetadata(llvm::LLVMContext::MD_range,
                                  llvm::MDBuilder(b_.module.getContext()).createRange(bits(0), bits(std::uint64_t{detail::most_size} + 1)));
            }
            return from_word(b_, read, step.dtype);
        };
        return of(step.dtype, part(step.a), is_complex(step.dtype) ? part(step.a + 1) : nullptr);
    }

    Value get(std::int32_t variable) {
        const Slot& slot = slots_[static_cast<std::size_t>(variable)];
        const Dtype dtype = program_.variables[static_cast<std::size_t>(variable)];
        llvm::Type* type = b_.element_type(dtype);
        return of(dtype, b_.ir.CreateLoad(type, slot.re), slot.im != nullptr ? b_.ir.CreateLoad(type, slot.im) : nullptr);
    }

    Value set(const Step& step) {
        const Slot& slot = slots_[static_cast<std::size_t>(step.a)];
        const Value& stored = value(step.b);
        b_.ir.CreateStore(stored.re, slot.re);
        if (slot.im != nullptr) b_.ir.CreateStore(stored.im, slot.im);
        return {};
    }

    // Whether not all iterations of the innermost loop come here.
    bool is_conditional() const {
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            if (!blocks_[i].is_loop() || blocks_[i].skips) return true;
            return false;
        }
        return false;
    }

    // What computes with floats raises flags: where not all iterations come to it, it must not be done for the others, side by side or ahead of the
    // condition. LLVM keeps what counts as asking for the flags where it is.
    template <class Make>
    Value flagged(bool has_flags, const Make& make) {
        const bool stays = has_flags && is_conditional();
        if (stays) {
            b_.ir.setDefaultConstrainedExcept(llvm::fp::ebMayTrap);
            b_.ir.setIsFPConstrained(true);
        }
        const Value made = make();
        b_.ir.setIsFPConstrained(false);
        return made;
    }

    Value map(const Step& step) {
        if (step.bits == Step::quiet) return of(step.dtype, quiet_op(b_, step.op, value(step.a).re, value(step.b).re));
        return flagged(is_inexact(step.compute) && step.dtype != Dtype::bool_,
                       [&] { return step.op == ir::Op::sqrt && b_.ir.getIsFPConstrained() ? root(step) : mapped(step); });
    }

    Value root(const Step& step) {
        llvm::Value* x = value(step.a).re;
        auto* function = llvm::Intrinsic::getDeclaration(&b_.module, llvm::Intrinsic::experimental_constrained_sqrt, {x->getType()});
        return of(step.dtype, b_.ir.CreateConstrainedFPCall(function, {x}));
    }

    // Folds may add in any order, and round a product and its sum once.
    Value mapped(const Step& step) {
        llvm::IRBuilderBase::FastMathFlagGuard usual(b_.ir);
        if (step.bits == Step::any_order) {
            llvm::FastMathFlags any_order;
            any_order.setAllowReassoc();
            any_order.setAllowContract();
            b_.ir.setFastMathFlags(any_order);
        }
        if (step.b < 0) return b_.map(step.op, step.compute, step.dtype, {value(step.a)});
        return b_.map(step.op, step.compute, step.dtype, {value(step.a), value(step.b)});
    }

    Value floored(const Step& step) { return of(Dtype::int64, codegen::floored(b_.ir, step.op == ir::Op::remainder, value(step.a).re, value(step.b).re)); }

    Value overflows(const Step& step) { return of(Dtype::bool_, overflow_of(b_, step, value(step.a).re, value(step.b).re)); }
    // What is below 0 says that a number wrapped around.
    Value wraps(const Step& step) {
        llvm::Value* const wrapped = wrapped_of(b_, step, value(step.a).re, value(step.b).re);
        b_.ir.CreateStore(b_.ir.CreateOr(b_.ir.CreateLoad(b_.ir.getInt64Ty(), note_), wrapped), note_);
        return {};
    }

    Value libm(const Step& step) {
        const Value& x = value(step.a);
        llvm::Type* type = b_.element_type(step.dtype);
        std::vector<llvm::Value*> arguments{x.re};
        if (step.b >= 0) arguments.push_back(value(step.b).re);
        const std::vector<llvm::Type*> types(arguments.size(), type);
        llvm::FunctionCallee callee = b_.external({External::Kind::libm, step.op, step.dtype, step.dtype}, llvm::FunctionType::get(type, types, false));
        if (auto* declared = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
            declared->setDoesNotAccessMemory();
            declared->setWillReturn();
        }
        const auto call = [&] { return b_.ir.CreateCall(callee, arguments); };
        const std::optional<double> by = step.op == ir::Op::power ? near_exponent(arguments.back()) : std::nullopt;
        return of(step.dtype, by ? near_power(b_.ir, x.re, *by, call) : call());
    }

    Value draw(const Step& step) { return of(step.dtype, drawn(b_, step, value(step.a).re, step.b >= 0 ? value(step.b).re : nullptr)); }

    // Elements.

    static constexpr llvm::Align alignment{};  // arrays may lie anywhere

    // Small elements that not all iterations access stay out of vectors: LLVM 19 makes masks for whole registers of part of one, and may lose what
    // cuts them off (a spill of a mask), so that elements behind the vector are stored to.
    void note_access(Dtype dtype) {
        if (itemsize_of(dtype) > 2 || !is_conditional()) return;
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            if (!blocks_[i].is_loop()) continue;
            blocks_[i].is_scalar = true;
            return;
        }
    }

    Value load(const Step& step) {
        note_access(step.dtype);
        const auto part = [&](std::int64_t more) {
            auto* read = b_.ir.CreateAlignedLoad(b_.memory_type(step.dtype), memory_.address(step, values_, more), alignment);
            memory_.mark(read, step.a);
            return b_.from_memory(read, step.dtype);
        };
        return of(step.dtype, part(0), is_complex(step.dtype) ? part(itemsize_of(step.dtype) / 2) : nullptr);
    }

    Value store(const Step& step) {
        note_access(step.dtype);
        const Value& stored = value(step.c);
        const auto part = [&](llvm::Value* each, std::int64_t more) {
            memory_.mark(b_.ir.CreateAlignedStore(b_.to_memory(each, step.dtype), memory_.address(step, values_, more), alignment), step.a);
        };
        part(stored.re, 0);
        if (stored.im != nullptr) part(stored.im, itemsize_of(step.dtype) / 2);
        return {};
    }

    // Loops that threads share.

    Value shared(const Step& step) {
        auto& ir = b_.ir;
        const ir::SharedLoop& loop = loops_[static_cast<std::size_t>(step.a)].loop;
        llvm::Type* word = ir.getInt64Ty();
        llvm::BasicBlock *begin = new_block("shared"), *left = new_block("left"), *done = new_block("done"), *after = new_block("after");
        llvm::Value *const first = get(step.b).re, *const end = get(step.c).re;
        ir.CreateCondBr(ir.CreateICmpSLT(first, end), begin, after);
        ir.SetInsertPoint(begin);
        llvm::SmallVector<Value> handed;
        for (const std::int32_t each : loop.values) handed.push_back(value(each));
        for (const std::int32_t each : loop.variables) handed.push_back(get(each));
        llvm::SmallVector<llvm::Value*> parts;  // as base::SharedLoopCall has them
        for (const ir::SharedLoop::Part& part : loop.parts) {
            parts.push_back(ir.CreateGEP(ir.getInt8Ty(), memory_.base_of(part.array), value(part.start).re));
            const std::size_t told[] = {static_cast<std::size_t>(itemsize_of(part.dtype)), std::size_t{part.is_stored}, part.axes.size()};
            for (const std::size_t each : told) parts.push_back(ir.getInt64(each));
            for (const auto& [size, stride] : part.axes) parts.append({value(size).re, value(stride).re});
        }
        llvm::Value* const told =
            call_shared(b_, memory_, loops_[static_cast<std::size_t>(step.a)], {handed, parts, function_->getArg(3), function_->getArg(4)}, first, end);
        ir.CreateCondBr(told, done, left);
        const auto place = [&](std::int32_t at) { return ir.CreateConstInBoundsGEP1_64(word, function_->getArg(4), static_cast<std::uint64_t>(at)); };
        const auto noted = [&] { return ir.CreateOr(ir.CreateLoad(word, note_), ir.CreateLoad(word, place(program_.note_word()))); };
        ir.SetInsertPoint(left);  // by an exit, which has the numbers of this program
        ir.CreateStore(noted(), place(program_.note_word()));
        ir.CreateRetVoid();
        ir.SetInsertPoint(done);
        ir.CreateStore(noted(), note_);
        for (const std::int32_t each : loop.set) {
            const Slot& slot = slots_[static_cast<std::size_t>(each)];
            const Dtype dtype = program_.variables[static_cast<std::size_t>(each)];
            ir.CreateStore(from_word(b_, ir.CreateLoad(word, place(Program::word_of(each))), dtype), slot.re);
            if (slot.im != nullptr) ir.CreateStore(from_word(b_, ir.CreateLoad(word, place(Program::word_of(each) + 1)), dtype), slot.im);
        }
        go(after);
        return {};
    }

    // Control flow.

    llvm::BasicBlock* exit_block(std::int32_t number) {
        llvm::BasicBlock*& made = exits_[static_cast<std::size_t>(number)];
        if (made != nullptr) return made;
        const auto back = b_.ir.saveIP();
        made = new_block("exit");
        b_.ir.SetInsertPoint(made);
        llvm::Type* word = b_.ir.getInt64Ty();
        const auto put = [&](std::int32_t place, llvm::Value* held) {
            b_.ir.CreateStore(held, b_.ir.CreateConstInBoundsGEP1_64(word, function_->getArg(4), static_cast<std::uint64_t>(place)));
        };
        put(0, b_.ir.getInt64(static_cast<std::uint64_t>(number)));
        if (function_->hasLocalLinkage() && number + 1 != static_cast<std::int32_t>(program_.exits.size())) mark_exit(b_);  // of a shared loop
        for (const std::int32_t variable : program_.exits[static_cast<std::size_t>(number)].variables) {
            const Value held = get(variable);
            put(Program::word_of(variable), to_word(b_, held.re, held.dtype));
            if (held.im != nullptr) put(Program::word_of(variable) + 1, to_word(b_, held.im, held.dtype));
        }
        put(program_.note_word(), b_.ir.CreateLoad(word, note_));
        b_.ir.CreateRetVoid();
        b_.ir.restoreIP(back);
        return made;
    }

    // What follows a jump up to the end of its block is never run.
    Value dead() {
        b_.ir.SetInsertPoint(new_block("dead"));
        return {};
    }

    Value require(const Step& step) {
        llvm::BasicBlock* go_on = new_block("held");
        llvm::MDBuilder metadata(b_.module.getContext());
        b_.ir.CreateCondBr(value(step.a).re, go_on, exit_block(step.b), metadata.createBranchWeights(2000, 1));
        b_.ir.SetInsertPoint(go_on);
        return {};
    }

    Block& loop_around(std::int32_t depth) {
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            if (blocks_[i].is_loop() && depth-- == 0) return blocks_[i];
        }
        throw InternalError("a program leaves a loop that it is not in");
    }

    void go(llvm::BasicBlock* to) {
        b_.ir.CreateBr(to);
        b_.ir.SetInsertPoint(to);
    }

    Value control(const Step& step) {
        switch (step.kind) {
            case Kind::if_: {
                blocks_.push_back({new_block("else"), new_block("after")});
                llvm::BasicBlock* then = new_block("then");
                llvm::MDNode* const weights = is_extreme_[place_of(step)] ? rarely(b_.module.getContext()) : nullptr;
                b_.ir.CreateCondBr(value(step.a).re, then, blocks_.back().otherwise, weights);
                b_.ir.SetInsertPoint(then);
                break;
            }
            case Kind::else_:
                b_.ir.CreateBr(blocks_.back().after);
                b_.ir.SetInsertPoint(blocks_.back().otherwise);
                blocks_.back().otherwise = nullptr;
                break;
            case Kind::loop:
                blocks_.push_back({nullptr, new_block("after"), new_block("loop"), new_block("next")});
                blocks_.back().is_fold = step.bits != 0;
                go(blocks_.back().again);
                break;
            case Kind::share: {
                blocks_.push_back({nullptr, new_block("after"), new_block("loop"), new_block("next")});
                go(blocks_.back().again);
                llvm::BasicBlock* more = new_block("more");
                llvm::Value* const bound = step.c >= 0 ? value(step.c).re : get(step.b).re;
                b_.ir.CreateCondBr(b_.ir.CreateICmpSLT(get(step.a).re, bound), more, blocks_.back().after);
                b_.ir.SetInsertPoint(more);
                break;
            }
            case Kind::next: go(blocks_.back().next); break;
            case Kind::break_: b_.ir.CreateBr(loop_around(step.a).after); return dead();
            case Kind::continue_:
                loop_around(step.a).skips = true;
                b_.ir.CreateBr(loop_around(step.a).next);
                return dead();
            case Kind::end: close(); break;
            default: throw InternalError("a step without code");
        }
        return {};
    }

    void close() {
        const Block block = blocks_.back();
        blocks_.pop_back();
        if (block.is_loop()) {
            llvm::BranchInst* back = b_.ir.CreateBr(block.again);
            if (block.is_scalar) hint_loop(back, "llvm.loop.vectorize.enable", b_.ir.getFalse());
            else if (block.is_fold) hint_loop(back, "llvm.loop.interleave.count", b_.ir.getInt32(folds_at_once));
            b_.ir.SetInsertPoint(block.after);
            return;
        }
        b_.ir.CreateBr(block.after);
        if (block.otherwise != nullptr) {
            b_.ir.SetInsertPoint(block.otherwise);
            b_.ir.CreateBr(block.after);
        }
        b_.ir.SetInsertPoint(block.after);
    }

    // Vectors of a fold at once: with more of them the rest of short lines, one by one, takes longer than is won in long ones.
    static constexpr unsigned folds_at_once = 2;

    const Program& program_;
    Builder b_;
    ProgramMemory memory_;
    std::span<const SharedFunction> loops_;
    std::vector<Value> values_;
    std::vector<bool> is_extreme_;  // of each step whether it keeps the extreme so far
    llvm::Function* function_ = nullptr;
    std::vector<Slot> slots_;
    llvm::Value* note_ = nullptr;  // where `wraps` notes
    llvm::Value* unasked_ = nullptr;  // in how many iterations it is asked whether the run is to be left
    std::vector<llvm::BasicBlock*> exits_;
    std::vector<Block> blocks_;
};

}  // namespace

void emit(const Program& program, llvm::Module& module, const std::string& symbol, std::map<std::string, External>& externals) {
    const ir::SharedLoops parts = ir::shared_out(program);
    std::vector<SharedFunction> functions;
    for (const ir::SharedLoop& loop : parts.loops) {
        ir::verify(loop.program);
        ProgramEmitter emitter(loop.program, module);
        externals.merge(emitter.emit(symbol + "_shared", llvm::Function::InternalLinkage));
        functions.push_back({loop, emitter.function()});
    }
    externals.merge(ProgramEmitter(parts.program, module, functions).emit(symbol));
}

}  // namespace fastnp::codegen
