#include "api/root.h"

#include "api/primitives.h"
#include "fastnp/detail/transform.h"
#include "fastnp/ops.h"

namespace fastnp::api {

namespace {

array root(const array& sum, double degree) { return degree == 2 ? sqrt(sum) : power(sum, 1 / degree); }

// By how much the root changes with the sum. At 0 it is something that is 0, and whose own derivative is infinite.
array slope(const array& sum, const array& result, double degree) {
    const array is_zero = sum == 0;
    const array safe = where(is_zero, 1, sum), rising = degree == 2 ? 0.5 / where(is_zero, 1, result) : power(safe, 1 / degree - 1) * (1 / degree);
    return where(is_zero, sqrt(where(is_zero, sum, 1)), rising);
}

}  // namespace

array root_of_sum(const array& sum, double degree) {
    const array result = root(sum, degree);
    if (trace::Recorder::active() == nullptr) return result;
    const auto forward = [degree](std::span<const array> own, std::span<const array> given, std::span<const array> changes) {
        return std::vector<array>{slope(own[0], given[0], degree) * changes[0]};
    };
    return detail::with_derivative({&sum, 1}, {&result, 1}, {"a root of a sum", nullptr, forward})[0];
}

}  // namespace fastnp::api
