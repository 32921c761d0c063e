// How regions are formed. Roots are the values that must exist as such (pass/roots.h), with those that are too costly to compute again for each use.
// In order of dependence each root joins the region of a fold that it reads, or a sibling over the same
// domain, if no other step lies between; else it opens a region. All other values are computed where they are used.
#include "pass/fuse.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <boost/container/flat_set.hpp>

#include "fastnp/error.h"
#include "ops/collective.h"
#include "pass/roles.h"
#include "pass/roots.h"
#include "pass/work.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::Kind;
using shape::Dim;
using shape::Dims;

bool Region::has_fold() const {
    return std::any_of(members.begin(), members.end(), [](const Member& member) { return member.role == Role::fold; });
}

IndexMap Region::map_of(const Member& member) const {
    if (member.role == Role::full) return identity_map(domain.size());
    IndexMap map;
    const bool keeps = member.role == Role::outer && member.value->shape.size() == domain.size();
    for (std::size_t i = 0; i < domain.size(); ++i) {
        if (!reduced[i]) map.push_back({static_cast<int>(i), 1, 0});
        else if (keeps) map.push_back({});
    }
    return map;
}

namespace {

// Ops of one value, and of all values of a kernel. A loop that was unrolled is cut at equal distances, into kernels that are mostly equal: their code is
// generated once.
constexpr int most_ops = 256, most_region_ops = 512;
constexpr int ops_of_fold = 64;  // what a fold counts among these: its loops are as much code
constexpr std::ptrdiff_t most_siblings = 64;  // that are tried, of units that read the same value
constexpr int worth_reading = 12;  // additions that are saved at a point
// Additions, from which a value that several kernels take is stored; of one that is still in a near cache when it is read.
constexpr int worth_keeping = 32, worth_keeping_near = 16;
constexpr std::int64_t near_bytes = 256 * 1024;

using Numbers = boost::container::flat_set<int>;

class Fuser {
public:
    Fuser(ir::Graph& graph, const std::vector<Dims>& parameter_strides, const FuseOptions& options)
        : graph_(graph),
          sizes_(graph.sizes()),
          options_(options),
          roles_(graph.sizes(), options.walkers),
          roots_(graph, parameter_strides, options.fuse, options.layout, options.gathers) {}

    Program run() {
        const auto& effects = graph_.effects();
        for (std::size_t i = 1; i < effects.size(); ++i) previous_effect_.emplace(effects[i], effects[i - 1]);
        const auto has_place = [](Value effect) { return ops::is_read(effect->op) || ops::is_collective(effect->op); };
        ordered_ = std::ranges::any_of(effects, has_place) || roots_.any_updates();
        find_stages();
        if (options_.fuse) options_.apart ? keep_apart() : cut();
        do {
            form();
        } while (force_shared());
        return finish();
    }

private:
    struct Unit {
        Value node = nullptr;
        Region region;
        Numbers needs;                       // units whose values it reads
        int ops = 0;                         // that the region computes, about
        Apart apart = Apart::none;           // why it was opened
        int from = -1;                       // what it is no part of
        std::unordered_set<Value> computed;  // these
    };
    using Leaf = std::function<void(Value, const IndexMap&)>;
    using Seen = std::unordered_map<Value, std::vector<IndexMap>>;  // what was visited, and by which maps
    using Reads = std::vector<std::pair<Value, IndexMap>>;          // the leaves of a root over its own domain

    // A value that is to be computed, and what that takes.
    struct Root {
        Value value;
        Reads reads;
        std::unordered_set<Value> leaves;
        std::vector<Value> computed;
        int ops = 0;  // about how much code that is
    };

    // Has values exist that too much is computed for, and those that are read at several points at a time, as stencils do, if that is more work than
    // reading them.
    void cut() {
        std::unordered_map<Value, int> readings;  // the slices and pads of a value, and one for all that takes it as it is
        std::unordered_set<Value> direct;
        for (const Value value : roots_.order()) {
            const bool shifts = value->op == Op::slice || value->op == Op::pad;
            for (const Value input : value->inputs) {
                if (shifts || direct.insert(input).second) ++readings[input];
            }
        }
        // What a pad or a move of a value is read at, it is read at itself.
        for (const Value value : roots_.order() | std::views::reverse) {
            const bool moves = value->op == Op::pad || (ops::info(value->op).kind == Kind::move && value->op != Op::slice);
            if (moves && !roots_.contains(value) && readings[value] > 1) readings[value->inputs[0]] += readings[value] - 1;
        }
        Work ops(roots_, each_op, most_ops), spent(roots_, additions, worth_reading);
        for (const Value value : roots_.order()) {
            const int count = ops.of(value), cost = spent.of(value);
            if (ops::info(value->op).kind != Kind::map) continue;
            const bool again = cost * (readings[value] - 1) >= worth_reading && roles_.points(value->shape) > 1 && is_shifted(value, direct, readings);
            if (count > most_ops || again) roots_.insert(value);
        }
    }

    // Has the values of all ops exist. Moves, and numbers that are made, are no work of their own.
    void keep_apart() {
        for (const Value value : roots_.order()) {
            if (ops::info(value->op).kind == Kind::map || value->op == Op::pad) roots_.insert(value);
        }
    }

    // Whether more than what takes a value as it is reads it.
    static bool is_shifted(Value value, const std::unordered_set<Value>& direct, const std::unordered_map<Value, int>& readings) {
        return readings.at(value) > (direct.contains(value) ? 1 : 0);
    }

    // Which of the bound sizes computing a value takes: the last one. A loop's body binds none: they are all known before it.
    void find_stages() {
        if (std::ranges::none_of(roots_.order(), [](Value value) { return value->op == Op::bind; })) return;
        for (const Value value : roots_.order()) {
            int stage = 0;
            if (value->op != Op::bind) {  // which makes one
                for (const Dim dim : value->shape) stage = std::max(stage, sizes_.stage(dim));
                for (const Dim dim : value->attributes.dims) stage = std::max(stage, sizes_.stage(dim));
            }
            for (const Value input : value->inputs) {
                if (const auto known = stages_.find(input); known != stages_.end()) stage = std::max(stage, static_cast<int>(known->second));
            }
            if (stage > 0) stages_.emplace(value, stage);
        }
    }

    // --- leaves ------------------------------------------------------------------------------------------------------------------

    // Calls `leaf` for each value in memory, fold or earlier root that computing `value` at the points of `map` reads.
    void visit(Value value, const IndexMap& map, bool is_self, const Leaf& leaf, Seen& seen) {
        std::vector<IndexMap>& maps = seen[value];
        if (std::find(maps.begin(), maps.end(), map) != maps.end()) return;
        maps.push_back(map);
        if (roots_.gathered().contains(value)) return visit_gathered(value, map, leaf, seen);
        if (!is_self && (value->op == Op::parameter || roots_.contains(value))) {
            leaf(value, map);
            return;
        }
        const Kind kind = ops::info(value->op).kind;
        if (kind == Kind::make) return;
        if (kind == Kind::move) {
            if (const auto inner = through(*value, map, sizes_)) {
                visit(value->inputs[0], *inner, false, leaf, seen);
            } else {
                if (roots_.resolve(value)) leaf_in_memory(roots_.version_of(value), leaf);  // a reshape of something in memory
            }
            return;
        }
        if (value->op == Op::pad) {
            visit(value->inputs[0], padded_map(*value, map, sizes_), false, leaf, seen);
            visit(value->inputs[1], IndexMap{}, false, leaf, seen);
            return;
        }
        for (const Value input : value->inputs) visit(input, map, false, leaf, seen);
    }

    // What has to lie in memory first: no point of a region is what is read. (A map with an axis too many fits none.)
    static void leaf_in_memory(Value value, const Leaf& leaf) { leaf(value, IndexMap(value->shape.size() + 1)); }

    // The indices are looked at before, and all of what is taken from is there.
    void visit_gathered(Value take, const IndexMap& map, const Leaf& leaf, Seen& seen) {
        leaf_in_memory(take, leaf);
        leaf_in_memory(roots_.version_of(take->inputs[0]), leaf);
        visit(take->inputs[1], taken_maps(*take, map).indices, false, leaf, seen);
    }

    Seen leaves_of(Value root, const IndexMap& map, const Leaf& leaf) {
        Seen seen;
        if (root->op == Op::update) visit(root->inputs[1], map, false, leaf, seen);
        else if (ops::info(root->op).kind == Kind::fold) visit(root->inputs[0], map, false, leaf, seen);
        else visit(root, map, true, leaf, seen);
        return seen;
    }

    Root root_of(Value value) {
        Root root{value, {}, {}, {}};
        if (roots_.is_precompiled(value)) {
            for (const Value input : value->inputs) root.leaves.insert(roots_.version_of(input));
            return root;
        }
        const Seen seen = leaves_of(value, identity_map(Roles::domain_of(value).size()), [&](Value leaf, const IndexMap& at) {
            root.leaves.insert(leaf);
            root.reads.emplace_back(leaf, at);
        });
        for (const auto& [each, maps] : seen) root.computed.push_back(each);
        root.ops = static_cast<int>(seen.size()) + (ops::info(value->op).kind == Kind::fold ? ops_of_fold : 0);
        return root;
    }

    // --- regions -----------------------------------------------------------------------------------------------------------------

    // Whether what the root reads of the region's own values is there when it is computed: the same point's.
    bool reads_in_place(const Unit& unit, int number, Value root, Region::Role role, const Reads& reads) {
        bool fits = true;
        const Leaf check = [&](Value leaf, const IndexMap& at) {
            const auto found = unit_of_.find(leaf);
            if (found == unit_of_.end() || found->second != number || leaf->op == Op::update) return;
            for (const Region::Member& other : unit.region.members) {
                if (other.value != leaf) continue;
                if (other.role == Region::Role::full && role == Region::Role::outer) fits = false;
                const IndexMap wanted = unit.region.map_of(other);
                fits = fits && at.size() == wanted.size();
                for (std::size_t i = 0; fits && i < at.size(); ++i) {
                    const bool repeated = wanted[i].axis < 0;
                    fits = repeated ? at[i].axis < 0 : at[i] == wanted[i];
                }
            }
        };
        if (role == Region::Role::outer) {
            leaves_of(root, unit.region.map_of({root, role}), check);
        } else {
            for (const auto& [leaf, map] : reads) check(leaf, map);
        }
        return fits;
    }

    // The last unit that a unit could need, by way of others: up to there, none needs one that comes later.
    int furthest(int unit) const {
        while (highest_[static_cast<std::size_t>(unit)] > unit) unit = highest_[static_cast<std::size_t>(unit)];
        return unit;
    }

    // Marks the units that others need, in one step or several, down to the lowest one.
    void mark_before(const Numbers& units, int lowest) {
        marks_.resize(units_.size(), 0);
        ++mark_;
        std::vector<int> open(units.begin(), units.end());
        while (!open.empty()) {
            const int at = open.back();
            open.pop_back();
            if (furthest(at) < lowest) continue;
            for (const int need : units_[static_cast<std::size_t>(at)].needs) {
                if (std::exchange(marks_[static_cast<std::size_t>(need)], mark_) != mark_) open.push_back(need);
            }
        }
    }

    // What a root reads of a unit's own values.
    Roles::Reads reads_of(const Unit& unit, int number, const Reads& reads) const {
        auto found = Roles::Reads::nothing;
        for (const auto& [leaf, map] : reads) {
            const auto made = unit_of_.find(leaf);
            if (made == unit_of_.end() || made->second != number) continue;
            found = std::max(found, is_full(unit.region, leaf) ? Roles::Reads::points : Roles::Reads::folds);
        }
        return found;
    }

    static bool is_full(const Region& region, Value value) {
        return std::any_of(region.members.begin(), region.members.end(),
                           [&](const Region::Member& member) { return member.value == value && member.role == Region::Role::full; });
    }

    // The role that a root could have in a unit, as far as that is good and what it reads of the unit is there; or why it has none.
    struct Fit {
        Apart apart = Apart::none;
        Region::Role role = Region::Role::full;
    };
    Fit fit(int number, const Root& root) {
        const Unit& unit = units_[static_cast<std::size_t>(number)];
        if (unit.node != nullptr) return {options_.fuse ? Apart::after_precompiled : Apart::unfused};
        if (!has_room(unit, root)) return {Apart::too_long};
        if (!stores_apart(unit.region, root.value)) return {Apart::writes};
        const auto role = roles_.role_in(unit.region, root.value);
        if (!role) return {Roles::domain_of(root.value) == unit.region.domain ? Apart::other_axes : Apart::other_points};
        if (!roles_.is_worthwhile(unit.region, root.value, *role, reads_of(unit, number, root.reads))) return {Apart::whole_first};
        return {reads_in_place(unit, number, root.value, *role, root.reads) ? Apart::none : Apart::elsewhere, *role};
    }

    // Whether a kernel does not get too long: what both compute counts once.
    static bool has_room(const Unit& unit, const Root& root) {
        int ops = unit.ops + root.ops;
        if (ops <= most_region_ops) return true;
        for (const Value value : root.computed) ops -= unit.computed.contains(value) ? 1 : 0;
        return ops <= most_region_ops;
    }

    // Puts a root into the first of the units that can take it, none of which is before `lowest`; or notes why the first of all does not.
    template <class Units>
    bool join(const Units& units, int lowest, const Root& root, const Numbers& needs) {
        bool is_marked = false;
        for (const int number : units) {
            Fit found = fit(number, root);
            if (found.apart == Apart::none) {
                if (!std::exchange(is_marked, true)) mark_before(needs, lowest);
                if (marks_[static_cast<std::size_t>(number)] == mark_) found.apart = Apart::between;
            }
            if (found.apart == Apart::none) {
                put_into(number, root, found.role, needs);
                return true;
            }
            note_apart(found.apart, number);
        }
        return false;
    }

    void note_apart(Apart apart, int from) {
        if (apart_ == Apart::none) std::tie(apart_, apart_from_) = std::tuple(apart, from);
    }

    void put_into(int number, const Root& root, Region::Role role, const Numbers& needs) {
        Unit& unit = units_[static_cast<std::size_t>(number)];
        if (role == Region::Role::fold) unit.region.reduced = Roles::mask_of(root.value);
        unit.region.members.push_back({root.value, role});
        for (const int need : needs) {
            if (need == number) continue;
            unit.needs.insert(need);
            for (std::size_t i = static_cast<std::size_t>(number); i < units_.size() && highest_[i] < need; ++i) highest_[i] = need;
        }
        unit_of_[root.value] = number;
        unit.ops += root.ops;
        for (const Value value : root.computed) unit.ops -= unit.computed.insert(value).second ? 0 : 1;
    }

    // Whether a root can be computed in one walk with a region as far as writes go: what one of them stores to, the others touch at the same point only.
    bool stores_apart(const Region& region, Value root) {
        const auto has_update = [](const Region::Member& member) { return member.value->op == Op::update; };
        const bool any = std::any_of(region.members.begin(), region.members.end(), has_update);
        if (root->op != Op::update && !any) return true;
        if (region.has_fold() || ops::info(root->op).kind == Kind::fold) return false;
        for (const Region::Member& member : region.members) {
            if (root->op == Op::update && !roots_.touches_in_place(member.value, root)) return false;
            if (has_update(member) && !roots_.touches_in_place(root, member.value)) return false;
        }
        return true;
    }

    void form() {
        units_.clear();
        marks_.clear();
        mark_ = 0;
        highest_.clear();
        unit_of_.clear();
        readers_.clear();
        binds_.assign(1, -1);
        for (const Value value : roots_.order()) {
            if (!roots_.contains(value)) continue;
            const Root root = root_of(value);
            Numbers needs;
            if (const auto stage = stages_.find(value); stage != stages_.end()) needs.insert(binds_.at(stage->second));
            for (const Value leaf : root.leaves) {
                if (const auto made = unit_of_.find(leaf); made != unit_of_.end()) needs.insert(made->second);
            }
            if (ordered_) order_effects(value, needs);
            apart_ = Apart::none;
            apart_from_ = -1;
            if (roots_.is_precompiled(value) && !needs.empty()) note_apart(options_.fuse ? Apart::precompiled : Apart::unfused, *needs.rbegin());
            if (options_.apart && !needs.empty()) note_apart(Apart::unfused, *needs.rbegin());
            if (roots_.is_precompiled(value) || options_.apart || !join(root, needs)) open(root, std::move(needs));
            for (const Value leaf : root.leaves) note_reader(leaf, unit_of_[value]);
        }
    }

    // Puts a root into the unit that it fits into best: the last that it needs, else the first that reads what it does.
    bool join(const Root& root, const Numbers& needs) {
        const std::vector<int> latest_first(needs.rbegin(), needs.rend());
        if (!needs.empty() && join(latest_first, *needs.begin(), root, needs)) return true;
        const std::vector<int> siblings = siblings_of(root.leaves);
        return !siblings.empty() && join(siblings, siblings.front(), root, needs);
    }

    // A unit of its own.
    void open(const Root& root, Numbers needs) {
        const int number = static_cast<int>(units_.size());
        Unit unit;
        unit.needs = std::move(needs);
        unit.ops = root.ops;
        unit.apart = apart_;
        unit.from = apart_from_;
        unit.computed.insert(root.computed.begin(), root.computed.end());
        if (roots_.is_precompiled(root.value)) {
            unit.node = root.value;
        } else {
            unit.region.domain = Roles::domain_of(root.value);
            unit.region.reduced = Roles::mask_of(root.value);
            unit.region.members.push_back({root.value, ops::info(root.value->op).kind == Kind::fold ? Region::Role::fold : Region::Role::full});
        }
        unit_of_[root.value] = number;
        if (root.value->op == Op::bind) binds_.push_back(number);
        highest_.push_back(number);
        units_.push_back(std::move(unit));
    }

    void note_reader(Value leaf, int unit) {
        std::vector<int>& readers = readers_[leaf];
        if (readers.empty() || readers.back() != unit) readers.push_back(unit);
    }

    // Units that read something of this, too: the latest of them, in order.
    std::vector<int> siblings_of(const std::unordered_set<Value>& leaves) {
        std::vector<int> found;
        for (const Value leaf : leaves) {
            const std::vector<int>& readers = readers_[leaf];
            found.insert(found.end(), readers.end() - std::min<std::ptrdiff_t>(most_siblings, std::ssize(readers)), readers.end());
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    // Writes come after all that reads what they overwrite, and effects in the order of the program.
    void order_effects(Value root, Numbers& needs) {
        if (root->op == Op::update) {
            const Value before = roots_.version_of(root->inputs[0]);
            const auto made = unit_of_.find(before);
            if (made != unit_of_.end()) needs.insert(made->second);
            needs.insert(readers_[before].begin(), readers_[before].end());
        }
        const auto own = previous_effect_.find(root);
        if (own == previous_effect_.end()) return;
        const auto previous = unit_of_.find(own->second);
        if (previous != unit_of_.end()) needs.insert(previous->second);
    }

    // Values of much work that several regions would compute, or one region again and again behind a broadcast, become roots.
    bool force_shared() {
        std::unordered_map<Value, Numbers> users;
        std::unordered_set<Value> repeated;
        for (std::size_t i = 0; i < units_.size(); ++i) {
            for (const Region::Member& member : units_[i].region.members) {
                const bool is_update = member.value->op == Op::update;
                const Value start = member.role == Region::Role::fold ? member.value->inputs[0] : is_update ? member.value->inputs[1] : member.value;
                collect(start, member.role != Region::Role::fold && !is_update, static_cast<int>(i), users, repeated);
            }
        }
        bool changed = false;
        Work work(roots_, additions, worth_keeping);
        for (const Value value : roots_.order()) {
            const int spent = work.of(value);
            const auto found = users.find(value);
            if (found == users.end() || found->second.size() < 2 || roles_.points(value->shape) <= 1) continue;
            const auto bytes = roles_.points(value->shape) * static_cast<std::int64_t>(itemsize_of(value->dtype));
            if (is_costly(value) || spent >= (bytes <= near_bytes ? worth_keeping_near : worth_keeping)) changed = roots_.insert(value) || changed;
        }
        for (const Value value : repeated) changed = roots_.insert(value) || changed;
        return changed;
    }

    void collect(Value value, bool is_self, int unit, std::unordered_map<Value, Numbers>& users, std::unordered_set<Value>& repeated) {
        if (!is_self && (value->op == Op::parameter || roots_.contains(value))) return;
        const Kind kind = ops::info(value->op).kind;
        if (kind == Kind::map && !users[value].insert(unit).second) return;
        if (value->op == Op::broadcast_to) {
            const Value operand = value->inputs[0];
            const bool repeats_rows =
                !operand->shape.empty() && !(operand->shape.back() == Dim(1)) && roles_.points(operand->shape) < roles_.points(value->shape);
            if (repeats_rows && maps_below(operand) >= 3 && !roots_.contains(operand)) {
                Value at = operand;
                while (ops::info(at->op).kind == Kind::move) at = at->inputs[0];
                if (ops::info(at->op).kind == Kind::map && !roots_.contains(at)) repeated.insert(at);
            }
        }
        if (kind == Kind::fold) return;
        for (const Value input : value->inputs) collect(input, false, unit, users, repeated);
    }

    int maps_below(Value value) const {
        if (value->op == Op::parameter || roots_.contains(value)) return 0;
        const Kind kind = ops::info(value->op).kind;
        int count = kind == Kind::map ? (is_costly(value) ? 3 : 1) : 0;
        for (const Value input : value->inputs) {
            if (count >= 3) break;
            count += maps_below(input);
        }
        return count;
    }

    // --- the program -------------------------------------------------------------------------------------------------------------

    // A region of one stage alone: what reads folds needs them whole. Points are stored by blocks of rows only.
    void choose_split(Region& region) {
        if (!region.has_fold() || !roles_.is_split(region)) return;
        for (const Region::Member& member : region.members) {
            if (member.role == Region::Role::outer) continue;
            if (member.role == Region::Role::full && !region.reduced.back()) return;
            bool reads_fold = false;
            const int own = unit_of_.at(member.value);
            leaves_of(member.value, identity_map(region.domain.size()), [&](Value leaf, const IndexMap&) {
                const auto found = unit_of_.find(leaf);
                reads_fold = reads_fold || (found != unit_of_.end() && found->second == own && !is_full(region, leaf));
            });
            if (reads_fold) return;
        }
        region.split = true;
    }

    Program finish() {
        Program program;
        std::vector<bool> done(units_.size(), false);
        std::vector<int> place(units_.size(), -1);
        std::function<void(int)> put = [&](int number) {
            if (done[static_cast<std::size_t>(number)]) return;
            done[static_cast<std::size_t>(number)] = true;
            for (const int need : units_[static_cast<std::size_t>(number)].needs) put(need);
            Unit& unit = units_[static_cast<std::size_t>(number)];
            choose_split(unit.region);
            place[static_cast<std::size_t>(number)] = static_cast<int>(program.steps.size());
            program.steps.push_back({unit.node, std::move(unit.region), unit.apart, unit.from});
        };
        for (std::size_t i = 0; i < units_.size(); ++i) put(static_cast<int>(i));
        for (Step& step : program.steps) {
            if (step.from >= 0) step.from = place[static_cast<std::size_t>(step.from)];
        }
        for (const Value value : roots_.order()) {
            auto storage = roots_.resolve(value);
            if (storage && !roots_.gathered().contains(storage->base)) program.storage.emplace(value, *std::move(storage));
        }
        program.joined = roots_.joined();
        program.gathered = roots_.gathered();
        return program;
    }

    ir::Graph& graph_;
    shape::Sizes& sizes_;
    const FuseOptions& options_;
    const Roles roles_;
    Roots roots_;
    bool ordered_ = false;  // whether effects have to be kept in order
    std::vector<Unit> units_;
    std::vector<int> highest_;  // the last unit that is needed by one of those up to here, or this one
    std::vector<int> binds_;  // the units that find the bound sizes
    std::vector<int> marks_;  // of units, the mark of the last walk that came by
    int mark_ = 0;
    Apart apart_ = Apart::none;  // of the root that is looked at, and the unit that did not take it
    int apart_from_ = -1;
    std::unordered_map<Value, int> unit_of_;
    std::unordered_map<Value, std::vector<int>> readers_;  // units by what they read: parameters and earlier values
    std::unordered_map<Value, Value> previous_effect_;
    std::unordered_map<Value, std::size_t> stages_;  // of values with any
};

}  // namespace

Program fuse(ir::Graph& graph, const std::vector<Dims>& parameter_strides, const FuseOptions& options) {
    return Fuser(graph, parameter_strides, options).run();
}

}  // namespace fastnp::pass
