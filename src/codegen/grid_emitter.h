// The state of the emission of one kernel for a GPU: grid.cpp has the loops and expressions, grid_memory.cpp loads and stores, grid_fold.cpp
// the folds, grid_tile.cpp tiles in shared memory.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "codegen/grid.h"
#include "codegen/value.h"

namespace fastnp::codegen {

class GridEmitter {
public:
    GridEmitter(const nest::Kernel& kernel, const nest::Grid& grid, llvm::Module& module);
    void run(const std::string& symbol);

private:
    enum class Memory : std::uint8_t {
        any,
        aligned,
        single
    };  // what is known of it: nothing, that vectors are aligned, that elements are taken one by one
    using Copies = std::vector<Value>;  // of the elements that a thread does side by side, by number: vector after vector
    static constexpr unsigned shared_memory = 3;  // the address space

    // Loops and expressions (grid.cpp).
    llvm::Value* number(std::int64_t value) { return b_.ir.getInt64(static_cast<std::uint64_t>(value)); }
    llvm::Value* size(shape::Dim dim);
    void make_function(const std::string& symbol);
    void loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const char* name, const std::function<void(llvm::Value*)>& body);
    void if_active(const std::function<void()>& body);
    void stay_rolled();
    void take_turns_together(int turns);
    void annotate_loop(llvm::MDNode* note);
    void if_so(llvm::Value* condition, const char* name, const std::function<void()>& body);
    llvm::Value* special(llvm::Intrinsic::ID id);
    void place(llvm::Value* unit);
    llvm::Value* units_along(int axis);
    llvm::Value* quotient(llvm::Value* x, llvm::Value* y);
    void unit();
    void own_points();
    void outer_point();
    void stage(const nest::Stage& stage);
    void inner_loops(const nest::Stage& stage, std::size_t level);
    void team_lanes(const nest::Stage& stage);
    void inner_point(const nest::Stage& stage);
    void inner_range(int axis, llvm::Value*& begin, llvm::Value*& end);
    bool is_inner(int axis) const { return axis >= static_cast<int>(outer_); }
    /// Whether a unit has several steps of an axis.
    bool is_taken_apart(int axis) const { return axis == grid_.lane || axis == grid_.unroll_axis || (has_tile() && axis == grid_.tile.across); }
    bool has_team() const { return grid_.team > 1; }
    bool has_crew() const { return grid_.crew > 1; }
    /// Whether a thread has a whole row, which it folds in order.
    bool holds_own_row() const { return grid_.held > 0 && grid_.team == 1; }
    llvm::Value* stores_outer();
    bool varies_along(nest::ExprId id, int axis) const { return axis >= 0 && (depends_[id] >> axis & 1U) != 0; }
    int copies() const { return lanes_ * parts_; }
    int lane_of(int copy) const { return copy % lanes_; }
    int part_of(int copy) const { return copy / lanes_; }
    int parts_axis() const { return grid_.held > 0 ? grid_.lane : grid_.unroll_axis; }
    /// The copy that stands for all with the same value.
    int first_equal(nest::ExprId id, int copy) const {
        if (has_tile()) return first_equal_of_tile(id, copy);
        return (varies_along(id, grid_.lane) ? lane_of(copy) : 0) + (varies_along(id, parts_axis()) ? lanes_ * part_of(copy) : 0);
    }
    llvm::Value* index_of(int axis, int copy);
    Value eval(nest::ExprId id, int copy);
    Value compute(nest::ExprId id, int copy);
    void hoist(const std::vector<nest::ExprId>& roots);
    std::vector<nest::ExprId> roots_of(const nest::Stage& stage) const;
    std::vector<nest::ExprId> all_roots() const;
    void enter(std::uint32_t axes) {
        memo_.emplace_back();
        available_.push_back(available_.back() | axes);
    }
    void leave() {
        memo_.pop_back();
        available_.pop_back();
    }

    // Rows (grid_rows.cpp).
    /// Whether some threads have nothing of a part, the last that is held.
    bool is_rest(int part) const {
        return grid_.held > 0 && part == grid_.held - 1 && kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent.value() < held_elements();
    }
    std::int64_t held_elements() const { return static_cast<std::int64_t>(grid_.held) * grid_.team * grid_.width; }
    /// Teams of a warp, if several share one.
    int rows_of_warp() const { return nest::Grid::warp / grid_.team; }
    void find_rest();
    void if_in_row(int part, const std::function<void()>& body);
    Copies load_row(const nest::Access& access);
    void store_held(const nest::Stage& stage);
    void store_parts(const std::vector<nest::Store>& stores, int part, int count);
    void stage_element(std::size_t store, const nest::Access& access, const Value& value, int copy);
    llvm::Value* staged_address(std::size_t store, std::int64_t itemsize, int copy);
    void drain_staged(std::size_t store, const nest::Access& access);
    void copy_by_warp(llvm::Value* to, llvm::Value* from, llvm::Value* thread, std::int64_t bytes);
    llvm::Value* scratch_address(int row, int copy);
    llvm::Align scratch_align(Dtype dtype, int copy) const;
    Value load_kept(int row, Dtype dtype, int copy);
    void keep(int row, const Value& value, int copy);

    // Memory (grid_memory.cpp).
    llvm::Value* address(const nest::Access& access, int copy);
    Value load(nest::ExprId id, int copy);
    Value load_at(llvm::Value* at, Dtype dtype, llvm::Align align);
    void store_at(llvm::Value* at, const Value& value, llvm::Align align);
    llvm::Value* second_part(llvm::Value* at, std::size_t bytes);
    Value load_element(const nest::Access& access, int copy);
    Value given(std::size_t buffer);
    Value guarded_load(const nest::Access& access, int copy, llvm::Value* guard);
    Value where(llvm::Value* guard, const std::function<Value()>& load);
    Value gather(nest::ExprId id, int copy);
    llvm::Value* gathered_address(const nest::Expr& expr, int copy);
    bool gathers_vectors(const nest::Expr& expr) const;
    bool may_find_none(nest::ExprId id) const;
    Copies load_vector(const nest::Access& access, int part) { return load_vector(access, address(access, part * lanes_)); }
    Copies load_vector(const nest::Access& access, llvm::Value* first);
    void if_aligned(const std::function<void()>& vectors, const std::function<void()>& elements);
    std::pair<nest::ExprId, int> first_load(nest::ExprId id, int copy) const;
    shape::Dim step_between(const nest::Access& access, int axis, int count) const;
    void store(const std::vector<nest::Store>& stores);
    void write_all(const std::vector<nest::Store>& stores, const std::vector<Copies>& values);
    void element_by_element(const std::function<void()>& body);
    void one_after_the_other(const std::function<void()>& body);
    void speculate(const std::function<std::vector<Copies>()>& compute, const std::function<void(const std::vector<Copies>&)>& write);
    void store_element(const nest::Access& access, const Value& value, int copy);
    void store_vector(const nest::Access& access, const Copies& values, int part);
    Value inside(const nest::Expr& expr, int copy);
    int chunk_bytes(const nest::Access& access) const;
    llvm::Type* chunk_type(int bytes);
    llvm::Value* joined(llvm::ArrayRef<llvm::Value*> parts, int bytes);
    bool takes_vectors(const nest::Access& access) const;
    bool may_be_aligned(const nest::Access& access) const;
    llvm::Value* alignment();

    // Tiles (grid_tile.cpp).
    struct Place {
        llvm::Value *lane, *step;  // in the tile
    };
    bool has_tile() const { return grid_.tile.is_used(); }
    void make_tiles();
    void tile();
    void fill_tiles();
    void fill_by_words(std::size_t tile, const nest::Access& access, int each);
    void fill_by_elements(std::size_t tile, nest::ExprId load, bool is_whole);
    void drain_tiles();
    void drain_by_words(std::size_t tile, const nest::Access& access, int each);
    void drain_by_elements(std::size_t tile, const nest::Access& access, bool is_whole);
    void points_of_tile();
    void across_tile(int each, int together, const std::function<void(const std::vector<Place>&)>& body);
    void either_way(llvm::Value* condition, const std::function<void()>& so, const std::function<void()>& otherwise);
    void at_place(const Place& place, const std::function<void()>& body);
    std::pair<llvm::Value*, llvm::Value*> divided(llvm::Value* point, int by);
    Place clamped(const Place& place);
    llvm::Value* is_inside(const Place& place);
    int steps_of_word(const nest::Access& access) const;
    llvm::Value* has_words(const nest::Access& access);
    /// From the first to another part of what a thread computes side by side, along each axis.
    int lanes_on(int part) const { return part * grid_.block * grid_.width % grid_.tile.lanes; }
    int steps_on(int part) const { return part * grid_.block * grid_.width / grid_.tile.lanes; }
    int first_equal_of_tile(nest::ExprId id, int copy) const;
    int tile_of_load(nest::ExprId id) const;      // -1: it does not go by way of one
    int tile_of_store(std::size_t store) const;  // the same for an outer store
    Place place_of(int copy);
    llvm::Value* tile_address(std::size_t tile, const Place& place);
    Value load_of_tile(std::size_t tile, const Place& place);
    void store_to_tile(std::size_t tile, const Value& value, const Place& place);

    // Folds (grid_fold.cpp).
    struct Accumulator {
        llvm::AllocaInst* re = nullptr;
        llvm::AllocaInst* im = nullptr;
    };
    Accumulator make_accumulator(Dtype dtype);
    Value read(const Accumulator& from, Dtype dtype);
    void write(const Accumulator& to, const Value& value);
    bool has_totals(const nest::Fold& fold) const;
    void reset(const nest::Stage& stage);
    std::vector<nest::ExprId> factors_of(const nest::Fold& fold) const;
    void accumulate(const nest::Stage& stage);
    bool has_totals(const nest::Stage& stage) const;
    bool flushes_of_chunks(const nest::Stage& stage) const;
    void in_chunks(const nest::Stage& stage, llvm::Value* begin, llvm::Value* end, std::int64_t step,
                   const std::function<void(llvm::Value*, llvm::Value*)>& steps);
    void flush_now_and_then(const nest::Stage& stage);
    void flush(const nest::Stage& stage);
    void flush(const nest::Fold& fold, std::size_t number);
    Value from_thread(const Value& value, int distance);
    llvm::Value* from_thread(llvm::Value* part, int distance);
    Value across_warp(const nest::Fold& fold, Value value);
    Value across_team(std::size_t fold, const Value& value);
    Copies across_crew(std::size_t fold, const Copies& own);
    llvm::GlobalVariable* shared(std::size_t fold, int elements, int part);
    bool is_read_by_now() const;
    void finish(const nest::Stage& stage);
    void barrier();

    const nest::Kernel& kernel_;
    const nest::Grid& grid_;
    Builder b_;
    std::vector<std::uint32_t> depends_;
    std::size_t outer_;

    llvm::Function* function_ = nullptr;
    std::vector<llvm::Value*> bases_;
    std::map<std::int64_t, llvm::Value*> size_values_;
    std::vector<llvm::GlobalVariable*> scratch_;  // rows, in shared memory
    std::map<std::pair<int, int>, Value> held_;   // by row and copy, in registers
    struct SharedTile {
        llvm::GlobalVariable* memory;
        Dtype dtype;
    };
    std::vector<SharedTile> tiles_;   // of what is loaded by way of them, then of what is stored
    Place tile_begin_{};              // where the tile begins in the kernel's space
    llvm::Value* is_whole_ = nullptr;  // whether all of its points are there
    llvm::Value* units_ = nullptr;
    llvm::Value* rank_ = nullptr;     // of the thread in its team or crew
    llvm::Value* own_ = nullptr;      // the number of its unit among the block's
    llvm::Value* active_ = nullptr;   // whether its unit is there; null: always
    llvm::Value* in_row_ = nullptr;   // whether this thread has a vector of the last part that is held, where not all have
    llvm::Value* rest_index_ = nullptr;  // where that begins: for those that have none, where the row does
    Memory memory_ = Memory::any;     // of rows that are held
    llvm::Value* first_of_warp_ = nullptr;  // the unit of its first team, where rows are staged
    std::vector<llvm::GlobalVariable*> staged_;  // rows that are to be stored, on the chip, by the number of the store
    llvm::Value* aligned_ = nullptr;  // whether vectors may be loaded and stored; null: none ever

    std::vector<llvm::Value*> index_;  // per axis; of the lanes', of the first element of the vector
    int lanes_ = 1, parts_ = 1;        // elements of a vector, and steps of the unrolled axis, that are done now
    std::vector<std::map<std::pair<nest::ExprId, int>, Value>> memo_;
    std::vector<std::uint32_t> available_;

    std::vector<std::vector<Accumulator>> accumulators_, totals_;  // [fold][copy]
    llvm::AllocaInst* steps_ = nullptr;                            // since the stage began
    std::map<std::pair<llvm::Type*, int>, llvm::GlobalVariable*> shared_;  // by the type of what is there, and which of several
    std::vector<Copies> fold_results_;                             // [fold][copy]
};

}  // namespace fastnp::codegen
