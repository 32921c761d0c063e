// What transforms need of a recording: which of its values lie between inputs and outputs, and values as arrays, so that rules are written with the
// functions that users call.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "api/body.h"
#include "api/primitives.h"

namespace fastnp::transform {

using ir::Op;
using ir::Value;
using AxisList = SmallVector<std::int64_t>;

inline std::span<const std::int64_t> span_of(const AxisList& axes) { return {axes.data(), axes.size()}; }
/// Of a permutation.
inline AxisList inverse(const AxisList& axes) {
    AxisList result(axes.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) result[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
    return result;
}

/// A shape, or numbers of axes, with one more in front.
template <class T>
SmallVector<T> with_first(std::type_identity_t<T> first, const SmallVector<T>& rest) {
    SmallVector<T> all{first};
    for (const T& each : rest) all.push_back(each);
    return all;
}

/// The recording that this thread is in; InternalError outside of one.
trace::Recorder& recorder();
/// A value of it as an array in memory of its own.
array array_of(Value value);
/// The value of an array in it.
Value value_of(const array& x);

/// The values that depend on `from` and that `to` needs, in the order of computation, `from` among them. What these are computed from is not looked at.
/// `also`: values that count as depending on them.
class Segment {
public:
    /// What a derivative needs to see: functions with one of their own, and not what they are made of, nor what is a constant to it; or all that is
    /// computed.
    enum class Of : std::uint8_t { derivatives, values };
    Segment(std::span<const Value> from, std::span<const Value> to, Of of = Of::values, std::span<const Value> also = {});
    const std::vector<Value>& values() const { return values_; }
    bool contains(Value value) const { return inside_.contains(value); }
    /// Whether it is one of `from`.
    bool starts_at(Value value) const { return starts_.contains(value); }
    /// Whether a derivative flows through the value: it is in the segment, and a floating or complex number.
    bool carries(Value value) const { return contains(value) && is_inexact(value->dtype); }

private:
    std::vector<Value> values_;
    std::unordered_set<Value> inside_, starts_;
};

/// What a change of one operand of an elementwise op adds to its result, as its row says; nothing where that is zero. TypeError where nobody knows.
std::optional<array> partial(const ir::Node& node, std::size_t operand, const array& change);

/// TypeError: the op has no derivative.
[[noreturn]] void throw_no_derivative(const ir::Node& node);

/// x in another dtype: a real one takes the real part.
array converted(const array& x, Dtype dtype);
/// A fold (sum, max, min) of x over the parts of the mapped axis with a number.
array across(const array& x, std::int64_t axis, Op fold);
/// Zeros of a value's type.
array zeros_of(Value value);
/// The region of x that an update replaces, as a view.
array region_of(const array& x, const ir::Node& update);
/// x with axes inserted that were summed over, repeated to `like`'s shape.
array spread(const array& x, Value like, const SmallVector<std::int64_t>& axes);
/// The transpose of one of the Fourier transforms over the last axis.
array fft_transposed(const ir::Node& node, const array& g);
/// numpy.take_along_axis, for indices that are known to be within bounds.
array take_along(const array& x, const array& indices, std::size_t axis);
/// Of a sort, which may be of a part of each line: that part of x; and x with zeros for the rest.
array part_of_lines(const ir::Node& sort, const array& x);
array of_whole_lines(const ir::Node& sort, const array& x);
/// Each element's derivative of the product of a value's elements over axes: the product of the others.
array products_of_others(const array& x, const SmallVector<std::int64_t>& axes);
/// x moved on along an axis, the places that get free filled.
array shifted(const array& x, std::size_t axis, std::int64_t by, double fill);
/// A size as a number, which the recording is for.
std::int64_t fixed(shape::Dim size);
/// y[0] = b[0], y[i] = b[i] + a[i] y[i-1] along an axis.
array recurrence(const array& a, const array& b, std::size_t axis);
/// x[1:] and a zero, along an axis.
array next_along(const array& x, std::size_t axis);
/// The running product of the elements before each one.
array products_before(const array& x, std::size_t axis);
/// Of a take: the indices, each within its axis.
array indices_of(const ir::Node& take);
/// Of a scatter that replaces: which of the given elements stay, being the last for their place.
array stays(const ir::Node& scatter);

}  // namespace fastnp::transform
