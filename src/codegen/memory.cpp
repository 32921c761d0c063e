// Loads and stores of the emitter: a whole vector where the lanes lie side by side, a gather or scatter where they do not, one element where
// the lanes share it; under the mask of the last, partial vector.
#include "codegen/emitter.h"

namespace fastnp::codegen {

using llvm::Align;

llvm::Value* Emitter::index_of(int axis, int copy) {
    llvm::Value* index = index_[static_cast<std::size_t>(axis)];
    if (copy == 0 || schedule_.unroll_axis != axis) return index;
    const int step = axis == schedule_.lane ? b_.width : 1;
    return b_.ir.CreateAdd(index, number(copy * step), "", true, true);
}

llvm::Value* Emitter::address(const nest::Access& access, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = bases_[static_cast<std::size_t>(access.buffer)];
    if (access.offset != shape::Dim(0)) at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, size(access.offset));
    // Outer axes first, the lanes' last, so that what a loop does not change comes before what it does.
    std::vector<int> order;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (static_cast<int>(a) != schedule_.lane) order.push_back(static_cast<int>(a));
    }
    if (schedule_.lane >= 0) order.push_back(schedule_.lane);
    for (const int a : order) {
        const shape::Dim stride = access.strides[static_cast<std::size_t>(a)];
        if (stride == shape::Dim(0)) continue;
        at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, ir.CreateMul(index_of(a, copy), size(stride), "", false, true));
    }
    return at;
}

llvm::Value* Emitter::lane_stride(const nest::Access& access, bool& varies) {
    varies = false;
    if (schedule_.lane < 0) return nullptr;
    const shape::Dim stride = access.strides[static_cast<std::size_t>(schedule_.lane)];
    if (stride == shape::Dim(0)) return nullptr;
    varies = true;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype));
    return stride == shape::Dim(itemsize) ? nullptr : size(stride);  // null: side by side
}

llvm::Value* Emitter::lane_pointers(llvm::Value* address, llvm::Value* stride) {
    auto& ir = b_.ir;
    llvm::SmallVector<llvm::Constant*, 64> lanes;
    for (int i = 0; i < b_.width; ++i) lanes.push_back(ir.getInt64(static_cast<std::uint64_t>(i)));
    llvm::Value* offsets = ir.CreateMul(llvm::ConstantVector::get(lanes), b_.splat(stride));
    return ir.CreateGEP(ir.getInt8Ty(), address, offsets);
}

namespace {

// {a, a, b, b, ...}: a mask over complex elements as one over their parts.
llvm::Value* doubled(llvm::IRBuilder<>& ir, llvm::Value* mask, int width) {
    llvm::SmallVector<int, 64> order;
    for (int i = 0; i < width; ++i) {
        order.push_back(i);
        order.push_back(i);
    }
    return ir.CreateShuffleVector(mask, order);
}

}  // namespace

Value Emitter::load_at(llvm::Value* at, Dtype dtype, llvm::Value* stride, bool vector) {
    auto& ir = b_.ir;
    llvm::Type* element = b_.memory_type(dtype);
    const Align part_align(1);
    if (!is_complex(dtype)) {
        if (!vector) return {&b_, dtype, b_.from_memory(ir.CreateAlignedLoad(element, at, part_align), dtype), nullptr};
        llvm::Type* type = b_.vector_type(element);
        // Lanes off the end read as one: a harmless argument for every function.
        llvm::Value* one = element->isIntegerTy() ? llvm::ConstantInt::get(type, 1) : llvm::ConstantFP::get(type, 1.0);
        llvm::Value* raw = nullptr;
        if (stride != nullptr) {
            llvm::Value* mask = mask_ != nullptr ? mask_ : b_.splat(ir.getTrue());
            raw = ir.CreateMaskedGather(type, lane_pointers(at, stride), part_align, mask, one);
        } else if (mask_ != nullptr) {
            raw = ir.CreateMaskedLoad(type, at, part_align, mask_, one);
        } else {
            raw = ir.CreateAlignedLoad(type, at, part_align);
        }
        return {&b_, dtype, b_.from_memory(raw, dtype), nullptr};
    }
    const auto half = static_cast<std::int64_t>(itemsize_of(dtype) / 2);
    if (!vector || stride != nullptr) {
        llvm::Value* second = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, number(half));
        const Dtype real = real_of(dtype);
        return {&b_, dtype, load_at(at, real, stride, vector).re, load_at(second, real, stride, vector).re};
    }
    auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(2 * b_.width));
    llvm::Value* pairs = nullptr;
    if (mask_ != nullptr) {
        pairs = ir.CreateMaskedLoad(type, at, part_align, doubled(ir, mask_, b_.width), llvm::ConstantFP::get(type, 1.0));
    } else {
        pairs = ir.CreateAlignedLoad(type, at, part_align);
    }
    llvm::SmallVector<int, 64> even, odd;
    for (int i = 0; i < b_.width; ++i) {
        even.push_back(2 * i);
        odd.push_back(2 * i + 1);
    }
    return {&b_, dtype, ir.CreateShuffleVector(pairs, even), ir.CreateShuffleVector(pairs, odd)};
}

void Emitter::store_at(llvm::Value* at, Value value, llvm::Value* stride, bool vector) {
    auto& ir = b_.ir;
    const Align part_align(1);
    if (vector) value = b_.splat(value);
    if (!is_complex(value.dtype)) {
        llvm::Value* raw = b_.to_memory(value.re, value.dtype);
        if (!vector) {
            ir.CreateAlignedStore(raw, at, part_align);
        } else if (stride != nullptr) {
            llvm::Value* mask = mask_ != nullptr ? mask_ : b_.splat(ir.getTrue());
            ir.CreateMaskedScatter(raw, lane_pointers(at, stride), part_align, mask);
        } else if (mask_ != nullptr) {
            ir.CreateMaskedStore(raw, at, part_align, mask_);
        } else {
            const bool whole = static_cast<int>(itemsize_of(value.dtype)) * b_.width == machine_.vector_bytes;
            const bool streams = schedule_.streaming && whole;
            llvm::StoreInst* store = ir.CreateAlignedStore(raw, at, streams ? Align(static_cast<std::uint64_t>(machine_.vector_bytes)) : part_align);
            if (streams) {
                auto* one = llvm::ConstantAsMetadata::get(ir.getInt32(1));
                store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(ir.getContext(), one));
            }
        }
        return;
    }
    const auto half = static_cast<std::int64_t>(itemsize_of(value.dtype) / 2);
    const Dtype real = real_of(value.dtype);
    if (!vector || stride != nullptr) {
        store_at(at, {&b_, real, value.re, nullptr}, stride, vector);
        store_at(ir.CreateInBoundsGEP(ir.getInt8Ty(), at, number(half)), {&b_, real, value.im, nullptr}, stride, vector);
        return;
    }
    llvm::SmallVector<int, 64> order;
    for (int i = 0; i < b_.width; ++i) {
        order.push_back(i);
        order.push_back(i + b_.width);
    }
    llvm::Value* pairs = ir.CreateShuffleVector(value.re, value.im, order);
    if (mask_ != nullptr) {
        ir.CreateMaskedStore(pairs, at, part_align, doubled(ir, mask_, b_.width));
    } else {
        ir.CreateAlignedStore(pairs, at, part_align);
    }
}

Value Emitter::load(const nest::Access& access, int copy) {
    bool vector = false;
    llvm::Value* stride = lane_stride(access, vector);
    return load_at(address(access, copy), kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype, stride, vector);
}

// Lanes are masked; a single element is read from a harmless place instead.
Value Emitter::guarded_load(const nest::Access& access, int copy, llvm::Value* guard) {
    auto& ir = b_.ir;
    bool vector = false;
    llvm::Value* stride = lane_stride(access, vector);
    llvm::Value* at = address(access, copy);
    const Dtype dtype = kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype;
    if (vector) {
        llvm::Value* outer = mask_;
        guard = b_.splat(guard);
        mask_ = outer == nullptr ? guard : ir.CreateAnd(outer, guard);
        const Value value = load_at(at, dtype, stride, true);
        mask_ = outer;
        return value;
    }
    if (harmless_ == nullptr) {
        llvm::IRBuilder<> entry(b_.entry, b_.entry->begin());
        harmless_ = entry.CreateAlloca(llvm::ArrayType::get(ir.getInt8Ty(), 16));
        harmless_->setAlignment(Align(16));
        entry.CreateMemSet(harmless_, ir.getInt8(0), 16, Align(16));
    }
    if (guard->getType()->isVectorTy()) guard = ir.CreateOrReduce(guard);
    return load_at(ir.CreateSelect(guard, at, harmless_), dtype, nullptr, false);
}

Value Emitter::inside(const nest::Expr& expr, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = size(expr.offset);
    if (expr.step != 0) at = ir.CreateAdd(at, ir.CreateMul(number(expr.step), index_of(expr.number, copy)));
    llvm::Value* extent = size(expr.extent);
    if (expr.step == 0 || expr.number != schedule_.lane) return {&b_, Dtype::bool_, ir.CreateICmpULT(at, extent), nullptr};
    const bool single = expr.step == 1;  // then narrow numbers do: those of the lanes
    llvm::SmallVector<llvm::Constant*, 64> lanes;
    for (int i = 0; i < b_.width; ++i) {
        lanes.push_back(single ? ir.getInt32(static_cast<std::uint32_t>(i)) : ir.getInt64(static_cast<std::uint64_t>(i * expr.step)));
    }
    llvm::Value* steps = llvm::ConstantVector::get(lanes);
    if (!single) return {&b_, Dtype::bool_, ir.CreateICmpULT(ir.CreateAdd(b_.splat(at), steps), b_.splat(extent)), nullptr};
    const auto lane_at = [&](llvm::Value* lane) {
        llvm::Value* clamped =
            ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number(0), ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lane, number(b_.width)));
        return b_.splat(ir.CreateTrunc(clamped, ir.getInt32Ty()));
    };
    llvm::Value* first = lane_at(ir.CreateNeg(at));
    llvm::Value* last = lane_at(ir.CreateSub(extent, at));
    return {&b_, Dtype::bool_, ir.CreateAnd(ir.CreateICmpSGE(steps, first), ir.CreateICmpSLT(steps, last)), nullptr};
}

void Emitter::store(const nest::Access& access, Value value, int copy) {
    bool vector = false;
    llvm::Value* stride = lane_stride(access, vector);
    store_at(address(access, copy), value, stride, vector);
}

// Scratch rows follow each other, each with an element per inner point in C order, at multiples of 64 bytes.
llvm::Value* Emitter::scratch_address(int row, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = scratch_argument_;
    auto bytes = [&](Dtype dtype) { return ir.CreateMul(size(kernel_.inner_points), number(static_cast<std::int64_t>(itemsize_of(dtype)))); };
    for (int r = 0; r < row; ++r) {
        llvm::Value* padded = ir.CreateAnd(ir.CreateAdd(bytes(kernel_.scratch[static_cast<std::size_t>(r)]), number(63)), number(~std::int64_t{63}));
        at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, padded);
    }
    llvm::Value* linear = number(0);
    for (std::size_t a = outer_; a < kernel_.axes.size(); ++a) {
        linear = ir.CreateAdd(ir.CreateMul(linear, size(kernel_.axes[a].extent)), index_of(static_cast<int>(a), copy));
    }
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.scratch[static_cast<std::size_t>(row)]));
    return ir.CreateInBoundsGEP(ir.getInt8Ty(), at, ir.CreateMul(linear, number(itemsize)));
}

}  // namespace fastnp::codegen
