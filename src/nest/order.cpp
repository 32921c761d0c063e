#include "nest/order.h"

#include <algorithm>
#include <complex>
#include <limits>

#include "fastnp/error.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

int vector_bytes_of(eager::Isa level) {
    using eager::Isa;
    switch (level) {
        case Isa::v4: return 64;
        case Isa::v3: return 32;
        case Isa::base: return 16;
        case Isa::scalar: break;
    }
    return 1;
}

int lanes_of(const Kernel& kernel, int vector_bytes) {
    std::size_t widest = 1;
    auto consider = [&](Dtype dtype) {
        std::size_t bytes = itemsize_of(real_of(dtype));
        if (is_floating(dtype)) bytes = std::max<std::size_t>(bytes, 4);  // the 16-bit floats compute in float
        widest = std::max(widest, bytes);
    };
    for (const Expr& expr : kernel.exprs) {
        if (expr.kind == Expr::Kind::constant || expr.kind == Expr::Kind::extent) continue;
        consider(expr.dtype);
    }
    return std::clamp(vector_bytes / static_cast<int>(widest), 1, 32);
}

bool rounds(const Fold& fold) { return fold.combine == ir::Op::add && is_inexact(fold.dtype); }

namespace {

// The least or the largest number of an integer dtype.
Scalar bound_of(Dtype dtype, bool least) {
    const auto bits = static_cast<unsigned>(itemsize_of(dtype) * 8);
    if (kind_of(dtype) == 'i') {
        const std::int64_t lowest = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
        return least ? lowest : ~lowest;
    }
    return least ? std::uint64_t{0} : std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
}

// What every number is at least (of a maximum), or at most.
Scalar extreme_of(Dtype dtype, bool least) {
    const double infinity = least ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    if (dtype == Dtype::bool_) return !least;
    if (is_integer(dtype)) return bound_of(dtype, least);
    return is_complex(dtype) ? Scalar(std::complex<double>(infinity, infinity)) : Scalar(infinity);
}

}  // namespace

Scalar identity_of(const Fold& fold) {
    using ir::Op;
    if (const std::optional<double> neutral = ops::neutral_of(fold.combine)) {
        if (fold.dtype == Dtype::bool_) return *neutral != 0;
        if (*neutral < 0 && kind_of(fold.dtype) == 'u') return bound_of(fold.dtype, false);  // all bits
        return static_cast<std::int64_t>(*neutral);
    }
    const bool is_of_numbers = fold.combine == Op::fmax || fold.combine == Op::fmin;
    if (!is_of_numbers && fold.combine != Op::maximum && fold.combine != Op::minimum) throw InternalError("a fold without an identity");
    if (is_of_numbers && is_inexact(fold.dtype)) return std::numeric_limits<double>::quiet_NaN();
    return extreme_of(fold.dtype, fold.combine == Op::maximum || fold.combine == Op::fmax);
}

bool lanes_are_folded(const Kernel& kernel, const Schedule& schedule) { return schedule.lane >= static_cast<int>(kernel.outer_count()); }

int folded_steps(const Kernel& kernel, const Schedule& schedule) {
    return schedule.unroll_axis >= static_cast<int>(kernel.outer_count()) ? schedule.unroll : 1;
}

std::int64_t cascade_chunk(const Schedule& schedule, int lanes) {
    return cascade_steps * (schedule.unroll_axis == schedule.lane ? schedule.unroll : 1) * lanes;
}

bool cascades(const Kernel& kernel, const Schedule& schedule, const Stage& stage, int lanes) {
    if (!lanes_are_folded(kernel, schedule)) return false;
    const auto is_rounded = [&](int fold) { return rounds(kernel.folds[static_cast<std::size_t>(fold)]); };
    if (std::none_of(stage.folds.begin(), stage.folds.end(), is_rounded)) return false;
    if (kernel.axes.size() - kernel.outer_count() > 1) return true;
    const shape::Dim extent = kernel.axes[static_cast<std::size_t>(schedule.lane)].extent;
    return !extent.is_constant() || extent.value() > cascade_chunk(schedule, lanes) || kernel.block != 0;
}

bool has_total_tiles(const Kernel& kernel, const Schedule& schedule) {
    const std::int64_t chunk = passes_each * schedule.unroll;
    if (kernel.block != 0) return kernel.block > chunk;
    const shape::Dim extent = kernel.axes[kernel.outer_count()].extent;
    return !extent.is_constant() || extent.value() > chunk;
}

}  // namespace fastnp::nest
