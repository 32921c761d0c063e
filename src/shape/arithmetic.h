// Arithmetic on sizes that is the same inside and outside recordings: plain numbers are computed at once, symbolic ones by the
// recording's table.
#pragma once

#include <string>

#include "shape/dim.h"

namespace fastnp::shape {

class Arithmetic {
public:
    explicit Arithmetic(Sizes* sizes) : sizes_(sizes) {}

    /// ValueError where plain numbers get too big.
    Dim add(Dim a, Dim b) const {
        if (!plain(a, b)) return table().add(a, b);
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a.value(), b.value(), &sum) || sum >= Dim::too_big) throw_too_big();
        return sum;
    }
    Dim subtract(Dim a, Dim b) const {
        if (!plain(a, b)) return table().subtract(a, b);
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a.value(), b.value(), &difference) || difference >= Dim::too_big) throw_too_big();
        return difference;
    }
    Dim multiply(Dim a, Dim b) const { return plain(a, b) ? product_of(a.value(), b.value()) : table().multiply(a, b); }
    /// Floor division; `b` is not zero.
    Dim divide(Dim a, Dim b) const {
        if (!plain(a, b)) return table().divide(a, b);
        if (b.value() == -1) return subtract(Dim(0), a);
        const std::int64_t quotient = a.value() / b.value();
        return a.value() % b.value() != 0 && (a.value() < 0) != (b.value() < 0) ? quotient - 1 : quotient;
    }
    Dim product(const Dims& dims) const {
        Dim result(1);
        for (const Dim dim : dims) result = multiply(result, dim);
        return result;
    }
    bool equal(Dim a, Dim b) const { return plain(a, b) ? a == b : table().equal(a, b); }
    bool at_least(Dim a, Dim b) const { return plain(a, b) ? a.value() >= b.value() : table().at_least(a, b); }
    Dim max(Dim a, Dim b) const { return at_least(a, b) ? a : b; }
    Dim min(Dim a, Dim b) const { return at_least(b, a) ? a : b; }
    std::int64_t hint(Dim dim) const { return dim.is_constant() ? dim.value() : table().hint(dim); }
    /// The number a size has now; ties a recording to it.
    std::int64_t concretize(Dim dim) const { return dim.is_constant() ? dim.value() : table().concretize(dim); }
    /// The same for the text of an error, which the function that meets it may catch and read.
    std::string told(Dim dim) const { return std::to_string(concretize(dim)); }
    Sizes* sizes() const { return sizes_; }

private:
    static bool plain(Dim a, Dim b) { return a.is_constant() && b.is_constant(); }
    Sizes& table() const {
        if (sizes_ == nullptr) throw_too_big();
        return *sizes_;
    }

    Sizes* sizes_;
};

}  // namespace fastnp::shape
