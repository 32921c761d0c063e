// Whether terms are equal for all numbers. Numbers are tried first: where they make terms differ, these do. What is left is equal if its arguments are, or
// if the solver says so.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/solver.h"

namespace fastnp::codegen {

/// What terms are for some numbers in memory, drawn at random; floating-point operations are any functions.
class TermValues {
public:
    std::uint64_t of(const Terms& terms, Term term, std::uint64_t seed);

private:
    std::uint64_t value(const Terms& terms, Term term, std::uint64_t seed) const;
    std::vector<std::uint64_t> values_;  // of the terms so far
};

/// What is known of the terms of several tables.
class TermEquality {
public:
    /// For other terms than before.
    void start() {
        values_ = {};
        known_.clear();
    }
    Solver::Answer compare(const Terms& terms, Term x, Term y);
    bool has_solver();
    std::size_t asked() const { return asked_; }

private:
    bool may_be_equal(const Terms& terms, Term x, Term y);
    Solver::Answer compare(const Terms& terms, Term x, Term y, int depth);
    Solver::Answer ask(const Terms& terms, Term x, Term y);

    bool has_looked_ = false;
    std::unique_ptr<Solver> solver_;
    std::array<TermValues, 2> values_;
    std::set<std::pair<Term, Term>> known_;  // to be equal
    std::set<std::string> equal_;  // pairs that are, by their text, whatever lies in memory
    std::size_t asked_ = 0;
    std::chrono::steady_clock::duration spent_{0};  // by the solver
};

}  // namespace fastnp::codegen
