#include "plan/device_steps.h"

#include <algorithm>

#include "dist/device_group.h"
#include "ops/catalogue.h"
#include "plan/device_collective.h"
#include "plan/device_copy.h"
#include "plan/device_factor.h"
#include "plan/device_lines.h"
#include "plan/device_pick.h"
#include "plan/device_product.h"
#include "plan/device_scatter.h"
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

// A scatter that raises not only for its indices: whole numbers to negative powers.
bool may_raise_besides(const ir::Attributes& scatter, Dtype dtype) {
    return scatter.ints[0] == static_cast<std::int64_t>(ops::Op::power) && is_integer(dtype);
}

// What a device is asked for.
struct Asked {
    device::Backend& backend;
    ops::Op op;
    const ir::Attributes& attributes;
    std::span<const View> operands;
    const View& out;
    IndexChecks& checks;
};

// How a device does an op, and by what: kernels are always there, libraries may not be.
struct Form {
    enum class By : std::uint8_t { kernels, products, transforms, factorisations, collectives };
    By by;
    bool (*run)(const Asked& asked);
    bool looks_at_indices = false;  // where there is nothing to compute, too
};

constexpr Form product{Form::By::products, [](const Asked& asked) { return product_on_device(asked.backend, asked.operands, asked.out); }};
constexpr Form transform{Form::By::transforms,
                         [](const Asked& asked) { return transform_on_device(asked.backend, asked.op, asked.attributes, asked.operands[0], asked.out); }};
constexpr Form factorisation{Form::By::factorisations,
                             [](const Asked& asked) { return factorise_on_device(asked.backend, asked.op, asked.attributes, asked.operands, asked.out); }};
constexpr Form move{Form::By::kernels,
                    [](const Asked& asked) { return move_on_device(asked.backend, asked.op, asked.attributes, asked.operands[0], asked.out); }};
constexpr Form argfold{Form::By::kernels, [](const Asked& asked) {
                           argfold_on_device(asked.backend, asked.op, asked.attributes, asked.operands[0], asked.out);
                           return true;
                       }};
constexpr Form scan{Form::By::kernels, [](const Asked& asked) {
                        const bool may_raise = ops::joined_by(asked.op, asked.attributes) == ops::Op::power && kind_of(asked.out.dtype) == 'i';
                        if (may_raise) return false;
                        scan_on_device(asked.backend, asked.op, asked.attributes, asked.operands[0], asked.out);
                        return true;
                    }};
constexpr Form collective{Form::By::collectives,
                          [](const Asked& asked) { return collective_on_device(asked.backend, asked.op, asked.attributes, asked.operands, asked.out); }};
constexpr Form sort{Form::By::kernels, [](const Asked& asked) {
                        sort_on_device(asked.backend, asked.op, asked.attributes, asked.operands[0], asked.out);
                        return true;
                    }};
constexpr Form search{Form::By::kernels, [](const Asked& asked) {
                          search_on_device(asked.backend, asked.attributes, asked.operands[0], asked.operands[1], asked.out);
                          return true;
                      }};
constexpr Form concatenate{Form::By::kernels, [](const Asked& asked) {
                               concatenate_on_device(asked.backend, asked.attributes, asked.operands, asked.out);
                               return true;
                           }};
constexpr Form nonzero{Form::By::kernels, [](const Asked& asked) {
                           nonzero_on_device(asked.backend, asked.operands[0], asked.out);
                           return true;
                       }};
constexpr Form take{Form::By::kernels,
                    [](const Asked& asked) {
                        take_on_device(asked.backend, asked.attributes, asked.operands[0], asked.operands[1], asked.out, asked.checks);
                        return true;
                    },
                    true};
constexpr Form scatter{Form::By::kernels,
                       [](const Asked& asked) {
                           if (may_raise_besides(asked.attributes, asked.out.dtype)) return false;
                           scatter_on_device(asked.backend, asked.attributes, asked.operands[0], asked.operands[1], asked.operands[2], asked.out,
                                             asked.checks);
                           return true;
                       },
                       true};

// Null where there is none.
const Form* form_of(ops::Op op) {
    switch (ops::info(op).kind) {
        case ops::Kind::contract: return &product;
        case ops::Kind::move: return &move;
        case ops::Kind::argfold: return &argfold;
        case ops::Kind::scan: return &scan;
        case ops::Kind::collective: return op == ops::Op::rank ? nullptr : &collective;
        case ops::Kind::library: return is_factorisation(op) ? &factorisation : &transform;
        default: break;
    }
    switch (op) {
        case ops::Op::concatenate: return &concatenate;
        case ops::Op::take: return &take;
        case ops::Op::scatter: return &scatter;
        case ops::Op::nonzero: return &nonzero;
        case ops::Op::searchsorted: return &search;
        case ops::Op::sort:
        case ops::Op::argsort: return &sort;
        default: return nullptr;
    }
}

}  // namespace

std::string host_does(device::Backend& backend, ops::Op op, Dtype dtype) {
    const Form* form = form_of(op);
    if (form == nullptr) return "it has no form for devices";
    switch (form->by) {
        case Form::By::products: return backend.lacks_products(dtype);
        case Form::By::transforms: return backend.lacks_transforms();
        case Form::By::factorisations: return backend.lacks_factorisations();
        case Form::By::collectives: return dist::lacks_collectives();
        case Form::By::kernels: break;
    }
    return "";
}

bool run_step_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out,
                        IndexChecks& checks) {
    const Form* form = form_of(op);
    if (form == nullptr) return false;
    if (!form->looks_at_indices && std::ranges::find(out.shape, 0) != out.shape.end()) return host_does(backend, op, out.dtype).empty();
    return form->run({backend, op, attributes, operands, out, checks});
}

}  // namespace fastnp::plan
