// Every array function, derived from the catalogue (ops/*.def) or declared here. Each does what the NumPy function of its name
// does, on concrete arrays at once and on recorded ones by recording.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fastnp/array.h"

namespace fastnp {

/// Keyword arguments of every ufunc: add(x, y, {.out = z}).
struct UfuncOptions {
    /// Written in place (and returned); its shape must be the broadcast shape, its dtype reachable by `casting`.
    std::optional<array> out = std::nullopt;
    /// Bool; where false, `out` keeps its value (without out: uninitialised, as NumPy).
    std::optional<array> where = std::nullopt;
    /// The loop to compute in.
    std::optional<Dtype> dtype = std::nullopt;
    Casting casting = Casting::same_kind;
};

/// None (all axes), one axis or several; negative ones count from the end.
class Axes {
public:
    Axes() = default;
    Axes(std::nullopt_t) {}                                                        // NOLINT: implicit by design
    Axes(int axis) : none_(false), list_{axis} {}                                  // NOLINT
    Axes(std::initializer_list<std::int64_t> axes) : none_(false), list_(axes) {}  // NOLINT
    explicit Axes(std::span<const std::int64_t> axes) : none_(false), list_(axes) {}
    bool is_none() const { return none_; }
    std::span<const std::int64_t> list() const { return {list_.data(), list_.size()}; }

private:
    bool none_ = true;
    SmallVector<std::int64_t> list_;
};

/// Keyword arguments of every reduction: sum(x, {.axis = -1, .keepdims = true}).
struct FoldOptions {
    Axes axis = {};
    bool keepdims = false;
    std::optional<Dtype> dtype = std::nullopt;
    std::optional<Scalar> initial = std::nullopt;
    std::optional<array> where = std::nullopt;
    std::optional<array> out = std::nullopt;
};

/// Keyword arguments of argmax, argmin and the scans; no axis means the flattened array.
struct AxisOptions {
    std::optional<int> axis = std::nullopt;
    bool keepdims = false;
    std::optional<Dtype> dtype = std::nullopt;
    std::optional<array> out = std::nullopt;
};

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

inline array sum(const Operand& x, const FoldOptions& options = {}) { return sum_fold(x, options); }
inline array prod(const Operand& x, const FoldOptions& options = {}) { return prod_fold(x, options); }
inline array max(const Operand& x, const FoldOptions& options = {}) { return max_fold(x, options); }
inline array min(const Operand& x, const FoldOptions& options = {}) { return min_fold(x, options); }
inline array any(const Operand& x, const FoldOptions& options = {}) { return any_fold(x, options); }

/// numpy.all as a function, and ':' as a subscript: x(all, 0).
struct AllFunction {
    static constexpr bool is_all = true;
    array operator()(const Operand& x, const FoldOptions& options = {}) const { return all_fold(x, options); }
};
inline constexpr AllFunction all{};

/// numpy.mean: sum / count in float64 for integers (float16 is summed in float32).
FASTNP_API array mean(const Operand& x, const FoldOptions& options = {});
/// numpy.var and numpy.std (stddev here: std is a namespace) with `ddof`.
FASTNP_API array var(const Operand& x, const FoldOptions& options = {}, double ddof = 0);
FASTNP_API array stddev(const Operand& x, const FoldOptions& options = {}, double ddof = 0);

/// numpy.where with three arguments.
FASTNP_API array where(const Operand& condition, const Operand& x, const Operand& y);
/// numpy.copyto: writes `source` into `target`, broadcast and cast, where the mask allows. ValueError "could not broadcast input array from shape ..." or
/// for a read-only target; TypeError where the casting rule or the mask's dtype does not fit.
FASTNP_API void copyto(const array& target, const Operand& source, Casting casting = Casting::same_kind, const std::optional<array>& where = std::nullopt);
/// x[mask] = values, for a mask of x's leading axes and values that do not tell what the mask picks apart: a scalar, or an array over the axes after the
/// mask's. IndexError where the mask's shape differs; else as copyto with any cast.
FASTNP_API void set_where(const array& x, const array& mask, const Operand& values);
/// numpy.clip; either bound may be left out.
FASTNP_API array clip(const Operand& x, const std::optional<Operand>& low, const std::optional<Operand>& high, const UfuncOptions& options = {});
/// numpy.round to `decimals` places (numpy.around).
FASTNP_API array round(const Operand& x, int decimals = 0);
FASTNP_API std::pair<array, array> divmod(const Operand& x, const Operand& y);
FASTNP_API std::pair<array, array> frexp(const Operand& x);
FASTNP_API std::pair<array, array> modf(const Operand& x);

// Making arrays. ValueError for negative sizes.
FASTNP_API array full(const Shape& shape, const Scalar& value, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array zeros(const Shape& shape, Dtype dtype = float64);
FASTNP_API array ones(const Shape& shape, Dtype dtype = float64);
FASTNP_API array empty(const Shape& shape, Dtype dtype = float64);
/// numpy.*_like: shape and dtype of x (sizes stay symbolic in a recording).
FASTNP_API array full_like(const array& x, const Scalar& value, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array zeros_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array ones_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array empty_like(const array& x, std::optional<Dtype> dtype = std::nullopt);
/// numpy.arange; int64 for integers, float64 else, unless `dtype` is given.
FASTNP_API array arange(const Scalar& stop);
FASTNP_API array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array linspace(const Scalar& start, const Scalar& stop, std::int64_t num = 50, bool endpoint = true, std::optional<Dtype> dtype = std::nullopt);
FASTNP_API array eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt, int k = 0, Dtype dtype = float64);

// Rearranging. All are views but where NumPy copies (a reshape of strided memory, concatenate, stack, pad, take).
/// ValueError for the order "K".
FASTNP_API array reshape(const array& x, const Shape& shape, Order order = Order::c);
/// A view of what is contiguous in that order alone.
FASTNP_API array ravel(const array& x, Order order = Order::c);
FASTNP_API array transpose(const array& x, std::optional<Shape> axes = std::nullopt);
FASTNP_API array swapaxes(const array& x, int a, int b);
FASTNP_API array moveaxis(const array& x, int from, int to);
FASTNP_API array expand_dims(const array& x, int axis);
FASTNP_API array squeeze(const array& x, const Axes& axis = {});
FASTNP_API array broadcast_to(const array& x, const Shape& shape);
FASTNP_API std::vector<array> broadcast_arrays(const std::vector<array>& arrays);
FASTNP_API array flip(const array& x, const Axes& axis = {});
FASTNP_API array concatenate(const std::vector<array>& arrays, int axis = 0);
FASTNP_API array stack(const std::vector<array>& arrays, int axis = 0);
/// numpy.pad with mode="constant"; a (before, after) pair for each axis.
FASTNP_API array pad(const array& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Scalar& value = 0);

enum class TakeMode : std::uint8_t { raise, wrap, clip };
/// numpy.take: elements at integer indices, along an axis or of the flattened array.
FASTNP_API array take(const array& x, const Operand& indices, std::optional<int> axis = std::nullopt, TakeMode mode = TakeMode::raise);
/// x[indices]: an array of integers for each of the first axes, broadcast together. IndexError for an index out of bounds.
FASTNP_API array pick(const array& x, const std::vector<array>& indices);
/// x[indices] = values: of several values for one element the last one counts. IndexError; ValueError "shape mismatch: value array of shape ...".
FASTNP_API void set_at(const array& x, const std::vector<array>& indices, const Operand& values);
/// An elementwise function of one operand, of two.
using UnaryUfunc = array (*)(const Operand& x, const UfuncOptions& options);
using BinaryUfunc = array (*)(const Operand& x, const Operand& y, const UfuncOptions& options);
/// numpy.ufunc.at: at(add, x, indices, values) is x[indices] += values, with each of several values for one element, and at(negative, x, indices)
/// x[indices] = -x[indices]. Without indices it is for all of x. A number has a dtype of its own here, not x's; what comes out is converted to x's by any
/// rule. IndexError; ValueError for values that don't fit.
FASTNP_API void at(BinaryUfunc ufunc, const array& x, const std::vector<array>& indices, const Operand& values);
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
/// numpy.unique: the different elements, sorted; with `equal_nan` NaNs are one.
FASTNP_API array unique(const array& x, bool equal_nan = true);
/// With, for each, where it comes first and how often it comes (int64), and for each element of x (in its shape) which of them it is.
struct Unique {
    array values, indices, inverse, counts;
};
FASTNP_API Unique unique_all(const array& x, bool equal_nan = true);

/// numpy.sort and numpy.argsort (last axis by default); NaN sorts last, complex numbers lexicographically.
FASTNP_API array sort(const array& x, std::optional<int> axis = -1, bool stable = false);
FASTNP_API array argsort(const array& x, std::optional<int> axis = -1, bool stable = false);

enum class Side : std::uint8_t { left, right };
/// numpy.searchsorted: for each value, int64 and in its shape, the place in `sorted` (one axis, in the order of sort) that it could be put at to keep that
/// order: before what is equal to it, or behind. Compared in the common dtype. ValueError unless `sorted` has one axis.
FASTNP_API array searchsorted(const array& sorted, const Operand& values, Side side = Side::left);

// Products. ValueError in NumPy's words where the sizes do not match.
FASTNP_API array matmul(const array& x, const array& y);
FASTNP_API array dot(const array& x, const array& y);
/// Over the last `axes` axes of x and the first of y.
FASTNP_API array tensordot(const array& x, const array& y, int axes = 2);
FASTNP_API array tensordot(const array& x, const array& y, const Axes& x_axes, const Axes& y_axes);
FASTNP_API array outer(const array& x, const array& y);

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
inline array operator-(const array& x) { return negative(x); }
inline array operator+(const array& x) { return positive(x); }
inline array operator~(const array& x) { return invert(x); }

}  // namespace fastnp
