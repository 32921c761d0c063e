// A loop kernel run on terms: what it means, for codegen/prove to compare with what its code does.
#pragma once

#include <vector>

#include "codegen/term_meaning.h"
#include "codegen/term_memory.h"
#include "interpret/lists.h"

namespace fastnp::codegen {

/// Where a kernel's memory is.
struct TermPlaces {
    std::vector<std::uint64_t> buffers;
    std::uint64_t scratch = 0;
    std::vector<std::int64_t> sizes;  // values of the Sizes table, by id
};

/// As interpret::Run wants them.
class TermExpressions {
public:
    using Element = TermElement;
    struct Point {
        const std::int64_t* sizes;
        std::vector<std::int64_t> index;
        std::vector<Element> values;
        std::vector<Element> folds;
    };
    struct Stored {
        const nest::Store* store;
        std::uint64_t address;
    };

    TermExpressions(const nest::Kernel& kernel, const TermPlaces& places, Terms& terms, TermMemory& memory);

    Point start() const;
    const interpret::Lists& lists() const { return lists_; }
    void compute(const interpret::Lists::List& list, Point& at) const;
    void store(const nest::Store& store, const Point& at) const;
    void keep(int row, nest::ExprId value, const Point& at) const;
    Element combine(int fold, const Element& x, const Element& y) const;
    const Element& identity(int fold) const { return identities_[static_cast<std::size_t>(fold)]; }
    void tell_nan(int, const Element&) const {}  // a flag, and no element

    /// Stores, in their order, and the points that they were at, an index per axis each.
    const std::vector<Stored>& stored() const { return stored_; }
    std::span<const std::int64_t> point_of(std::size_t stored) const {
        return std::span(points_).subspan(stored * kernel_.axes.size(), kernel_.axes.size());
    }

private:
    Element compute(nest::ExprId id, const Point& at) const;
    Element load(std::uint64_t address, Dtype dtype) const;
    void write(std::uint64_t address, const Element& value) const;
    std::uint64_t address(const nest::Access& access, const Point& at) const;
    std::uint64_t scratch(int row, const Point& at) const;

    const nest::Kernel& kernel_;
    const TermPlaces& places_;
    Terms& terms_;
    TermMemory& memory_;
    interpret::Lists lists_;
    std::vector<Element> identities_;
    mutable std::vector<Stored> stored_;
    mutable std::vector<std::int64_t> points_;
};

}  // namespace fastnp::codegen
