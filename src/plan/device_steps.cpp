#include "plan/device_steps.h"

#include <algorithm>

#include "ops/transforms.h"
#include "plan/device_copy.h"
#include "plan/device_lines.h"
#include "plan/device_pick.h"
#include "plan/device_product.h"
#include "plan/device_transform.h"

namespace fastnp::plan {

using eager::View;

namespace {

// A reshape of strided memory is a copy in C order under the operand's shape; other moves show elements of the operand.
bool move_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    if (const auto moved = eager::moved(op, attributes, x, out.shape)) {
        copy_on_device(backend, *moved, out);
        return true;
    }
    const std::optional<View> seen = eager::moved(ops::Op::reshape, {}, out, x.shape);
    if (!seen) return false;
    copy_on_device(backend, x, *seen);
    return true;
}

void concatenate_on_device(device::Backend& backend, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    View part = out;
    for (const View& operand : operands) {
        part.shape[axis] = operand.shape[axis];
        copy_on_device(backend, operand, part);
        part.data = static_cast<char*>(part.data) + operand.shape[axis] * out.strides[axis];
    }
}

}  // namespace

std::string host_does(device::Backend& backend, ops::Op op, Dtype dtype) {
    const ops::Kind kind = ops::info(op).kind;
    if (kind == ops::Kind::contract) return backend.lacks_products(dtype);
    if (ops::is_transform(op)) return backend.lacks_transforms();
    const bool is_done = kind == ops::Kind::move || kind == ops::Kind::argfold || op == ops::Op::concatenate || op == ops::Op::take;
    return is_done ? "" : "it has no form for devices";
}

bool run_step_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    if (op == ops::Op::take) {
        take_on_device(backend, attributes, operands[0], operands[1], out);
        return true;
    }
    if (std::ranges::find(out.shape, 0) != out.shape.end()) return host_does(backend, op, out.dtype).empty();
    switch (ops::info(op).kind) {
        case ops::Kind::contract: return product_on_device(backend, operands[0], operands[1], out);
        case ops::Kind::move: return move_on_device(backend, op, attributes, operands[0], out);
        case ops::Kind::argfold: argfold_on_device(backend, op, attributes, operands[0], out); return true;
        default: break;
    }
    if (ops::is_transform(op)) return transform_on_device(backend, op, attributes, operands[0], out);
    if (op != ops::Op::concatenate) return false;
    concatenate_on_device(backend, attributes, operands, out);
    return true;
}

}  // namespace fastnp::plan
