#include "nest/lower.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "fastnp/error.h"
#include "nest/grid.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

using ir::Op;
using ir::Value;
using ops::Kind;
using pass::IndexMap;
using pass::Region;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::int64_t split_elements = 65536;        // folded by one task of a split reduction
constexpr std::int64_t least_rows = 64;               // of such a task that folds columns
constexpr std::int64_t scratch_limit = 256 * 1024;    // bytes of a scratch row that is better than computing again

class Lowering {
public:
    Lowering(const Region& region, const pass::Program& program, shape::Sizes& sizes) : region_(region), program_(program), sizes_(sizes) {
        for (std::size_t i = 0; i < region.domain.size(); ++i) {
            if (!region.reduced[i]) add_axis(i, false);
        }
        for (std::size_t i = 0; i < region.domain.size(); ++i) {
            if (region.reduced[i]) add_axis(i, true);
        }
        for (const Region::Member& member : region.members) roles_.emplace(member.value, member.role);
    }

    Lowered run(const std::function<bool(Value)>& stored, Scratch scratch) {
        for (const Region::Member& member : region_.members) add_member(member, stored);
        if (scratch != Scratch::none) keep_shared(scratch);
        return take();
    }

    /// The folds of a split region, each block's results into temporaries of shape [blocks, outer...], and what is computed at each of its points.
    Lowered run_blocks(std::vector<Temporary>& temporaries, const std::function<bool(Value)>& stored, bool for_gpu) {
        const std::size_t outer = result_.kernel.outer_count();
        Kernel& kernel = result_.kernel;
        std::int64_t rest = 1;
        for (std::size_t a = outer + 1; a < kernel.axes.size(); ++a) rest *= std::max<std::int64_t>(kernel.axes[a].hint, 1);
        const bool columns = !region_.reduced.back();
        const std::int64_t width = columns ? std::max<std::int64_t>(sizes_.hint(sizes_.product(outer_shape())), 1) : 1;
        kernel.block =
            for_gpu && columns ? rows_of_crews(kernel.axes[outer].hint, width) : std::max<std::int64_t>(least_rows, split_elements / (rest * width));
        kernel.blocked_extent = kernel.axes[outer].extent;
        block_axis_ = true;
        const Dim blocks = sizes_.divide(sizes_.add(kernel.blocked_extent, Dim(kernel.block - 1)), Dim(kernel.block));
        kernel.axes.insert(kernel.axes.begin(), Axis{blocks, false, sizes_.hint(blocks)});
        for (int& axis : axis_of_) ++axis;
        Dims shape = outer_shape();
        shape.insert(shape.begin(), blocks);
        for (const Region::Member& member : region_.members) {
            if (member.role != Region::Role::fold) continue;
            const ExprId result = add_fold(member.value);
            const Dtype dtype = kernel.folds[static_cast<std::size_t>(kernel.exprs[result].number)].dtype;
            temporaries.push_back({dtype, shape});
            const int buffer = buffer_of({nullptr, static_cast<int>(temporaries.size() - 1)}, dtype, true);
            Access access{buffer, 0, Dims(kernel.axes.size(), Dim(0))};
            const Dims strides = pass::contiguous_strides(shape, dtype, sizes_);
            for (std::size_t i = 0; i < strides.size(); ++i) access.strides[i] = strides[i];
            kernel.outer_stores.push_back({access, result});
        }
        for (const Region::Member& member : region_.members) {
            if (member.role == Region::Role::full) add_stores(member, stored);
        }
        return take();
    }

    /// What comes after: the blocks' results folded, and the outer members. The temporaries are the last ones of `temporaries`.
    Lowered run_results(const std::vector<Temporary>& temporaries, const std::function<bool(Value)>& stored) {
        Kernel& kernel = result_.kernel;
        const std::size_t outer = kernel.outer_count();
        kernel.axes.resize(outer);
        std::size_t folds = 0;
        for (const Region::Member& member : region_.members) folds += member.role == Region::Role::fold ? 1 : 0;
        std::size_t next = temporaries.size() - folds;
        const Dim blocks = temporaries[next].shape[0];
        kernel.axes.push_back({blocks, true, sizes_.hint(blocks)});
        for (const Region::Member& member : region_.members) {
            if (member.role != Region::Role::fold) continue;
            const Temporary& temporary = temporaries[next];
            const int buffer = buffer_of({nullptr, static_cast<int>(next++)}, temporary.dtype, false);
            Access access{buffer, 0, Dims(kernel.axes.size(), Dim(0))};
            const Dims strides = pass::contiguous_strides(temporary.shape, temporary.dtype, sizes_);
            access.strides[outer] = strides[0];
            for (std::size_t i = 0; i < outer; ++i) access.strides[i] = strides[i + 1];
            Expr load{Expr::Kind::load};
            load.dtype = temporary.dtype;
            load.access = access;
            const ExprId value = kernel.add(load);
            record_fold(member.value, combine_of(member.value), temporary.dtype, value, 0);
        }
        for (const Region::Member& member : region_.members) {
            if (member.role != Region::Role::full) add_stores(member, stored);
        }
        return take();
    }

    std::vector<Value> inputs() const { return inputs_; }

private:
    // A GPU is busy with crews of eight, whose threads have four columns each. What they leave is added up by few threads: it is to be little.
    static std::int64_t rows_of_crews(std::int64_t rows, std::int64_t columns) {
        constexpr std::int64_t threads_of_column = 2, most_blocks = 1024;
        const std::int64_t blocks = std::clamp<std::int64_t>(Grid::busy_threads / (threads_of_column * columns), 1, most_blocks);
        return std::max(least_rows, (rows + blocks - 1) / blocks);
    }

    void add_axis(std::size_t domain_axis, bool inner) {
        axis_of_.resize(region_.domain.size(), -1);
        axis_of_[domain_axis] = static_cast<int>(result_.kernel.axes.size());
        const Dim extent = region_.domain[domain_axis];
        result_.kernel.axes.push_back({extent, inner, sizes_.hint(extent)});
    }

    Dims outer_shape() const {
        Dims shape;
        for (std::size_t i = 0; i < region_.domain.size(); ++i) {
            if (!region_.reduced[i]) shape.push_back(region_.domain[i]);
        }
        return shape;
    }

    // A member's axes to the kernel's.
    IndexMap kernel_map(IndexMap map) const {
        for (pass::Index& index : map) {
            if (index.axis >= 0) index.axis = axis_of_[static_cast<std::size_t>(index.axis)];
        }
        return map;
    }

    int buffer_of(Binding binding, Dtype dtype, bool written) {
        for (std::size_t i = 0; i < result_.bindings.size(); ++i) {
            if (result_.bindings[i].value == binding.value && result_.bindings[i].temporary == binding.temporary) {
                Buffer& buffer = result_.kernel.buffers[i];
                buffer.written = buffer.written || written;
                buffer.read = buffer.read || !written;
                return static_cast<int>(i);
            }
        }
        if (binding.value != nullptr && !written) inputs_.push_back(binding.value);
        result_.bindings.push_back(binding);
        const bool aligned = binding.value == nullptr || binding.value->op != Op::parameter;
        result_.kernel.buffers.push_back({dtype, written, !written, aligned});
        return static_cast<int>(result_.bindings.size() - 1);
    }

    Access access_to(const pass::Storage& storage, const IndexMap& map, bool written) {
        Access access{buffer_of({storage.base, -1}, storage.base->dtype, written), storage.offset, Dims(result_.kernel.axes.size(), Dim(0))};
        for (std::size_t i = 0; i < map.size(); ++i) {
            access.offset = sizes_.add(access.offset, sizes_.multiply(map[i].offset, storage.strides[i]));
            if (map[i].axis < 0) continue;
            Dim& stride = access.strides[static_cast<std::size_t>(map[i].axis)];
            // An axis of one step is never moved along.
            if (result_.kernel.axes[static_cast<std::size_t>(map[i].axis)].extent == Dim(1)) continue;
            stride = sizes_.add(stride, sizes_.multiply(Dim(map[i].step), storage.strides[i]));
        }
        return access;
    }

    ExprId cast_to(ExprId value, Dtype dtype) {
        const Dtype from = result_.kernel.exprs[value].dtype;
        if (from == dtype) return value;
        Expr expr{Expr::Kind::map};
        expr.op = Op::cast;
        expr.dtype = dtype;
        expr.compute = from;
        expr.args = {value};
        return result_.kernel.add(expr);
    }

    ExprId value_at(Value value, const IndexMap& map, bool is_self) {
        if (!is_self && !program_.gathered.contains(value)) {
            const auto fold = fold_exprs_.find(value);
            if (fold != fold_exprs_.end()) return fold->second;
            const auto role = roles_.find(value);
            // What this kernel stores at this point.
            if (role != roles_.end() && value->op == Op::update)
                return value_at(value->inputs[1], kernel_map(pass::identity_map(region_.domain.size())), false);
            const bool same_point = (role != roles_.end() && role->second != Region::Role::fold) || views_stored(value);
            if (!same_point && value->op != Op::constant && value->op != Op::extent) {
                const auto storage = program_.storage.find(value);
                if (storage != program_.storage.end()) {
                    // A view of another member of this region is computed anew, not read back.
                    if (!roles_.contains(storage->second.base)) return load(storage->second, map);
                }
            }
        }
        for (const Known& known : memo_[value]) {
            if (known.map == map && known.guard == guard_) return known.id;
        }
        const std::optional<ExprId> guard = guard_;
        const ExprId id = compute(value, map);
        result_.kernel.note_line(value->where);
        memo_[value].push_back({map, guard, id});
        return id;
    }

    // Whether a value is a view of what this kernel stores.
    bool views_stored(Value value) const {
        while (ops::info(value->op).kind == Kind::move) value = value->inputs[0];
        return value->op == Op::update && roles_.contains(value);
    }

    ExprId load(const pass::Storage& storage, const IndexMap& map) {
        Expr expr{Expr::Kind::load};
        expr.dtype = storage.base->dtype;
        expr.access = access_to(storage, map, false);
        if (guard_) expr.args = {*guard_};
        return result_.kernel.add(expr);
    }

    ExprId both(ExprId x, ExprId y) {
        Expr expr{Expr::Kind::map};
        expr.op = Op::logical_and;
        expr.args = {x, y};
        return result_.kernel.add(expr);
    }

    // Whether a point lies in what a pad's operand covers; nothing where all do.
    std::optional<ExprId> inside_of(const ir::Node& pad, const IndexMap& inner) {
        std::optional<ExprId> inside;
        const Dims& extents = pad.inputs[0]->shape;
        for (std::size_t i = 0; i < inner.size(); ++i) {
            if (pad.attributes.dims[i] == Dim(0) && pad.attributes.dims[inner.size() + i] == Dim(0)) continue;
            Expr expr{Expr::Kind::inside};
            expr.number = std::max(inner[i].axis, 0);
            expr.step = inner[i].axis < 0 ? 0 : inner[i].step;
            expr.offset = inner[i].offset;
            expr.extent = extents[i];
            const ExprId id = result_.kernel.add(expr);
            inside = inside ? both(*inside, id) : id;
        }
        return inside;
    }

    // What is fused, for explain.
    void note(const ir::Node& node) {
        result_.kernel.ops.emplace_back(ops::info(node.op).name);
        result_.lines.push_back(node.where);
    }

    // An element of what is taken from, which lies in memory, at an index of the second operand's.
    ExprId gathered(const ir::Node& take, const IndexMap& map) {
        const auto axis = static_cast<std::size_t>(take.attributes.ints[0]);
        const pass::Storage& storage = program_.storage.at(take.inputs[0]);
        const pass::TakeMaps maps = pass::taken_maps(take, map);
        Expr expr{Expr::Kind::gather};
        expr.dtype = take.dtype;
        expr.access = access_to(storage, maps.from, false);
        expr.args.push_back(cast_to(value_at(take.inputs[1], maps.indices, false), Dtype::int64));
        if (guard_) expr.args.push_back(*guard_);
        expr.offset = storage.strides[axis];
        expr.extent = take.inputs[0]->shape[axis];
        expr.number = static_cast<int>(take.attributes.ints[1]);
        note(take);
        return result_.kernel.add(expr);
    }

    ExprId padded(const ir::Node& pad, const IndexMap& map) {
        const IndexMap inner = pass::padded_map(pad, map, sizes_);
        const std::optional<ExprId> inside = inside_of(pad, inner);
        if (!inside) return value_at(pad.inputs[0], inner, false);
        const ExprId border = value_at(pad.inputs[1], IndexMap{}, false);
        const std::optional<ExprId> outer = guard_;
        guard_ = outer ? both(*outer, *inside) : *inside;
        const ExprId value = value_at(pad.inputs[0], inner, false);
        guard_ = outer;
        note(pad);
        Expr expr{Expr::Kind::map};
        expr.op = Op::select;
        expr.args = {*inside, value, border};
        expr.dtype = expr.compute = pad.dtype;
        return result_.kernel.add(expr);
    }

    ExprId compute(Value value, const IndexMap& map) {
        Kernel& kernel = result_.kernel;
        const Kind kind = ops::info(value->op).kind;
        Expr expr{};
        switch (kind) {
            case Kind::make:
                if (value->op == Op::constant) {
                    expr.kind = Expr::Kind::constant;
                    expr.scalar = value->attributes.scalar;
                    expr.dtype = value->dtype;
                    return kernel.add(expr);
                }
                if (value->op == Op::extent) {
                    expr.kind = Expr::Kind::extent;
                    expr.offset = value->attributes.dims[0];
                    expr.dtype = Dtype::int64;
                    return cast_to(kernel.add(expr), value->dtype);
                }
                if (value->op == Op::iota) {
                    const pass::Index& index = map[static_cast<std::size_t>(value->attributes.ints[0])];
                    expr.kind = index.axis < 0 ? Expr::Kind::extent : Expr::Kind::index;
                    expr.offset = index.offset;
                    expr.step = index.axis < 0 ? 0 : index.step;
                    expr.number = std::max(index.axis, 0);
                    expr.dtype = Dtype::int64;
                    return cast_to(kernel.add(expr), value->dtype);
                }
                break;
            case Kind::move:
                if (const auto inner = pass::through(*value, map, sizes_)) return value_at(value->inputs[0], *inner, false);
                break;
            case Kind::map: {
                note(*value);
                expr.kind = Expr::Kind::map;
                expr.op = value->op;
                for (const Value input : value->inputs) expr.args.push_back(value_at(input, map, false));
                expr.dtype = value->dtype;
                expr.compute = value->inputs[0]->dtype;
                if (value->op == Op::select) expr.compute = value->dtype;
                return kernel.add(expr);
            }
            case Kind::pick:
                if (value->op == Op::pad) return padded(*value, map);
                if (program_.gathered.contains(value)) return gathered(*value, map);
                break;
            default: break;
        }
        throw InternalError("no loop form of " + std::string(ops::info(value->op).name));
    }

    Op combine_of(Value fold) const { return ops::info(fold->op).combine; }

    // The 16-bit floats are summed in float, as NumPy does.
    static Dtype accumulator_of(Dtype dtype) { return is_floating(dtype) && itemsize_of(dtype) == 2 ? Dtype::float32 : dtype; }

    ExprId add_fold(Value fold) {
        note(*fold);
        const IndexMap map = kernel_map(pass::identity_map(region_.domain.size()));
        const Dtype dtype = accumulator_of(fold->dtype);
        const ExprId value = cast_to(value_at(fold->inputs[0], map, false), dtype);
        return record_fold(fold, combine_of(fold), dtype, value, stage_after(value));
    }

    ExprId record_fold(Value fold, Op combine, Dtype dtype, ExprId value, int stage) {
        Kernel& kernel = result_.kernel;
        const int number = static_cast<int>(kernel.folds.size());
        kernel.folds.push_back({combine, dtype, value});
        while (static_cast<int>(kernel.stages.size()) <= stage) kernel.stages.emplace_back();
        kernel.stages[static_cast<std::size_t>(stage)].folds.push_back(number);
        fold_stage_.push_back(stage);
        Expr result{Expr::Kind::fold};
        result.dtype = dtype;
        result.number = number;
        const ExprId id = kernel.add(result);
        fold_exprs_[fold] = cast_to(id, fold->dtype);
        kernel.note_line(fold->where);
        return id;
    }

    // The first stage in which an expression can be computed: after the folds it reads.
    int stage_after(ExprId root) {
        const Kernel& kernel = result_.kernel;
        int stage = 0;
        std::vector<ExprId> open{root};
        std::vector<bool> seen(root + 1, false);  // operands come first
        while (!open.empty()) {
            const ExprId at = open.back();
            open.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            const Expr& expr = kernel.exprs[at];
            if (expr.kind == Expr::Kind::fold) stage = std::max(stage, fold_stage_[static_cast<std::size_t>(expr.number)] + 1);
            open.insert(open.end(), expr.args.begin(), expr.args.end());
        }
        return stage;
    }

    void add_member(const Region::Member& member, const std::function<bool(Value)>& stored) {
        if (member.role == Region::Role::fold) add_fold(member.value);
        add_stores(member, stored);
    }

    void add_stores(const Region::Member& member, const std::function<bool(Value)>& stored) {
        if (member.value->op == Op::update) {
            add_update(member.value);
            return;
        }
        if (!stored(member.value)) return;
        const IndexMap map = kernel_map(region_.map_of(member));
        const ExprId value = member.role == Region::Role::fold ? fold_exprs_.at(member.value) : value_at(member.value, map, true);
        const Access access = access_to(program_.storage.at(member.value), map, true);
        Kernel& kernel = result_.kernel;
        if (member.role != Region::Role::full || !region_.has_fold()) {
            kernel.outer_stores.push_back({access, value});
            return;
        }
        const auto stage = static_cast<std::size_t>(stage_after(value));
        while (kernel.stages.size() <= stage) kernel.stages.emplace_back();
        kernel.stages[stage].stores.push_back({access, value});
    }

    // The elements of a region are stored where the whole lies.
    void add_update(Value update) {
        const IndexMap map = kernel_map(pass::identity_map(region_.domain.size()));
        const ExprId value = value_at(update->inputs[1], map, false);
        note(*update);
        result_.kernel.note_line(update->where);
        const Access access = access_to(pass::region_of(*update, program_.storage.at(update), sizes_), map, true);
        std::erase_if(result_.kernel.outer_stores, [&](const Store& store) { return store.access == access; });  // overwritten
        result_.kernel.outer_stores.push_back({access, value});
    }

    // Costly expressions that two stages compute, and on a chip elements that two stages load, are kept in a scratch row by the first.
    void keep_shared(Scratch scratch) {
        Kernel& kernel = result_.kernel;
        if (kernel.stages.size() < 2 || jams_inner_points()) return;
        std::int64_t points = 1, left = scratch == Scratch::on_chip ? most_on_chip : INT64_MAX;
        for (const Axis& axis : kernel.axes) {
            if (!axis.inner) continue;
            if (scratch == Scratch::on_chip && !axis.extent.is_constant()) return;
            points *= std::max<std::int64_t>(axis.hint, 1);
        }
        const auto depends = dependencies(kernel);  // what keep() appends is no candidate
        const auto is_kept = [&](ExprId i, bool loads) {
            const Expr& expr = kernel.exprs[i];
            const bool costly = is_costly(expr) && expr.op != Op::cast && expr.op != Op::sqrt;
            const bool is_load = (expr.kind == Expr::Kind::load && expr.args.empty()) || (expr.kind == Expr::Kind::gather && expr.args.size() == 1);
            const bool loaded = is_load && (depends[i] & axes_of(false)) != 0;
            return (loads ? loaded : costly) && (depends[i] & axes_of(true)) != 0;
        };
        for (const bool loads : {false, true}) {
            if (loads && scratch != Scratch::on_chip) break;
            for (ExprId i = 0; i < depends.size(); ++i) {
                const std::int64_t bytes = points * static_cast<std::int64_t>(itemsize_of(kernel.exprs[i].dtype));
                if (is_kept(i, loads) && bytes <= std::min(scratch_limit, left) && keep(i)) left -= bytes;
            }
        }
    }

    // The kernel's axes, inner or outer, as bits.
    std::uint32_t axes_of(bool inner) const {
        std::uint32_t bits = 0;
        for (std::size_t a = 0; a < result_.kernel.axes.size(); ++a) bits |= result_.kernel.axes[a].inner == inner ? 1U << a : 0U;
        return bits;
    }

    // Whether the inner points are few enough to be all done side by side, with what they share in registers.
    bool jams_inner_points() const {
        const std::vector<Axis>& axes = result_.kernel.axes;
        const std::size_t outer = result_.kernel.outer_count();
        return axes.size() == outer + 1 && fits_side_by_side(result_.kernel, outer);
    }

    bool keep(ExprId id) {
        Kernel& kernel = result_.kernel;
        std::vector<std::size_t> users;
        for (std::size_t s = 0; s < kernel.stages.size(); ++s) {
            if (stage_uses(kernel.stages[s], id)) users.push_back(s);
        }
        if (users.size() < 2) return false;
        Expr scratch{Expr::Kind::scratch};
        scratch.dtype = kernel.exprs[id].dtype;
        scratch.number = static_cast<int>(kernel.scratch.size());
        kernel.scratch.push_back(scratch.dtype);
        kernel.stages[users[0]].keeps.emplace_back(scratch.number, id);
        // Later stages read the row: their expressions are rebuilt over it.
        kernel.exprs.push_back(scratch);
        kernel.note_line(kernel.line_of(id));
        const auto row = static_cast<ExprId>(kernel.exprs.size() - 1);
        for (std::size_t u = 1; u < users.size(); ++u) {
            std::map<ExprId, ExprId> copies{{id, row}};
            Stage& stage = kernel.stages[users[u]];
            for (const int fold : stage.folds) {
                ExprId& value = kernel.folds[static_cast<std::size_t>(fold)].value;
                value = rebuilt(value, copies);
            }
            for (Store& store : stage.stores) store.value = rebuilt(store.value, copies);
            for (auto& each : stage.keeps) each.second = rebuilt(each.second, copies);
        }
        return true;
    }

    ExprId rebuilt(ExprId id, std::map<ExprId, ExprId>& copies) {
        const auto found = copies.find(id);
        if (found != copies.end()) return found->second;
        Expr expr = result_.kernel.exprs[id];
        bool changed = false;
        for (ExprId& arg : expr.args) {
            const ExprId copy = rebuilt(arg, copies);
            changed = changed || copy != arg;
            arg = copy;
        }
        const ExprId result = changed ? result_.kernel.add(expr) : id;
        result_.kernel.note_line(result_.kernel.line_of(id));
        copies.emplace(id, result);
        return result;
    }

    bool stage_uses(const Stage& stage, ExprId id) const {
        std::vector<ExprId> open;
        for (const int fold : stage.folds) open.push_back(result_.kernel.folds[static_cast<std::size_t>(fold)].value);
        for (const Store& store : stage.stores) open.push_back(store.value);
        for (const auto& each : stage.keeps) open.push_back(each.second);
        std::unordered_set<ExprId> seen;
        while (!open.empty()) {
            const ExprId at = open.back();
            open.pop_back();
            if (at == id) return true;
            if (!seen.insert(at).second) continue;
            const Expr& expr = result_.kernel.exprs[at];
            open.insert(open.end(), expr.args.begin(), expr.args.end());
        }
        return false;
    }

    Lowered take() {
        const std::vector<std::int64_t> later = result_.kernel.rebase();
        for (std::size_t i = 0; i < later.size(); ++i) result_.bindings[i].offset = later[i];
        return std::move(result_);
    }

    const Region& region_;
    const pass::Program& program_;
    shape::Sizes& sizes_;
    Lowered result_;
    std::vector<int> axis_of_;  // of the domain's axes
    std::map<Value, Region::Role> roles_;
    std::map<Value, ExprId> fold_exprs_;
    std::vector<int> fold_stage_;
    struct Known {
        IndexMap map;
        std::optional<ExprId> guard;
        ExprId id;
    };
    std::unordered_map<Value, std::vector<Known>> memo_;
    std::optional<ExprId> guard_;  // where what is computed counts, and memory may be read; everywhere if there is none
    std::vector<Value> inputs_;
    bool block_axis_ = false;
};

}  // namespace

namespace {

std::vector<Lowered> lower_split(const Region& region, const pass::Program& program, shape::Sizes& sizes, const std::function<bool(Value)>& stored,
                                 std::vector<Temporary>& temporaries, bool for_gpu) {
    std::vector<Lowered> kernels;
    kernels.push_back(Lowering(region, program, sizes).run_blocks(temporaries, stored, for_gpu));
    kernels.push_back(Lowering(region, program, sizes).run_results(temporaries, stored));
    return kernels;
}

}  // namespace

std::vector<Lowered> lower(const Region& region, const pass::Program& program, shape::Sizes& sizes, const std::function<bool(Value)>& stored,
                           std::vector<Temporary>& temporaries, Scratch scratch) {
    if (region.split) return lower_split(region, program, sizes, stored, temporaries, false);
    std::vector<Lowered> kernels;
    kernels.push_back(Lowering(region, program, sizes).run(stored, scratch));
    return kernels;
}

namespace {

// Of rows whose length is known, on a chip.
std::int64_t scratch_bytes(const Kernel& kernel) {
    std::int64_t bytes = 0;
    for (const Dtype dtype : kernel.scratch) bytes += Grid::row_bytes(kernel, dtype);
    return bytes;
}

}  // namespace

std::vector<Lowered> lower_for_gpu(const Region& region, const pass::Program& program, shape::Sizes& sizes, const std::function<bool(Value)>& stored,
                                   std::vector<Temporary>& temporaries) {
    if (region.split) return lower_split(region, program, sizes, stored, temporaries, true);
    std::vector<Lowered> kernels = lower(region, program, sizes, stored, temporaries, Scratch::on_chip);
    Kernel tried = kernels[0].kernel;
    const Grid grid = grid_of(tried, sizes);
    if (tried.scratch.empty() || grid.held > 0 || (grid.team > 1 && scratch_bytes(tried) * grid.units_of_block() <= most_on_chip)) return kernels;
    return lower(region, program, sizes, stored, temporaries, Scratch::none);
}

std::vector<Value> inputs_of(const Region& region, const pass::Program& program, shape::Sizes& sizes) {
    Lowering lowering(region, program, sizes);
    lowering.run([](Value) { return true; }, Scratch::none);
    return lowering.inputs();
}

}  // namespace fastnp::nest
