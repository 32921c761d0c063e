#include "pass/roots.h"

#include <algorithm>

#include "fastnp/error.h"
#include "ops/catalogue.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::Kind;
using shape::Dim;
using shape::Dims;

namespace {

bool computes(Value value) { return ops::info(value->op).kind == Kind::map || ops::info(value->op).kind == Kind::make; }

}  // namespace

Roots::Roots(ir::Graph& graph, const std::vector<Dims>& parameter_strides, bool fuse, Layout layout, bool gathers)
    : graph_(graph),
      sizes_(graph.sizes()),
      parameter_strides_(parameter_strides),
      fuse_(fuse),
      for_device_(gathers),
      layout_(layout),
      order_(ir::reachable(graph.roots())) {
    find();
    if (fuse_) join_parts();
    if (fuse_ && gathers && !any_updates()) find_gathered();
    compute_before_writes();
}

bool Roots::is_precompiled(Value value) const {
    const Kind kind = ops::info(value->op).kind;
    if (value->op == Op::parameter) return false;
    if (value->op == Op::update) return !fuse_;
    if (!fuse_) return kind != Kind::move || copies_.contains(value);
    if (ops::may_raise(*value)) return true;  // only the precompiled kernels look for errors
    // Of several complex NaNs the first counts, and products spread infinities and signs of zeros in their order, but for a device's, which has none.
    const bool has_order = value->op != Op::sum && (value->op != Op::prod || !for_device_);
    if (kind == Kind::fold && is_complex(value->dtype) && has_order) return true;
    if (value->op == Op::pad) return false;
    return kind == Kind::argfold || kind == Kind::scan || kind == Kind::pick || kind == Kind::contract || kind == Kind::library ||
           kind == Kind::collective || copies_.contains(value);
}

std::optional<Storage> Roots::resolve(Value value) const {
    if (value->op == Op::parameter) {
        return Storage{value, 0, parameter_strides_[static_cast<std::size_t>(value->attributes.ints[0])]};
    }
    if (value->op == Op::update) return updates_.at(value);
    if (const auto part = parts_.find(value); part != parts_.end()) return part->second;
    if (contains(value)) return Storage{value, 0, strides_in(layout_, value->shape, value->dtype, sizes_)};
    if (ops::info(value->op).kind != Kind::move) return std::nullopt;
    const auto operand = resolve(value->inputs[0]);
    return operand ? view(*value, *operand, sizes_) : std::nullopt;
}

// Makes a value addressable: itself, or what it is a view of.
void Roots::place(Value value) {
    if (resolve(value)) return;
    const bool is_move = ops::info(value->op).kind == Kind::move;
    if (is_move && value->op != Op::reshape) {
        place(value->inputs[0]);
        if (resolve(value)) return;
    }
    if (is_move && value->op == Op::reshape) place_reshape(value);
    else roots_.insert(value);
}

void Roots::place_reshape(Value value) {
    Value source = value->inputs[0];
    if (through(*value, identity_map(value->shape.size()), sizes_)) {
        place(source);
        return;
    }
    if (is_output_) place(source);  // a view of what it views, as far as strides go
    else if (!resolve(source)) roots_.insert(source);
    if (resolve(value)) return;
    copies_.insert(value);  // of strided memory: a copy
    roots_.insert(value);
}

void Roots::find() {
    is_output_ = true;
    for (const Value value : order_) {
        if (value->op == Op::update) place_update(value);
    }
    for (const Value output : graph_.outputs()) place(output);
    is_output_ = false;
    for (const Value value : order_) {
        const Kind kind = ops::info(value->op).kind;
        if (value->op == Op::parameter) continue;
        if (value->op == Op::update) {
            if (!fuse_) place(value->inputs[1]);
        } else if (is_precompiled(value)) {
            for (const Value input : value->inputs) place(input);
            roots_.insert(value);
        } else if (kind == Kind::fold) {
            roots_.insert(value);
        } else if (value->op == Op::reshape && !through(*value, identity_map(value->shape.size()), sizes_)) {
            place_reshape(value);
        }
    }
}

Value Roots::version_of(Value value) const {
    while (value->op != Op::parameter && !contains(value) && ops::info(value->op).kind == Kind::move) value = value->inputs[0];
    return value;
}

// An update lies where its first operand does.
void Roots::place_update(Value update) {
    place(update->inputs[0]);
    const Value before = version_of(update->inputs[0]);
    if (copies_.contains(before)) throw RecordError("writing through a reshape of strided memory can't be recorded");
    updates_.emplace(update, *resolve(update->inputs[0]));
    roots_.insert(update);
    next_.emplace(before, update);
}

// What is needed after memory that it is computed from was written to, is computed before; and so is what is stored among the elements that it reads.
void Roots::compute_before_writes() {
    if (next_.empty()) return;
    force_outlived();
    for (const Value update : order_) {
        if (update->op != Op::update || contains(update->inputs[1])) continue;
        const Storage target = region_of(*update, updates_.at(update), sizes_);
        const Value value = update->inputs[1];
        if (reads_elsewhere(value, identity_map(value->shape.size()), target)) force(value);
    }
}

// Makes a value exist as such.
void Roots::force(Value value) {
    Value made = value;
    while (ops::info(made->op).kind == Kind::move && !contains(made)) made = made->inputs[0];
    if (made->op == Op::parameter || contains(made)) throw InternalError("a view of memory outlived it");
    roots_.insert(made);
}

void Roots::force_outlived() {
    std::unordered_map<Value, std::uint32_t> until;  // the update, by number, before which a value must have been computed
    const auto limit_of = [&](Value value) {
        const Value made = version_of(value);
        const auto next = next_.find(made);
        if (next != next_.end()) return next->second->id;
        return made->op == Op::parameter || contains(made) ? UINT32_MAX : until.at(made);
    };
    for (const Value value : order_) {
        if (ops::info(value->op).kind == Kind::move && !contains(value)) continue;  // one that exists as such is read when it is made
        std::uint32_t earliest = UINT32_MAX;
        for (std::size_t i = value->op == Op::update ? 1 : 0; i < value->inputs.size(); ++i) {
            if (limit_of(value->inputs[i]) < value->id) force(value->inputs[i]);
            earliest = std::min(earliest, limit_of(value->inputs[i]));
        }
        until[value] = earliest;
    }
}

// Whether computing a value at a point reads memory of the target other than what is stored at that point.
bool Roots::reads_elsewhere(Value value, const IndexMap& map, const Storage& target) {
    Seen seen;
    return reads_elsewhere(value, map, target, seen);
}

bool Roots::reads_elsewhere(Value value, const IndexMap& map, const Storage& target, Seen& seen) {
    std::vector<IndexMap>& maps = seen[value];
    if (std::find(maps.begin(), maps.end(), map) != maps.end()) return false;  // it did not, or this would be over
    maps.push_back(map);
    const Kind kind = ops::info(value->op).kind;
    const bool is_memory = value->op == Op::parameter || contains(value);
    if (!is_memory && kind == Kind::make) return false;
    if (!is_memory && kind == Kind::move) {
        if (const auto inner = through(*value, map, sizes_)) return reads_elsewhere(value->inputs[0], *inner, target, seen);
    }
    if (!is_memory && value->op == Op::pad) {
        return reads_elsewhere(value->inputs[0], padded_map(*value, map, sizes_), target, seen) ||
               reads_elsewhere(value->inputs[1], IndexMap{}, target, seen);
    }
    if (!is_memory && kind != Kind::move) {
        return std::any_of(value->inputs.begin(), value->inputs.end(), [&](Value input) { return reads_elsewhere(input, map, target, seen); });
    }
    const Storage from = *resolve(value);
    if (from.base != target.base) return false;
    if (!is_memory) return true;  // a reshape: in another order
    Dim offset = from.offset;
    Dims strides(target.strides.size(), Dim(0));
    for (std::size_t i = 0; i < map.size(); ++i) {
        offset = sizes_.add(offset, sizes_.multiply(map[i].offset, from.strides[i]));
        if (map[i].axis < 0) continue;
        Dim& stride = strides[static_cast<std::size_t>(map[i].axis)];
        stride = sizes_.add(stride, sizes_.multiply(Dim(map[i].step), from.strides[i]));
    }
    return !(offset == target.offset && strides == target.strides);
}

// Whether a root reads, and writes, of what an update stores to only the element at the same point.
bool Roots::touches_in_place(Value root, Value update) {
    const Storage target = region_of(*update, updates_.at(update), sizes_);
    if (root->op == Op::update) {
        const Storage own = region_of(*root, updates_.at(root), sizes_);
        if (own.base == target.base && !(own.offset == target.offset && own.strides == target.strides)) return false;
        return !reads_elsewhere(root->inputs[1], identity_map(root->inputs[1]->shape.size()), target);
    }
    if (!computes(root)) return false;
    const Storage own = *resolve(root);
    if (own.base == target.base && !(own.offset == target.offset && own.strides == target.strides)) return false;
    return std::none_of(root->inputs.begin(), root->inputs.end(),
                        [&](Value input) { return reads_elsewhere(input, identity_map(root->shape.size()), target); });
}

}  // namespace fastnp::pass
