#include "fastnp/detail/weak.h"

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/infer.h"
#include "ops/logical.h"

namespace fastnp::detail {

Dtype loop_dtype_of_float(std::string_view function, int which, const Operand& other) {
    const auto op = ops::find(function);
    if (!op) throw InternalError("no elementwise function of this name");
    if (ops::is_logical(*op)) return Dtype::bool_;
    const auto at = static_cast<std::size_t>(which);
    ops::LoopOperand operands[2];
    operands[at].scalar = Scalar(0.5);  // any float
    if (const array* x = other.as_array()) operands[1 - at].dtype = x->dtype();
    else operands[1 - at].scalar = *other.as_scalar();
    return ops::resolve(*op, operands).operands[at];
}

}  // namespace fastnp::detail
