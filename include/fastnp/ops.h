// Every array function, derived from the catalogue (ops/*.def) or declared here. Each does what the NumPy function of its name
// does, on concrete arrays at once and on recorded ones by recording.
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/array.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// Keyword arguments of every ufunc: add(x, y, {.out = z}).
struct UfuncOptions {
    /// Written in place (and returned); its shape must be the broadcast shape, its dtype reachable by `casting`.
    std::optional<array> out = std::nullopt;
    /// Bool; where false, `out` keeps its value (without out: uninitialised, as NumPy).
    std::optional<array> where = std::nullopt;
    /// The loop to compute in.
    std::optional<Dtype> dtype = std::nullopt;
    /// What may be cast to what, on the way in and to `out`. TypeError where it may not.
    Casting casting = Casting::same_kind;
};

/// @}

/// \addtogroup reductions
/// @{

/// None (all axes), one axis or several; negative ones count from the end.
class Axes {
public:
    /// All axes.
    Axes() = default;
    /// All axes.
    Axes(std::nullopt_t) {}                                                        // NOLINT: implicit by design
    /// One axis.
    Axes(int axis) : none_(false), is_one_(true), list_{axis} {}                   // NOLINT: implicit by design
    /// These: {.axis = {0, -1}}.
    Axes(std::initializer_list<std::int64_t> axes) : none_(false), list_(axes) {}  // NOLINT
    /// These.
    explicit Axes(std::span<const std::int64_t> axes) : none_(false), list_(axes) {}
    /// Whether it is all of them.
    bool is_none() const { return none_; }
    /// Whether it is one, given as a number: of an array without axes, NumPy then lets 0 and -1 pass, for no axes.
    bool is_one() const { return is_one_; }
    /// Which, if it is not all of them.
    std::span<const std::int64_t> list() const { return {list_.data(), list_.size()}; }

private:
    bool none_ = true;
    bool is_one_ = false;
    SmallVector<std::int64_t> list_;
};

/// Keyword arguments of every reduction: sum(x, {.axis = -1, .keepdims = true}).
struct FoldOptions {
    Axes axis = {};                                ///< reduced ones; all unless given
    bool keepdims = false;                         ///< whether these stay, with size 1
    std::optional<Dtype> dtype = std::nullopt;     ///< that is computed in and given
    std::optional<Scalar> initial = std::nullopt;  ///< what the reduction begins with
    std::optional<array> where = std::nullopt;     ///< bool; elements where it is false are left out
    std::optional<array> out = std::nullopt;       ///< written to, and returned
};

/// Keyword arguments of argmax, argmin and the scans; no axis means the flattened array.
struct AxisOptions {
    std::optional<int> axis = std::nullopt;     ///< one; the flattened array unless given
    bool keepdims = false;                      ///< whether it stays, with size 1 (argmax, argmin)
    std::optional<Dtype> dtype = std::nullopt;  ///< that is computed in and given (scans)
    std::optional<array> out = std::nullopt;    ///< written to, and returned
};

/// @}

// numpy.exp and the like: elementwise over x, broadcasting, result dtype by the ufunc's loops.
#define MAP1(name, rule, meaning, partial, traits, doc) FASTNP_API array name(const Operand& x, const UfuncOptions& options = {});
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) \
    FASTNP_API array name(const Operand& x, const Operand& y, const UfuncOptions& options = {});
#include "fastnp/ops/map.def"

// numpy.sum and the like over `options.axis`; AxisError for an axis out of bounds, ValueError for an empty one without identity.
// `all` is declared below.
#define FOLD(name, combine, rule, identity, doc) FASTNP_API array name##_fold(const Operand& x, const FoldOptions& options = {});
#define ARGFOLD(name, better, doc) FASTNP_API array name(const Operand& x, const AxisOptions& options = {});
#define SCAN(name, combine, rule, doc) FASTNP_API array name(const Operand& x, const AxisOptions& options = {});
#include "fastnp/ops/fold.def"

/// \addtogroup reductions
/// @{

/// numpy.sum: of the elements over the axes; 0 of none. int64 or uint64 of bools and integers, else x's dtype. AxisError.
///
///     sum(ones({3, 4}), {.axis = 0, .keepdims = true});  // shape (1, 4)
inline array sum(const Operand& x, const FoldOptions& options = {}) { return sum_fold(x, options); }
/// numpy.prod: the product over the axes; 1 of none. Dtypes as sum(). AxisError.
inline array prod(const Operand& x, const FoldOptions& options = {}) { return prod_fold(x, options); }
/// numpy.max: the largest element over the axes, in x's dtype; NaN where any is NaN. ValueError for an empty axis without `initial`, AxisError.
inline array max(const Operand& x, const FoldOptions& options = {}) { return max_fold(x, options); }
/// numpy.min: the smallest element over the axes, as max().
inline array min(const Operand& x, const FoldOptions& options = {}) { return min_fold(x, options); }
/// numpy.any: whether any element over the axes is not zero, as bool. AxisError.
///
///     if (any(x < 0)) x = absolute(x);
inline array any(const Operand& x, const FoldOptions& options = {}) { return any_fold(x, options); }

/// The type of all.
struct AllFunction {
    /// What subscripts know it by.
    static constexpr bool is_all = true;
    /// numpy.all: whether no element over the axes is zero, as bool. AxisError.
    array operator()(const Operand& x, const FoldOptions& options = {}) const { return all_fold(x, options); }
};
/// numpy.all as a function, all(x, {.axis = 0}), and ':' as a subscript, x(all, 0).
inline constexpr AllFunction all{};

/// numpy.mean: sum / count over the axes, in float64 for integers (float16 is summed in float32). NaN of no elements. AxisError.
FASTNP_API array mean(const Operand& x, const FoldOptions& options = {});
/// numpy.var: the mean square distance from the mean over the axes, divided by count - ddof. Floating, also of complex numbers. AxisError.
FASTNP_API array var(const Operand& x, const FoldOptions& options = {}, double ddof = 0);
/// numpy.std, whose name is a namespace here: the square root of var().
FASTNP_API array stddev(const Operand& x, const FoldOptions& options = {}, double ddof = 0);

/// @}

/// \addtogroup elementwise
/// @{

/// numpy.where with three arguments: x where the condition is not zero, else y, all broadcast, in the common dtype of x and y.
///
///     where(x > 0, sqrt(absolute(x)), 0.0);
FASTNP_API array where(const Operand& condition, const Operand& x, const Operand& y);
/// @}

/// \addtogroup picking
/// @{

/// numpy.copyto: writes `source` into `target`, broadcast and cast, where the mask allows. ValueError "could not broadcast input array from shape ..." or
/// for a read-only target; TypeError where the casting rule or the mask's dtype does not fit.
FASTNP_API void copyto(const array& target, const Operand& source, Casting casting = Casting::same_kind, const std::optional<array>& where = std::nullopt);
/// x[mask] = values, for a mask of x's leading axes and values that do not tell what the mask picks apart: a scalar, or an array over the axes after the
/// mask's. IndexError where the mask's shape differs; else as copyto with any cast.
FASTNP_API void set_where(const array& x, const array& mask, const Operand& values);
/// @}

/// \addtogroup elementwise
/// @{

/// numpy.clip: x, but at least `low` and at most `high`; either bound may be left out (std::nullopt). Broadcast, in the common dtype.
FASTNP_API array clip(const Operand& x, const std::optional<Operand>& low, const std::optional<Operand>& high, const UfuncOptions& options = {});
/// numpy.round: to `decimals` places, halves to even, in x's dtype.
FASTNP_API array round(const Operand& x, int decimals = 0);
/// numpy.divmod: floor_divide() and remainder().
FASTNP_API std::pair<array, array> divmod(const Operand& x, const Operand& y);
/// numpy.frexp: mantissa (from 0.5 up to 1, with x's sign) and exponent (int32), x = mantissa * 2 ** exponent. Floating dtypes; TypeError for complex.
FASTNP_API std::pair<array, array> frexp(const Operand& x);
/// numpy.modf: the fractional and the whole part, both with x's sign. Floating dtypes; TypeError for complex.
FASTNP_API std::pair<array, array> modf(const Operand& x);

/// @}

/// \addtogroup making
/// @{

// Making arrays. ValueError for negative sizes.
/// numpy.full: the value everywhere; its dtype (int64, float64, complex128 or bool), unless one is given. ValueError for negative sizes.
///
///     full({2, 3}, 7.0, float32);
FASTNP_API array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype = std::nullopt);
/// numpy.zeros. ValueError for negative sizes.
FASTNP_API array zeros(const Shape& shape, Dtype dtype = float64);
/// numpy.ones. ValueError for negative sizes.
FASTNP_API array ones(const Shape& shape, Dtype dtype = float64);
/// numpy.empty: elements are what they happen to be. ValueError for negative sizes.
FASTNP_API array empty(const Shape& shape, Dtype dtype = float64);
/// numpy.full_like: the value everywhere, with shape and dtype of x (sizes stay symbolic in a recording).
FASTNP_API array full_like(const array& x, const Scalar& value, std::optional<Dtype> dtype = std::nullopt);
/// numpy.zeros_like: zeros, with shape and dtype of x.
FASTNP_API array zeros_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
/// numpy.ones_like: ones, with shape and dtype of x.
FASTNP_API array ones_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
/// numpy.empty_like: any elements, with shape and dtype of x.
FASTNP_API array empty_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
/// numpy.arange: 0, 1, 2 ... below stop; int64 for an integer, else float64.
FASTNP_API array arange(const Scalar& stop);
/// numpy.arange: start, start + step ... before stop; int64 for integers, float64 else, unless `dtype` is given. ZeroDivisionError for a step of 0.
///
///     arange(1, 2, 0.25);  // 1. 1.25 1.5 1.75
FASTNP_API array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1, std::optional<Dtype> dtype = std::nullopt);
/// numpy.linspace: so many numbers at equal distances from start to stop, or before it without `endpoint`; float64 unless `dtype` is given. ValueError for
/// a negative number.
FASTNP_API array linspace(const Scalar& start, const Scalar& stop, std::int64_t num = 50, bool endpoint = true, std::optional<Dtype> dtype = std::nullopt);
/// numpy.eye: ones on the k-th diagonal, zeros elsewhere; as many columns as rows unless given. ValueError for negative sizes.
FASTNP_API array eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt, int k = 0, Dtype dtype = float64);

/// @}

/// \addtogroup rearranging
/// @{

// Rearranging. All are views but where NumPy copies (a reshape of strided memory, concatenate, stack, pad, take).
/// numpy.reshape: the same elements, read in that order, under another shape, in which one size may be -1. A view where there is one. ValueError where the
/// number of elements differs, and for the order "K".
FASTNP_API array reshape(const array& x, const Shape& shape, Order order = Order::c);
/// numpy.ravel: the elements along one axis, read in that order. A view of what is contiguous in it, else a copy.
FASTNP_API array ravel(const array& x, Order order = Order::c);
/// numpy.transpose: a view with the axes in this order, reversed unless given. ValueError for axes that don't match, AxisError.
FASTNP_API array transpose(const array& x, std::optional<Shape> axes = std::nullopt);
/// numpy.swapaxes: a view with two axes exchanged. AxisError.
FASTNP_API array swapaxes(const array& x, int a, int b);
/// numpy.moveaxis: a view with an axis at another place; the others stay in order. AxisError.
FASTNP_API array moveaxis(const array& x, int from, int to);
/// numpy.expand_dims: a view with an axis of size 1 put in. AxisError.
FASTNP_API array expand_dims(const array& x, int axis);
/// numpy.squeeze: a view without axes of size 1, all of them or these. ValueError for another size, AxisError.
FASTNP_API array squeeze(const array& x, const Axes& axis = {});
/// numpy.broadcast_to: a read-only view in which axes of size 1 are repeated and new ones are put in front. ValueError where that does not give the shape.
FASTNP_API array broadcast_to(const array& x, const Shape& shape);
/// numpy.broadcast_arrays: views of all in the common shape. ValueError where there is none.
FASTNP_API std::vector<array> broadcast_arrays(const std::vector<array>& arrays);
/// numpy.flip: a view with the elements along axes, all unless given, in reverse order. AxisError.
FASTNP_API array flip(const array& x, const Axes& axis = {});
/// numpy.concatenate: arrays joined along an axis, a copy in the common dtype. ValueError where other sizes differ or there are none, AxisError.
///
///     concatenate({ones({2, 3}), zeros({1, 3})});  // shape (3, 3)
FASTNP_API array concatenate(const std::vector<array>& arrays, int axis = 0);
/// numpy.stack: arrays of one shape joined along a new axis, a copy in the common dtype. ValueError where shapes differ or there are none, AxisError.
FASTNP_API array stack(const std::vector<array>& arrays, int axis = 0);
/// numpy.pad with mode="constant": a copy within a border of the value, a (before, after) pair for each axis, or one for all. ValueError for negative
/// widths.
FASTNP_API array pad(const array& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Scalar& value = 0);

/// @}

/// \addtogroup picking
/// @{

/// Indices out of bounds: an IndexError, counted on around the axis, or the nearest one.
enum class TakeMode : std::uint8_t { raise, wrap, clip };
/// numpy.take: elements at integer indices, along an axis or of the flattened array: x's shape, with that of the indices in the place of the axis.
/// IndexError for an index out of bounds, TypeError for indices that are no integers, AxisError.
FASTNP_API array take(const array& x, const Operand& indices, std::optional<int> axis = std::nullopt, TakeMode mode = TakeMode::raise);
/// x[indices]: an array of integers for each of the first axes, broadcast together. IndexError for an index out of bounds.
FASTNP_API array pick(const array& x, const std::vector<array>& indices);
/// x[indices] = values: of several values for one element the last one counts. IndexError; ValueError "shape mismatch: value array of shape ...".
FASTNP_API void set_at(const array& x, const std::vector<array>& indices, const Operand& values);
/// An elementwise function of one operand.
using UnaryUfunc = array (*)(const Operand& x, const UfuncOptions& options);
/// An elementwise function of two operands.
using BinaryUfunc = array (*)(const Operand& x, const Operand& y, const UfuncOptions& options);
/// numpy.ufunc.at: at(add, x, indices, values) is x[indices] += values, with each of several values for one element, and at(negative, x, indices)
/// x[indices] = -x[indices]. Without indices it is for all of x. A number has a dtype of its own here, not x's; what comes out is converted to x's by any
/// rule. IndexError; ValueError for values that don't fit.
FASTNP_API void at(BinaryUfunc ufunc, const array& x, const std::vector<array>& indices, const Operand& values);
/// The same of one operand: at(negative, x, indices).
FASTNP_API void at(UnaryUfunc ufunc, const array& x, const std::vector<array>& indices);
/// x[mask] = values, the mask for the first axes, with a value for each element where it is true, in order. While recording, their number is read.
/// ValueError in NumPy's words where it differs.
FASTNP_API void set_masked(const array& x, const array& mask, const array& values);
// What depends on values in its size: while recording, that size is found on the way, and compiled code is for any.
/// numpy.nonzero: the indices of elements that are not zero, an int64 array for each axis; ValueError for an array of no axes.
FASTNP_API std::vector<array> nonzero(const array& x);
/// numpy.flatnonzero: the same, into the flattened array.
FASTNP_API array flatnonzero(const array& x);
/// numpy.argwhere: a row of indices for each such element.
FASTNP_API array argwhere(const array& x);
/// x[mask], the mask for the first axes. IndexError in NumPy's words where its shape differs, or for another dtype than bool.
FASTNP_API array get_masked(const array& x, const array& mask);
/// numpy.compress: what a condition of one axis picks along an axis, or from the flattened array.
FASTNP_API array compress(const array& condition, const array& x, std::optional<int> axis = std::nullopt);
/// @}

/// \addtogroup sorting
/// @{

/// numpy.unique: the different elements along one axis, sorted, in x's dtype; with `equal_nan` NaNs are one.
FASTNP_API array unique(const array& x, bool equal_nan = true);
/// What unique_all() gives.
struct Unique {
    array values;  ///< the different elements, sorted
    array indices;  ///< where each comes first (int64)
    array inverse;  ///< for each element of x, in its shape, which of them it is (int64)
    array counts;  ///< how often each comes (int64)
};
/// numpy.unique_all: the different elements, with where and how often they come.
FASTNP_API Unique unique_all(const array& x, bool equal_nan = true);

/// numpy.sort: a sorted copy along an axis, the last by default, or of the flattened array (std::nullopt). NaN sorts last, complex numbers
/// lexicographically. AxisError.
FASTNP_API array sort(const array& x, std::optional<int> axis = -1, bool stable = false);
/// numpy.argsort: the indices (int64) that would sort so.
FASTNP_API array argsort(const array& x, std::optional<int> axis = -1, bool stable = false);

/// Before what is equal, or behind it.
enum class Side : std::uint8_t { left, right };
/// numpy.searchsorted: for each value, int64 and in its shape, the place in `sorted` (one axis, in the order of sort) that it could be put at to keep that
/// order: before what is equal to it, or behind. Compared in the common dtype. ValueError unless `sorted` has one axis.
FASTNP_API array searchsorted(const array& sorted, const Operand& values, Side side = Side::left);

/// @}

/// \addtogroup products
/// @{

// Products. ValueError in NumPy's words where the sizes do not match.
/// numpy.matmul: the product over x's last axis and y's last but one, (..., m, k) and (..., k, n) to (..., m, n); a vector is a row or a column. The axes
/// before are broadcast. In the common dtype. ValueError where the sizes do not match, or an operand has no axes.
FASTNP_API array matmul(const array& x, const array& y);
/// numpy.dot: of vectors the sum of products, of matrices their product; else over x's last axis and y's last but one, without broadcasting. ValueError
/// where the sizes do not match.
FASTNP_API array dot(const array& x, const array& y);
/// numpy.tensordot: over the last `axes` axes of x and the first of y. ValueError where the sizes do not match.
FASTNP_API array tensordot(const array& x, const array& y, int axes = 2);
/// numpy.tensordot: over these axes of x and those of y, in pairs. ValueError where the sizes do not match.
FASTNP_API array tensordot(const array& x, const array& y, const Axes& x_axes, const Axes& y_axes);
/// numpy.outer: the products of all elements of x with all of y, shape (x.size(), y.size()).
FASTNP_API array outer(const array& x, const array& y);

/// @}

namespace detail {

/// What is often taken for an operand, and is none.
template <class T>
inline constexpr bool is_no_operand = std::is_convertible_v<const T&, std::string_view>;
template <class T>
inline constexpr bool is_no_operand<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_no_operand<std::array<T, N>> = true;

template <class T>
array refused_operand() {
    static_assert(!is_no_operand<T>, "fastnp: an operand is an array or a number; of a vector, array(v) makes an array");
    return {};
}
template <class... T>
array refused_shape() {
    static_assert(sizeof...(T) == 0, "fastnp: a shape is in braces: zeros({3, 4}), ones({3})");
    return {};
}

}  // namespace detail

// Operators, for arrays and weak scalars in either order.
#define FASTNP_OPERATOR(symbol, name)                                                     \
    inline array operator symbol(const array& x, const Operand& y) { return name(x, y); } \
    inline array operator symbol(const array& x, const array& y) { return name(x, y); }   \
    template <class S>                                                                    \
        requires std::constructible_from<Scalar, const S&>                                \
    array operator symbol(const array& x, const S& y) {                                   \
        return name(x, Scalar(y));                                                        \
    }                                                                                     \
    template <class S>                                                                    \
        requires std::constructible_from<Scalar, const S&>                                \
    array operator symbol(const S& x, const array& y) {                                   \
        return name(Scalar(x), y);                                                        \
    }                                                                                     \
    template <class S>                                                                    \
        requires detail::is_no_operand<S>                                                 \
    array operator symbol(const array&, const S&) {                                       \
        return detail::refused_operand<S>();                                              \
    }                                                                                     \
    template <class S>                                                                    \
        requires detail::is_no_operand<S>                                                 \
    array operator symbol(const S&, const array&) {                                       \
        return detail::refused_operand<S>();                                              \
    }
FASTNP_OPERATOR(+, add)
FASTNP_OPERATOR(-, subtract)
FASTNP_OPERATOR(*, multiply)
FASTNP_OPERATOR(/, divide)
FASTNP_OPERATOR(%, remainder)
FASTNP_OPERATOR(&, bitwise_and)
FASTNP_OPERATOR(|, bitwise_or)
FASTNP_OPERATOR(^, bitwise_xor)
FASTNP_OPERATOR(<<, left_shift)
FASTNP_OPERATOR(>>, right_shift)
FASTNP_OPERATOR(==, equal)
FASTNP_OPERATOR(!=, not_equal)
FASTNP_OPERATOR(<, less)
FASTNP_OPERATOR(<=, less_equal)
FASTNP_OPERATOR(>, greater)
FASTNP_OPERATOR(>=, greater_equal)
#undef FASTNP_OPERATOR
/// \addtogroup operators
/// @{

/// negative(x).
inline array operator-(const array& x) { return negative(x); }
/// positive(x).
inline array operator+(const array& x) { return positive(x); }
/// invert(x).
inline array operator~(const array& x) { return invert(x); }

/// @}

/// \cond wrong uses, which are told
template <std::integral... N>
    requires(sizeof...(N) > 0)
array zeros(N...) {
    return detail::refused_shape<N...>();
}
template <std::integral... N>
    requires(sizeof...(N) > 0)
array ones(N...) {
    return detail::refused_shape<N...>();
}
template <std::integral... N>
    requires(sizeof...(N) > 0)
array empty(N...) {
    return detail::refused_shape<N...>();
}
template <std::integral N>
array full(N, const Scalar&, std::optional<Dtype> = std::nullopt) {
    return detail::refused_shape<N>();
}
/// \endcond

}  // namespace fastnp
