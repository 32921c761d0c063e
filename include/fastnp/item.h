// fastnp::Item: the element of an array as a number that recordings follow.
#pragma once

#include <complex>
#include <type_traits>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// What array::item() gives: the single element of an array as it is then, as wide as Python's numbers (float64, complex128, integers and booleans as they
/// are). Comparisons are NumPy's of such numbers. In a compiled function they are computed by its code, and what they gave is a yes or a no that branches
/// are compiled for; a number of C++ that is made of it (`double v = x.item()`) is read instead, as by item<T>(): the entry is for that value alone.
///
///     auto f = compile([](const array& x) { return sum(x * x).item() > 20.0 ? x / 2 : x; });  // two branches, whatever the sums are
class FASTNP_API Item {
public:
    /// ValueError unless the size is 1.
    explicit Item(const array& x);

    /// Whether T is a type that an item can be made a number of.
    template <class T>
    static constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

    /// As item<T>(); a bool is asked for as by `if (x)`.
    template <class T>
        requires is_number<T>
    operator T() const {  // NOLINT: it is a number
        if constexpr (std::is_same_v<T, bool>) return static_cast<bool>(value_);
        else return value_.item<T>();
    }
    /// An array of no axes.
    const array& value() const { return value_; }

private:
    array value_;
};

/// @}

inline Item array::item() const { return Item(*this); }

namespace detail {

template <class T>
constexpr bool is_item = std::is_same_v<T, Item>;
template <class A, class B>
concept AreCompared = (is_item<A> && (is_item<B> || Item::is_number<B>)) || (Item::is_number<A> && is_item<B>);

template <class T>
Operand operand_of(const T& number) {
    if constexpr (is_item<T>) return number.value();
    else return number;
}

}  // namespace detail

/// \addtogroup operators
/// @{

/// Items, and items and numbers: whether a == b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator==(const A& a, const B& b) {
    return static_cast<bool>(equal(detail::operand_of(a), detail::operand_of(b)));
}
/// Items, and items and numbers: whether a != b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator!=(const A& a, const B& b) {
    return static_cast<bool>(not_equal(detail::operand_of(a), detail::operand_of(b)));
}
/// Items, and items and numbers: whether a < b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator<(const A& a, const B& b) {
    return static_cast<bool>(less(detail::operand_of(a), detail::operand_of(b)));
}
/// Items, and items and numbers: whether a <= b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator<=(const A& a, const B& b) {
    return static_cast<bool>(less_equal(detail::operand_of(a), detail::operand_of(b)));
}
/// Items, and items and numbers: whether a > b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator>(const A& a, const B& b) {
    return static_cast<bool>(greater(detail::operand_of(a), detail::operand_of(b)));
}
/// Items, and items and numbers: whether a >= b. In a compiled function what it gave is a branch that it is compiled for.
template <class A, class B>
    requires detail::AreCompared<A, B>
bool operator>=(const A& a, const B& b) {
    return static_cast<bool>(greater_equal(detail::operand_of(a), detail::operand_of(b)));
}

/// @}

}  // namespace fastnp
