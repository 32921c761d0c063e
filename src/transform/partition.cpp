#include "transform/partition.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 takes an empty optional in Boost's edge iterator for a use of what is in it
#endif

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <unordered_map>
#include <unordered_set>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "pass/work.h"

namespace fastnp::transform {

using ir::Op;
using ir::Value;
using ops::Kind;

namespace {

using Capacity = std::int64_t;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Edge = Traits::edge_descriptor;
using Network =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                          boost::property<boost::vertex_color_t, boost::default_color_type,
                                          boost::property<boost::vertex_distance_t, long, boost::property<boost::vertex_predecessor_t, Edge>>>,
                          boost::property<boost::edge_capacity_t, Capacity,
                                          boost::property<boost::edge_residual_capacity_t, Capacity, boost::property<boost::edge_reverse_t, Edge>>>>;

constexpr Capacity unlimited = Capacity{1} << 60, most_cost = Capacity{1} << 50;

// Whether a value is never computed twice: it is known early, or nowhere.
bool is_kept(Value value) {
    if (value->op == Op::parameter) return true;
    switch (ops::info(value->op).kind) {
        case Kind::fold:
        case Kind::argfold:
        case Kind::scan:
        case Kind::contract:
        case Kind::library:
        case Kind::collective: return true;
        case Kind::pick: return value->op != Op::concatenate && value->op != Op::pad;
        default: return ops::may_raise(*value);
    }
}

// Whether it can be computed twice at all: calls of the outside, reads and writes in place can't.
bool can_repeat(Value value) {
    if (value->op == Op::parameter) return false;
    if (ops::info(value->op).kind != Kind::pick) return true;
    switch (value->op) {
        case Op::concatenate:
        case Op::pad:
        case Op::take:
        case Op::sort:
        case Op::argsort:
        case Op::searchsorted:
        case Op::loop:
        case Op::after: return true;
        default: return false;
    }
}

class Cut {
public:
    Cut(const ir::Graph& graph, std::span<const Value> late, std::span<const Value> outputs) : sizes_(graph.sizes()), order_(ir::reachable(outputs)) {
        std::unordered_set<Value> waits(late.begin(), late.end());
        for (const Value value : order_) {
            if (std::any_of(value->inputs.begin(), value->inputs.end(), [&](Value input) { return waits.contains(input); })) waits.insert(value);
        }
        for (const Value value : order_) {
            if (waits.contains(value)) continue;
            number_.emplace(value, early_.size());
            early_.push_back(value);
        }
        for (const Value value : order_) {
            for (const Value input : value->inputs) {
                if (waits.contains(value) && !waits.contains(input)) read_.insert(input);
            }
        }
        for (const Value output : outputs) {
            if (!waits.contains(output)) read_.insert(output);
        }
    }

    // The fewest bytes.
    Partition run() {
        return cut([](Value value) { return is_kept(value) ? unlimited : 0; }, 1);
    }

    // The least work that is done again within a budget: the more a byte costs, the fewer are kept.
    Partition run_within(std::int64_t budget) {
        constexpr int cheapest = -10, dearest = 24;  // powers of two: additions that a byte is worth
        int low = cheapest, high = dearest;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (at_price(middle).bytes <= budget) high = middle;
            else low = middle + 1;
        }
        Partition found = at_price(low);
        if (found.bytes > budget) found = cut([](Value value) { return can_repeat(value) ? 0 : unlimited; }, 1);
        if (found.bytes > budget) {
            throw ValueError("memory_budget: " + std::to_string(found.bytes) + " bytes have to be kept at least, and the budget is of " +
                             std::to_string(budget));
        }
        return found;
    }

private:
    Partition at_price(int power) {
        constexpr int unit = 10;  // of work: as many bits, so that a byte may be worth less than an addition
        return cut([this](Value value) { return can_repeat(value) ? std::min(work_of(value) << unit, most_cost) : unlimited; },
                   Capacity{1} << (power + unit));
    }

    // A cut where keeping a value costs its bytes times `price`, and computing it again what `again` says.
    template <class Again>
    Partition cut(Again again, Capacity price) {
        const std::size_t source = 2 * early_.size(), sink = source + 1;
        network_ = Network(sink + 1);
        for (std::size_t i = 0; i < early_.size(); ++i) {
            const Value value = early_[i];
            const bool is_many = value->op == Op::loop || value->op == Op::call;  // its arrays are what can be kept
            connect(2 * i, 2 * i + 1, is_many ? unlimited : std::min(bytes_of(value), most_cost / price) * price);
            if (const Capacity cost = again(value); cost != 0) connect(source, 2 * i, cost);
            if (read_.contains(value)) connect(2 * i + 1, sink, unlimited);
            for (const Value input : value->inputs) connect(2 * number_.at(input) + 1, 2 * i, unlimited);
        }
        boost::boykov_kolmogorov_max_flow(network_, source, sink);
        return result(source);
    }

    Capacity elements_of(Value value) const {
        Capacity count = 1;
        for (const shape::Dim dim : value->shape) count *= sizes_.hint(dim);
        return count;
    }

    // In additions, roughly.
    Capacity work_of(Value value) const {
        constexpr Capacity decomposed = 16, moved = 4;  // of an element by a library, and by a pick
        switch (ops::info(value->op).kind) {
            case Kind::map: return elements_of(value) * pass::additions(value);
            case Kind::fold:
            case Kind::argfold:
            case Kind::scan: return elements_of(value->inputs[0]);
            case Kind::contract: return elements_of(value) * sizes_.hint(value->inputs[0]->shape.back());
            case Kind::library: return decomposed * elements_of(value->inputs[0]) * sizes_.hint(value->inputs[0]->shape.back());
            case Kind::pick: return value->op == Op::loop ? work_of_turns(*value) : value->op == Op::after ? 0 : moved * elements_of(value);
            case Kind::collective: return most_cost;  // never twice
            case Kind::make:
            case Kind::move:
            case Kind::note: return 0;
        }
        return 0;
    }

    Capacity work_of_turns(const ir::Node& loop) const {
        Capacity each = 1;
        for (const Value input : loop.inputs) each += elements_of(input);
        constexpr std::int64_t unknown = 64;  // turns
        return each * (ir::Looped(loop.attributes.ints).is_while ? unknown : sizes_.hint(loop.attributes.dims[0]));
    }

    void connect(std::size_t from, std::size_t to, Capacity capacity) {
        const Edge forward = add_edge(from, to, network_).first, back = add_edge(to, from, network_).first;
        put(boost::edge_capacity, network_, forward, capacity);
        put(boost::edge_capacity, network_, back, 0);
        put(boost::edge_reverse, network_, forward, back);
        put(boost::edge_reverse, network_, back, forward);
    }

    Capacity bytes_of(Value value) const {
        Capacity bytes = static_cast<Capacity>(itemsize_of(value->dtype));
        for (const shape::Dim dim : value->shape) bytes *= sizes_.hint(dim);
        return std::max<Capacity>(bytes, 1);
    }

    Partition result(std::size_t source) {
        const auto color = get(boost::vertex_color, network_);
        const auto is_early = [&](std::size_t vertex) { return get(color, vertex) == get(color, source); };
        Partition found;
        for (std::size_t i = 0; i < early_.size(); ++i) {
            if (read_.contains(early_[i])) found.all_bytes += bytes_of(early_[i]);
            if (is_early(2 * i) && !is_early(2 * i + 1)) {
                found.saved.push_back(early_[i]);
                found.bytes += bytes_of(early_[i]);
            } else if (!is_early(2 * i) && is_work(early_[i])) {
                ++found.recomputed;
            }
        }
        return found;
    }

    static bool is_work(Value value) {
        const Kind kind = ops::info(value->op).kind;
        return kind != Kind::make && kind != Kind::move && kind != Kind::note && value->op != Op::after;
    }

    const shape::Sizes& sizes_;
    std::vector<Value> order_, early_;
    std::unordered_map<Value, std::size_t> number_;  // among the early ones
    std::unordered_set<Value> read_;                 // early ones that late ones take
    Network network_;
};

}  // namespace

Partition partition(const ir::Graph& graph, std::span<const Value> late, std::span<const Value> outputs, std::optional<std::int64_t> budget) {
    Cut cut(graph, late, outputs);
    return budget ? cut.run_within(*budget) : cut.run();
}

ir::Graph extract(const ir::Graph& graph, std::span<const Value> inputs, std::span<const Value> outputs) {
    ir::Graph made = graph.sibling();
    std::unordered_map<Value, Value> done;
    for (const Value input : inputs) done.emplace(input, made.parameter(input->dtype, input->shape));
    std::vector<Value> open(outputs.begin(), outputs.end()), needed;
    std::unordered_set<Value> seen;
    while (!open.empty()) {
        const Value value = open.back();
        open.pop_back();
        if (done.contains(value) || !seen.insert(value).second) continue;
        needed.push_back(value);
        open.insert(open.end(), value->inputs.begin(), value->inputs.end());
    }
    std::sort(needed.begin(), needed.end(), [](Value a, Value b) { return a->id < b->id; });
    for (const Value value : needed) {
        if (value->op == Op::parameter) throw InternalError("a stage reads what it was not given");
        std::vector<Value> operands;
        for (const Value input : value->inputs) operands.push_back(done.at(input));
        const ir::At at(made, value);
        done.emplace(value, made.make(value->op, operands, value->attributes, value->dtype, value->shape));
    }
    std::vector<Value> ends;
    std::vector<ir::Place> places;
    for (const Value output : outputs) {
        ends.push_back(done.at(output));
        places.push_back({made.next_owner(), ends.back(), {}});
    }
    made.set_outputs(std::move(ends), std::move(places));
    return made;
}

}  // namespace fastnp::transform
