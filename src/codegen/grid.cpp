// Units are handed out along the grid. A thread with units of its own does a vector of the lanes' axis at a time, and at its end element by element; the
// threads of a team share the lanes of an outer point, meet to finish its folds, and one of them does the outer stores.
#include "codegen/grid.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "codegen/grid_emitter.h"
#include "codegen/nvptx_passes.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

using llvm::BasicBlock;
namespace in = llvm::Intrinsic;

GridEmitter::GridEmitter(const nest::Kernel& kernel, const nest::Grid& grid, llvm::Module& module)
    : kernel_(kernel), grid_(grid), b_(module, 1, Target::nvptx), depends_(nest::dependencies(kernel)), outer_(kernel.outer_count()) {
    if (!kernel.scratch.empty() && !has_team() && grid.held == 0) throw InternalError("only teams of threads keep rows");
}

llvm::Value* GridEmitter::size(shape::Dim dim) { return dim.is_constant() ? number(dim.value()) : size_values_.at(dim.raw()); }

void GridEmitter::make_function(const std::string& symbol) {
    auto& ir = b_.ir;
    const std::vector<shape::Dim> sizes = nest::sizes_of(kernel_);
    std::vector<llvm::Type*> types;
    for (const nest::Buffer& buffer : kernel_.buffers) {
        if (buffer.by_value) types.resize(types.size() + nest::words_of(buffer), ir.getInt64Ty());
        else types.push_back(ir.getPtrTy(1));  // global memory
    }
    types.resize(types.size() + sizes.size() + 1, ir.getInt64Ty());
    function_ = llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), types, false), llvm::Function::ExternalLinkage, symbol, b_.module);
    function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    function_->setDoesNotThrow();
    b_.begin_lines(*function_, first_line(kernel_));
    const auto as_metadata = [&](std::uint64_t value) { return llvm::ConstantAsMetadata::get(ir.getInt32(static_cast<std::uint32_t>(value))); };
    llvm::NamedMDNode* notes = b_.module.getOrInsertNamedMetadata("nvvm.annotations");
    const auto annotate = [&](const char* name, std::uint64_t value) {
        llvm::Metadata* parts[] = {llvm::ConstantAsMetadata::get(function_), llvm::MDString::get(ir.getContext(), name), as_metadata(value)};
        notes->addOperand(llvm::MDNode::get(ir.getContext(), parts));
    };
    annotate("kernel", 1);
    annotate("maxntidx", static_cast<std::uint64_t>(grid_.block));
    if (grid_.registers != 0) {
        constexpr int of_multiprocessor = 65536;
        annotate("minctasm", static_cast<std::uint64_t>(of_multiprocessor / (grid_.registers * grid_.block)));
        if (grid_.unroll > 1 && kernel_.stages.empty()) function_->addFnAttr(stores_in_turn);
    }
    b_.entry = BasicBlock::Create(ir.getContext(), "entry", function_);
    BasicBlock* start = BasicBlock::Create(ir.getContext(), "start", function_);
    ir.SetInsertPoint(b_.entry);
    ir.CreateBr(start);
    ir.SetInsertPoint(start);
    unsigned at = 0;
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
        const nest::Buffer& buffer = kernel_.buffers[i];
        bases_.push_back(function_->getArg(at));
        if (!buffer.by_value && nest::begins_aligned(buffer)) {
            const llvm::Align align = llvm::commonAlignment(llvm::Align(nest::Grid::vector_bytes), static_cast<std::uint64_t>(buffer.past));
            function_->addParamAttr(at, llvm::Attribute::getWithAlignment(ir.getContext(), align));
        }
        at += static_cast<unsigned>(nest::words_of(buffer));
    }
    for (const Dtype dtype : kernel_.scratch) {
        if (grid_.held > 0) break;
        const std::int64_t bytes = nest::Grid::row_bytes(kernel_, dtype) * grid_.units_of_block();
        auto* type = llvm::ArrayType::get(ir.getInt8Ty(), static_cast<std::uint64_t>(bytes));
        scratch_.push_back(new llvm::GlobalVariable(b_.module, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type), "row",
                                                    nullptr, llvm::GlobalValue::NotThreadLocal, shared_memory));  // the module owns it
        scratch_.back()->setAlignment(llvm::Align(nest::Grid::vector_bytes));
    }
    if (has_tile()) make_tiles();
    for (const shape::Dim dim : sizes) size_values_.emplace(dim.raw(), function_->getArg(at++));
    units_ = function_->getArg(at);
}

llvm::Value* GridEmitter::special(in::ID id) { return b_.ir.CreateZExt(b_.ir.CreateIntrinsic(id, {}, {}), b_.ir.getInt64Ty()); }

void GridEmitter::run(const std::string& symbol) {
    auto& ir = b_.ir;
    make_function(symbol);
    index_.assign(kernel_.axes.size(), number(0));
    fold_results_.resize(kernel_.folds.size());
    accumulators_.resize(kernel_.folds.size());
    totals_.resize(kernel_.folds.size());
    memo_.emplace_back();
    available_.push_back(0);
    aligned_ = alignment();
    llvm::Value* thread = special(in::nvvm_read_ptx_sreg_tid_x);
    rank_ = has_tile()   ? thread
            : has_team() ? ir.CreateURem(thread, number(grid_.team))
            : has_crew() ? ir.CreateUDiv(thread, number(grid_.units_of_block()))
                         : number(0);
    own_ = has_team() ? ir.CreateUDiv(thread, number(grid_.team)) : ir.CreateURem(thread, number(grid_.units_of_block()));
    llvm::Value* each = number(grid_.units_of_block());
    llvm::Value* of_block = ir.CreateMul(special(in::nvvm_read_ptx_sreg_ctaid_x), each);
    llvm::Value* step = ir.CreateMul(special(in::nvvm_read_ptx_sreg_nctaid_x), each);
    // A block with crews, or with teams that share warps, stays together, and so does one that puts rows together: a thread without a unit of its own
    // takes part in the last one, and stores nothing.
    const bool stays_together = has_crew() || grid_.staged || (has_team() && grid_.team < nest::Grid::warp);
    loop(stays_together ? of_block : ir.CreateAdd(of_block, own_), units_, step, "unit", [&](llvm::Value* at) {
        if (stays_together) {
            if (grid_.staged) first_of_warp_ = ir.CreateAdd(at, ir.CreateAnd(own_, number(-rows_of_warp())));
            at = ir.CreateAdd(at, own_);
            active_ = ir.CreateICmpSLT(at, units_);
            at = ir.CreateSelect(active_, at, ir.CreateSub(units_, number(1)));
        }
        place(at);
        unit();
    });
    stay_rolled();
    ir.CreateRetVoid();
}

void GridEmitter::loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const char* name, const std::function<void(llvm::Value*)>& body) {
    auto& ir = b_.ir;
    BasicBlock* before = ir.GetInsertBlock();
    BasicBlock* inside = BasicBlock::Create(ir.getContext(), name, function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), std::string(name) + ".end", function_);
    ir.CreateCondBr(ir.CreateICmpSLT(begin, end), inside, after);
    ir.SetInsertPoint(inside);
    llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2, name);
    index->addIncoming(begin, before);
    body(index);
    llvm::Value* next = ir.CreateAdd(index, step, "", true, true);
    index->addIncoming(next, ir.GetInsertBlock());
    ir.CreateCondBr(ir.CreateICmpSLT(next, end), inside, after);
    ir.SetInsertPoint(after);
}

// The loop that was closed last: its turns don't load side by side, as each ends with a look at whether there is another one.
void GridEmitter::stay_rolled() {
    llvm::LLVMContext& context = b_.ir.getContext();
    annotate_loop(llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable")));
}

void GridEmitter::take_turns_together(int turns) {
    llvm::LLVMContext& context = b_.ir.getContext();
    llvm::Metadata* count = llvm::ConstantAsMetadata::get(b_.ir.getInt32(static_cast<std::uint32_t>(turns)));
    annotate_loop(llvm::MDNode::get(context, {llvm::MDString::get(context, unroll_count), count}));
}

void GridEmitter::annotate_loop(llvm::MDNode* note) {
    llvm::MDNode* notes = llvm::MDNode::getDistinct(b_.ir.getContext(), {nullptr, note});
    notes->replaceOperandWith(0, notes);  // by which LLVM tells loops apart
    for (BasicBlock* from : llvm::predecessors(b_.ir.GetInsertBlock())) from->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, notes);
}

void GridEmitter::if_so(llvm::Value* condition, const char* name, const std::function<void()>& body) {
    auto& ir = b_.ir;
    BasicBlock* inside = BasicBlock::Create(ir.getContext(), name, function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), std::string(name) + ".end", function_);
    ir.CreateCondBr(condition, inside, after);
    ir.SetInsertPoint(inside);
    enter(0);
    body();
    leave();
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
}

// Divisions of 64 bits take about 100 instructions, so units that are known to be few are divided as 32 bits.
llvm::Value* GridEmitter::quotient(llvm::Value* x, llvm::Value* y) {
    auto& ir = b_.ir;
    const bool is_short = grid_.units.is_constant() && grid_.units.value() < INT32_MAX;
    if (!is_short) return ir.CreateUDiv(x, y);
    return ir.CreateZExt(ir.CreateUDiv(ir.CreateTrunc(x, ir.getInt32Ty()), ir.CreateTrunc(y, ir.getInt32Ty())), ir.getInt64Ty());
}

// The outer indices of a unit: the last outer axis is the fastest, but where lanes run along an outer axis theirs is.
void GridEmitter::place(llvm::Value* unit) {
    auto& ir = b_.ir;
    std::vector<std::pair<std::size_t, llvm::Value*>> order;
    for (std::size_t a = 0; a < outer_; ++a) {
        if (static_cast<int>(a) == grid_.lane) continue;
        order.emplace_back(a, units_along(static_cast<int>(a)));
    }
    if (grid_.lane >= 0 && !is_inner(grid_.lane)) order.emplace_back(static_cast<std::size_t>(grid_.lane), units_along(grid_.lane));
    for (std::size_t i = order.size(); i-- > 0;) {
        if (i == 0) {
            index_[order[i].first] = unit;
            break;
        }
        llvm::Value* rest = quotient(unit, order[i].second);
        index_[order[i].first] = ir.CreateSub(unit, ir.CreateMul(rest, order[i].second));
        unit = rest;
    }
    for (const auto& [axis, count] : order) {
        // The steps that are left over are done one by one, which takes longer: so they are first.
        if (static_cast<int>(axis) == grid_.unroll_axis) index_[axis] = ir.CreateSub(ir.CreateSub(count, number(1)), index_[axis]);
        if (const int each = grid_.steps_of(static_cast<int>(axis)); each > 1) index_[axis] = ir.CreateMul(index_[axis], number(each));
        if (const int before = grid_.shift_of(static_cast<int>(axis)); before > 0) index_[axis] = ir.CreateSub(index_[axis], number(before));
    }
}

// How many units an outer axis is divided into.
llvm::Value* GridEmitter::units_along(int axis) {
    llvm::Value* extent = size(kernel_.axes[static_cast<std::size_t>(axis)].extent);
    const int each = grid_.steps_of(axis), more = each - 1 + grid_.shift_of(axis), together = grid_.units_together(axis);
    if (more > 0) extent = b_.ir.CreateAdd(extent, number(more));
    llvm::Value* units = each == 1 ? extent : b_.ir.CreateUDiv(extent, number(each));
    return together == 1 ? units : b_.ir.CreateAnd(b_.ir.CreateAdd(units, number(together - 1)), number(-together));
}

void GridEmitter::unit() {
    std::uint32_t known = 0;
    for (std::size_t a = 0; a < outer_; ++a) known |= is_taken_apart(static_cast<int>(a)) ? 0U : 1U << a;
    if (grid_.held > 0) {
        known |= 1U << grid_.lane;
        index_[static_cast<std::size_t>(grid_.lane)] = b_.ir.CreateMul(rank_, number(grid_.width));
        lanes_ = grid_.width;
        parts_ = grid_.held;
        if (is_rest(parts_ - 1)) find_rest();
    }
    enter(known);
    hoist(all_roots());
    if (has_tile()) tile();
    else if (grid_.lane >= 0 && !is_inner(grid_.lane)) own_points();
    else outer_point();
    leave();
}

// The outer points of a vector of lanes, and of the steps that are unrolled: side by side if all are there and memory is aligned, else one after the
// other.
void GridEmitter::own_points() {
    auto& ir = b_.ir;
    const std::uint32_t own = 1U << grid_.lane | (grid_.unroll_axis >= 0 ? 1U << grid_.unroll_axis : 0U);
    llvm::Value*& index = index_[static_cast<std::size_t>(grid_.lane)];
    llvm::Value* begin = index;
    llvm::Value* extent = size(kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent);
    llvm::Value* end = ir.CreateAdd(begin, number(grid_.width));
    const auto points = [&](int lanes, int parts) {
        lanes_ = lanes;
        parts_ = parts;
        enter(own);
        outer_point();
        leave();
        lanes_ = parts_ = 1;
    };
    const auto one_by_one = [&](llvm::Value* from) {
        if (grid_.shift > 0) from = ir.CreateBinaryIntrinsic(in::smax, from, number(0));
        loop(from, ir.CreateBinaryIntrinsic(in::smin, end, extent), number(1), "element", [&](llvm::Value* at) {
            index = at;
            points(1, 1);
        });
    };
    const bool has_vectors = grid_.width > 1 && aligned_ != nullptr;
    if (has_crew() && grid_.width == 1) return points(1, 1);
    if (has_crew()) return if_aligned([&] { points(grid_.width, 1); }, [&] { one_by_one(begin); });  // all threads the same way: they meet there
    const int lanes = has_vectors ? grid_.width : 1;
    const shape::Dim length = kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent;
    const int together = grid_.width * grid_.units_together(grid_.lane);
    const bool has_rest = together > 1 && (!length.is_constant() || (length.value() + grid_.shift) % together != 0);
    llvm::Value* whole = has_vectors ? aligned_ : ir.getTrue();
    const auto and_so = [&](llvm::Value* condition) { whole = llvm::isa<llvm::ConstantInt>(whole) ? condition : ir.CreateAnd(whole, condition); };
    if (has_rest) and_so(ir.CreateICmpSLE(end, extent));
    if (grid_.shift > 0) and_so(ir.CreateICmpSGE(begin, number(0)));
    const auto one_step = [&] {
        if (!has_vectors) return one_by_one(begin);
        if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(whole); known != nullptr && known->isOne()) return points(lanes, 1);
        const auto rest = [&] {
            b_.is_rare = llvm::isa<llvm::ConstantInt>(aligned_);  // less than a vector: its code is best short
            one_by_one(begin);
            if (b_.is_rare) stay_rolled();
            b_.is_rare = false;
        };
        either_way(whole, [&] { points(lanes, 1); }, rest);
    };
    if (grid_.unroll == 1) return one_step();
    llvm::Value*& step = index_[static_cast<std::size_t>(grid_.unroll_axis)];
    llvm::Value* first = step;
    llvm::Value* last = ir.CreateAdd(first, number(grid_.unroll));
    llvm::Value* steps = size(kernel_.axes[static_cast<std::size_t>(grid_.unroll_axis)].extent);
    const bool is_never = lanes == 1 && grid_.width > 1;  // vectors that can't be aligned are taken apart
    llvm::Value* all = is_never ? ir.getFalse() : ir.CreateAnd(whole, ir.CreateICmpSLE(last, steps));
    if (!is_never) if_so(all, "steps", [&] { points(lanes, grid_.unroll); });
    loop(ir.CreateSelect(all, last, first), ir.CreateBinaryIntrinsic(in::smin, last, steps), number(1), "step", [&](llvm::Value* at) {
        step = at;
        one_step();
    });
}

void GridEmitter::outer_point() {
    enter(0);
    for (const nest::Stage& each : kernel_.stages) stage(each);
    available_.back() |= nest::depends_on_folds;
    if (grid_.held > 0) lanes_ = parts_ = 1;
    if (llvm::Value* stores = stores_outer(); stores == nullptr) store(kernel_.outer_stores);
    else if (!kernel_.outer_stores.empty()) if_so(stores, "first", [&] { store(kernel_.outer_stores); });
    leave();
}

// Whether this thread does the outer stores: of several that fold together, the first; null where all do.
llvm::Value* GridEmitter::stores_outer() {
    if (!has_team() && !has_crew()) return active_;
    llvm::Value* is_first = b_.ir.CreateICmpEQ(rank_, number(0));
    return active_ == nullptr ? is_first : b_.ir.CreateAnd(is_first, active_);
}

void GridEmitter::stage(const nest::Stage& stage) {
    if (grid_.held > 0 && stage.folds.empty() && stage.keeps.empty()) return store_held(stage);
    reset(stage);
    hoist(roots_of(stage));
    inner_loops(stage, outer_);
    finish(stage);
}

void GridEmitter::inner_range(int axis, llvm::Value*& begin, llvm::Value*& end) {
    begin = number(0);
    end = size(kernel_.axes[static_cast<std::size_t>(axis)].extent);
    if (kernel_.block == 0 || static_cast<std::size_t>(axis) != outer_) return;
    begin = b_.ir.CreateMul(index_[0], number(kernel_.block));
    end = b_.ir.CreateBinaryIntrinsic(in::smin, b_.ir.CreateAdd(begin, number(kernel_.block)), size(kernel_.blocked_extent));
}

// All inner axes but the lanes', which is the innermost.
void GridEmitter::inner_loops(const nest::Stage& stage, std::size_t level) {
    if (static_cast<int>(level) == grid_.lane) return inner_loops(stage, level + 1);
    if (level >= kernel_.axes.size()) {
        if (has_team() && grid_.held == 0) team_lanes(stage);
        else inner_point(stage);
        return;
    }
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    inner_range(static_cast<int>(level), begin, end);
    const bool shared = has_crew() && level == outer_;
    if (shared) begin = b_.ir.CreateAdd(begin, rank_);
    const std::int64_t step = shared ? grid_.crew : 1;
    const auto steps = [&](llvm::Value* from, llvm::Value* to) {
        loop(from, to, number(step), "serial", [&](llvm::Value* at) {
            index_[level] = at;
            enter(1U << level);
            hoist(roots_of(stage));
            inner_loops(stage, level + 1);
            leave();
        });
        if (level + 1 == kernel_.axes.size() && grid_.inner_steps > 1) take_turns_together(grid_.inner_steps);
    };
    if (flushes_of_chunks(stage)) in_chunks(stage, begin, end, step, steps);
    else steps(begin, end);
}

// The lanes of a team, a vector a thread; what is left, or not aligned, an element a thread.
void GridEmitter::team_lanes(const nest::Stage& stage) {
    auto& ir = b_.ir;
    const std::uint32_t lane = 1U << grid_.lane;
    llvm::Value*& index = index_[static_cast<std::size_t>(grid_.lane)];
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    inner_range(grid_.lane, begin, end);
    const auto points = [&](llvm::Value* from, llvm::Value* to, int copies) {
        llvm::Value* first = ir.CreateAdd(from, ir.CreateMul(rank_, number(copies)));
        loop(first, to, number(static_cast<std::int64_t>(grid_.team) * copies), "lanes", [&](llvm::Value* at) {
            index = at;
            lanes_ = copies;
            enter(lane);
            inner_point(stage);
            leave();
            lanes_ = 1;
        });
    };
    llvm::Value* rest = begin;
    if (grid_.width > 1 && aligned_ != nullptr) {
        llvm::Value* length = ir.CreateSub(end, begin);
        llvm::Value* whole = ir.CreateSub(length, ir.CreateURem(length, number(grid_.width)));
        rest = ir.CreateSelect(aligned_, ir.CreateAdd(begin, whole), begin);
        points(begin, rest, grid_.width);
    }
    points(rest, end, 1);
}

void GridEmitter::if_active(const std::function<void()>& body) {
    if (active_ == nullptr) body();
    else if_so(active_, "active", body);
}

void GridEmitter::inner_point(const nest::Stage& stage) {
    accumulate(stage);
    for (const auto& [row, value] : stage.keeps) {
        for (int copy = 0; copy < copies(); ++copy) keep(row, eval(value, copy), copy);
    }
    if (!stage.stores.empty()) if_active([&] { store(stage.stores); });
    flush_now_and_then(stage);
}

std::vector<nest::ExprId> GridEmitter::roots_of(const nest::Stage& stage) const {
    std::vector<nest::ExprId> roots;
    for (const int number : stage.folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(number)];
        const std::vector<nest::ExprId> factors = factors_of(fold);
        if (factors.empty()) roots.push_back(fold.value);
        roots.insert(roots.end(), factors.begin(), factors.end());
    }
    for (const auto& keep : stage.keeps) roots.push_back(keep.second);
    for (const nest::Store& store : stage.stores) roots.push_back(store.value);
    return roots;
}

// But what depends on folds, which is not known before the stages have run.
std::vector<nest::ExprId> GridEmitter::all_roots() const {
    std::vector<nest::ExprId> roots;
    for (const nest::Store& store : kernel_.outer_stores) roots.push_back(store.value);
    for (const nest::Stage& stage : kernel_.stages) {
        for (const nest::ExprId root : roots_of(stage)) roots.push_back(root);
    }
    std::erase_if(roots, [&](nest::ExprId root) { return (depends_[root] & nest::depends_on_folds) != 0; });
    return roots;
}

llvm::Value* GridEmitter::index_of(int axis, int copy) {
    const bool is_of_rest = axis == grid_.lane && is_rest(part_of(copy));
    llvm::Value* index = is_of_rest ? rest_index_ : index_[static_cast<std::size_t>(axis)];
    const int held = grid_.held > 0 && !is_of_rest ? part_of(copy) * grid_.team * grid_.width : 0;  // of all a team's threads, vector by vector
    int step = axis == grid_.lane ? lane_of(copy) + held : axis == grid_.unroll_axis ? part_of(copy) : 0;
    if (has_tile()) step += axis == grid_.lane ? lanes_on(part_of(copy)) : axis == grid_.tile.across ? steps_on(part_of(copy)) : 0;
    return step == 0 ? index : b_.ir.CreateAdd(index, number(step), "", true, true);
}

// Computes here what the loop about to be entered needs and does not change.
void GridEmitter::hoist(const std::vector<nest::ExprId>& roots) {
    std::vector<bool> needed(kernel_.exprs.size(), false);
    for (const nest::ExprId root : roots) needed[root] = true;
    const auto is_ready = [&](std::size_t id) { return (depends_[id] & ~available_.back() & ~nest::depends_on_folds) == 0; };
    for (std::size_t i = kernel_.exprs.size(); i-- > 0;) {
        if (!needed[i] || is_ready(i)) continue;
        for (const nest::ExprId arg : kernel_.exprs[i].args) needed[arg] = true;
    }
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        if (!needed[i] || !is_ready(i)) continue;
        for (int copy = 0; copy < copies(); ++copy) {
            if (copy == first_equal(i, copy)) eval(i, copy);
        }
    }
}

Value GridEmitter::eval(nest::ExprId id, int copy) {
    const std::pair<nest::ExprId, int> key{id, first_equal(id, copy)};
    for (auto scope = memo_.rbegin(); scope != memo_.rend(); ++scope) {
        const auto found = scope->find(key);
        if (found != scope->end()) return found->second;
    }
    const AtLine at = b_.at(kernel_.line_of(id));
    const Value value = compute(id, key.second);
    memo_.back().emplace(key, value);
    return value;
}

Value GridEmitter::compute(nest::ExprId id, int copy) {
    const nest::Expr& expr = kernel_.exprs[id];
    auto& ir = b_.ir;
    using Kind = nest::Expr::Kind;
    switch (expr.kind) {
        case Kind::load:
            if (const int tile = tile_of_load(id); tile >= 0) return load_of_tile(static_cast<std::size_t>(tile), place_of(copy));
            return expr.args.empty() ? load(id, copy) : guarded_load(expr.access, copy, eval(expr.args[0], copy).re);
        case Kind::gather: return gather(id, copy);
        case Kind::inside: return inside(expr, copy);
        case Kind::constant: return b_.constant(expr.scalar, expr.dtype);
        case Kind::extent: return {&b_, Dtype::int64, size(expr.offset), nullptr};
        case Kind::index: {
            llvm::Value* at = index_of(expr.number, copy);
            return {&b_, Dtype::int64, ir.CreateAdd(size(expr.offset), ir.CreateMul(number(expr.step), at)), nullptr};
        }
        case Kind::map: {
            llvm::SmallVector<Value, 3> args;
            for (const nest::ExprId arg : expr.args) args.push_back(eval(arg, copy));
            return b_.map(expr.op, expr.compute, expr.dtype, args);
        }
        case Kind::fold: {
            const Copies& results = fold_results_[static_cast<std::size_t>(expr.number)];
            return results[static_cast<std::size_t>(copy) < results.size() ? static_cast<std::size_t>(copy) : 0];
        }
        case Kind::scratch: return load_kept(expr.number, expr.dtype, copy);
    }
    throw InternalError("unknown loop expression of a GPU's kernel");
}

void emit_grid(const nest::Kernel& kernel, const nest::Grid& grid, llvm::Module& module, const std::string& symbol) {
    GridEmitter(kernel, grid, module).run(symbol);
}

}  // namespace fastnp::codegen
