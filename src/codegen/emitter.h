// The state of one kernel's emission. memory.cpp has loads and stores, emit.cpp the loops, borders.cpp
// those around guards, fold.cpp and tiles.cpp the reductions.
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
    using Copies = std::vector<Value>;  // by number

    // Loops (emit.cpp).
    llvm::Value* number(std::int64_t value) { return b_.ir.getInt64(static_cast<std::uint64_t>(value)); }
    llvm::Value* size(shape::Dim dim);
    void loop(llvm::Value* begin, llvm::Value* end, std::int64_t step, const char* name, const Body& body);
    /// Lanes over [begin, end) of the lane axis, `copies` vectors a step where they fit, then one by one under a mask.
    void lane_loop(llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body);
    void whole_lanes(llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body);
    void masked_lanes(llvm::Value* at, llvm::Value* end, int copies, const std::function<void()>& body);
    llvm::Value* aligned_lanes(llvm::Value* begin, llvm::Value* end);
    llvm::Value* lanes_up_to_alignment(llvm::Value* begin, llvm::Value* end);
    /// Steps of a serial axis, `copies` at a time where they fit, then one by one.
    void serial_loop(int axis, llvm::Value* begin, llvm::Value* end, int copies, const std::function<void()>& body);
    void unit();
    void unit_over_lane_block(const std::vector<nest::ExprId>& roots);
    void outer_point();
    void stage(const nest::Stage& stage);
    void inner_loops(const nest::Stage& stage, std::size_t level);
    void lane_part(const nest::Stage& stage);
    void inner_point(const nest::Stage& stage);
    void inner_range(int axis, llvm::Value*& begin, llvm::Value*& end);
    void stores(const std::vector<nest::Store>& all, int parts);
    bool unrolled_along(int axis) const { return schedule_.unroll_axis == axis && schedule_.unroll > 1; }

    // What is computed side by side: a part for each step of the jammed axis, and in it `copies_` steps of the unrolled one. Both together are a
    // copy's number, which stays the same where fewer steps are left.
    int copy_of(int part, int step) const { return part * schedule_.unroll + step; }
    int part_of(int copy) const { return copy / schedule_.unroll; }
    int step_of(int copy) const { return copy % schedule_.unroll; }
    bool varies_along(nest::ExprId id, int axis) const { return axis >= 0 && (depends_[id] >> axis & 1U) != 0; }
    /// The copy that stands for all with the same value.
    int first_equal(nest::ExprId id, int copy) const {
        return copy_of(varies_along(id, schedule_.jam_axis) ? part_of(copy) : 0, varies_along(id, schedule_.unroll_axis) ? step_of(copy) : 0);
    }
    std::vector<int> copies() const;
    /// Numbers of copies that are outer points, or steps of one.
    std::size_t copy_count() const { return static_cast<std::size_t>(outer_parts()) * static_cast<std::size_t>(schedule_.unroll); }
    /// Parts that are outer points of their own; those along an inner axis are folded into one.
    int outer_parts() const { return schedule_.jam_axis < static_cast<int>(outer_) ? schedule_.jam : 1; }

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

    // Points around which all guards hold, and those at the borders (borders.cpp).
    static constexpr std::size_t all_guarded = static_cast<std::size_t>(-1);
    bool has_borders() const;
    bool holds_inside(const nest::Expr& expr) const;
    void find_guarded();
    std::pair<llvm::Value*, llvm::Value*> lanes_inside(llvm::Value* begin, llvm::Value* end);
    void unit_with_borders(llvm::Value* begin, llvm::Value* end, const std::vector<nest::ExprId>& roots);
    static bool is_true(llvm::Value* condition) {
        const auto* known = llvm::dyn_cast<llvm::Constant>(condition);
        return known != nullptr && known->isAllOnesValue();
    }

    // Memory (memory.cpp).
    llvm::Value* index_of(int axis, int copy);
    llvm::Value* address(const nest::Access& access, int copy);
    Value load(const nest::Access& access, int copy);
    int lane_spacing(const nest::Access& access) const;
    int elements_together(const nest::Access& access) const;
    struct Beside {
        nest::ExprId id;
        int element;
    };
    std::vector<Beside> loads_beside(nest::ExprId id, int spacing) const;
    Value spaced_load(nest::ExprId id, int copy, int spacing);
    bool lies_like_results(const nest::Access& access) const;
    /// From vectors that are loaded for others' sake, where these are aligned and its own would lie over two lines; missing elsewhere.
    Value shifted_load(nest::ExprId id, int copy);
    /// Where `guard` is true; other elements are any.
    Value guarded_load(const nest::Access& access, int copy, llvm::Value* guard);
    Value inside(const nest::Expr& expr, int copy);
    /// The values of all parts of a step.
    void store(const nest::Access& access, const Copies& parts, int step);
    void spaced_store(const nest::Access& access, const Copies& parts, int step);
    llvm::Value* scratch_address(int row, int copy);
    llvm::Value* off_the_end(llvm::Type* element, llvm::Value* first);
    Value load_at(llvm::Value* address, Dtype dtype, llvm::Value* stride, bool vector);
    void store_vector(llvm::Value* raw, llvm::Value* address, Dtype dtype);
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
    Accumulator make_accumulator(Dtype dtype);
    Value read(const Accumulator& accumulator, Dtype dtype);
    void write(const Accumulator& accumulator, const Value& value);
    void reset(const nest::Stage& stage);
    void accumulate(const nest::Stage& stage);
    Value merged_copies(int fold, int part);
    Value value_of(const nest::Fold& fold, int part, int step);
    Value across_lanes(const nest::Fold& fold, Value value);
    bool cascades(const nest::Stage& stage) const;
    void start_cascade(const nest::Stage& stage);
    void flush(const nest::Stage& stage);
    Value finish_cascade(int fold, int part);
    void finish(const nest::Stage& stage);

    // Folds whose accumulators lie in memory (tiles.cpp).
    struct Tile {
        const nest::Fold& fold;
        int number;
        int part;
        llvm::Value* begin;  // the first of its lanes
        Accumulator sums;
        Accumulator totals;  // none if there is one level alone
    };
    void tiled(llvm::Value* begin, llvm::Value* end);
    Accumulator make_tile(Dtype dtype);
    std::vector<Tile> make_tiles(llvm::Value* begin, bool two_levels);
    llvm::Value* slot_of(const Tile& tile, llvm::Value* memory);
    Value read(const Tile& tile, const Accumulator& from);
    void write(const Tile& tile, const Accumulator& to, Value value);
    void add_to_tiles(const std::vector<Tile>& tiles, llvm::Value* end, llvm::Value* first, llvm::Value* last);

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
    bool first_is_used_ = false;       // where lanes are masked: the first one is in use
    llvm::AllocaInst* harmless_ = nullptr;  // an element to be read in place of one that is not there
    int copies_ = 1;                   // steps of the unrolled axis that are done now
    std::vector<std::map<std::pair<nest::ExprId, int>, Value>> memo_;
    std::vector<std::uint32_t> available_;
    std::vector<bool> guarded_;              // expressions that depend on guards
    std::size_t inside_from_ = all_guarded;  // guards hold now; what depends on them is known from this scope of the memo on

    std::vector<std::vector<Accumulator>> accumulators_;  // [fold][copy]
    std::vector<std::vector<Cascade>> cascades_;          // [fold][part]
    std::vector<Accumulator> totals_;
    llvm::Value* flushes_ = nullptr;
    std::vector<Copies> fold_results_;
};

}  // namespace fastnp::codegen
