// What the rows of the catalogue say of floating-point errors.
#include "fastnp/detail/quiet.h"

#include "ops/catalogue.h"

namespace fastnp {

namespace {

using ops::Kind;
using ops::Op;

bool takes_floats(const ops::Rule& rule) { return rule.loops.find_first_of("eEfdFD") != std::string_view::npos; }

bool is_quiet_op(Op op) {
    const ops::Info& row = ops::info(op);
    switch (row.kind) {
        case Kind::map: {
            const bool chooses = (row.traits & ops::idempotent) != 0 || op == Op::sign || op == Op::heaviside;
            return chooses || row.rule->output == ops::Output::boolean || !takes_floats(*row.rule);
        }
        case Kind::fold:
        case Kind::scan: return is_quiet_op(row.combine);
        case Kind::argfold:
        case Kind::move: return true;
        default: return op == Op::sort || op == Op::argsort;
    }
}

}  // namespace

bool detail::is_quiet(std::string_view name) {
    const std::optional<Op> op = ops::find(name);
    return op && is_quiet_op(*op);
}

}  // namespace fastnp
