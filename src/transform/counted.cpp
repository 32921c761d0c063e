#include "transform/counted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/rules.h"

namespace fastnp::transform {

namespace {

using ir::Op;
using ir::Value;

constexpr double most = 9007199254740992.0;                        // up to which floats are exact
constexpr double most_size = static_cast<double>(shape::most_elements);

struct Range {
    double low, high;
    double reach() const { return std::max(std::abs(low), std::abs(high)); }
    bool has_zero() const { return low <= 0 && high >= 0; }
};

constexpr Range unknown{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};

struct Number {
    Value value;
    Range range;
};

std::vector<Number>& counted() {
    static thread_local std::vector<Number> numbers;
    return numbers;
}

// Whether an array of that dtype becomes another one beside an int64, but not beside Python's integer.
bool is_narrow(Dtype dtype) { return dtype != Dtype::bool_ && promote_types(dtype, Dtype::int64) != dtype; }

Range product(const Range& a, const Range& b) {
    const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    if (std::any_of(std::begin(ends), std::end(ends), [](double end) { return std::isnan(end); })) return unknown;
    return {*std::min_element(std::begin(ends), std::end(ends)), *std::max_element(std::begin(ends), std::end(ends))};
}

// What a graph computes of the numbers alone, from one value to the next one.
class Check {
public:
    Check() {
        for (const Number& each : counted()) known_.emplace(each.value, each.range);
    }

    void look_at(const ir::Node& node) {
        const bool depends = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value input) { return known_.contains(input); });
        uses_ |= depends;
        has_narrow_ |= is_narrow(node.dtype) || std::any_of(node.inputs.begin(), node.inputs.end(), [](Value each) { return is_narrow(each->dtype); });
        if (uses_ && has_narrow_) refuse();
        const bool is_among = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value input) { return spread_.contains(input); });
        if ((depends || is_among) && (node.op == Op::power || node.op == Op::float_power)) refuse();  // whole exponents have ways of their own
        if (node.op == Op::broadcast_to && (depends || is_among)) spread_.insert(&node);
        if (node.op == Op::cast && is_among) spread_.insert(&node);
        if (!depends) return;
        if (!node.shape.empty()) return;
        std::vector<Range> ranges;
        for (const Value input : node.inputs) {
            const std::optional<Range> range = range_of(input);
            if (!range) return;  // computed with an array's: NumPy's, as written
            ranges.push_back(*range);
        }
        if (const std::optional<Range> range = computed(node, ranges)) {
            if (node.dtype == Dtype::int64 && range->reach() > most) refuse();
            known_.emplace(&node, *range);
        }
    }

private:
    [[noreturn]] static void refuse() { throw TypeError("computes something with the number of an iteration that is another thing with Python's"); }

    std::optional<Range> range_of(Value value) const {
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        if (!value->shape.empty()) return std::nullopt;
        if (value->op == Op::extent) return Range{-most_size, most_size};
        if (value->op == Op::cast) return range_of(value->inputs[0]);
        if (value->op != Op::constant || value->dtype == Dtype::complex128) return std::nullopt;
        const Scalar& scalar = value->attributes.scalar;
        const bool is_whole = value->dtype == Dtype::int64 || value->dtype == Dtype::bool_;
        const double number = is_whole ? static_cast<double>(static_cast<std::int64_t>(scalar.bits())) : scalar.real();
        return std::isnan(number) ? unknown : Range{number, number};
    }

    // Nothing: a number of NumPy's, whoever computes it.
    static std::optional<Range> computed(const ir::Node& node, const std::vector<Range>& of) {
        const bool has_bools = std::any_of(node.inputs.begin(), node.inputs.end(), [](Value each) { return each->dtype == Dtype::bool_; });
        if (ops::info(node.op).rule == &ops::rules::compare) return Range{0, 1};
        switch (node.op) {
            case Op::cast:
                if (node.dtype == Dtype::bool_) refuse();
                return node.dtype == Dtype::complex128 ? std::nullopt : std::optional(of[0]);
            case Op::add:
                if (has_bools) refuse();
                return Range{of[0].low + of[1].low, of[0].high + of[1].high};
            case Op::subtract:
                if (has_bools) refuse();
                return Range{of[0].low - of[1].high, of[0].high - of[1].low};
            case Op::multiply:
                if (has_bools) refuse();
                return product(of[0], of[1]);
            case Op::positive: return of[0];
            case Op::negative: return Range{-of[0].high, -of[0].low};
            case Op::absolute: return Range{0, of[0].reach()};
            case Op::square: return Range{0, of[0].reach() * of[0].reach()};
            case Op::divide:
            case Op::floor_divide:
            case Op::remainder:
                if (of[1].has_zero() || std::isnan(of[1].low)) refuse();
                if (node.op == Op::divide) return unknown;
                return node.op == Op::remainder ? Range{-of[1].reach(), of[1].reach()} : Range{-of[0].reach() - 1, of[0].reach() + 1};
            case Op::select:
            case Op::maximum:
            case Op::minimum: return std::nullopt;
            default: break;
        }
        const bool is_exact = node.inputs[0]->dtype == Dtype::float64 || node.dtype == Dtype::float64;
        const bool rounds = node.op == Op::rint || node.op == Op::floor || node.op == Op::ceil || node.op == Op::trunc;
        if (has_bools || !is_exact || rounds) refuse();
        return std::nullopt;  // a function of NumPy's
    }

    std::map<Value, Range> known_;
    std::set<Value> spread_;  // numbers beside arrays
    bool uses_ = false, has_narrow_ = false;
};

}  // namespace

Counted::Counted(ir::Value value, std::int64_t low, std::int64_t high) {
    counted().push_back({value, {static_cast<double>(low), static_cast<double>(high)}});
}
Counted::~Counted() { counted().pop_back(); }

void check_counted(const ir::Graph& graph, std::size_t first) {
    if (counted().empty()) return;
    Check check;
    for (std::size_t i = first; i < graph.nodes().size(); ++i) check.look_at(graph.nodes()[i]);
}

}  // namespace fastnp::transform
