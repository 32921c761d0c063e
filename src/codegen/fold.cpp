// Reductions of the emitter. Each fold keeps one accumulator vector per unrolled copy. Sums of inexact dtypes are pairwise: after at most 16 steps the
// accumulators are added into a stack of partial sums that works like a binary counter, so rounding errors grow with the logarithm of the
// length, as in NumPy.
#include <cmath>
#include <limits>

#include "codegen/emitter.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

constexpr int cascade_levels = 48;
constexpr std::int64_t cascade_steps = 16;

bool rounds(const nest::Fold& fold) { return fold.combine == ir::Op::add && is_inexact(fold.dtype); }

}  // namespace

Value Emitter::identity(const nest::Fold& fold) {
    using ir::Op;
    const Dtype dtype = fold.dtype;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto bits = static_cast<unsigned>(itemsize_of(dtype) * 8);
    const bool is_signed = kind_of(dtype) == 'i';
    auto integer = [&](const llvm::APInt& value) { return Value{&b_, dtype, llvm::ConstantInt::get(b_.module.getContext(), value), nullptr}; };
    switch (fold.combine) {
        case Op::add: return is_floating(dtype) ? b_.number(dtype, -0.0) : b_.constant(Scalar(0), dtype);
        case Op::multiply: return b_.constant(Scalar(1), dtype);
        case Op::logical_or: return b_.constant(Scalar(false), dtype);
        case Op::logical_and: return b_.constant(Scalar(true), dtype);
        case Op::maximum:
            if (dtype == Dtype::bool_) return b_.constant(Scalar(false), dtype);
            if (is_integer(dtype)) return integer(is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
            return is_complex(dtype) ? b_.constant(Scalar(std::complex<double>(-infinity, -infinity)), dtype) : b_.number(dtype, -infinity);
        case Op::minimum:
            if (dtype == Dtype::bool_) return b_.constant(Scalar(true), dtype);
            if (is_integer(dtype)) return integer(is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
            return is_complex(dtype) ? b_.constant(Scalar(std::complex<double>(infinity, infinity)), dtype) : b_.number(dtype, infinity);
        default: throw InternalError("a fold without an identity");
    }
}

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

Value Emitter::combine(const nest::Fold& fold, const Value& x, const Value& y) { return b_.map(fold.combine, fold.dtype, fold.dtype, {x, y}); }

void Emitter::reset(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        auto& copies = accumulators_[static_cast<std::size_t>(f)];
        while (static_cast<int>(copies.size()) < std::max(copies_, schedule_.unroll)) copies.push_back(make_accumulator(fold.dtype));
        for (const Accumulator& each : copies) write(each, identity(fold));
    }
}

void Emitter::accumulate(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        const bool lanes_inner = schedule_.lane >= static_cast<int>(outer_);
        for (int copy = 0; copy < copies_; ++copy) {
            Value value = eval(fold.value, copy);
            if (schedule_.lane >= 0) value = b_.splat(value);
            if (mask_ != nullptr && lanes_inner) value = b_.select({&b_, Dtype::bool_, mask_, nullptr}, value, b_.splat(identity(fold)));
            const Accumulator& accumulator = accumulators_[static_cast<std::size_t>(f)][static_cast<std::size_t>(copy)];
            write(accumulator, combine(fold, read(accumulator, fold.dtype), value));
        }
    }
}

// The copies of one outer point's accumulators as one; where copies are outer points of their own, that of copy 0.
Value Emitter::merged_copies(int f) {
    const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
    const auto& copies = accumulators_[static_cast<std::size_t>(f)];
    const bool inner = schedule_.unroll_axis >= static_cast<int>(outer_) && schedule_.unroll > 1;
    std::vector<Value> values;
    for (std::size_t i = 0; i < (inner ? copies.size() : 1); ++i) values.push_back(read(copies[i], fold.dtype));
    while (values.size() > 1) {
        std::vector<Value> halves;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) halves.push_back(combine(fold, values[i], values[i + 1]));
        if (values.size() % 2 != 0) halves.push_back(values.back());
        values = std::move(halves);
    }
    return values[0];
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
        value = combine(fold, half(low), half(high));
    }
    b_.width = whole;
    value.re = b_.ir.CreateExtractElement(value.re, std::uint64_t{0});
    if (value.im != nullptr) value.im = b_.ir.CreateExtractElement(value.im, std::uint64_t{0});
    return value;
}

bool Emitter::cascades(const nest::Stage& stage) const {
    if (schedule_.lane < static_cast<int>(outer_)) return false;
    bool any = false;
    for (const int f : stage.folds) any = any || rounds(kernel_.folds[static_cast<std::size_t>(f)]);
    if (!any) return false;
    if (kernel_.axes.size() - outer_ > 1) return true;
    const shape::Dim extent = kernel_.axes[static_cast<std::size_t>(schedule_.lane)].extent;
    const int copies = unrolled_along(schedule_.lane) ? schedule_.unroll : 1;
    return !extent.is_constant() || extent.value() > cascade_steps * copies * b_.width || kernel_.block != 0;
}

void Emitter::start_cascade(const nest::Stage& stage) {
    if (!cascades(stage)) return;
    llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
    if (flushes_ == nullptr) flushes_ = at.CreateAlloca(at.getInt64Ty());
    b_.ir.CreateStore(number(0), flushes_);
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        if (!rounds(fold)) continue;
        Cascade& cascade = cascades_[static_cast<std::size_t>(f)];
        if (cascade.stack_re == nullptr) {
            auto* stack = llvm::ArrayType::get(b_.vector_type(b_.element_type(fold.dtype)), cascade_levels);
            cascade.stack_re = at.CreateAlloca(stack);
            cascade.stack_im = is_complex(fold.dtype) ? at.CreateAlloca(stack) : nullptr;
        }
    }
}

namespace {

llvm::Value* level_address(Builder& b, llvm::Value* stack, llvm::Value* level) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(stack)->getAllocatedType();
    return b.ir.CreateInBoundsGEP(type, stack, {b.ir.getInt64(0), level});
}

}  // namespace

// Adds the accumulators as the next partial sum, and starts them anew: levels whose bit of the count is set hold a sum to join.
void Emitter::flush(const nest::Stage& stage) {
    auto& ir = b_.ir;
    llvm::Value* count = ir.CreateLoad(ir.getInt64Ty(), flushes_);
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        if (!rounds(fold)) continue;
        const Cascade& cascade = cascades_[static_cast<std::size_t>(f)];
        llvm::Type* type = b_.vector_type(b_.element_type(fold.dtype));
        Value sum = merged_copies(f);
        llvm::BasicBlock* before = ir.GetInsertBlock();
        llvm::BasicBlock* check = llvm::BasicBlock::Create(ir.getContext(), "cascade", function_);
        llvm::BasicBlock* join = llvm::BasicBlock::Create(ir.getContext(), "cascade.join", function_);
        llvm::BasicBlock* done = llvm::BasicBlock::Create(ir.getContext(), "cascade.end", function_);
        ir.CreateBr(check);
        ir.SetInsertPoint(check);
        llvm::PHINode* level = ir.CreatePHI(ir.getInt64Ty(), 2);
        llvm::PHINode* bits = ir.CreatePHI(ir.getInt64Ty(), 2);
        llvm::PHINode* re = ir.CreatePHI(type, 2);
        llvm::PHINode* im = sum.im != nullptr ? ir.CreatePHI(type, 2) : nullptr;
        ir.CreateCondBr(ir.CreateICmpNE(ir.CreateAnd(bits, number(1)), number(0)), join, done);
        ir.SetInsertPoint(join);
        Value below{&b_, fold.dtype, ir.CreateLoad(type, level_address(b_, cascade.stack_re, level)), nullptr};
        if (im != nullptr) below.im = ir.CreateLoad(type, level_address(b_, cascade.stack_im, level));
        const Value joined = combine(fold, below, {&b_, fold.dtype, re, im});
        llvm::Value* next_level = ir.CreateAdd(level, number(1));
        llvm::Value* next_bits = ir.CreateLShr(bits, number(1));
        llvm::BasicBlock* join_end = ir.GetInsertBlock();
        ir.CreateBr(check);
        level->addIncoming(number(0), before);
        level->addIncoming(next_level, join_end);
        bits->addIncoming(count, before);
        bits->addIncoming(next_bits, join_end);
        re->addIncoming(sum.re, before);
        re->addIncoming(joined.re, join_end);
        if (im != nullptr) {
            im->addIncoming(sum.im, before);
            im->addIncoming(joined.im, join_end);
        }
        ir.SetInsertPoint(done);
        ir.CreateStore(re, level_address(b_, cascade.stack_re, level));
        if (im != nullptr) ir.CreateStore(im, level_address(b_, cascade.stack_im, level));
        for (const Accumulator& each : accumulators_[static_cast<std::size_t>(f)]) write(each, identity(fold));
    }
    ir.CreateStore(ir.CreateAdd(count, number(1)), flushes_);
}

Value Emitter::finish_cascade(int f) {
    auto& ir = b_.ir;
    const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
    const Cascade& cascade = cascades_[static_cast<std::size_t>(f)];
    Accumulator& total = totals_[static_cast<std::size_t>(f)];
    if (total.re == nullptr) total = make_accumulator(fold.dtype);
    write(total, identity(fold));
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
        write(total, combine(fold, part, read(total, fold.dtype)));
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
    const std::int64_t chunk = cascade_steps * (unrolled_along(schedule_.lane) ? copies : 1) * b_.width;
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
    auto& ir = b_.ir;
    const bool lanes_inner = schedule_.lane >= static_cast<int>(outer_);
    const bool separate = schedule_.unroll_axis >= 0 && schedule_.unroll_axis < static_cast<int>(outer_);
    const bool cascaded = cascades(stage);
    for (const int f : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        Copies results;
        for (int copy = 0; copy < (separate ? copies_ : 1); ++copy) {
            Value value;
            if (cascaded && rounds(fold)) {
                value = finish_cascade(f);
            } else {
                value = separate ? read(accumulators_[static_cast<std::size_t>(f)][static_cast<std::size_t>(copy)], fold.dtype) : merged_copies(f);
            }
            if (lanes_inner) value = across_lanes(fold, value);
            if (fold.combine == ir::Op::add && is_floating(fold.dtype)) {  // -0.0 is the identity, but an empty sum is +0.0
                llvm::Value* empty = ir.CreateICmpEQ(size(kernel_.inner_points), number(0));
                if (!llvm::isa<llvm::ConstantInt>(empty) || llvm::cast<llvm::ConstantInt>(empty)->isOne()) {
                    value = b_.select({&b_, Dtype::bool_, empty, nullptr}, b_.number(fold.dtype, 0.0), value);
                }
            }
            results.push_back(value);
        }
        fold_results_[static_cast<std::size_t>(f)] = std::move(results);
    }
}

// Column folds over a block of lanes: the accumulators lie in memory (the first-level cache), and each pass over the block takes `unroll` steps of
// the inner axis, so that memory is read in long runs.
void Emitter::tiled(llvm::Value* begin, llvm::Value* end) {
    auto& ir = b_.ir;
    const nest::Stage& only = kernel_.stages[0];
    const int inner = static_cast<int>(outer_);
    std::vector<std::pair<llvm::Value*, llvm::Value*>> tiles;
    for (const int f : only.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
        auto* type = llvm::ArrayType::get(b_.element_type(fold.dtype), static_cast<std::uint64_t>(schedule_.lane_block + b_.width));
        auto make = [&] {
            llvm::AllocaInst* tile = at.CreateAlloca(type);
            tile->setAlignment(llvm::Align(64));
            return tile;
        };
        tiles.emplace_back(make(), is_complex(fold.dtype) ? make() : nullptr);
    }
    auto slot = [&](llvm::Value* tile) {
        llvm::Type* type = llvm::cast<llvm::AllocaInst>(tile)->getAllocatedType();
        return ir.CreateInBoundsGEP(type, tile, {number(0), ir.CreateSub(index_[static_cast<std::size_t>(schedule_.lane)], begin)});
    };
    auto get = [&](std::size_t i) {
        const Dtype dtype = kernel_.folds[static_cast<std::size_t>(only.folds[i])].dtype;
        llvm::Type* type = b_.vector_type(b_.element_type(dtype));
        Value value{&b_, dtype, ir.CreateAlignedLoad(type, slot(tiles[i].first), llvm::Align(1)), nullptr};
        if (tiles[i].second != nullptr) value.im = ir.CreateAlignedLoad(type, slot(tiles[i].second), llvm::Align(1));
        return value;
    };
    auto put = [&](std::size_t i, Value value) {
        value = b_.splat(value);
        ir.CreateAlignedStore(value.re, slot(tiles[i].first), llvm::Align(1));
        if (tiles[i].second != nullptr) ir.CreateAlignedStore(value.im, slot(tiles[i].second), llvm::Align(1));
    };
    lane_loop(begin, end, 1, [&] {
        for (std::size_t i = 0; i < only.folds.size(); ++i) put(i, identity(kernel_.folds[static_cast<std::size_t>(only.folds[i])]));
    });
    llvm::Value* first = nullptr;
    llvm::Value* last = nullptr;
    inner_range(inner, first, last);
    serial_loop(inner, first, last, schedule_.unroll, [&] {
        hoist(roots_of(only));
        lane_loop(begin, end, 1, [&] {
            for (std::size_t i = 0; i < only.folds.size(); ++i) {
                const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(only.folds[i])];
                std::vector<Value> values;
                for (int copy = 0; copy < copies_; ++copy) values.push_back(eval(fold.value, copy));
                while (values.size() > 1) {
                    std::vector<Value> halves;
                    for (std::size_t k = 0; k + 1 < values.size(); k += 2) halves.push_back(combine(fold, values[k], values[k + 1]));
                    if (values.size() % 2 != 0) halves.push_back(values.back());
                    values = std::move(halves);
                }
                put(i, combine(fold, get(i), b_.splat(values[0])));
            }
        });
    });
    lane_loop(begin, end, 1, [&] {
        enter(0);
        for (std::size_t i = 0; i < only.folds.size(); ++i) {
            const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(only.folds[i])];
            Value value = get(i);
            if (fold.combine == ir::Op::add && is_floating(fold.dtype)) {
                llvm::Value* empty = ir.CreateICmpEQ(size(kernel_.inner_points), number(0));
                value = b_.select({&b_, Dtype::bool_, empty, nullptr}, b_.number(fold.dtype, 0.0), value);
            }
            fold_results_[static_cast<std::size_t>(only.folds[i])] = {value};
        }
        outer_stores();
        leave();
    });
}

}  // namespace fastnp::codegen
