// Reductions of the emitter. Each fold keeps an accumulator vector for each part and step that is done side by side. Sums of inexact dtypes are pairwise:
// after at most 16 steps the accumulators are added into a stack of partial sums that works like a binary counter, so rounding errors grow with the
// logarithm of the length, as in NumPy.
#include "codegen/emitter.h"
#include "codegen/folds.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

// In the order of this kernel infinities may have met a NaN before they met each other: a sum that is NaN raises the flag, by a comparison that NaN is
// invalid for, so that NumPy is asked, whose order is another one.
void tell_nan(Builder& b, const Value& value) {
    if (b.target != Target::host || !is_inexact(value.dtype)) return;
    for (llvm::Value* part : {value.re, value.im}) {
        if (part == nullptr) continue;
        b.ir.CreateConstrainedFPCmp(llvm::Intrinsic::experimental_constrained_fcmps, llvm::CmpInst::FCMP_OLT, part, part);
    }
}

}  // namespace

Emitter::Accumulator Emitter::make_accumulator(Dtype dtype) {
    llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
    llvm::Type* type = b_.element_type(dtype);
    if (schedule_.lane >= 0) type = b_.vector_type(type);
    return {at.CreateAlloca(type), is_complex(dtype) ? at.CreateAlloca(type) : nullptr};
}

Value Emitter::read(const Accumulator& accumulator, Dtype dtype) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(accumulator.re)->getAllocatedType();
    return {&b_, dtype, b_.ir.CreateLoad(type, accumulator.re), accumulator.im != nullptr ? b_.ir.CreateLoad(type, accumulator.im) : nullptr};
}

void Emitter::write(const Accumulator& accumulator, const Value& value) {
    const Value whole = schedule_.lane >= 0 ? b_.splat(value) : value;
    b_.ir.CreateStore(whole.re, accumulator.re);
    if (accumulator.im != nullptr) b_.ir.CreateStore(whole.im, accumulator.im);
}

void Emitter::reset(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        auto& copies = accumulators_[static_cast<std::size_t>(f)];
        while (copies.size() < copy_count()) copies.push_back(make_accumulator(fold.dtype));
        for (const Accumulator& each : copies) write(each, identity_of(b_, fold));
    }
}

void Emitter::accumulate(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const AtLine at = b_.at(kernel_.line_of_fold(static_cast<std::size_t>(f)));
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        const bool lanes_inner = schedule_.lane >= static_cast<int>(outer_);
        for (const int copy : copies()) {
            if (part_of(copy) >= outer_parts()) continue;
            Value value = value_of(fold, part_of(copy), step_of(copy));
            if (schedule_.lane >= 0) value = b_.splat(value);
            if (mask_ != nullptr && lanes_inner) value = b_.select({&b_, Dtype::bool_, mask_, nullptr}, value, b_.splat(identity_of(b_, fold)));
            const Accumulator& accumulator = accumulators_[static_cast<std::size_t>(f)][static_cast<std::size_t>(copy)];
            write(accumulator, combine(b_, fold, read(accumulator, fold.dtype), value));
        }
    }
}

// What a step adds to a part: where parts are along an inner axis, the values of all in order.
Value Emitter::value_of(const nest::Fold& fold, int part, int step) {
    Value value = eval(fold.value, copy_of(part, step));
    for (int next = outer_parts(); next < schedule_.jam; ++next) value = combine(b_, fold, value, eval(fold.value, copy_of(next, step)));
    return value;
}

// The accumulators of one outer point as one; where steps of the unrolled axis are outer points of their own, that of the first.
Value Emitter::merged_copies(int f, int part) {
    const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
    const auto& copies = accumulators_[static_cast<std::size_t>(f)];
    const bool inner = schedule_.unroll_axis >= static_cast<int>(outer_) && schedule_.unroll > 1;
    std::vector<Value> values;
    for (int step = 0; step < (inner ? schedule_.unroll : 1); ++step) {
        values.push_back(read(copies[static_cast<std::size_t>(copy_of(part, step))], fold.dtype));
    }
    return pairwise(b_, fold, std::move(values));
}

Value Emitter::across_lanes(const nest::Fold& fold, Value value) {
    const int whole = b_.width;
    for (int width = whole / 2; width >= 1; width /= 2) {
        b_.width = width;  // calls of precompiled kernels take this many lanes
        llvm::SmallVector<int, 64> low, high;
        for (int i = 0; i < width; ++i) {
            low.push_back(i);
            high.push_back(i + width);
        }
        auto half = [&](const llvm::SmallVector<int, 64>& lanes) {
            Value part = value;
            part.re = b_.ir.CreateShuffleVector(value.re, lanes);
            if (value.im != nullptr) part.im = b_.ir.CreateShuffleVector(value.im, lanes);
            return part;
        };
        value = combine(b_, fold, half(low), half(high));
    }
    b_.width = whole;
    value.re = b_.ir.CreateExtractElement(value.re, std::uint64_t{0});
    if (value.im != nullptr) value.im = b_.ir.CreateExtractElement(value.im, std::uint64_t{0});
    return value;
}

bool Emitter::cascades(const nest::Stage& stage) const { return nest::cascades(kernel_, schedule_, stage, b_.width); }

void Emitter::start_cascade(const nest::Stage& stage) {
    if (!cascades(stage)) return;
    llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
    if (flushes_ == nullptr) flushes_ = at.CreateAlloca(at.getInt64Ty());
    b_.ir.CreateStore(number(0), flushes_);
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        if (!rounds(fold)) continue;
        auto& parts = cascades_[static_cast<std::size_t>(f)];
        while (static_cast<int>(parts.size()) < outer_parts()) {
            auto* stack = llvm::ArrayType::get(b_.vector_type(b_.element_type(fold.dtype)), nest::cascade_levels);
            parts.push_back({at.CreateAlloca(stack), is_complex(fold.dtype) ? at.CreateAlloca(stack) : nullptr});
        }
    }
}

namespace {

llvm::Value* level_address(Builder& b, llvm::Value* stack, llvm::Value* level) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(stack)->getAllocatedType();
    return b.ir.CreateInBoundsGEP(type, stack, {b.ir.getInt64(0), level});
}

}  // namespace

// Adds the accumulators as the next partial sum, and starts them anew: levels whose bit of the count is set hold a sum to join. All sums take the
// same course, so it is one loop.
void Emitter::flush(const nest::Stage& stage) {
    auto& ir = b_.ir;
    struct Sum {
        const nest::Fold& fold;
        const Cascade& cascade;
        Value value;
        llvm::PHINode* re = nullptr;
        llvm::PHINode* im = nullptr;
    };
    std::vector<Sum> sums;
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        for (int part = 0; rounds(fold) && part < outer_parts(); ++part) {
            sums.push_back({fold, cascades_[static_cast<std::size_t>(f)][static_cast<std::size_t>(part)], merged_copies(f, part)});
        }
    }
    llvm::Value* count = ir.CreateLoad(ir.getInt64Ty(), flushes_);
    llvm::BasicBlock* before = ir.GetInsertBlock();
    llvm::BasicBlock* check = llvm::BasicBlock::Create(ir.getContext(), "cascade", function_);
    llvm::BasicBlock* join = llvm::BasicBlock::Create(ir.getContext(), "cascade.join", function_);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(ir.getContext(), "cascade.end", function_);
    ir.CreateBr(check);
    ir.SetInsertPoint(check);
    llvm::PHINode* level = ir.CreatePHI(ir.getInt64Ty(), 2);
    llvm::PHINode* bits = ir.CreatePHI(ir.getInt64Ty(), 2);
    for (Sum& sum : sums) {
        sum.re = ir.CreatePHI(sum.value.re->getType(), 2);
        if (sum.value.im != nullptr) sum.im = ir.CreatePHI(sum.value.im->getType(), 2);
    }
    ir.CreateCondBr(ir.CreateICmpNE(ir.CreateAnd(bits, number(1)), number(0)), join, done);
    ir.SetInsertPoint(join);
    Copies joined;
    for (const Sum& sum : sums) {
        Value below{&b_, sum.fold.dtype, ir.CreateLoad(sum.re->getType(), level_address(b_, sum.cascade.stack_re, level)), nullptr};
        if (sum.im != nullptr) below.im = ir.CreateLoad(sum.im->getType(), level_address(b_, sum.cascade.stack_im, level));
        joined.push_back(combine(b_, sum.fold, below, {&b_, sum.fold.dtype, sum.re, sum.im}));
    }
    llvm::Value* next_level = ir.CreateAdd(level, number(1));
    llvm::Value* next_bits = ir.CreateLShr(bits, number(1));
    llvm::BasicBlock* join_end = ir.GetInsertBlock();
    ir.CreateBr(check);
    const auto comes = [&](llvm::PHINode* phi, llvm::Value* first, llvm::Value* next) {
        phi->addIncoming(first, before);
        phi->addIncoming(next, join_end);
    };
    comes(level, number(0), next_level);
    comes(bits, count, next_bits);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        comes(sums[i].re, sums[i].value.re, joined[i].re);
        if (sums[i].im != nullptr) comes(sums[i].im, sums[i].value.im, joined[i].im);
    }
    ir.SetInsertPoint(done);
    for (const Sum& sum : sums) {
        ir.CreateStore(sum.re, level_address(b_, sum.cascade.stack_re, level));
        if (sum.im != nullptr) ir.CreateStore(sum.im, level_address(b_, sum.cascade.stack_im, level));
    }
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        if (!rounds(fold)) continue;
        for (const Accumulator& each : accumulators_[static_cast<std::size_t>(f)]) write(each, identity_of(b_, fold));
    }
    ir.CreateStore(ir.CreateAdd(count, number(1)), flushes_);
}

Value Emitter::finish_cascade(int f, int part) {
    auto& ir = b_.ir;
    const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
    const Cascade& cascade = cascades_[static_cast<std::size_t>(f)][static_cast<std::size_t>(part)];
    Accumulator& total = totals_[static_cast<std::size_t>(f)];
    if (total.re == nullptr) total = make_accumulator(fold.dtype);
    write(total, identity_of(b_, fold));
    llvm::Value* count = ir.CreateLoad(ir.getInt64Ty(), flushes_);
    llvm::Value* zeros = ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, count, ir.getFalse());
    llvm::Type* type = b_.vector_type(b_.element_type(fold.dtype));
    loop(number(0), ir.CreateSub(number(64), zeros), 1, "levels", [&](llvm::Value* level) {
        llvm::BasicBlock* add = llvm::BasicBlock::Create(ir.getContext(), "level", function_);
        llvm::BasicBlock* next = llvm::BasicBlock::Create(ir.getContext(), "level.next", function_);
        llvm::Value* bit = ir.CreateAnd(ir.CreateLShr(count, level), number(1));
        ir.CreateCondBr(ir.CreateICmpNE(bit, number(0)), add, next);
        ir.SetInsertPoint(add);
        Value part{&b_, fold.dtype, ir.CreateLoad(type, level_address(b_, cascade.stack_re, level)), nullptr};
        if (cascade.stack_im != nullptr) part.im = ir.CreateLoad(type, level_address(b_, cascade.stack_im, level));
        write(total, combine(b_, fold, part, read(total, fold.dtype)));
        ir.CreateBr(next);
        ir.SetInsertPoint(next);
    });
    return read(total, fold.dtype);
}

void Emitter::lane_part(const nest::Stage& stage) {
    const bool lanes_inner = schedule_.lane >= static_cast<int>(outer_);
    if (!lanes_inner) {
        inner_point(stage);
        return;
    }
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    inner_range(schedule_.lane, begin, end);
    const int copies = schedule_.unroll;
    auto lanes = [&](llvm::Value* from, llvm::Value* to) { lane_loop(from, to, copies, [&] { inner_point(stage); }); };
    if (!cascades(stage)) {
        lanes(begin, end);
        return;
    }
    const std::int64_t chunk = nest::cascade_chunk(schedule_, b_.width);
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(end);
    if (known != nullptr && kernel_.block == 0 && known->getSExtValue() <= chunk) {
        lanes(begin, end);
        flush(stage);
        return;
    }
    loop(begin, end, chunk, "chunk", [&](llvm::Value* from) {
        llvm::Value* to = b_.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.ir.CreateAdd(from, number(chunk)), end);
        lanes(from, to);
        flush(stage);
    });
}

void Emitter::finish(const nest::Stage& stage) {
    const bool lanes_inner = schedule_.lane >= static_cast<int>(outer_);
    const bool separate = schedule_.unroll_axis >= 0 && schedule_.unroll_axis < static_cast<int>(outer_);
    const bool cascaded = cascades(stage);
    for (const int f : stage.folds) {
        const AtLine at = b_.at(kernel_.line_of_fold(static_cast<std::size_t>(f)));
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        Copies results(copy_count());
        for (const int copy : copies()) {
            if ((!separate && step_of(copy) != 0) || part_of(copy) >= outer_parts()) continue;
            Value value;
            if (cascaded && rounds(fold)) {
                value = finish_cascade(f, part_of(copy));
            } else {
                value = separate ? read(accumulators_[static_cast<std::size_t>(f)][static_cast<std::size_t>(copy)], fold.dtype)
                                 : merged_copies(f, part_of(copy));
            }
            if (lanes_inner) value = across_lanes(fold, value);
            if (fold.combine == ir::Op::add || fold.combine == ir::Op::multiply) tell_nan(b_, value);
            results[static_cast<std::size_t>(copy)] = value;
        }
        fold_results_[static_cast<std::size_t>(f)] = std::move(results);
    }
}

}  // namespace fastnp::codegen
