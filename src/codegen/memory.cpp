// Loads and stores of the emitter: a whole vector where the lanes lie side by side, several of which lanes are
// picked where they lie a few elements apart, a gather or scatter elsewhere, one element where
// the lanes share it; under the mask of the last, partial vector.
#include <algorithm>
#include <cstdlib>

#include "codegen/emitter.h"

namespace fastnp::codegen {

using llvm::Align;

llvm::Value* Emitter::index_of(int axis, int copy) {
    if (axis == schedule_.jam_axis) return number(part_of(copy));
    llvm::Value* index = index_[static_cast<std::size_t>(axis)];
    if (step_of(copy) == 0 || schedule_.unroll_axis != axis) return index;
    const int step = axis == schedule_.lane ? b_.width : 1;
    return b_.ir.CreateAdd(index, number(step_of(copy) * step), "", true, true);
}

llvm::Value* Emitter::address(const nest::Access& access, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = bases_[static_cast<std::size_t>(access.buffer)];
    if (access.offset != shape::Dim(0)) at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, size(access.offset));
    // Outer axes first, the lanes' last, so that what a loop does not change comes before what it does; then what is a number in the instruction.
    std::vector<int> order;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (static_cast<int>(a) != schedule_.lane && static_cast<int>(a) != schedule_.jam_axis) order.push_back(static_cast<int>(a));
    }
    if (schedule_.lane >= 0) order.push_back(schedule_.lane);
    if (schedule_.jam_axis >= 0) order.push_back(schedule_.jam_axis);
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

// What lanes that are masked read as: as the first one, so that no lane has floating-point errors of its own.
llvm::Value* Emitter::off_the_end(llvm::Type* element, llvm::Value* first) {
    auto& ir = b_.ir;
    if (mask_ != nullptr && first_is_used_) return b_.splat(ir.CreateAlignedLoad(element, first, Align(1)));
    llvm::Type* type = b_.vector_type(element);
    return element->isIntegerTy() ? llvm::ConstantInt::get(type, 1) : llvm::ConstantFP::get(type, 1.0);
}

Value Emitter::load_at(llvm::Value* at, Dtype dtype, llvm::Value* stride, bool vector) {
    auto& ir = b_.ir;
    llvm::Type* element = b_.memory_type(dtype);
    const Align part_align(1);
    if (!is_complex(dtype)) {
        if (!vector) return {&b_, dtype, b_.from_memory(ir.CreateAlignedLoad(element, at, part_align), dtype), nullptr};
        llvm::Type* type = b_.vector_type(element);
        llvm::Value* raw = nullptr;
        if (stride != nullptr) {
            llvm::Value* mask = mask_ != nullptr ? mask_ : b_.splat(ir.getTrue());
            raw = ir.CreateMaskedGather(type, lane_pointers(at, stride), part_align, mask, off_the_end(element, at));
        } else if (mask_ != nullptr) {
            raw = ir.CreateMaskedLoad(type, at, part_align, mask_, off_the_end(element, at));
        } else {
            raw = ir.CreateAlignedLoad(type, at, part_align);
        }
        if (mask_ != nullptr) raw = b_.computed(raw);  // what lanes off the end hold is nothing to LLVM where it knows the mask
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
        llvm::Value* real = off_the_end(element, at);
        llvm::Value* imaginary = off_the_end(element, ir.CreateInBoundsGEP(ir.getInt8Ty(), at, number(half)));
        llvm::SmallVector<int, 64> in_turn;
        for (int i = 0; i < b_.width; ++i) in_turn.append({0, b_.width});
        pairs = ir.CreateMaskedLoad(type, at, part_align, doubled(ir, mask_, b_.width), ir.CreateShuffleVector(real, imaginary, in_turn));
        pairs = b_.computed(pairs);
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

// Past the cache if the schedule says so.
void Emitter::store_vector(llvm::Value* raw, llvm::Value* at, Dtype dtype) {
    auto& ir = b_.ir;
    const bool whole = static_cast<int>(itemsize_of(dtype)) * b_.width == machine_.vector_bytes;
    const bool streams = schedule_.streaming && whole;
    llvm::StoreInst* store = ir.CreateAlignedStore(raw, at, Align(streams ? static_cast<std::uint64_t>(machine_.vector_bytes) : 1));
    if (!streams) return;
    auto* one = llvm::ConstantAsMetadata::get(ir.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(ir.getContext(), one));
}

void Emitter::store_at(llvm::Value* at, Value value, llvm::Value* stride, bool vector) {
    auto& ir = b_.ir;
    const Align part_align(1);
    if (!vector && value.re->getType()->isVectorTy()) {
        // Lanes of one address (an axis that an argument repeats, as one of a single element may): in turn, so the last one stays.
        stride = number(0);
        vector = true;
    }
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
            store_vector(raw, at, value.dtype);
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

namespace {

// The elements at these positions of vectors that are laid end to end.
llvm::Value* picked(llvm::IRBuilder<>& ir, const std::vector<llvm::Value*>& vectors, const std::vector<int>& positions) {
    const int width = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vectors[0]->getType())->getNumElements());
    llvm::Value* found = nullptr;
    for (std::size_t v = 0; v < vectors.size(); ++v) {
        llvm::SmallVector<int, 64> order;
        bool any = false;
        for (int i = 0; i < width; ++i) {
            const int from = positions[static_cast<std::size_t>(i)], here = from - static_cast<int>(v) * width;
            const bool inside = here >= 0 && here < width;
            any = any || inside;
            // Lanes of earlier vectors are in their places; those of later ones may be anything.
            order.push_back(inside ? (found == nullptr ? here : here + width) : here < 0 ? i : -1);
        }
        if (!any) continue;
        found = found == nullptr ? ir.CreateShuffleVector(vectors[v], order) : ir.CreateShuffleVector(found, vectors[v], order);
    }
    return found;
}

}  // namespace

// How many elements apart the lanes of an access are, where that is a small constant and picking lanes out of whole vectors is cheaper than loading
// them one by one; else 0.
int Emitter::lane_spacing(const nest::Access& access) const {
    constexpr std::int64_t most = 8, most_alone = 4;
    if (schedule_.lane < 0 || b_.width == 1 || mask_ != nullptr) return 0;
    const Dtype dtype = kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype;
    const shape::Dim stride = access.strides[static_cast<std::size_t>(schedule_.lane)];
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(dtype));
    if (is_complex(dtype) || !stride.is_constant() || stride.value() % itemsize != 0) return 0;
    const std::int64_t spacing = stride.value() / itemsize;
    return spacing >= 2 && spacing <= (elements_together(access) > 1 ? most : most_alone) ? static_cast<int>(spacing) : 0;
}

// Steps of the jammed axis whose elements lie side by side; 1: no such axis.
int Emitter::elements_together(const nest::Access& access) const {
    if (schedule_.jam_axis < 0) return 1;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype));
    return access.strides[static_cast<std::size_t>(schedule_.jam_axis)] == shape::Dim(itemsize) ? schedule_.jam : 1;
}

// Loads of elements that lie between the lanes of one, `spacing` elements apart, with how many elements from the first of them each is; of the one
// itself alone if there are no others.
std::vector<Emitter::Beside> Emitter::loads_beside(nest::ExprId id, int spacing) const {
    const nest::Access& own = kernel_.exprs[id].access;
    if (!own.offset.is_constant()) return {{id, 0}};
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.exprs[id].dtype));
    std::vector<Beside> found;
    std::int64_t first = 0;
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        const nest::Expr& expr = kernel_.exprs[i];
        const nest::Access& other = expr.access;
        // What is guarded is no load for others' sake; the own guard is known to hold.
        if (expr.kind != nest::Expr::Kind::load || (i != id && !expr.args.empty()) || other.buffer != own.buffer || other.strides != own.strides) continue;
        if (!other.offset.is_constant() || (other.offset.value() - own.offset.value()) % itemsize != 0) continue;
        const std::int64_t elements = (other.offset.value() - own.offset.value()) / itemsize;
        if (std::abs(elements) >= spacing) continue;
        found.push_back({i, static_cast<int>(elements)});
        first = std::min(first, elements);
    }
    std::erase_if(found, [&](const Beside& each) { return each.element - first >= spacing; });
    for (Beside& each : found) each.element -= static_cast<int>(first);
    return found;
}

// Lanes `spacing` elements apart: whole vectors, taken apart. What lies between the lanes is there as well: the elements along the jammed axis, and
// those that other expressions load.
Value Emitter::spaced_load(nest::ExprId id, int copy, int spacing) {
    auto& ir = b_.ir;
    const nest::Access& access = kernel_.exprs[id].access;
    const int together = elements_together(access), width = b_.width;
    const int start = together > 1 ? copy_of(0, step_of(copy)) : copy;
    const std::vector<Beside> loads = loads_beside(id, spacing);
    const auto own = std::find_if(loads.begin(), loads.end(), [&](const Beside& each) { return each.id == id; });
    const auto last = std::max_element(loads.begin(), loads.end(), [](const Beside& x, const Beside& y) { return x.element < y.element; });
    llvm::Type* element = b_.memory_type(kernel_.exprs[id].dtype);
    llvm::Type* type = b_.vector_type(element);
    llvm::Value* at = ir.CreateInBoundsGEP(element, address(access, start), number(-own->element));
    const int used = (width - 1) * spacing + last->element + together;  // elements from the first to the last one
    std::vector<llvm::Value*> vectors;
    for (int first = 0; first < used; first += width) {
        llvm::Value* from = ir.CreateInBoundsGEP(element, at, number(first));
        if (first + width <= used) {
            vectors.push_back(ir.CreateAlignedLoad(type, from, Align(1)));
            continue;
        }
        llvm::SmallVector<llvm::Constant*, 64> there;  // memory may end after the last one
        for (int i = 0; i < width; ++i) there.push_back(ir.getInt1(first + i < used));
        vectors.push_back(ir.CreateMaskedLoad(type, from, Align(1), llvm::ConstantVector::get(there), llvm::Constant::getNullValue(type)));
    }
    for (const Beside& each : loads) {
        for (int part = 0; part < together; ++part) {
            std::vector<int> positions;
            for (int i = 0; i < width; ++i) positions.push_back(i * spacing + each.element + part);
            const Dtype dtype = kernel_.exprs[each.id].dtype;
            const int which = together > 1 ? copy_of(part, step_of(copy)) : copy;
            memo_.back().emplace(std::pair(each.id, which), Value{&b_, dtype, b_.from_memory(picked(ir, vectors, positions), dtype), nullptr});
        }
    }
    return memo_.back().at({id, copy});
}

// Whether vectors of an access are aligned where those of the first result are.
bool Emitter::lies_like_results(const nest::Access& access) const {
    if (kernel_.outer_stores.empty()) return false;
    const nest::Access& result = kernel_.outer_stores[0].access;
    const auto apart = [&](shape::Dim x, shape::Dim y) {
        return x.is_constant() && y.is_constant() && (x.value() - y.value()) % machine_.vector_bytes == 0;
    };
    if (!apart(access.offset, result.offset)) return false;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (access.strides[a] != result.strides[a] && !apart(access.strides[a], result.strides[a])) return false;
    }
    return true;
}

// A stencil reads the elements on both sides of a vector that it has: of neighbouring vectors, which are there for the next step, these are lanes. That
// takes an instruction for vectors of 64 bytes, and a load that lies over two lines takes two.
Value Emitter::shifted_load(nest::ExprId id, int copy) {
    const nest::Expr& expr = kernel_.exprs[id];
    const Dtype dtype = expr.dtype;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(dtype));
    const bool fits = mask_ == nullptr && machine_.vector_bytes == 64 && itemsize * b_.width == 64 && itemsize >= 4 && !is_complex(dtype);
    if (!fits || copies_ < 2 || schedule_.jam > 1 || schedule_.lane < 0 || !unrolled_along(schedule_.lane)) return {};
    if (expr.access.strides[static_cast<std::size_t>(schedule_.lane)] != shape::Dim(itemsize) || lies_like_results(expr.access)) return {};
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        const nest::Expr& other = kernel_.exprs[i];
        if (other.kind != nest::Expr::Kind::load || other.access.buffer != expr.access.buffer || other.access.strides != expr.access.strides) continue;
        if (!lies_like_results(other.access) || !expr.access.offset.is_constant()) continue;
        const std::int64_t bytes = expr.access.offset.value() - other.access.offset.value(), elements = bytes / itemsize;
        const int neighbour = copy + (elements < 0 ? -1 : 1);
        if (bytes % itemsize != 0 || std::abs(elements) >= b_.width || neighbour < 0 || neighbour >= copies_) continue;
        if (!other.args.empty() && !is_true(eval(other.args[0], copy).re)) continue;
        const Value first = eval(i, std::min(copy, neighbour)), second = eval(i, std::max(copy, neighbour));
        llvm::SmallVector<int, 64> order;
        const int from = static_cast<int>(elements < 0 ? b_.width + elements : elements);
        for (int lane = 0; lane < b_.width; ++lane) order.push_back(from + lane);
        return {&b_, dtype, b_.ir.CreateShuffleVector(first.re, second.re, order), nullptr};
    }
    return {};
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
        const bool was_used = std::exchange(first_is_used_, false);
        const Value value = load_at(at, dtype, stride, true);
        mask_ = outer;
        first_is_used_ = was_used;
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

void Emitter::store(const nest::Access& access, const Copies& parts, int step) {
    const int count = static_cast<int>(parts.size());
    if (count > 1 && elements_together(access) == count && lane_spacing(access) == count) {
        spaced_store(access, parts, step);
        return;
    }
    bool vector = false;
    llvm::Value* stride = lane_stride(access, vector);
    for (int part = 0; part < count; ++part) {
        store_at(address(access, copy_of(part, step)), parts[static_cast<std::size_t>(part)], stride, vector);
    }
}

// Lanes whose elements for all steps of the jammed axis lie side by side: whole vectors, put together.
void Emitter::spaced_store(const nest::Access& access, const Copies& parts, int step) {
    auto& ir = b_.ir;
    const int count = static_cast<int>(parts.size()), width = b_.width;
    std::vector<llvm::Value*> vectors;
    for (const Value& part : parts) vectors.push_back(b_.to_memory(b_.splat(part).re, part.dtype));
    llvm::Value* at = address(access, copy_of(0, step));
    for (int first = 0; first < count * width; first += width) {
        std::vector<int> positions;
        for (int i = first; i < first + width; ++i) positions.push_back(i % count * width + i / count);
        llvm::Value* to = ir.CreateInBoundsGEP(b_.memory_type(parts[0].dtype), at, number(first));
        store_vector(picked(ir, vectors, positions), to, parts[0].dtype);
    }
}

// Scratch rows follow each other, each with an element per inner point, those along the lanes side by side, at multiples of 64 bytes.
llvm::Value* Emitter::scratch_address(int row, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = scratch_argument_;
    auto bytes = [&](Dtype dtype) { return ir.CreateMul(size(kernel_.inner_points), number(static_cast<std::int64_t>(itemsize_of(dtype)))); };
    for (int r = 0; r < row; ++r) {
        llvm::Value* padded = ir.CreateAnd(ir.CreateAdd(bytes(kernel_.scratch[static_cast<std::size_t>(r)]), number(63)), number(~std::int64_t{63}));
        at = ir.CreateInBoundsGEP(ir.getInt8Ty(), at, padded);
    }
    llvm::Value* linear = number(0);
    const auto move = [&](int a) {
        linear = ir.CreateAdd(ir.CreateMul(linear, size(kernel_.axes[static_cast<std::size_t>(a)].extent)), index_of(a, copy));
    };
    for (int a = static_cast<int>(outer_); a < static_cast<int>(kernel_.axes.size()); ++a) {
        if (a != schedule_.lane) move(a);
    }
    if (schedule_.lane >= static_cast<int>(outer_)) move(schedule_.lane);
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.scratch[static_cast<std::size_t>(row)]));
    return ir.CreateInBoundsGEP(ir.getInt8Ty(), at, ir.CreateMul(linear, number(itemsize)));
}

}  // namespace fastnp::codegen
