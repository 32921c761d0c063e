// What a kernel's expressions are at a point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eager/eager.h"
#include "nest/kernel.h"

namespace fastnp::interpret {

/// One element, as it lies in memory.
struct alignas(16) Element {
    std::byte bytes[16] = {};
};

/// Where a run of a kernel is: its memory, its place among the points, what was computed there.
struct Point {
    void* const* pointers;
    const std::int64_t* sizes;
    std::byte* scratch;
    std::vector<std::int64_t> index;   // per axis
    std::vector<Element> values;       // per expression
    std::vector<Element> folds;        // results of earlier stages
};

inline std::int64_t value_of(shape::Dim dim, const std::int64_t* sizes) { return dim.is_constant() ? dim.value() : sizes[dim.id()]; }

class Expressions {
public:
    explicit Expressions(const nest::Kernel& kernel);

    using List = std::vector<nest::ExprId>;
    /// What stays the same for all of an outer point, as far as it is known before folds are.
    const List& of_outer_point() const { return outer_; }
    /// What a stage needs at each of its inner points, besides.
    const List& of_stage(std::size_t stage) const { return stages_[stage]; }
    /// What the outer stores need, besides.
    const List& of_outer_stores() const { return last_; }

    /// Computes these, in order, for the place that `at` is at.
    void compute(const List& list, Point& at) const;
    void store(const nest::Store& store, Point& at) const;
    /// The element of a scratch row for the inner point.
    std::byte* scratch(int row, const Point& at) const;

    /// x combined with y.
    Element combine(int fold, const Element& x, const Element& y) const;
    const Element& identity(int fold) const { return identities_[static_cast<std::size_t>(fold)]; }
    /// In the order of this kernel infinities may have met a NaN before they met each other: a result that is NaN raises the flag.
    void tell_nan(int fold, const Element& value) const;

private:
    List needed(const List& roots) const;
    void compute(nest::ExprId id, Point& at) const;
    void map(const nest::Expr& expr, eager::SpanKernel function, Point& at, Element& out) const;
    std::byte* address(const nest::Access& access, const Point& at) const;

    const nest::Kernel& kernel_;
    std::vector<std::uint32_t> depends_;
    std::vector<eager::SpanKernel> functions_;  // per expression, of maps
    std::vector<Element> constants_;            // per expression
    std::vector<eager::SpanKernel> combine_;    // per fold
    std::vector<Element> identities_;
    List outer_, last_;
    std::vector<List> stages_;
};

}  // namespace fastnp::interpret
