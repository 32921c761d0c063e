// Folds of the GPU's emitter. A thread keeps an accumulator for each element of its vector; sums of many steps are added up in two levels. A team's
// threads meet by exchanging values within a warp, then, if it has several, by the block's shared memory; the order is fixed, so results are, too.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <limits>

#include "codegen/folds.h"
#include "codegen/grid_emitter.h"

namespace fastnp::codegen {

namespace in = llvm::Intrinsic;

namespace {

constexpr int warp = nest::Grid::warp;
constexpr std::int64_t flush_steps = 64;  // that are added up before they join the total

}  // namespace

GridEmitter::Accumulator GridEmitter::make_accumulator(Dtype dtype) {
    llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
    llvm::Type* type = b_.element_type(dtype);
    return {at.CreateAlloca(type), is_complex(dtype) ? at.CreateAlloca(type) : nullptr};
}

Value GridEmitter::read(const Accumulator& from, Dtype dtype) {
    const auto part = [&](llvm::AllocaInst* slot) { return slot == nullptr ? nullptr : b_.ir.CreateLoad(slot->getAllocatedType(), slot); };
    return {&b_, dtype, part(from.re), part(from.im)};
}

void GridEmitter::write(const Accumulator& to, const Value& value) {
    b_.ir.CreateStore(value.re, to.re);
    if (to.im != nullptr) b_.ir.CreateStore(value.im, to.im);
}

// Sums whose order matters, and that a thread takes many steps for, or an unknown number.
bool GridEmitter::has_totals(const nest::Fold& fold) const {
    if (!rounds(fold)) return false;
    std::int64_t steps = 1;
    for (std::size_t a = outer_; a < kernel_.axes.size(); ++a) {
        const bool blocked = kernel_.block != 0 && a == outer_;
        const shape::Dim extent = kernel_.axes[a].extent;
        if (!blocked && !extent.is_constant()) return true;
        steps *= blocked ? kernel_.block : extent.value();
    }
    const int each = has_team() ? grid_.width * std::max(grid_.held, 1) : 1;  // accumulators of a thread for an outer point
    return steps > flush_steps * grid_.team * grid_.crew * each;
}

void GridEmitter::reset(const nest::Stage& stage) {
    bool any = false;
    for (const int f : stage.folds) {
        const auto number = static_cast<std::size_t>(f);
        const nest::Fold& fold = kernel_.folds[number];
        const int copies = has_team() && grid_.held == 0 ? grid_.width : this->copies();
        const auto start = [&](std::vector<Accumulator>& all) {
            while (all.size() < static_cast<std::size_t>(copies)) all.push_back(make_accumulator(fold.dtype));
            for (const Accumulator& each : all) write(each, identity_of(b_, fold));
        };
        start(accumulators_[number]);
        if (!has_totals(fold)) continue;
        start(totals_[number]);
        any = true;
    }
    if (!any || flushes_of_chunks(stage)) return;
    if (steps_ == nullptr) {
        llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
        steps_ = at.CreateAlloca(at.getInt64Ty());
    }
    b_.ir.CreateStore(number(0), steps_);
}

// The two factors of a product that is summed in an order that is not NumPy's anyway: it is added without being rounded before. Else none.
std::vector<nest::ExprId> GridEmitter::factors_of(const nest::Fold& fold) const {
    const nest::Expr& value = kernel_.exprs[fold.value];
    if (!rounds(fold) || !(has_team() || has_crew() || has_totals(fold))) return {};
    if (fold.dtype != Dtype::float32 && fold.dtype != Dtype::float64) return {};
    if (value.kind != nest::Expr::Kind::map || (value.op != ir::Op::multiply && value.op != ir::Op::square)) return {};
    const auto is_of_its_dtype = [&](nest::ExprId arg) { return kernel_.exprs[arg].dtype == fold.dtype; };
    if (value.compute != fold.dtype || value.dtype != fold.dtype || !std::ranges::all_of(value.args, is_of_its_dtype)) return {};
    return {value.args.front(), value.args.back()};
}

void GridEmitter::accumulate(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const AtLine at = b_.at(kernel_.line_of_fold(static_cast<std::size_t>(f)));
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        const std::vector<nest::ExprId> factors = factors_of(fold);
        for (int copy = 0; copy < copies(); ++copy) {
            const Accumulator& each = accumulators_[static_cast<std::size_t>(f)][holds_own_row() ? 0 : static_cast<std::size_t>(copy)];
            const Value before = read(each, fold.dtype);
            Value after;
            if (factors.empty()) {
                after = combine(b_, fold, before, eval(fold.value, copy));
            } else {
                llvm::Value* const x = eval(factors[0], copy).re;
                llvm::Value* const y = eval(factors[1], copy).re;
                after = {&b_, fold.dtype, b_.ir.CreateIntrinsic(in::fma, {x->getType()}, {x, y, before.re}), nullptr};
            }
            if (is_rest(part_of(copy))) after = b_.select({&b_, Dtype::bool_, in_row_, nullptr}, after, before);
            write(each, after);
        }
    }
}

bool GridEmitter::has_totals(const nest::Stage& stage) const {
    return std::ranges::any_of(stage.folds, [&](int f) { return has_totals(kernel_.folds[static_cast<std::size_t>(f)]); });
}

// Whether the steps of a stage are those of one loop, which then has a loop around it for what is flushed: so its loads can be on their way side by side.
bool GridEmitter::flushes_of_chunks(const nest::Stage& stage) const {
    std::size_t loops = 0;
    for (std::size_t a = outer_; a < kernel_.axes.size(); ++a) loops += static_cast<int>(a) == grid_.lane ? 0 : 1;
    return loops == 1 && (!has_team() || grid_.held > 0) && has_totals(stage);
}

void GridEmitter::in_chunks(const nest::Stage& stage, llvm::Value* begin, llvm::Value* end, std::int64_t step,
                            const std::function<void(llvm::Value*, llvm::Value*)>& steps) {
    auto& ir = b_.ir;
    llvm::Value* const chunk = number(step * flush_steps);
    loop(begin, end, chunk, "chunk", [&](llvm::Value* from) {
        enter(0);
        steps(from, ir.CreateBinaryIntrinsic(in::smin, ir.CreateAdd(from, chunk), end));
        leave();
        flush(stage);
    });
}

void GridEmitter::flush_now_and_then(const nest::Stage& stage) {
    if (!has_totals(stage) || flushes_of_chunks(stage)) return;
    auto& ir = b_.ir;
    llvm::Value* steps = ir.CreateAdd(ir.CreateLoad(ir.getInt64Ty(), steps_), number(1));
    ir.CreateStore(steps, steps_);
    if_so(ir.CreateICmpEQ(ir.CreateAnd(steps, number(flush_steps - 1)), number(0)), "flush", [&] { flush(stage); });
}

void GridEmitter::flush(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const auto number = static_cast<std::size_t>(f);
        if (has_totals(kernel_.folds[number])) flush(kernel_.folds[number], number);
    }
}

void GridEmitter::flush(const nest::Fold& fold, std::size_t number) {
    const AtLine at = b_.at(kernel_.line_of_fold(number));
    for (std::size_t i = 0; i < totals_[number].size(); ++i) {
        write(totals_[number][i], combine(b_, fold, read(totals_[number][i], fold.dtype), read(accumulators_[number][i], fold.dtype)));
        write(accumulators_[number][i], identity_of(b_, fold));
    }
}

// A number of another thread of the warp, as words of 32 bits.
llvm::Value* GridEmitter::from_thread(llvm::Value* part, int distance) {
    auto& ir = b_.ir;
    llvm::Type* type = part->getType();
    const unsigned bits = type->getPrimitiveSizeInBits();
    const auto exchange = [&](llvm::Value* word) {
        return ir.CreateIntrinsic(in::nvvm_shfl_sync_bfly_i32, {},
                                  {ir.getInt32(0xffffffffU), word, ir.getInt32(static_cast<std::uint32_t>(distance)), ir.getInt32(31)});
    };
    llvm::Value* whole = type->isFloatingPointTy() ? ir.CreateBitCast(part, ir.getIntNTy(bits)) : part;
    if (bits <= 32) {
        llvm::Value* found = ir.CreateTrunc(exchange(ir.CreateZExt(whole, ir.getInt32Ty())), ir.getIntNTy(bits));
        return type->isFloatingPointTy() ? ir.CreateBitCast(found, type) : found;
    }
    llvm::Value* low = ir.CreateZExt(exchange(ir.CreateTrunc(whole, ir.getInt32Ty())), ir.getInt64Ty());
    llvm::Value* high = ir.CreateZExt(exchange(ir.CreateTrunc(ir.CreateLShr(whole, 32), ir.getInt32Ty())), ir.getInt64Ty());
    llvm::Value* found = ir.CreateOr(low, ir.CreateShl(high, 32));
    return type->isFloatingPointTy() ? ir.CreateBitCast(found, type) : found;
}

Value GridEmitter::from_thread(const Value& value, int distance) {
    return {&b_, value.dtype, from_thread(value.re, distance), value.im != nullptr ? from_thread(value.im, distance) : nullptr};
}

// All threads come to the same value: of two that differ by their order (maxima of zeros, or of NaNs), the lower thread's comes first.
Value GridEmitter::across_warp(const nest::Fold& fold, Value value) {
    const auto chooses = {ir::Op::maximum, ir::Op::minimum, ir::Op::fmax, ir::Op::fmin};
    const bool is_ordered = is_inexact(fold.dtype) && std::ranges::find(chooses, fold.combine) != chooses.end();
    for (int distance = std::min(warp, grid_.team) / 2; distance >= 1; distance /= 2) {
        Value first = value;
        Value second = from_thread(value, distance);
        if (is_ordered) {
            const Value is_upper{&b_, Dtype::bool_, b_.ir.CreateICmpNE(b_.ir.CreateAnd(rank_, number(distance)), number(0)), nullptr};
            const Value other = second;
            second = b_.select(is_upper, first, other);
            first = b_.select(is_upper, other, first);
        }
        value = combine(b_, fold, first, second);
    }
    return value;
}

// Shared memory for exchanging values: folds take turns in two places, where they are an odd number the last one has its own. So when a place is written
// again all threads have met for another fold since, and have read what was there; but where there is one fold alone.
llvm::GlobalVariable* GridEmitter::shared(std::size_t fold, int elements, int part) {
    const Dtype dtype = kernel_.folds[fold].dtype;
    std::size_t place = 0, count = 0;
    for (const nest::Stage& stage : kernel_.stages) {
        for (const int each : stage.folds) {
            if (static_cast<std::size_t>(each) == fold) place = count;
            ++count;
        }
    }
    place = count % 2 != 0 && place == count - 1 ? 2 : place % 2;
    llvm::Type* element = b_.element_type(dtype)->isIntegerTy(1) ? b_.ir.getInt8Ty() : b_.element_type(dtype);
    auto* type = llvm::ArrayType::get(element, static_cast<std::uint64_t>(elements));
    llvm::GlobalVariable*& made = shared_[{type, 2 * static_cast<int>(place) + part}];
    if (made != nullptr) return made;
    made = new llvm::GlobalVariable(b_.module, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type), "shared", nullptr,
                                    llvm::GlobalValue::NotThreadLocal, shared_memory);  // the module owns it
    made->setAlignment(llvm::Align(16));
    return made;
}

// Whether all threads have read what is where a fold puts its values: they have met for another fold since.
bool GridEmitter::is_read_by_now() const { return kernel_.folds.size() > 1; }

void GridEmitter::barrier() { b_.ir.CreateIntrinsic(in::nvvm_barrier0, {}, {}); }

// Values of a block's threads in its shared memory, between two barriers.
class SharedValues {
public:
    SharedValues(Builder& b, llvm::GlobalVariable* re, llvm::GlobalVariable* im, Dtype dtype) : b_(b), re_(re), im_(im), dtype_(dtype) {}

    void put(llvm::Value* at, const Value& value) {
        b_.ir.CreateStore(dtype_ == Dtype::bool_ ? b_.ir.CreateZExt(value.re, b_.ir.getInt8Ty()) : value.re, slot(re_, at));
        if (im_ != nullptr) b_.ir.CreateStore(value.im, slot(im_, at));
    }

    Value get(llvm::Value* at) {
        llvm::Value* raw = b_.ir.CreateLoad(re_->getValueType()->getArrayElementType(), slot(re_, at));
        if (dtype_ == Dtype::bool_) raw = b_.ir.CreateTrunc(raw, b_.ir.getInt1Ty());
        return {&b_, dtype_, raw, im_ == nullptr ? nullptr : b_.ir.CreateLoad(im_->getValueType()->getArrayElementType(), slot(im_, at))};
    }

private:
    llvm::Value* slot(llvm::GlobalVariable* memory, llvm::Value* at) {
        return b_.ir.CreateInBoundsGEP(memory->getValueType(), memory, {b_.ir.getInt64(0), at});
    }
    Builder& b_;
    llvm::GlobalVariable *re_, *im_;
    Dtype dtype_;
};

// Each warp's value into shared memory, then all of them by every thread.
Value GridEmitter::across_team(std::size_t number_of_fold, const Value& value) {
    auto& ir = b_.ir;
    const nest::Fold& fold = kernel_.folds[number_of_fold];
    const int warps = grid_.team / warp;
    llvm::Value* number_of_warp = ir.CreateUDiv(rank_, number(warp));
    llvm::Value* is_first = ir.CreateICmpEQ(ir.CreateURem(rank_, number(warp)), number(0));
    SharedValues values(b_, shared(number_of_fold, warps, 0), value.im != nullptr ? shared(number_of_fold, warps, 1) : nullptr, fold.dtype);
    if (!is_read_by_now()) barrier();
    if_so(is_first, "warp", [&] { values.put(number_of_warp, value); });
    barrier();
    Copies all;
    for (int each = 0; each < warps; ++each) all.push_back(values.get(number(each)));
    return pairwise(b_, fold, std::move(all));
}

// The values of all threads of a crew, for each of them.
GridEmitter::Copies GridEmitter::across_crew(std::size_t number_of_fold, const Copies& own) {
    auto& ir = b_.ir;
    const nest::Fold& fold = kernel_.folds[number_of_fold];
    const int lanes = grid_.units_of_block(), elements = grid_.block * static_cast<int>(own.size());
    llvm::Value* thread = special(in::nvvm_read_ptx_sreg_tid_x);
    llvm::Value* lane = ir.CreateURem(thread, number(lanes));
    SharedValues values(b_, shared(number_of_fold, elements, 0), own[0].im != nullptr ? shared(number_of_fold, elements, 1) : nullptr, fold.dtype);
    const auto place = [&](llvm::Value* of_thread, std::size_t copy) {
        return ir.CreateAdd(of_thread, number(static_cast<std::int64_t>(copy) * grid_.block));
    };
    if (!is_read_by_now()) barrier();
    for (std::size_t copy = 0; copy < own.size(); ++copy) values.put(place(thread, copy), own[copy]);
    barrier();
    Copies results;
    for (std::size_t copy = 0; copy < own.size(); ++copy) {
        Copies all;
        for (int each = 0; each < grid_.crew; ++each) {
            all.push_back(values.get(place(ir.CreateAdd(lane, number(static_cast<std::int64_t>(each) * lanes)), copy)));
        }
        results.push_back(pairwise(b_, fold, std::move(all)));
    }
    return results;
}

void GridEmitter::finish(const nest::Stage& stage) {
    for (const int f : stage.folds) {
        const auto number = static_cast<std::size_t>(f);
        const AtLine at = b_.at(kernel_.line_of_fold(number));
        const nest::Fold& fold = kernel_.folds[number];
        if (has_totals(fold)) flush(fold, number);
        const std::vector<Accumulator>& from = has_totals(fold) ? totals_[number] : accumulators_[number];
        Copies results;
        const std::size_t copies = has_team() ? from.size() : holds_own_row() ? 1 : static_cast<std::size_t>(this->copies());
        for (std::size_t copy = 0; copy < copies; ++copy) results.push_back(read(from[copy], fold.dtype));
        if (has_team()) {
            Value value = across_warp(fold, pairwise(b_, fold, std::move(results)));
            if (grid_.team > warp) value = across_team(number, value);
            results = {value};
        }
        if (has_crew()) results = across_crew(number, results);
        fold_results_[number] = std::move(results);
    }
}

}  // namespace fastnp::codegen
