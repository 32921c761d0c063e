// The derivatives of elementwise ops: the column of include/fastnp/ops/map.def, compiled over arrays.
#include <array>
#include <complex>
#include <variant>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "transform/values.h"

namespace fastnp::transform {

namespace {

struct Zero {};
struct Undefined {};
using Partial = std::variant<array, Zero, Undefined>;

// What rows may use besides the functions of ops.h.
constexpr Zero zero;
constexpr Undefined undefined;
constexpr double log_2 = 0.69314718055994530942, log_10 = 2.30258509299404568402;
const Scalar i(std::complex<double>(0, 1));

// Where the operand is what came out, g; where both are, half of it.
array share(const array& g, const array& wins, const array& ties) { return where(wins, g, where(ties, g * 0.5, 0)); }
// x - r, for r the logarithm of a sum of two powers; also where rounding, or infinity, leaves nothing of the difference: operands that are equal share it.
array lead(const array& x, const array& y, const array& r, double half) { return where(x == r, where(x == y, -half, 0), x - r); }
array power_base(const array& g, const array& x, const array& y) { return where(y == 0, 0, g * y * power(x, y - 1)); }

struct Row {
    Op op;
    std::array<Partial (*)(const array& x, const array& y, const array& r, const array& g), 2> of;
};

#define FASTNP_PARTIAL(expression)                                                  \
    [](const array& x, const array& y, const array& r, const array& g) -> Partial { \
        (void)x, (void)y, (void)r, (void)g;                                         \
        return expression;                                                          \
    }
constexpr Row rows[] = {
#define MAP1(name, rule, meaning, partial, traits, doc) {Op::name, {FASTNP_PARTIAL(partial), nullptr}},
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) {Op::name, {FASTNP_PARTIAL(partial_x), FASTNP_PARTIAL(partial_y)}},
#include "fastnp/ops/map.def"
};
#undef FASTNP_PARTIAL

}  // namespace

void throw_no_derivative(const ir::Node& node) {
    std::string name(ops::info(node.op).name);
    if (node.op == Op::given) name = recorder().graph().calls()[static_cast<std::size_t>(node.attributes.ints[0])].name;
    throw TypeError(name + " has no derivative that is known; stop_gradient(x) makes its operand a constant");
}

std::optional<array> partial(const ir::Node& node, std::size_t operand, const array& change) {
    const Row& row = rows[static_cast<std::size_t>(node.op)];  // the catalogue begins with these
    const array x = array_of(node.inputs[0]), y = array_of(node.inputs[node.inputs.size() - 1]);
    Partial found = row.of[operand](x, y, array_of(&node), change);
    if (std::holds_alternative<Undefined>(found)) throw_no_derivative(node);
    if (std::holds_alternative<Zero>(found)) return std::nullopt;
    return std::get<array>(std::move(found));
}

}  // namespace fastnp::transform
