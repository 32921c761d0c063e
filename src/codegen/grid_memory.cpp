// Loads and stores of the GPU's emitter: a thread's vector of neighbouring elements in accesses of 16 bytes, where memory is aligned; otherwise element by
// element, which neighbouring threads' accesses make whole lines of.
#include <algorithm>
#include <tuple>
#include <utility>

#include "codegen/grid_emitter.h"
#include "codegen/speculation.h"
#include "nest/axes.h"

namespace fastnp::codegen {

using llvm::Align;
using llvm::BasicBlock;

// Of one of the accesses that a vector is made of.
int GridEmitter::chunk_bytes(const nest::Access& access) const {
    return std::min(nest::Grid::vector_bytes, static_cast<int>(nest::itemsize_at(kernel_, access)) * grid_.width);
}

// Whether the elements of a vector lie side by side, and each vector could begin at a multiple of what is accessed at a time.
bool GridEmitter::may_be_aligned(const nest::Access& access) const {
    if (grid_.lane < 0 || grid_.width == 1) return false;
    const std::int64_t itemsize = nest::itemsize_at(kernel_, access);
    if (!(access.strides[static_cast<std::size_t>(grid_.lane)] == shape::Dim(itemsize))) return false;
    const std::int64_t bytes = chunk_bytes(access);
    const auto fits = [bytes](shape::Dim dim) { return !dim.is_constant() || dim.value() % bytes == 0; };
    const bool blocked = kernel_.block != 0 && grid_.lane == static_cast<int>(outer_);
    const int past = kernel_.buffers[static_cast<std::size_t>(access.buffer)].past;
    if ((access.offset.is_constant() ? access.offset.value() + past : past) % bytes != 0 || (blocked && kernel_.block * itemsize % bytes != 0))
        return false;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (static_cast<int>(a) != grid_.lane && !fits(access.strides[a])) return false;
    }
    return true;
}

bool GridEmitter::takes_vectors(const nest::Access& access) const { return lanes_ > 1 && may_be_aligned(access); }

// What can't be told before: the addresses of arguments, and sizes that vary.
llvm::Value* GridEmitter::alignment() {
    auto& ir = b_.ir;
    bool any = false;
    llvm::Value* bits = nullptr;
    const auto look_at = [&](const nest::Access& access, shape::Dim step) {
        any = true;
        const auto note = [&](llvm::Value* value) {
            value = ir.CreateAnd(value, number(chunk_bytes(access) - 1));
            bits = bits == nullptr ? value : ir.CreateOr(bits, value);
        };
        const auto buffer = static_cast<std::size_t>(access.buffer);
        if (const nest::Buffer& each = kernel_.buffers[buffer]; !nest::begins_aligned(each))
            note(ir.CreateSub(ir.CreatePtrToInt(bases_[buffer], ir.getInt64Ty()), number(each.past)));
        if (!access.offset.is_constant()) note(size(access.offset));
        if (!step.is_constant()) note(size(step));
        for (const shape::Dim stride : access.strides) {
            if (!stride.is_constant()) note(size(stride));
        }
    };
    nest::for_each_use(kernel_, [&](const nest::Access& access, nest::Use use) {
        if (use != nest::Use::guarded_load && use != nest::Use::gather && may_be_aligned(access)) look_at(access, 0);
    });
    for (const nest::Expr& expr : kernel_.exprs) {
        if (expr.kind == nest::Expr::Kind::gather && gathers_vectors(expr)) look_at(expr.access, expr.offset);
    }
    if (!any) return nullptr;
    return bits == nullptr ? ir.getTrue() : ir.CreateICmpEQ(bits, number(0));
}

llvm::Value* GridEmitter::address(const nest::Access& access, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = bases_[static_cast<std::size_t>(access.buffer)];
    if (access.offset != shape::Dim(0)) at = ir.CreateGEP(ir.getInt8Ty(), at, size(access.offset));
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (access.strides[a] == shape::Dim(0)) continue;
        at = ir.CreateGEP(ir.getInt8Ty(), at, ir.CreateMul(index_of(static_cast<int>(a), copy), size(access.strides[a])));
    }
    return at;
}

// The element that stands in the place of an address.
Value GridEmitter::given(std::size_t buffer) {
    auto& ir = b_.ir;
    const Dtype dtype = kernel_.buffers[buffer].dtype;
    const auto bits = static_cast<unsigned>(8 * itemsize_of(real_of(dtype)));
    auto* first = llvm::cast<llvm::Argument>(bases_[buffer]);
    const auto part = [&](unsigned from) {
        llvm::Value* word = function_->getArg(first->getArgNo() + from / 64);
        return ir.CreateBitCast(ir.CreateTrunc(ir.CreateLShr(word, number(from % 64)), ir.getIntNTy(bits)), b_.memory_type(dtype));
    };
    return {&b_, dtype, b_.from_memory(part(0), dtype), is_complex(dtype) ? part(bits) : nullptr};
}

Value GridEmitter::load_element(const nest::Access& access, int copy) {
    const nest::Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(access.buffer)];
    if (buffer.by_value) return given(static_cast<std::size_t>(access.buffer));
    return load_at(address(access, copy), buffer.dtype, Align(itemsize_of(real_of(buffer.dtype))));
}

Value GridEmitter::load_at(llvm::Value* at, Dtype dtype, Align align) {
    auto& ir = b_.ir;
    llvm::Type* type = b_.memory_type(dtype);
    const std::size_t bytes = itemsize_of(real_of(dtype));
    Value value{&b_, dtype, b_.from_memory(ir.CreateAlignedLoad(type, at, align), dtype), nullptr};
    if (is_complex(dtype)) value.im = ir.CreateAlignedLoad(type, second_part(at, bytes), llvm::commonAlignment(align, bytes));
    return value;
}

void GridEmitter::store_at(llvm::Value* at, const Value& value, Align align) {
    const std::size_t bytes = itemsize_of(real_of(value.dtype));
    b_.ir.CreateAlignedStore(b_.to_memory(value.re, value.dtype), at, align);
    if (value.im != nullptr) b_.ir.CreateAlignedStore(value.im, second_part(at, bytes), llvm::commonAlignment(align, bytes));
}

llvm::Value* GridEmitter::second_part(llvm::Value* at, std::size_t bytes) {
    return b_.ir.CreateGEP(b_.ir.getInt8Ty(), at, number(static_cast<std::int64_t>(bytes)));
}

// Bytes from one to the next of the elements that a thread does side by side along an axis; 0: there is one alone, or it does not move.
shape::Dim GridEmitter::step_between(const nest::Access& access, int axis, int count) const {
    return axis < 0 || count == 1 ? shape::Dim(0) : access.strides[static_cast<std::size_t>(axis)];
}

// The load, by its number and copy, that stands for all that read the same element: a step of the unrolled axis, or a neighbour in the vector, often reads
// what another one does, elsewhere in the expression. One that takes vectors is best, then that of the first step.
std::pair<nest::ExprId, int> GridEmitter::first_load(nest::ExprId id, int copy) const {
    const nest::Access& own = kernel_.exprs[id].access;
    std::pair<nest::ExprId, int> best{id, copy};
    if (copies() == 1 || has_team() || grid_.held > 0 || has_tile() || !own.offset.is_constant()) return best;
    const shape::Dim across = step_between(own, grid_.unroll_axis, parts_), along = step_between(own, grid_.lane, lanes_);
    if (!across.is_constant() || !along.is_constant()) return best;
    const std::int64_t place = own.offset.value() + part_of(copy) * across.value() + lane_of(copy) * along.value();
    const auto rank = [&](nest::ExprId load, int part) { return std::tuple(takes_vectors(kernel_.exprs[load].access) ? 0 : 1, part, load); };
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        const nest::Expr& expr = kernel_.exprs[i];
        const nest::Access& other = expr.access;
        if (expr.kind != nest::Expr::Kind::load || !expr.args.empty() || other.buffer != own.buffer || other.strides != own.strides) continue;
        if (expr.dtype != kernel_.exprs[id].dtype || !other.offset.is_constant()) continue;
        for (int part = 0; part < (across.value() == 0 ? 1 : parts_); ++part) {
            const std::int64_t rest = place - other.offset.value() - part * across.value();
            const std::int64_t lane = along.value() == 0 ? 0 : rest / along.value();
            if (rest != lane * along.value() || lane < 0 || lane >= lanes_) continue;
            if (rank(i, part) < rank(best.first, part_of(best.second))) best = {i, part * lanes_ + static_cast<int>(lane)};
        }
    }
    return best;
}

Value GridEmitter::load(nest::ExprId id, int copy) {
    if (const auto [first, at] = first_load(id, copy); first != id || at != copy) return eval(first, at);
    const nest::Access& access = kernel_.exprs[id].access;
    if (!varies_along(id, grid_.lane) || !takes_vectors(access)) return load_element(access, copy);
    if (grid_.held > 0 && memory_ == Memory::single) return load_element(access, copy);
    if (grid_.held > 0 && memory_ == Memory::any) {
        const Copies all = load_row(access);
        for (int each = 0; each < copies(); ++each) memo_.back().emplace(std::pair(id, each), all[static_cast<std::size_t>(each)]);
        return all[static_cast<std::size_t>(copy)];
    }
    const int begin = part_of(copy) * lanes_;
    const Copies all = load_vector(access, part_of(copy));
    for (int each = 0; each < lanes_; ++each) memo_.back().emplace(std::pair(id, begin + each), all[static_cast<std::size_t>(each)]);
    return all[static_cast<std::size_t>(lane_of(copy))];
}

// Words of 32 bits, or the one that there is: a form of vector that every dtype can be taken from.
llvm::Type* GridEmitter::chunk_type(int bytes) {
    if (bytes < 4) return b_.ir.getIntNTy(static_cast<unsigned>(bytes * 8));
    return llvm::FixedVectorType::get(b_.ir.getInt32Ty(), static_cast<unsigned>(bytes / 4));
}

GridEmitter::Copies GridEmitter::load_vector(const nest::Access& access, llvm::Value* first) {
    auto& ir = b_.ir;
    const Dtype dtype = kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype;
    llvm::Type* element = b_.memory_type(dtype);
    const int bytes = chunk_bytes(access);
    const auto piece = static_cast<int>(itemsize_of(real_of(dtype)));
    auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(bytes / piece));
    std::vector<llvm::Value*> parts;
    const int total = static_cast<int>(itemsize_of(dtype)) * lanes_;
    for (int at = 0; at < total; at += bytes) {
        llvm::Value* from = at == 0 ? first : ir.CreateGEP(ir.getInt8Ty(), first, number(at));
        llvm::Value* chunk = ir.CreateBitCast(ir.CreateAlignedLoad(chunk_type(bytes), from, Align(static_cast<std::uint64_t>(bytes))), type);
        for (int i = 0; i < bytes / piece; ++i) parts.push_back(ir.CreateExtractElement(chunk, static_cast<std::uint64_t>(i)));
    }
    Copies copies;
    for (std::size_t copy = 0; copy < static_cast<std::size_t>(lanes_); ++copy) {
        if (is_complex(dtype)) copies.push_back({&b_, dtype, parts[2 * copy], parts[2 * copy + 1]});
        else copies.push_back({&b_, dtype, b_.from_memory(parts[copy], dtype), nullptr});
    }
    return copies;
}

// The same from memory that is aligned, vector by vector, and from any other.
void GridEmitter::if_aligned(const std::function<void()>& vectors, const std::function<void()>& elements) {
    if (aligned_ == nullptr) return elements();  // it never is
    if (llvm::isa<llvm::ConstantInt>(aligned_)) return vectors();
    either_way(aligned_, vectors, elements);
}

// Values and what is done with them; if those that were speculated on are worthless, once more without that.
void GridEmitter::speculate(const std::function<std::vector<Copies>()>& compute, const std::function<void(const std::vector<Copies>&)>& write) {
    if (b_.is_rare) return write(compute());
    auto& ir = b_.ir;
    Speculation speculation(ir);
    enter(0);
    b_.speculation = &speculation;
    const std::vector<Copies> values = compute();
    b_.speculation = nullptr;
    leave();
    if (!speculation.has_assumptions()) return write(values);
    BasicBlock* usual = BasicBlock::Create(ir.getContext(), "usual", function_);
    BasicBlock* exact = BasicBlock::Create(ir.getContext(), "exact", function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), "exact.end", function_);
    BasicBlock* unusual = speculation.has_quotients_of_zero() ? BasicBlock::Create(ir.getContext(), "unusual", function_, exact) : exact;
    ir.CreateCondBr(speculation.holds(Speculation::Zeros::unusual), usual, unusual, llvm::MDBuilder(ir.getContext()).createLikelyBranchWeights());
    if (unusual != exact) {
        ir.SetInsertPoint(unusual);
        ir.CreateCondBr(speculation.holds(Speculation::Zeros::fine), usual, exact);
    }
    ir.SetInsertPoint(usual);
    write(values);
    ir.CreateBr(after);
    ir.SetInsertPoint(exact);
    element_by_element([&] { write(compute()); });
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
}

// The elements that a thread does side by side, one after the other, so that rare code is short; where nothing of them was found in stages before.
void GridEmitter::element_by_element(const std::function<void()>& body) {
    const auto once = [&] {
        enter(0);
        body();
        leave();
    };
    if (!kernel_.stages.empty() || has_tile()) return once();
    b_.is_rare = true;
    if (copies() == 1) once();
    else one_after_the_other(once);
    b_.is_rare = false;
}

void GridEmitter::one_after_the_other(const std::function<void()>& body) {
    auto& ir = b_.ir;
    const int lanes = std::exchange(lanes_, 1), parts = std::exchange(parts_, 1);
    const std::vector<llvm::Value*> first = index_;
    loop(number(0), number(static_cast<std::int64_t>(lanes) * parts), number(1), "element", [&](llvm::Value* at) {
        const auto move = [&](int axis, llvm::Value* by) {
            if (axis >= 0) index_[static_cast<std::size_t>(axis)] = ir.CreateAdd(first[static_cast<std::size_t>(axis)], by);
        };
        if (lanes > 1) move(grid_.lane, ir.CreateURem(at, number(lanes)));
        if (parts > 1) move(grid_.unroll_axis, ir.CreateUDiv(at, number(lanes)));
        body();
    });
    stay_rolled();
    index_ = first;
    lanes_ = lanes;
    parts_ = parts;
}

Value GridEmitter::guarded_load(const nest::Access& access, int copy, llvm::Value* guard) {
    return where(guard, [&] { return load_element(access, copy); });
}

// Zero where the guard is false: nothing is read there.
Value GridEmitter::where(llvm::Value* guard, const std::function<Value()>& load) {
    auto& ir = b_.ir;
    BasicBlock* before = ir.GetInsertBlock();
    BasicBlock* inside = BasicBlock::Create(ir.getContext(), "guarded", function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), "guarded.end", function_);
    ir.CreateCondBr(guard, inside, after);
    ir.SetInsertPoint(inside);
    Value value = load();
    BasicBlock* end = ir.GetInsertBlock();
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
    const auto either = [&](llvm::Value* part) -> llvm::Value* {
        llvm::PHINode* phi = ir.CreatePHI(part->getType(), 2);
        phi->addIncoming(part, end);
        phi->addIncoming(llvm::Constant::getNullValue(part->getType()), before);
        return phi;
    };
    value.re = either(value.re);
    if (value.im != nullptr) value.im = either(value.im);
    return value;
}

Value GridEmitter::inside(const nest::Expr& expr, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = size(expr.offset);
    if (expr.step != 0) {
        at = ir.CreateAdd(at, ir.CreateMul(number(expr.step), index_of(expr.number, copy)));
    }
    return {&b_, Dtype::bool_, ir.CreateICmpULT(at, size(expr.extent)), nullptr};  // those below zero are large
}

// All values before the first store, which may be to what others read.
void GridEmitter::store(const std::vector<nest::Store>& stores) {
    const auto compute = [&] {
        std::vector<Copies> values;
        for (const nest::Store& each : stores) {
            Copies& all = values.emplace_back();
            for (int copy = 0; copy < copies(); ++copy) all.push_back(eval(each.value, copy));
        }
        return values;
    };
    speculate(compute, [&](const std::vector<Copies>& values) { write_all(stores, values); });
}

void GridEmitter::write_all(const std::vector<nest::Store>& stores, const std::vector<Copies>& values) {
    for (std::size_t i = 0; i < stores.size(); ++i) {
        const AtLine at = b_.at(kernel_.line_of(stores[i].value));
        if (const int tile = tile_of_store(i); tile >= 0) {  // of an elementwise kernel, which has outer stores alone
            for (int copy = 0; copy < copies(); ++copy)
                store_to_tile(static_cast<std::size_t>(tile), values[i][static_cast<std::size_t>(copy)], place_of(copy));
            continue;
        }
        if (takes_vectors(stores[i].access) && grid_.held > 0) {
            const auto vectors = [&] {
                for (int part = 0; part < parts_; ++part) if_in_row(part, [&] { store_vector(stores[i].access, values[i], part); });
            };
            const auto elements = [&] {
                for (int copy = 0; copy < copies(); ++copy)
                    if_in_row(part_of(copy), [&] { store_element(stores[i].access, values[i][static_cast<std::size_t>(copy)], copy); });
            };
            if_aligned(vectors, elements);
            continue;
        }
        if (takes_vectors(stores[i].access)) {
            for (int part = 0; part < parts_; ++part) store_vector(stores[i].access, values[i], part);
            continue;
        }
        for (int copy = 0; copy < copies(); ++copy)
            if_in_row(part_of(copy), [&] { store_element(stores[i].access, values[i][static_cast<std::size_t>(copy)], copy); });
    }
}

void GridEmitter::store_element(const nest::Access& access, const Value& value, int copy) {
    store_at(address(access, copy), value, Align(itemsize_of(real_of(value.dtype))));
}

// A chunk made of its elements. LLVM would store a vector of bytes word by word, so words are made of those here.
llvm::Value* GridEmitter::joined(llvm::ArrayRef<llvm::Value*> parts, int bytes) {
    auto& ir = b_.ir;
    llvm::Type* element = parts[0]->getType();
    llvm::SmallVector<llvm::Value*, 16> items(parts.begin(), parts.end());
    if (element->isIntegerTy(8) && bytes >= 4) {
        items.clear();
        element = ir.getInt32Ty();
        for (std::size_t at = 0; at < parts.size(); at += 4) {
            llvm::Value* word = ir.CreateZExt(parts[at], element);
            for (std::size_t i = 1; i < 4; ++i) word = ir.CreateOr(word, ir.CreateShl(ir.CreateZExt(parts[at + i], element), 8 * i));
            items.push_back(word);
        }
    }
    llvm::Value* chunk = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, static_cast<unsigned>(items.size())));
    for (std::size_t i = 0; i < items.size(); ++i) chunk = ir.CreateInsertElement(chunk, items[i], i);
    return ir.CreateBitCast(chunk, chunk_type(bytes));
}

void GridEmitter::store_vector(const nest::Access& access, const Copies& values, int part) {
    auto& ir = b_.ir;
    const Dtype dtype = kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype;
    std::vector<llvm::Value*> parts;
    for (int copy = part * lanes_; copy < (part + 1) * lanes_; ++copy) {
        const Value& value = values[static_cast<std::size_t>(copy)];
        parts.push_back(b_.to_memory(value.re, dtype));
        if (value.im != nullptr) parts.push_back(value.im);
    }
    const int bytes = chunk_bytes(access);
    const auto each = static_cast<std::size_t>(bytes) / itemsize_of(real_of(dtype));
    llvm::Value* first = address(access, part * lanes_);
    for (std::size_t begin = 0; begin < parts.size(); begin += each) {
        llvm::Value* chunk = joined(llvm::ArrayRef(parts).slice(begin, each), bytes);
        const auto at = static_cast<std::int64_t>(begin / each) * bytes;
        llvm::Value* to = at == 0 ? first : ir.CreateGEP(ir.getInt8Ty(), first, number(at));
        ir.CreateAlignedStore(chunk, to, Align(static_cast<std::uint64_t>(bytes)));
    }
}

}  // namespace fastnp::codegen
