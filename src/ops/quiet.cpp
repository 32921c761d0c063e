// What the rows of the catalogue say of floating-point errors.
#include "fastnp/detail/quiet.h"

#include <algorithm>

#include "ir/graph.h"
#include "ops/catalogue.h"

namespace fastnp::ops {

namespace {

bool takes_floats(const Rule& rule) { return rule.loops.find_first_of("eEfdFD") != std::string_view::npos; }

bool has_floats(Dtype dtype) { return is_floating(dtype) || is_complex(dtype); }

// Not from float32 to float64, say.
bool may_not_fit(Dtype from, Dtype to) {
    if (to == Dtype::bool_) return false;
    return has_floats(from) ? !has_floats(to) || itemsize_of(to) < itemsize_of(from) : to == Dtype::float16;
}

}  // namespace

bool is_quiet(Op op) {
    const Info& row = info(op);
    switch (row.kind) {
        case Kind::map: {
            if (row.rule == nullptr) return false;  // no ufunc: numpy.select, say, casts
            const bool chooses = (row.traits & ops::idempotent) != 0 || op == Op::sign || op == Op::heaviside;
            return chooses || row.rule->output == Output::boolean || !takes_floats(*row.rule);
        }
        case Kind::fold:
        case Kind::scan: return op != Op::accumulate && is_quiet(row.combine);
        case Kind::argfold:
        case Kind::move: return true;
        default: return op == Op::sort || op == Op::argsort;
    }
}

bool may_have_float_errors(const ir::Node& node) {
    switch (node.op) {
        case Op::cast: return may_not_fit(node.inputs[0]->dtype, node.dtype);
        case Op::floor_divide:
        case Op::remainder:
        case Op::fmod: return true;
        case Op::select: return false;
        case Op::accumulate: {
            const Op joins = joined_by(node.op, node.attributes);
            const bool divides = joins == Op::floor_divide || joins == Op::remainder || joins == Op::fmod;
            return divides || (!is_quiet(joins) && has_floats(node.dtype));
        }
        default: break;
    }
    const Kind kind = info(node.op).kind;
    if (kind == Kind::library) return true;
    const bool computes = kind == Kind::map || kind == Kind::fold || kind == Kind::scan || kind == Kind::contract;
    return computes && !is_quiet(node.op) && std::ranges::any_of(node.inputs, [](ir::Value input) { return has_floats(input->dtype); });
}

}  // namespace fastnp::ops

bool fastnp::detail::is_quiet(std::string_view name) {
    const std::optional<ops::Op> op = ops::find(name);
    return op && ops::is_quiet(*op);
}
