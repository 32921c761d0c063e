// Writes the steps of a program over numbers (ir/program.h).
#pragma once

#include <bit>

#include "fastnp/scalar.h"
#include "ir/program.h"
#include "nest/number_loop.h"

namespace fastnp::nest {

/// What a program can't say.
struct NotOfNumbers {};

class ProgramWriter {
protected:
    using Step = ir::Step;

    NumberLoop made_;
    ir::Location where_{};  // the user's line of the steps that come

    std::int32_t step(Step step) {
        step.where = where_;
        made_.program.steps.push_back(step);
        return static_cast<std::int32_t>(made_.program.steps.size()) - 1;
    }
    std::int32_t variable(Dtype dtype) {
        made_.program.variables.push_back(dtype);
        return static_cast<std::int32_t>(made_.program.variables.size()) - 1;
    }
    std::int32_t get(std::int32_t variable) {
        return step({.kind = Step::Kind::get, .dtype = made_.program.variables[static_cast<std::size_t>(variable)], .a = variable});
    }
    void set(std::int32_t variable, std::int32_t value) { step({.kind = Step::Kind::set, .a = variable, .b = value}); }
    std::int32_t whole(std::int64_t value) {
        return step({.kind = Step::Kind::constant, .dtype = Dtype::int64, .bits = static_cast<std::uint64_t>(value)});
    }
    std::int32_t bytes_of(Dtype dtype) { return whole(static_cast<std::int64_t>(itemsize_of(dtype))); }
    std::int32_t constant(const Scalar& scalar, Dtype dtype) {
        Step made{.kind = Step::Kind::constant, .dtype = dtype};
        made.bits = is_inexact(dtype) ? std::bit_cast<std::uint64_t>(scalar.real()) : scalar.bits();
        if (is_complex(dtype)) made.more_bits = std::bit_cast<std::uint64_t>(scalar.imag());
        return step(made);
    }
    std::int32_t map(ir::Op op, Dtype compute, Dtype result, std::int32_t a, std::int32_t b = -1) {
        return step({.kind = Step::Kind::map, .dtype = result, .compute = compute, .op = op, .a = a, .b = b});
    }
    std::int32_t cast(std::int32_t value, Dtype from, Dtype to) { return from == to ? value : step({.kind = Step::Kind::cast, .dtype = to, .a = value}); }
    std::int32_t select(Dtype dtype, std::int32_t condition, std::int32_t x, std::int32_t y) {
        return step({.kind = Step::Kind::select, .dtype = dtype, .a = condition, .b = x, .c = y});
    }
    /// Of int64 that are known to fit.
    std::int32_t plus(std::int32_t a, std::int32_t b) { return step({.kind = Step::Kind::plus, .dtype = Dtype::int64, .a = a, .b = b}); }
    std::int32_t times(std::int32_t a, std::int32_t b) { return step({.kind = Step::Kind::times, .dtype = Dtype::int64, .a = a, .b = b}); }
    std::int32_t minus(std::int32_t a, std::int32_t b) { return map(ir::Op::subtract, Dtype::int64, Dtype::int64, a, b); }

    std::int32_t load(Dtype dtype, std::int32_t array, std::int32_t place) {
        return step({.kind = Step::Kind::load, .dtype = dtype, .a = array, .b = place});
    }
    void store(Dtype dtype, std::int32_t array, std::int32_t place, std::int32_t value) {
        step({.kind = Step::Kind::store, .dtype = dtype, .a = array, .b = place, .c = value});
    }
};

}  // namespace fastnp::nest
