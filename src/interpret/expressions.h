// What a kernel's expressions are at a point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eager/eager.h"
#include "interpret/lists.h"
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

class Expressions {
public:
    explicit Expressions(const nest::Kernel& kernel);

    using Element = interpret::Element;
    using Point = interpret::Point;
    const Lists& lists() const { return lists_; }

    /// Computes these, in order, for the place that `at` is at.
    void compute(const Lists::List& list, Point& at) const;
    void store(const nest::Store& store, Point& at) const;
    /// Keeps a value in a scratch row, for the inner point.
    void keep(int row, nest::ExprId value, const Point& at) const;

    /// x combined with y.
    Element combine(int fold, const Element& x, const Element& y) const;
    const Element& identity(int fold) const { return identities_[static_cast<std::size_t>(fold)]; }
    /// In the order of this kernel infinities may have met a NaN before they met each other: a result that is NaN raises the flag.
    void tell_nan(int fold, const Element& value) const;

private:
    /// The element of a scratch row for the inner point.
    std::byte* scratch(int row, const Point& at) const;
    void compute(nest::ExprId id, Point& at) const;
    void map(const nest::Expr& expr, eager::SpanKernel function, Point& at, Element& out) const;
    std::byte* address(const nest::Access& access, const Point& at) const;

    const nest::Kernel& kernel_;
    Lists lists_;
    std::vector<eager::SpanKernel> functions_;  // per expression, of maps
    std::vector<Element> constants_;            // per expression
    std::vector<eager::SpanKernel> combine_;    // per fold
    std::vector<Element> identities_;
};

}  // namespace fastnp::interpret
