// Plans as bytes, without their code, for exported functions. Ops and dtypes are in it by name, so that later versions read it.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "codegen/jit.h"
#include "plan/plan.h"

namespace fastnp::plan {

/// What a plan and the bodies of its loops need of code: the functions of these, in this order.
struct Needs {
    std::vector<codegen::Job> kernels;
    std::vector<const ir::Program*> programs;
};
Needs needs_of(const Plan& plan);

/// RecordError for what runs on a device, is interpreted, or calls functions of the outside.
void pack(const Plan& plan, base::Writer& out);
/// `kernels`, `programs`: the code, as needs_of() of the packed plan had it; `owner` keeps it. What is no plan fails the reader.
std::shared_ptr<Plan> unpack_plan(base::Reader& in, std::span<const codegen::KernelFunction> kernels, std::span<const codegen::KernelFunction> programs,
                                  const std::shared_ptr<void>& owner);

}  // namespace fastnp::plan
