// The state of one kernel's emission. memory.cpp has loads and stores, emit.cpp the loops, fold.cpp the reductions.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "codegen/emit.h"
#include "codegen/value.h"

namespace fastnp::codegen {

class Emitter {
public:
    Emitter(const nest::Kernel& kernel, const nest::Schedule& schedule, const Machine& machine, llvm::Module& module);
    void run(const std::string& symbol);
    const std::map<std::string, External>& externals() const { return b_.externals; }

private:
    using Body = std::function<void(llvm::Value*)>;
    using Copies = std::vector<Value>;

    // Loops (emit.cpp).
    llvm::Value* number(std::int64_t value) { return b_.ir.getInt64(static_cast<std::uint64_t>(value)); }
    llvm::Value* size(shape::Dim dim);
    void loop(llvm::Value* begin, llvm::Value* end, std::int64_t step, const char* name, const Body& body);
    /// Lanes over [begin, end) of the lane axis, `copies` vectors a step where they fit, then one by one under a mask.
    void lane_loop(llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body);
    void masked_lanes(llvm::Value* at, llvm::Value* end, int copies, const std::function<void()>& body);
    llvm::Value* lanes_up_to_alignment(llvm::Value* begin, llvm::Value* end);
    /// Steps of a serial axis, `copies` at a time where they fit, then one by one.
    void serial_loop(int axis, llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body);
    void unit();
    void unit_over_lane_block();
    void outer_point();
    void tiled(llvm::Value* begin, llvm::Value* end);
    void stage(const nest::Stage& stage);
    void inner_loops(const nest::Stage& stage, std::size_t level);
    void lane_part(const nest::Stage& stage);
    void inner_point(const nest::Stage& stage);
    void inner_range(int axis, llvm::Value*& begin, llvm::Value*& end);
    void outer_stores();
    bool unrolled_along(int axis) const { return schedule_.unroll_axis == axis && schedule_.unroll > 1; }

    // Expressions.
    Value eval(nest::ExprId id, int copy);
    Value compute(nest::ExprId id, int copy);
    /// Computes here what the loop about to be entered needs and does not change.
    void hoist(const std::vector<nest::ExprId>& roots);
    std::vector<nest::ExprId> roots_of(const nest::Stage& stage) const;
    void enter(std::uint32_t axes) {
        memo_.emplace_back();
        available_.push_back(available_.back() | axes);
    }
    void leave() {
        memo_.pop_back();
        available_.pop_back();
    }

    // Memory (memory.cpp).
    llvm::Value* index_of(int axis, int copy);
    llvm::Value* address(const nest::Access& access, int copy);
    Value load(const nest::Access& access, int copy);
    /// Where `guard` is true; other elements are any.
    Value guarded_load(const nest::Access& access, int copy, llvm::Value* guard);
    Value inside(const nest::Expr& expr, int copy);
    void store(const nest::Access& access, Value value, int copy);
    llvm::Value* scratch_address(int row, int copy);
    Value load_at(llvm::Value* address, Dtype dtype, llvm::Value* stride, bool vector);
    void store_at(llvm::Value* address, Value value, llvm::Value* stride, bool vector);
    llvm::Value* lane_stride(const nest::Access& access, bool& varies);
    llvm::Value* lane_pointers(llvm::Value* address, llvm::Value* stride);

    // Folds (fold.cpp).
    struct Accumulator {
        llvm::Value* re = nullptr;  // allocas
        llvm::Value* im = nullptr;
    };
    struct Cascade {
        llvm::Value* stack_re = nullptr;
        llvm::Value* stack_im = nullptr;
    };
    Value identity(const nest::Fold& fold);
    Accumulator make_accumulator(Dtype dtype);
    Value read(const Accumulator& accumulator, Dtype dtype);
    void write(const Accumulator& accumulator, const Value& value);
    void reset(const nest::Stage& stage);
    void accumulate(const nest::Stage& stage);
    Value combine(const nest::Fold& fold, const Value& x, const Value& y);
    Value merged_copies(int fold);
    Value across_lanes(const nest::Fold& fold, Value value);
    bool cascades(const nest::Stage& stage) const;
    void start_cascade(const nest::Stage& stage);
    void flush(const nest::Stage& stage);
    Value finish_cascade(int fold);
    void finish(const nest::Stage& stage);

    const nest::Kernel& kernel_;
    const nest::Schedule& schedule_;
    const Machine& machine_;
    Builder b_;
    std::vector<std::uint32_t> depends_;
    std::size_t outer_ = 0;

    llvm::Function* function_ = nullptr;
    llvm::Value* sizes_argument_ = nullptr;
    llvm::Value* scratch_argument_ = nullptr;
    std::vector<llvm::Value*> bases_;
    std::map<std::int64_t, llvm::Value*> size_values_;

    std::vector<llvm::Value*> index_;  // per axis, of copy 0
    llvm::Value* mask_ = nullptr;      // lanes in use; null: all
    llvm::AllocaInst* harmless_ = nullptr;  // an element to be read in place of one that is not there
    int copies_ = 1;
    std::vector<std::map<std::pair<nest::ExprId, int>, Value>> memo_;
    std::vector<std::uint32_t> available_;

    std::vector<std::vector<Accumulator>> accumulators_;  // [fold][copy]
    std::vector<Cascade> cascades_;
    std::vector<Accumulator> totals_;
    llvm::Value* flushes_ = nullptr;
    std::vector<Copies> fold_results_;
};

}  // namespace fastnp::codegen
