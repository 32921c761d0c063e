#include "api/fold_output.h"

#include <algorithm>

#include "fastnp/error.h"

namespace fastnp::api {

using ir::Op;

namespace {

bool same(Dim a, Dim b) { return arithmetic().equal(a, b); }
bool is_one(Dim a) { return same(a, Dim(1)); }

bool same(const Dims& a, const Dims& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Dim p, Dim q) { return same(p, q); });
}

std::string text_of(const Dims& shape) { return ops::compact_text(shape, active_sizes()); }

bool contains(std::span<const std::int64_t> axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

constexpr const char* no_broadcast = "operands could not be broadcast together with remapped shapes [original->remapped]: ";

// "(5,4)->(5,newaxis,4)": the sizes of out beside the axes of the operand; no axis comes before the first of out's.
std::string remapped(const Dims& out, std::size_t rank, std::span<const std::int64_t> axes) {
    std::string text;
    std::size_t at = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        const bool is_new = contains(axes, i);
        if (is_new && at == 0) continue;
        std::string size = "newaxis";
        if (!is_new) {
            size = text_of({out[at++]});
            size = size.substr(1, size.size() - 3);
        }
        text += (text.empty() ? "" : ",") + size;
    }
    return text_of(out) + "->(" + text + (rank == 1 ? ",) " : ") ");
}

std::string reduction_required(std::size_t axis) {
    return "output operand requires a reduction along dimension " + std::to_string(axis) +
           ", but the reduction is not enabled. The dimension size of 1 does not match the expected output shape.";
}

// As NumPy's iterator over out and x finds fault with them: first what does not broadcast at all, then what would need another reduction.
void check_reduced(const Dims& out, const Dims& x, const Reduced& of) {
    const std::span<const std::int64_t> newaxes = of.keepdims ? std::span<const std::int64_t>() : of.axes;
    Dims all;
    std::string fault;
    bool repeats = false;
    for (std::size_t i = 0, at = 0; i < x.size(); ++i) {
        const bool reduced = contains(of.axes, i);
        if (reduced && !of.keepdims) {
            all.push_back(x[i]);
            continue;
        }
        const std::size_t axis = at++;
        const Dim size = out[axis];
        all.push_back(is_one(x[i]) ? size : x[i]);
        if (reduced ? is_one(size) : same(size, x[i])) continue;
        if (!same(size, all.back()) && !is_one(size)) throw ValueError(no_broadcast + remapped(out, x.size(), newaxes) + text_of(x) + " ");
        if (reduced) {
            fault = "operand was set up as a reduction along axis " + std::to_string(i) + ", but the length of the axis is " + arithmetic().told(size) +
                    " (it has to be 1)";
        } else if (is_one(size)) {
            fault = reduction_required(axis);
        } else {
            repeats = true;
        }
    }
    if (!fault.empty()) throw ValueError(fault);
    if (repeats) throw ValueError("non-broadcastable operand with shape " + text_of(x) + " doesn't match the broadcast shape " + text_of(all));
}

void check_scanned(const Dims& out, const Dims& result, std::size_t scanned) {
    constexpr const char* wrong = "provided out is the wrong size for the accumulation.";
    const std::size_t rank = result.size();
    if (rank <= 1) {
        if (!same(out, result)) throw ValueError(wrong);
        return;
    }
    if (out.size() < rank) {
        throw ValueError("Iterator input op_axes[0][0] (==" + std::to_string(rank - 1) + ") is not a valid axis of op[0], which has " +
                         std::to_string(out.size()) + " dimensions ");
    }
    const Dims first(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rank));
    const std::string pairs = text_of(out) + "->" + text_of(first) + " " + text_of(result) + "->" + text_of(result) + " ";
    Dims all;
    bool shorter = false;
    for (std::size_t i = 0; i < rank; ++i) {
        all.push_back(is_one(result[i]) ? out[i] : result[i]);
        if (same(out[i], result[i])) continue;
        if (is_one(out[i])) shorter = true;
        else if (!is_one(result[i])) throw ValueError(no_broadcast + pairs);
        else if (i == scanned) throw ValueError(wrong);
    }
    if (out.size() > rank) throw ValueError(no_broadcast + pairs);
    if (!shorter) return;
    Dims backwards = out;
    std::reverse(backwards.begin(), backwards.end());
    throw ValueError("non-broadcastable output operand with shape " + text_of(out) + " [remapped to " + text_of(backwards) +
                     "] doesn't match the broadcast shape " + text_of(all));
}

array stored(const array& result, const array& out) {
    assign(out, result);
    return out;
}

}  // namespace

std::optional<Dtype> wanted_dtype(Op combine, Dtype source, const std::optional<Dtype>& wanted, const std::optional<array>& out) {
    if (wanted || !out) return wanted;
    if (out->dtype() == source) return source;
    const ops::LoopOperand operands[] = {{out->dtype(), std::nullopt}, {source, std::nullopt}};
    return ops::resolve(combine, operands).operands[1];
}

array store_reduced(const array& result, const std::optional<array>& out, const Reduced& of) {
    if (!out) return result;
    check_writable(*out);
    if (out->ndim() != result.ndim()) {
        throw ValueError("output parameter for reduction operation " + std::string(ops::info(of.combine).name) +
                         " has the wrong number of dimensions: Found " + std::to_string(out->ndim()) + " but expected " + std::to_string(result.ndim()) +
                         (of.keepdims ? " (must match the operand's when keepdims=True)" : ""));
    }
    if (!same(dims_of(*out), dims_of(result))) check_reduced(dims_of(*out), dims_of(of.x), of);
    return stored(result, *out);
}

array store_scanned(const array& result, const std::optional<array>& out, std::int64_t axis) {
    if (!out) return result;
    check_writable(*out);
    check_scanned(dims_of(*out), dims_of(result), static_cast<std::size_t>(axis));
    return stored(result, *out);
}

array store_places(const array& result, const std::optional<array>& out, Op op) {
    if (!out) return result;
    check_writable(*out);
    if (!same(dims_of(*out), dims_of(result))) throw ValueError("output array does not match result of np." + std::string(ops::info(op).name) + ".");
    if (!can_cast(out->dtype(), Dtype::int64)) {
        throw TypeError(std::string(out->ndim() == 0 ? "Cannot cast scalar from" : "Cannot cast array data from") + " dtype('" +
                        std::string(name_of(out->dtype())) + "') to dtype('int64') according to the rule 'safe'");
    }
    return stored(result, *out);
}

}  // namespace fastnp::api
