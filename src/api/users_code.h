// What back ends of users made of a function's values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/record_call.h"
#include "fastnp/graph.h"
#include "trace/called.h"

namespace fastnp::detail {

struct UsersCode {
    std::string backend;
    int call = 0;                         // its number among the plan's
    std::vector<ir::Call::Type> outputs;  // what it is to give
    std::vector<std::string> names;       // of the ops of these
    bool may_raise = false;               // errors that depend on values
    GraphFunction function;

    /// What it gives for the operands, in memory that nobody else holds. What is wrong with it is an error that names the back end. Null: an op raised.
    trace::CalledPtr run(std::span<const device::Memory> operands) const;
};

/// Copies of a call's arrays and of what the recording captured, by parameter.
std::vector<array> examples_of(std::span<const Argument> call, const std::vector<device::Memory>& captured);
/// Hands the values of a prepared graph over, which is left with a call. Null: it computes none.
std::shared_ptr<const UsersCode> make_users_code(Recording& made, const Backend& backend, const CompileOptions& options);

}  // namespace fastnp::detail
