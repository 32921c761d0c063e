// The loops of a kernel. One outer point after the other (or a block of lanes of them): its stages in order, then its outer stores. An
// expression is computed in the outermost loop where all it depends on is known.
#include "codegen/emit.h"

#include <algorithm>

#include "codegen/emitter.h"
#include "fastnp/error.h"
#include "nest/order.h"

namespace fastnp::codegen {

using llvm::BasicBlock;

Emitter::Emitter(const nest::Kernel& kernel, const nest::Schedule& schedule, const Machine& machine, llvm::Module& module)
    : kernel_(kernel),
      schedule_(schedule),
      machine_(machine),
      b_(module, schedule.lane < 0 ? 1 : nest::lanes_of(kernel, machine.vector_bytes)),
      depends_(nest::dependencies(kernel)),
      outer_(kernel.outer_count()) {
    find_guarded();
}

llvm::Value* Emitter::size(shape::Dim dim) {
    if (dim.is_constant()) return number(dim.value());
    const auto found = size_values_.find(dim.raw());
    if (found != size_values_.end()) return found->second;
    llvm::IRBuilder<> at(b_.entry, b_.entry->getTerminator() != nullptr ? b_.entry->getTerminator()->getIterator() : b_.entry->end());
    llvm::Value* slot = at.CreateConstInBoundsGEP1_64(at.getInt64Ty(), sizes_argument_, dim.id());
    llvm::Value* value = at.CreateLoad(at.getInt64Ty(), slot);
    size_values_.emplace(dim.raw(), value);
    return value;
}

void Emitter::loop(llvm::Value* begin, llvm::Value* end, std::int64_t step, const char* name, const Body& body) {
    auto& ir = b_.ir;
    BasicBlock* before = ir.GetInsertBlock();
    BasicBlock* inside = BasicBlock::Create(ir.getContext(), name, function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), std::string(name) + ".end", function_);
    ir.CreateCondBr(ir.CreateICmpSLT(begin, end), inside, after);
    ir.SetInsertPoint(inside);
    llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2, name);
    index->addIncoming(begin, before);
    body(index);
    llvm::Value* next = ir.CreateAdd(index, number(step), "", true, true);
    index->addIncoming(next, ir.GetInsertBlock());
    ir.CreateCondBr(ir.CreateICmpSLT(next, end), inside, after);
    ir.SetInsertPoint(after);
}

void Emitter::lane_loop(llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body) {
    auto& ir = b_.ir;
    const int lane = schedule_.lane;
    const int outer_copies = copies_;
    const std::int64_t width = b_.width;
    auto* constant_begin = llvm::dyn_cast<llvm::ConstantInt>(begin);
    auto* constant_end = llvm::dyn_cast<llvm::ConstantInt>(end);
    const std::int64_t known = constant_begin != nullptr && constant_end != nullptr ? constant_end->getSExtValue() - constant_begin->getSExtValue() : -1;
    const bool along = unrolled_along(lane);
    const int group = along ? copies : 1;
    const bool whole_only = known >= 0 && known % (width * group) == 0;
    llvm::Value* rest = begin;
    // One masked body does for kernels without folds where masks are cheap: half the code to generate.
    const bool has_main = (known < 0 || known >= width * group) &&
                          (group > 1 || schedule_.jam > 1 || schedule_.streaming || !machine_.masked_memory || whole_only || !kernel_.stages.empty());
    if (has_main) {
        llvm::Value* whole = ir.CreateMul(ir.CreateSDiv(ir.CreateSub(end, begin), number(width * group)), number(width * group));
        rest = ir.CreateAdd(begin, whole);
        whole_lanes(begin, rest, along ? copies : 0, body);
        if (whole_only) return;
    }
    loop(rest, end, width, "lanes.rest", [&](llvm::Value* at) { masked_lanes(at, end, along ? 1 : outer_copies, body); });
}

// All of them in whole vectors, `copies` a step, if any: else those of an outer loop.
void Emitter::whole_lanes(llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body) {
    const int outer_copies = copies_;
    loop(begin, end, static_cast<std::int64_t>(b_.width) * std::max(copies, 1), "lanes", [&](llvm::Value* at) {
        index_[static_cast<std::size_t>(schedule_.lane)] = at;
        if (copies != 0) copies_ = copies;
        enter(1U << schedule_.lane);
        body();
        leave();
        copies_ = outer_copies;
    });
}

// One vector of lanes from `at`, those from `end` on masked out.
void Emitter::masked_lanes(llvm::Value* at, llvm::Value* end, int copies, const std::function<void()>& body) {
    auto& ir = b_.ir;
    llvm::SmallVector<llvm::Constant*, 64> lanes;
    for (int i = 0; i < b_.width; ++i) lanes.push_back(ir.getInt32(static_cast<std::uint32_t>(i)));
    llvm::Value* left = ir.CreateTrunc(ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ir.CreateSub(end, at), number(b_.width)), ir.getInt32Ty());
    index_[static_cast<std::size_t>(schedule_.lane)] = at;
    mask_ = ir.CreateICmpSLT(llvm::ConstantVector::get(lanes), b_.splat(left));
    first_is_used_ = true;
    const int outer_copies = copies_;
    copies_ = copies;
    enter(1U << schedule_.lane);
    body();
    leave();
    copies_ = outer_copies;
    mask_ = nullptr;
    first_is_used_ = false;
}

void Emitter::serial_loop(int axis, llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body) {
    auto& ir = b_.ir;
    const std::uint32_t bit = 1U << axis;
    const int outer_copies = copies_;
    auto run = [&](llvm::Value* from, llvm::Value* to, int count) {
        loop(from, to, unrolled_along(axis) ? count : 1, "serial", [&](llvm::Value* at) {
            index_[static_cast<std::size_t>(axis)] = at;
            copies_ = unrolled_along(axis) ? count : outer_copies;
            enter(bit);
            body();
            leave();
            copies_ = outer_copies;
        });
    };
    if (!unrolled_along(axis)) {
        run(begin, end, 1);
        return;
    }
    llvm::Value* whole = ir.CreateMul(ir.CreateSDiv(ir.CreateSub(end, begin), number(copies)), number(copies));
    llvm::Value* rest = ir.CreateAdd(begin, whole);
    run(begin, rest, copies);
    auto* left = llvm::dyn_cast<llvm::ConstantInt>(rest);
    auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
    if (left != nullptr && last != nullptr && left->getSExtValue() == last->getSExtValue()) return;
    run(rest, end, 1);
}

std::vector<int> Emitter::copies() const {
    std::vector<int> numbers;
    for (int part = 0; part < schedule_.jam; ++part) {
        for (int step = 0; step < copies_; ++step) numbers.push_back(copy_of(part, step));
    }
    return numbers;
}

Value Emitter::eval(nest::ExprId id, int copy) {
    const std::pair<nest::ExprId, int> key{id, first_equal(id, copy)};
    const std::size_t outermost = inside_from_ != all_guarded && guarded_[id] ? inside_from_ : 0;
    for (std::size_t scope = memo_.size(); scope-- > outermost;) {
        const auto found = memo_[scope].find(key);
        if (found != memo_[scope].end()) return found->second;
    }
    const AtLine at = b_.at(kernel_.line_of(id));
    Value value = compute(id, key.second);
    memo_.back().emplace(key, value);
    return value;
}

Value Emitter::compute(nest::ExprId id, int copy) {
    const nest::Expr& expr = kernel_.exprs[id];
    using Kind = nest::Expr::Kind;
    switch (expr.kind) {
        case Kind::load:
            if (!expr.args.empty() && !is_true(eval(expr.args[0], copy).re)) return guarded_load(expr.access, copy, eval(expr.args[0], copy).re);
            if (const int spacing = lane_spacing(expr.access); spacing > 0) return spaced_load(id, copy, spacing);
            if (const Value shifted = shifted_load(id, copy); !shifted.missing()) return shifted;
            return load(expr.access, copy);
        case Kind::inside:
            if (inside_from_ != all_guarded && holds_inside(expr)) return {&b_, Dtype::bool_, b_.ir.getTrue(), nullptr};
            return inside(expr, copy);
        case Kind::constant: return b_.constant(expr.scalar, expr.dtype);
        case Kind::extent: return {&b_, Dtype::int64, size(expr.offset), nullptr};
        case Kind::index: {
            llvm::Value* at = b_.ir.CreateAdd(size(expr.offset), b_.ir.CreateMul(number(expr.step), index_of(expr.number, copy)));
            if (expr.number == schedule_.lane) {
                llvm::SmallVector<llvm::Constant*, 64> lanes;
                for (int i = 0; i < b_.width; ++i) lanes.push_back(b_.ir.getInt64(static_cast<std::uint64_t>(i * expr.step)));
                at = b_.ir.CreateAdd(b_.splat(at), llvm::ConstantVector::get(lanes));
            }
            return {&b_, Dtype::int64, at, nullptr};
        }
        case Kind::map: {
            if (expr.op == ir::Op::select && is_true(eval(expr.args[0], copy).re)) return eval(expr.args[1], copy);
            llvm::SmallVector<Value, 3> args;
            for (const nest::ExprId arg : expr.args) args.push_back(eval(arg, copy));
            return b_.map(expr.op, expr.compute, expr.dtype, args);
        }
        case Kind::fold: {
            return fold_results_[static_cast<std::size_t>(expr.number)][static_cast<std::size_t>(copy)];
        }
        case Kind::gather: break;  // the host's are steps of their own
        case Kind::scratch: return load_at(scratch_address(expr.number, copy), expr.dtype, nullptr, schedule_.lane >= 0);
    }
    throw InternalError("unknown loop expression");
}

std::vector<nest::ExprId> Emitter::roots_of(const nest::Stage& stage) const {
    std::vector<nest::ExprId> roots;
    for (const int fold : stage.folds) roots.push_back(kernel_.folds[static_cast<std::size_t>(fold)].value);
    for (const auto& keep : stage.keeps) roots.push_back(keep.second);
    for (const nest::Store& store : stage.stores) roots.push_back(store.value);
    return roots;
}

void Emitter::hoist(const std::vector<nest::ExprId>& roots) {
    std::vector<bool> needed(kernel_.exprs.size(), false);
    for (const nest::ExprId root : roots) needed[root] = true;
    for (std::size_t i = kernel_.exprs.size(); i-- > 0;) {
        if (!needed[i]) continue;
        // Arguments of what is computed here are computed with it; only those of what must wait are looked at.
        const bool ready = (depends_[i] & ~available_.back() & ~nest::depends_on_folds) == 0;
        if (ready) continue;
        for (const nest::ExprId arg : kernel_.exprs[i].args) needed[arg] = true;
    }
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        if (!needed[i] || (depends_[i] & ~available_.back() & ~nest::depends_on_folds) != 0) continue;
        for (const int copy : copies()) {
            if (copy == first_equal(i, copy)) eval(i, copy);
        }
    }
}

void Emitter::inner_range(int axis, llvm::Value*& begin, llvm::Value*& end) {
    begin = number(0);
    end = size(kernel_.axes[static_cast<std::size_t>(axis)].extent);
    if (kernel_.block == 0 || static_cast<std::size_t>(axis) != outer_) return;
    begin = b_.ir.CreateMul(index_[0], number(kernel_.block));
    end = b_.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.ir.CreateAdd(begin, number(kernel_.block)), size(kernel_.blocked_extent));
}

void Emitter::stage(const nest::Stage& stage) {
    reset(stage);
    start_cascade(stage);
    hoist(roots_of(stage));
    inner_loops(stage, outer_);
    finish(stage);
}

void Emitter::inner_loops(const nest::Stage& stage, std::size_t level) {
    const std::size_t lane = schedule_.lane < 0 ? kernel_.axes.size() : static_cast<std::size_t>(schedule_.lane);
    if (level == lane || static_cast<int>(level) == schedule_.jam_axis) {
        inner_loops(stage, level + 1);
        return;
    }
    if (level >= kernel_.axes.size()) {
        lane_part(stage);
        return;
    }
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    inner_range(static_cast<int>(level), begin, end);
    serial_loop(static_cast<int>(level), begin, end, schedule_.unroll, [&] {
        hoist(roots_of(stage));
        inner_loops(stage, level + 1);
    });
}

void Emitter::inner_point(const nest::Stage& stage) {
    accumulate(stage);
    for (const int copy : copies()) {
        for (const auto& [row, value] : stage.keeps) {
            Value kept = eval(value, copy);
            store_at(scratch_address(row, copy), kept, nullptr, schedule_.lane >= 0);
        }
    }
    stores(stage.stores, schedule_.jam);
}

void Emitter::stores(const std::vector<nest::Store>& all, int parts) {
    for (int step = 0; step < copies_; ++step) {
        std::vector<Copies> values(all.size());  // all before the first store, which may be to what others read
        for (int part = 0; part < parts; ++part) {
            for (std::size_t i = 0; i < all.size(); ++i) values[i].push_back(eval(all[i].value, copy_of(part, step)));
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const AtLine at = b_.at(kernel_.line_of(all[i].value));
            store(all[i].access, values[i], step);
        }
    }
}

void Emitter::outer_point() {
    enter(0);
    for (const nest::Stage& each : kernel_.stages) stage(each);
    available_.back() |= nest::depends_on_folds;
    stores(kernel_.outer_stores, outer_parts());
    leave();
}

void Emitter::unit_over_lane_block(const std::vector<nest::ExprId>& roots) {
    auto& ir = b_.ir;
    const auto lane = static_cast<std::size_t>(schedule_.lane);
    llvm::Value* begin = ir.CreateMul(index_[lane], number(schedule_.lane_block));
    llvm::Value* end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ir.CreateAdd(begin, number(schedule_.lane_block)), size(kernel_.axes[lane].extent));
    if (schedule_.tiled) {
        tiled(begin, end);
        return;
    }
    if (has_borders()) {
        unit_with_borders(begin, end, roots);
        return;
    }
    if (schedule_.streaming && schedule_.jam == 1) begin = lanes_up_to_alignment(begin, end);  // else blocks begin aligned
    lane_loop(begin, end, schedule_.unroll, [&] { outer_point(); });
}

// The first of the lanes [begin, end) whose element of the first store has an aligned address. If none has: `end` where stores must be aligned, else the
// first of all.
llvm::Value* Emitter::aligned_lanes(llvm::Value* begin, llvm::Value* end) {
    auto& ir = b_.ir;
    const nest::Access& access = kernel_.outer_stores[0].access;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype));
    index_[static_cast<std::size_t>(schedule_.lane)] = begin;
    llvm::Value* at = ir.CreatePtrToInt(address(access, 0), ir.getInt64Ty());
    llvm::Value* bytes = ir.CreateAnd(ir.CreateNeg(at), number(machine_.vector_bytes - 1));
    llvm::Value* lanes = ir.CreateUDiv(bytes, number(itemsize));
    llvm::Value* aligned = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ir.CreateAdd(begin, lanes), end);
    // Memory of others may be so that no element is ever aligned.
    llvm::Value* rest = ir.CreateAnd(at, number(itemsize - 1));
    return ir.CreateSelect(ir.CreateICmpEQ(rest, number(0)), aligned, schedule_.streaming ? end : begin);
}

// Does the lanes before the aligned ones, under a mask; returns where these begin.
llvm::Value* Emitter::lanes_up_to_alignment(llvm::Value* begin, llvm::Value* end) {
    llvm::Value* aligned = aligned_lanes(begin, end);
    loop(begin, aligned, b_.width, "lanes.head", [&](llvm::Value* from) { masked_lanes(from, aligned, 1, [&] { outer_point(); }); });
    return aligned;
}

// One unit of the parallel range: index_ holds the outer indices (of the lanes' axis: the block's number).
void Emitter::unit() {
    std::vector<nest::ExprId> roots;
    for (const nest::Store& each : kernel_.outer_stores) roots.push_back(each.value);
    for (const nest::Stage& each : kernel_.stages) {
        for (const nest::ExprId root : roots_of(each)) roots.push_back(root);
    }
    // What depends on folds is not known before the stages have run.
    std::erase_if(roots, [&](nest::ExprId root) { return (depends_[root] & nest::depends_on_folds) != 0; });
    std::uint32_t known = 0;
    const bool outer_lanes = schedule_.lane >= 0 && schedule_.lane < static_cast<int>(outer_);
    for (std::size_t a = 0; a < outer_; ++a) {
        if (!(outer_lanes && static_cast<int>(a) == schedule_.lane)) known |= 1U << a;
    }
    enter(known);
    hoist(roots);
    if (outer_lanes) {
        unit_over_lane_block(roots);
    } else {
        outer_point();
    }
    leave();
}

void Emitter::run(const std::string& symbol) {
    auto& ir = b_.ir;
    llvm::Type* pointer = ir.getPtrTy();
    llvm::Type* whole = ir.getInt64Ty();
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, whole, whole, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, b_.module);
    function_->setDoesNotThrow();
    b_.begin_lines(*function_, first_line(kernel_));
    for (const unsigned argument : {0U, 1U, 4U}) function_->addParamAttr(argument, llvm::Attribute::NoAlias);
    b_.entry = BasicBlock::Create(ir.getContext(), "entry", function_);
    BasicBlock* start = BasicBlock::Create(ir.getContext(), "start", function_);
    ir.SetInsertPoint(b_.entry);
    sizes_argument_ = function_->getArg(1);
    scratch_argument_ = function_->getArg(4);
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
        bases_.push_back(ir.CreateLoad(pointer, ir.CreateConstInBoundsGEP1_64(pointer, function_->getArg(0), i)));
    }
    ir.CreateBr(start);
    ir.SetInsertPoint(start);
    index_.assign(kernel_.axes.size(), number(0));
    fold_results_.resize(kernel_.folds.size());
    accumulators_.resize(kernel_.folds.size());
    cascades_.resize(kernel_.folds.size());
    totals_.resize(kernel_.folds.size());
    memo_.emplace_back();
    available_.push_back(schedule_.jam_axis >= 0 ? 1U << schedule_.jam_axis : 0U);  // all steps of it

    loop(function_->getArg(2), function_->getArg(3), 1, "unit", [&](llvm::Value* index) {
        llvm::Value* left = index;
        std::vector<std::pair<std::size_t, llvm::Value*>> order;  // axes, slowest first, and how many steps each has
        int unrolled = -1;
        for (const std::size_t a : nest::unit_axes(kernel_, schedule_)) {
            if (static_cast<int>(a) == schedule_.lane) {
                order.emplace_back(a, size(schedule_.lane_blocks));
                continue;
            }
            llvm::Value* extent = size(kernel_.axes[a].extent);
            if (unrolled_along(static_cast<int>(a))) {
                unrolled = static_cast<int>(a);
                extent = ir.CreateSDiv(ir.CreateAdd(extent, number(schedule_.unroll - 1)), number(schedule_.unroll));
            }
            order.emplace_back(a, extent);
        }
        for (std::size_t i = order.size(); i-- > 0;) {
            const bool slowest = i == 0;
            index_[order[i].first] = slowest ? left : ir.CreateSRem(left, order[i].second);
            if (!slowest) left = ir.CreateSDiv(left, order[i].second);
        }
        if (unrolled < 0) {
            unit();
            return;
        }
        const auto axis = static_cast<std::size_t>(unrolled);
        llvm::Value* block = index_[axis];
        llvm::Value* begin = ir.CreateMul(block, number(schedule_.unroll));
        llvm::Value* end = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ir.CreateAdd(begin, number(schedule_.unroll)), size(kernel_.axes[axis].extent));
        std::vector<llvm::Value*> saved = index_;
        serial_loop(unrolled, begin, end, schedule_.unroll, [&] {
            llvm::Value* at = index_[axis];
            index_ = saved;
            index_[axis] = at;
            unit();
        });
    });
    ir.CreateRetVoid();
}

void emit(const nest::Kernel& kernel, const nest::Schedule& schedule, const Machine& machine, llvm::Module& module, const std::string& symbol,
          std::map<std::string, External>& externals) {
    Emitter emitter(kernel, schedule, machine, module);
    emitter.run(symbol);
    externals.insert(emitter.externals().begin(), emitter.externals().end());
}

}  // namespace fastnp::codegen
