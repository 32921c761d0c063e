#include "transform/reverse.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/planted.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/moves.h"
#include "transform/accumulate.h"
#include "transform/custom.h"
#include "transform/scatter.h"
#include "transform/turns.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;
using ops::Kind;

namespace {

// What was repeated, summed.
array unrepeated(const array& g, Value from) {
    const Dims to = api::dims_of(g);
    const std::size_t lead = to.size() - from->shape.size();
    AxisList axes, ones;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const bool is_new = i < lead;
        if (!is_new && (from->shape[i - lead] == to[i] || !(from->shape[i - lead] == Dim(1)))) continue;
        axes.push_back(static_cast<std::int64_t>(i));
        if (!is_new) ones.push_back(static_cast<std::int64_t>(i - lead));
    }
    return axes.empty() ? g : api::expand(api::fold(Op::sum, g, span_of(axes)), span_of(ones));
}

// The transpose of a derivative that is given for forward mode: it is linear in marks for the changes. Results without a cotangent are not gone back from.
std::vector<std::optional<array>> transposed(const Custom& custom, std::span<const array> operands, std::span<const array> results,
                                             std::span<const std::optional<array>> cotangents) {
    std::vector<array> changes;
    for (const array& operand : operands) {
        changes.push_back(is_inexact(operand.dtype()) ? detail::mark(zeros_of(value_of(operand))) : zeros_of(value_of(operand)));
    }
    std::vector<Value> marks, ends;
    for (const array& change : changes) marks.push_back(value_of(change));
    const std::vector<array> given = custom.forward(operands, results, changes);
    for (const array& each : given) ends.push_back(value_of(each));
    Reverse reverse(marks, ends);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (cotangents[i]) reverse.add(ends[i], *cotangents[i]);
    }
    reverse.run();
    std::vector<std::optional<array>> found;
    for (const Value mark : marks) found.emplace_back(reverse.cotangent(mark));
    return found;
}

// The only axis along which a slice leaves something out; nothing where there are several, for steps, and for sizes that vary.
std::optional<std::size_t> cut_axis(const ir::Node& slice) {
    std::optional<std::size_t> axis;
    const Dims& whole = slice.inputs[0]->shape;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (slice.attributes.ints[i] != 1) return std::nullopt;
        if (slice.shape[i] == whole[i]) continue;
        if (axis || !whole[i].is_constant() || !slice.shape[i].is_constant() || !slice.attributes.dims[i].is_constant()) return std::nullopt;
        axis = i;
    }
    return axis;
}

}  // namespace

std::optional<array> Reverse::join(Value value, std::vector<Sum::Part> parts) {
    const auto axis = cut_axis(*parts[0].slice);
    if (!axis) return std::nullopt;
    for (const Sum::Part& part : parts) {
        if (cut_axis(*part.slice) != axis) return std::nullopt;
    }
    const auto start_of = [&](const Sum::Part& part) { return part.slice->attributes.dims[*axis].value(); };
    std::sort(parts.begin(), parts.end(), [&](const Sum::Part& a, const Sum::Part& b) { return start_of(a) < start_of(b); });
    std::vector<array> pieces;
    std::int64_t at = 0;
    const auto fill_to = [&](std::int64_t end) {
        Dims shape = value->shape;
        shape[*axis] = Dim(end - at);
        if (end > at) pieces.push_back(api::constant(0, value->dtype, shape));
    };
    for (const Sum::Part& part : parts) {
        if (start_of(part) < at) return std::nullopt;
        fill_to(start_of(part));
        pieces.push_back(converted(part.cotangent, value->dtype));
        at = start_of(part) + part.slice->shape[*axis].value();
    }
    fill_to(value->shape[*axis].value());
    return concatenate(pieces, static_cast<int>(*axis));
}

Reverse::Reverse(std::span<const Value> marks, std::span<const Value> outputs) : segment_(marks, outputs, Segment::Of::derivatives) {
    for (const Value value : segment_.values()) {
        if (value->op == Op::custom) ++customs_[value->attributes.ints[0]];
    }
}

void Reverse::add(Value value, const array& cotangent) {
    if (!segment_.carries(value)) return;
    const array g = converted(cotangent, value->dtype);
    std::optional<array>& whole = sums_[value].whole;
    whole = whole ? *whole + g : g;
}

namespace {

constexpr std::size_t most_padded = 32;  // parts that one kernel adds up

// Whether a value is one matrix for all of a stack, whole: its rows and columns are not repeated.
bool is_repeated_matrix(Value value) {
    if (value->op != Op::broadcast_to || value->inputs[0]->shape.size() != 2 || value->shape.size() <= 2) return false;
    return std::equal(value->inputs[0]->shape.begin(), value->inputs[0]->shape.end(), value->shape.end() - 2);
}

bool is_most(Value region) { return ops::takes_most(region, recorder().graph().sizes()); }

// A part of the region of a slice or an update within a border.
array padded(const array& part, Value region, const Scalar& border) {
    const array operands[] = {part, api::constant(border, part.dtype())};
    return api::apply(Op::pad, ops::pad_around(region, api::dims_of(part), recorder().graph().sizes()), operands);
}

// A value as a number times another; nothing for 16-bit floats, whose sums leave their range where scaled ones don't.
std::optional<std::pair<Scalar, array>> scaled(const array& whole) {
    const Value product = value_of(whole);
    if (product->op != Op::multiply || (is_floating(product->dtype) && itemsize_of(product->dtype) == 2)) return std::nullopt;
    for (const std::size_t i : {0, 1}) {
        const Value factor = product->inputs[i];
        if (factor->op != Op::constant) continue;
        const std::complex<double> by(factor->attributes.scalar.real(), factor->attributes.scalar.imag());
        if (std::isfinite(by.real()) && std::isfinite(by.imag())) return std::pair(factor->attributes.scalar, array_of(product->inputs[1 - i]));
    }
    return std::nullopt;
}

}  // namespace

// Parts of stencils, each within zeros. Where several are a number times something, what they are made of is added up, and multiplied once.
array Reverse::sum_of_padded(std::span<const Sum::Part> parts, Dtype dtype) {
    std::optional<array> total;
    const auto add = [](std::optional<array>& to, const array& each) { to = to ? *to + each : each; };
    std::vector<std::pair<Scalar, std::optional<array>>> sums;  // by factor
    for (const Sum::Part& part : parts) {
        const array cotangent = converted(part.cotangent, dtype);
        const auto factors = scaled(cotangent);
        if (!factors) {
            add(total, padded(cotangent, part.slice, 0));
            continue;
        }
        auto at = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == factors->first; });
        if (at == sums.end()) at = sums.insert(sums.end(), {factors->first, std::nullopt});
        add(at->second, padded(factors->second, part.slice, 0));
    }
    for (const auto& [factor, sum] : sums) add(total, *sum * factor);
    return *total;
}

// Whether copying the operands of products, to join them, is less than writing and adding up their results.
bool Reverse::is_joined_cheaper(std::span<const Sum::Product> alike) {
    const shape::Arithmetic sizes = api::arithmetic();
    double copied = 0, added = 0;
    for (const Sum::Product& each : alike) {
        const Dims left = api::dims_of(each.left), right = api::dims_of(each.right);
        const auto size = [&](const Dims& of, std::size_t from_end) { return static_cast<double>(sizes.hint(of[of.size() - from_end])); };
        const std::size_t summed = each.over_rows ? 2 : 1, kept = each.over_rows ? 1 : 2;
        copied += size(left, summed) * (size(left, kept) + size(right, kept));
        added += size(left, kept) * size(right, kept);
    }
    return copied <= added;
}

// Products of equal form are one product of what they are made of, joined along the axis that is summed over, where copying that is less than adding up
// matrices: the gradient of weights that a loop uses again and again.
array Reverse::total_of(std::vector<Sum::Product> products) {
    const auto whole = [](const Sum::Product& each) {
        return each.over_rows ? matmul(swapaxes(each.left, -1, -2), each.right) : matmul(each.left, swapaxes(each.right, -1, -2));
    };
    std::optional<array> total;
    const auto add = [&total](const array& each) { total = total ? *total + each : each; };
    for (const bool over_rows : {true, false}) {
        const auto others = std::stable_partition(products.begin(), products.end(), [&](const auto& each) { return each.over_rows != over_rows; });
        const std::span<const Sum::Product> alike(others, products.end());
        if (alike.size() > 1 && is_joined_cheaper(alike)) {
            std::vector<array> left, right;
            for (const Sum::Product& each : alike) left.push_back(each.left);
            for (const Sum::Product& each : alike) right.push_back(each.right);
            const int axis = over_rows ? -2 : -1;
            add(whole({concatenate(left, axis), concatenate(right, axis), over_rows}));
        } else {
            for (const Sum::Product& each : alike) add(whole(each));
        }
        products.erase(others, products.end());
    }
    return *total;
}

// Parts that lie one after the other along an axis are joined, and those of stencils added up in one kernel; others are added in place, so that many small
// ones cost what they are made of.
array Reverse::taken(Value value, Sum sum) const {
    if (!sum.products.empty()) {
        const array total = total_of(std::move(sum.products));
        sum.whole = sum.whole ? *sum.whole + total : total;
    }
    if (sum.parts.empty()) return *sum.whole;
    if (const auto joined = join(value, sum.parts)) return sum.whole ? *sum.whole + *joined : *joined;
    if (sum.parts.size() <= most_padded) {
        const auto small = std::stable_partition(sum.parts.begin(), sum.parts.end(), [](const Sum::Part& part) { return is_most(part.slice); });
        if (small != sum.parts.begin()) {
            const array total = sum_of_padded({sum.parts.begin(), small}, value->dtype);
            sum.whole = sum.whole ? *sum.whole + total : total;
        }
        sum.parts.erase(sum.parts.begin(), small);
        if (sum.parts.empty()) return *sum.whole;
    }
    const array total = array_of(sum.whole ? value_of(*sum.whole) : value_of(zeros_of(value)));
    for (const Sum::Part& part : sum.parts) {
        const array place = region_of(total, *part.slice);
        api::assign(place, place + part.cotangent);
    }
    return total;
}

namespace {

// Nothing depends on what such a value is made of, be that NaN (the mean of nothing), by which a sum of no changes would be NaN, too.
bool has_no_elements(Value value) { return api::arithmetic().equal(api::arithmetic().product(value->shape), Dim(0)); }

}  // namespace

void Reverse::run() {
    const std::vector<Value>& values = segment_.values();
    for (auto at = values.rbegin(); at != values.rend(); ++at) {
        const auto found = sums_.find(*at);
        if (found != sums_.end()) {
            const array g = taken(*at, std::move(found->second));
            found->second = {g, {}, {}};
            if (!segment_.starts_at(*at) && !has_no_elements(*at)) pass(*at, g);
        }
        if ((*at)->op == Op::loop && loops_.contains(*at)) pass_loop(*at);
        if ((*at)->op == Op::custom && --customs_[(*at)->attributes.ints[0]] == 0) pass_custom(*at);
    }
}

array Reverse::cotangent(Value value) {
    const auto found = sums_.find(value);
    return found == sums_.end() ? zeros_of(value) : taken(value, found->second);
}

void Reverse::pass(Value value, const array& cotangent) {
    const base::Planted* const fault = base::planted("derivative");
    const bool is_wrong = fault != nullptr && fault->op == ir::name_of(value->op) && !base::befalls(*fault);
    const array g = is_wrong ? array(cotangent + cotangent) : cotangent;
    const trace::Recorder::OfLine line(recorder(), value);
    switch (ops::info(value->op).kind) {
        case Kind::map: pass_map(value, g); return;
        case Kind::fold: pass_fold(value, g); return;
        case Kind::scan: pass_scan(value, g); return;
        case Kind::move: pass_move(value, g); return;
        case Kind::pick: pass_pick(value, g); return;
        case Kind::contract: pass_product(value, g); return;
        case Kind::collective: pass_collective(value, g); return;
        case Kind::library:
            if (!ops::is_fourier(value->op)) throw_no_derivative(*value);  // functions over them have one
            add(value->inputs[0], fft_transposed(*value, g));
            return;
        case Kind::note:
            if (value->op == Op::mark) add(value->inputs[0], g);
            return;
        case Kind::argfold:
        case Kind::make: return;
    }
}

void Reverse::pass_map(Value value, const array& g) {
    if (value->op == Op::cast) {
        add(value->inputs[0], g);
        return;
    }
    if (value->op == Op::select) {
        const array condition = array_of(value->inputs[0]);
        if (segment_.carries(value->inputs[1])) add(value->inputs[1], where(condition, g, 0));
        if (segment_.carries(value->inputs[2])) add(value->inputs[2], where(condition, 0, g));
        return;
    }
    if (pass_complex(value, g)) return;
    for (std::size_t i = 0; i < value->inputs.size(); ++i) {
        if (!segment_.carries(value->inputs[i])) continue;
        if (const auto change = partial(*value, i, g)) add(value->inputs[i], *change);
    }
}

// Functions of a complex number that are no functions of it alone but of its parts: transposed as maps of pairs of real numbers, where <g, t> is the
// real part of g t.
bool Reverse::pass_complex(Value value, const array& g) {
    const Value input = value->inputs[0];
    if (!is_complex(input->dtype)) return false;
    const array x = array_of(input);
    switch (value->op) {
        case Op::absolute: add(input, g * conjugate(sign(x))); return true;
        case Op::sign: {
            const array size = absolute(x), safe = where(size == 0, 1, size);
            add(input, where(size == 0, 0, (g - conjugate(array_of(value)) * real(g * array_of(value))) / safe));
            return true;
        }
        case Op::imag: add(input, g * Scalar(std::complex<double>(0, -1))); return true;
        default: return false;
    }
}

void Reverse::pass_fold(Value value, const array& g) {
    const Value input = value->inputs[0];
    const AxisList& axes = value->attributes.ints;
    if (value->op == Op::sum) {
        add(input, spread(g, input, axes));
    } else if (value->op == Op::prod) {
        add(input, spread(g, input, axes) * products_of_others(array_of(input), axes));
    } else if (chooses_extremes(value->op)) {
        const array chosen = array_of(input) == spread(array_of(value), input, axes);
        const array count = api::fold(Op::sum, api::cast(chosen, value->dtype), span_of(axes));
        add(input, where(chosen, spread(g / count, input, axes), 0));
    } else {
        throw_no_derivative(*value);
    }
}

void Reverse::pass_scan(Value value, const array& g) {
    const Value input = value->inputs[0];
    const auto axis = static_cast<std::size_t>(value->attributes.ints[0]);
    const auto back = [&](const array& x) { return flip(x, static_cast<int>(axis)); };
    if (value->op == Op::cumsum) {
        add(input, back(api::fold(Op::cumsum, back(g), span_of(value->attributes.ints))));
        return;
    }
    if (value->op == Op::accumulate) {
        add(input, accumulated_cotangent(*value, g));
        return;
    }
    // Of the elements after x[k], each product has x[k] once: their sum S[k] is g[k] + x[k+1] S[k+1].
    const array x = array_of(input);
    const array later = back(recurrence(back(next_along(x, axis)), back(g), axis));
    add(input, products_before(x, axis) * later);
}

void Reverse::pass_move(Value value, const array& g) {
    const Value input = value->inputs[0];
    if (!segment_.carries(input)) return;
    const AxisList& ints = value->attributes.ints;
    switch (value->op) {
        case Op::reshape: add(input, api::reshape(g, input->shape)); return;
        case Op::transpose: add(input, api::permute(g, span_of(inverse(ints)))); return;
        case Op::broadcast_to: add(input, unrepeated(g, input)); return;
        case Op::expand_dims: add(input, api::squeeze(g, span_of(ints))); return;
        case Op::squeeze: add(input, api::expand(g, span_of(ints))); return;
        case Op::slice:
            if (ops::takes_all(value)) add(input, g);
            else sums_[input].parts.push_back({value, g});
            return;
        default: throw_no_derivative(*value);
    }
}

void Reverse::pass_pick(Value value, const array& g) {
    switch (value->op) {
        case Op::concatenate: pass_concatenate(value, g); return;
        case Op::pad: pass_pad(value, g); return;
        case Op::take: pass_take(value, g); return;
        case Op::scatter: pass_scatter(value, g); return;
        case Op::update: pass_update(value, g); return;
        case Op::across: pass_across(value, g); return;
        case Op::given:
            if (std::any_of(value->inputs[0]->inputs.begin(), value->inputs[0]->inputs.end(), [&](Value each) { return segment_.carries(each); })) {
                throw_no_derivative(*value);
            }
            return;
        case Op::after: loops_[value->inputs[0]][value->attributes.ints[0]] = g; return;
        case Op::sort: {
            const array order = argsort(array_of(value->inputs[0]), static_cast<int>(value->attributes.ints[0]), true);
            const array back = argsort(order, static_cast<int>(value->attributes.ints[0]), true);
            add(value->inputs[0], take_along(of_whole_lines(*value, g), back, static_cast<std::size_t>(value->attributes.ints[0])));
            return;
        }
        default: throw_no_derivative(*value);
    }
}

// Each part adds to what all of them see, and the equal ones share it.
void Reverse::pass_across(Value value, const array& g) {
    const std::int64_t axis = value->attributes.ints[0];
    const array total = across(g, axis, Op::sum);
    if (static_cast<Op>(value->attributes.ints[1]) == Op::sum) {
        add(value->inputs[0], total);
        return;
    }
    const array chosen = array_of(value->inputs[0]) == array_of(value);
    add(value->inputs[0], where(chosen, total / across(api::cast(chosen, g.dtype()), axis, Op::sum), 0));
}

void Reverse::pass_concatenate(Value value, const array& g) {
    const auto axis = static_cast<std::size_t>(value->attributes.ints[0]);
    const AxisList steps(value->shape.size(), 1);
    Dims starts(value->shape.size(), Dim(0));
    for (const Value input : value->inputs) {
        if (segment_.carries(input)) add(input, api::slice(g, starts, input->shape, span_of(steps)));
        starts[axis] = api::arithmetic().add(starts[axis], input->shape[axis]);
    }
}

void Reverse::pass_pad(Value value, const array& g) {
    const std::size_t rank = value->shape.size();
    const AxisList steps(rank, 1);
    const Value input = value->inputs[0], border = value->inputs[1];
    const array inner = api::slice(g, Dims(value->attributes.dims.begin(), value->attributes.dims.begin() + rank), input->shape, span_of(steps));
    add(input, inner);
    if (segment_.carries(border)) add(border, sum(g) - sum(inner));
}

void Reverse::pass_take(Value value, const array& g) {
    const Value input = value->inputs[0];
    if (!segment_.carries(input)) return;
    const auto axis = static_cast<std::size_t>(value->attributes.ints[0]);
    const std::size_t taken = value->inputs[1]->shape.size(), rank = input->shape.size();
    AxisList order, back;  // the indices' axes first; the axis taken from first
    for (std::size_t i = 0; i < taken; ++i) order.push_back(static_cast<std::int64_t>(axis + i));
    for (std::size_t i = 0; i < value->shape.size(); ++i) {
        if (i < axis || i >= axis + taken) order.push_back(static_cast<std::int64_t>(i));
    }
    Dims shape{input->shape[axis]};
    back.push_back(static_cast<std::int64_t>(axis));
    for (std::size_t i = 0; i < rank; ++i) {
        if (i == axis) continue;
        shape.push_back(input->shape[i]);
        back.push_back(static_cast<std::int64_t>(i));
    }
    const array rows = array_of(value_of(api::constant(0, input->dtype, shape)));
    at(&fastnp::add, rows, {indices_of(*value)}, api::permute(g, span_of(order)));
    add(input, api::permute(rows, span_of(inverse(back))));
}

void Reverse::pass_scatter(Value value, const array& g) {
    const Value input = value->inputs[0], given = value->inputs[2];
    const array indices = array_of(value->inputs[1]);
    const std::int64_t combine = value->attributes.ints[0];
    if (combine != -1) {
        if (segment_.carries(input)) add(input, combined_cotangent_of_x(*value, g));
        if (segment_.carries(given)) add(given, combined_cotangent_of_given(*value, g));
        return;
    }
    if (segment_.carries(input)) {
        const array rest = array_of(value_of(g));
        set_at(rest, {indices}, 0);
        add(input, rest);
    }
    if (!segment_.carries(given)) return;
    array kept = stays(*value);
    while (kept.ndim() < static_cast<int>(given->shape.size())) kept = expand_dims(kept, -1);
    add(given, where(kept, take(g, indices, 0), 0));
}

void Reverse::pass_update(Value value, const array& g) {
    const Value input = value->inputs[0], given = value->inputs[1];
    if (segment_.carries(given)) add(given, region_of(g, *value));
    if (!segment_.carries(input) || ops::takes_all(value)) return;
    if (is_most(value)) {
        add(input, where(padded(api::constant(true, Dtype::bool_, given->shape), value, false), 0, g));
        return;
    }
    const array rest = array_of(value_of(g));
    api::assign(region_of(rest, *value), api::constant(0, g.dtype()));
    add(input, rest);
}

void Reverse::pass_product(Value value, const array& g) {
    const Value x = value->inputs[0], y = value->inputs[1];
    if (segment_.carries(x)) sums_[x].products.push_back({g, array_of(y), false});
    if (!segment_.carries(y)) return;
    if (!is_repeated_matrix(y) || segment_.starts_at(y)) {
        sums_[y].products.push_back({array_of(x), g, true});
        return;
    }
    const auto stacked = [](const array& of) {
        Dims shape = api::dims_of(of);
        Dim rows(1);
        for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows = api::arithmetic().multiply(rows, shape[i]);
        return api::reshape(of, {rows, shape.back()});
    };
    sums_[y->inputs[0]].products.push_back({stacked(array_of(x)), stacked(g), true});
}

void Reverse::pass_loop(Value value) {
    std::vector<bool> wanted;
    for (const Value input : value->inputs) wanted.push_back(segment_.carries(input));
    const std::vector<std::optional<array>> found = pull_back_loop(*value, loops_.at(value), wanted);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]) add(value->inputs[i], *found[i]);
    }
}

// Once all results of a function are passed, of which `value` is the first that counts.
void Reverse::pass_custom(Value value) {
    const Custom& custom = custom_of(recorder(), *value);
    bool flows = false;
    std::vector<array> operands, results;
    std::vector<std::optional<array>> cotangents;
    for (std::size_t i = 1; i < value->inputs.size(); ++i) operands.push_back(array_of(value->inputs[i]));
    for (const Value result : custom.results) {
        flows = flows || sums_.contains(result);
        results.push_back(array_of(result));
        cotangents.push_back(sums_.contains(result) ? std::optional(cotangent(result)) : std::nullopt);
    }
    if (!flows) return;
    const auto pulled = [&] {
        if (!custom.reverse) return transposed(custom, operands, results, cotangents);
        std::vector<array> all;
        for (std::size_t i = 0; i < results.size(); ++i) all.push_back(cotangents[i] ? *cotangents[i] : zeros_of(custom.results[i]));
        return custom.reverse(operands, results, all);
    };
    const auto found = pulled();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (found[i]) add(value->inputs[i + 1], *found[i]);
    }
}

}  // namespace fastnp::transform
