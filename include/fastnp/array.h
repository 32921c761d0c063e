// fastnp::array, the n-dimensional array, and its subscripts. The functions over it are in ops.h.
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fastnp/dtype.h"
#include "fastnp/error.h"
#include "fastnp/export.h"
#include "fastnp/scalar.h"
#include "fastnp/small_vector.h"

namespace fastnp {

class Item;
class Operand;

namespace detail {
struct ArrayBody;
}

/// \addtogroup indexing
/// @{

/// start:stop:step of a subscript; what is left out takes NumPy's default.
struct Slice {
    std::optional<std::int64_t> start;  ///< the first; negative ones are counted from the end
    std::optional<std::int64_t> stop;   ///< before which it ends
    std::int64_t step = 1;              ///< from one to the next; not 0
};

/// X(range(1, -1)) is X[1:-1] and X(range(0, 10, 2)) is X[0:10:2].
constexpr Slice range(std::int64_t start, std::int64_t stop, std::int64_t step = 1) { return {start, stop, step}; }
/// X(from(2)) is X[2:].
constexpr Slice from(std::int64_t start) { return {start, std::nullopt, 1}; }
/// X(until(-1)) is X[:-1].
constexpr Slice until(std::int64_t stop) { return {std::nullopt, stop, 1}; }
/// X(every(-1)) is X[::-1].
constexpr Slice every(std::int64_t step) { return {std::nullopt, std::nullopt, step}; }

/// The type of newaxis.
struct NewAxis {};
/// The type of ellipsis.
struct Ellipsis {};
/// A new axis of size 1: X(newaxis) is X[None].
inline constexpr NewAxis newaxis{};
/// All axes that are not named: X(ellipsis, 0) is X[..., 0].
inline constexpr Ellipsis ellipsis{};

/// One entry of a subscript.
using Index = std::variant<std::int64_t, Slice, NewAxis, Ellipsis>;

/// @}

/// \addtogroup arrays
/// @{

/// An n-dimensional array of one dtype: a handle that shares its memory with its views, as numpy.ndarray. Inside a compiled
/// function it may instead stand for a value that is being recorded; everything but reading elements works the same.
///
///     array x = zeros({3, 4});
///     x(0) = 7;                // x[0] = 7
///     array row = x(1, all);   // a view, x[1, :]
class FASTNP_API array {
public:
    /// An empty float64 array of shape (0,).
    array();
    /// A 0-d array of the C++ type's dtype.
    template <detail::Element T>
    explicit array(T value) : array(from_elements(&value, dtype_of<T>, Shape{})) {}
    /// A weak scalar as a 0-d array of its default dtype, or of the dtype given. OverflowError if it does not fit.
    explicit array(const Scalar& value, std::optional<Dtype> dtype = std::nullopt);
    /// Of rank 1 from a list of one type, array({1., 2.}); nested lists make rank 2 and 3, array({{1, 2}, {3, 4}}). ValueError if these are ragged.
    template <class T>
    array(std::initializer_list<T> values) : array(from_elements(values.begin(), dtype_of<T>, Shape{static_cast<std::int64_t>(values.size())})) {}
    /// Of rank 2, row by row.
    template <class T>
    array(std::initializer_list<std::initializer_list<T>> rows);
    /// Of rank 3, plane by plane.
    template <class T>
    array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes);

    /// A copy of a vector's elements, of rank 1. (from_span() has no copy.)
    template <detail::Element T>
        requires(!std::is_same_v<T, bool>)
    explicit array(const std::vector<T>& values) : array(from_elements(values.data(), dtype_of<T>, Shape{static_cast<std::int64_t>(values.size())})) {}

    /// Another name of the same array (Python's `b = a`).
    array(const array&) = default;
    /// The same; the other one is left to be assigned to or destroyed.
    array(array&&) noexcept = default;
    ~array() = default;
    /// Makes this name stand for the other array (Python's `a = b`).
    array& operator=(const array&) & = default;
    /// The same of one that goes.
    array& operator=(array&&) & noexcept = default;
    /// Writes through a view: x(range(1, 3)) = y, with broadcasting and a same-kind cast... of any kind, as NumPy's setitem.
    void operator=(const Operand& values) &&;  // NOLINT: assignment to a view returns nothing to chain
    /// The same of an array.
    void operator=(const array& values) &&;  // NOLINT: as above

    /// Memory owned elsewhere, without a copy. `strides` are in bytes (C order if empty); `release` runs when the last view
    /// is gone. ValueError if the sizes are negative or the ranks differ.
    static array from_memory(void* data, Dtype dtype, Shape shape, Strides strides = {}, std::function<void()> release = {}, bool writable = true);
    /// A copy of C-ordered elements.
    static array from_elements(const void* data, Dtype dtype, const Shape& shape);
    /// Uninitialised memory of the caching allocator.
    static array uninitialized(Dtype dtype, const Shape& shape);

    /// The type of its elements.
    Dtype dtype() const;
    /// How many axes it has.
    int ndim() const;
    /// Sizes of the axes. While recording, reading a size that may vary ties the compiled entry to it.
    Shape shape() const;
    /// The size of an axis; negative ones are counted from the end. AxisError.
    std::int64_t shape(int axis) const;
    /// Bytes from an element to the next along each axis. RecordError while recording.
    Strides strides() const;
    /// How many elements it has.
    std::int64_t size() const;
    /// Bytes of an element.
    std::int64_t itemsize() const { return static_cast<std::int64_t>(itemsize_of(dtype())); }
    /// Bytes of all elements.
    std::int64_t nbytes() const { return size() * itemsize(); }
    /// Whether it can be written to.
    bool writable() const;
    /// Sets that, for this array and the views that are made of it from now on.
    void set_writable(bool writable);
    /// Whether its elements lie one behind the other in C order.
    bool is_c_contiguous() const;
    /// Whether they do in Fortran order.
    bool is_f_contiguous() const;
    /// Whether this stands for a value of a recording rather than for memory.
    bool is_recorded() const;

    /// The device that its elements are on: "cpu", "cuda:0", ... Of views, that of all that share the memory. While recording, where the call is computed.
    std::string device() const;
    /// The array on a device ("cpu", "cuda", "cuda:1", ...): itself if it is there, else a copy. While recording, itself. ValueError, DeviceError: as
    /// device_scope. (torch.Tensor.to, numpy.ndarray.to_device)
    array to(std::string_view device) const;

    /// The first element's address, on the host: elements that were on a device come back, and stay. RecordError while recording.
    void* data() const;
    /// The same as an address of T. TypeError for another element type.
    template <class T>
    T* data() const {
        check_dtype(dtype_of<T>);
        return static_cast<T*>(data());
    }
    /// Elements as a span; ValueError unless C contiguous, TypeError for another element type.
    template <class T>
    std::span<T> as_span() const {
        check_dtype(dtype_of<T>);
        check_contiguous();
        return {static_cast<T*>(data()), static_cast<std::size_t>(size())};
    }
    /// The single element, converted to T. ValueError unless size is 1. While recording, the compiled entry is for calls in which it is the same.
    template <class T>
    T item() const;
    /// ... as a number that a recording follows where it is compared (fastnp/item.h): `if (x.item() > limit)`.
    Item item() const;

    /// Whether the single element is not zero, for `if (any(x < 0))`. ValueError in NumPy's words unless size is 1. While recording, the branch taken is
    /// kept with the compiled entry; a call that takes another one has an entry of its own.
    explicit operator bool() const;

    /// A view, by integers, range(), from(), until(), every(), all, newaxis and ellipsis: x(1, all, newaxis, range(0, -1)). Assigned to, it is written
    /// through. IndexError in NumPy's words. (pick() and get_masked() take arrays as indices.)
    template <class... I>
    array operator()(const I&... subscripts) const {
        constexpr bool are_subscripts = (requires { to_index(subscripts); } && ...);
        static_assert(are_subscripts, "fastnp: subscripts are integers, range(), from(), until(), every(), all, newaxis and ellipsis");
        if constexpr (are_subscripts) return index({to_index(subscripts)...});
    }
    /// The same with one subscript: x[1], x[range(0, -1)].
    template <class I>
    array operator[](const I& subscript) const {
        return (*this)(subscript);
    }
    /// The same of a list of subscripts.
    array index(std::initializer_list<Index> subscripts) const { return index(std::span<const Index>(subscripts.begin(), subscripts.size())); }
    /// The same of subscripts that are not known when the program is compiled.
    array index(std::span<const Index> subscripts) const;

    /// A view with its axes in reverse order. (numpy.ndarray.T)
    array T() const;
    /// The same elements in memory of their own.
    array copy(Order order = Order::c) const;
    /// The elements as another dtype; always a copy. TypeError where the casting rule does not allow it. (numpy.ndarray.astype)
    array astype(Dtype dtype, Casting casting = Casting::unsafe) const;
    /// The same elements in C order under another shape, in which one size may be -1; a view where there is one. ValueError. (numpy.ndarray.reshape)
    array reshape(const Shape& shape) const;

    /// \name In place
    /// As NumPy: the result is cast to this array's dtype by the same-kind rule, else TypeError; every view sees it. ValueError for a read-only array, and
    /// where the operand is not broadcast to this shape.
    /// @{

    /// add() with y.
    array& operator+=(const Operand& y);
    /// subtract() with y.
    array& operator-=(const Operand& y);
    /// multiply() with y.
    array& operator*=(const Operand& y);
    /// divide() with y.
    array& operator/=(const Operand& y);
    /// remainder() with y.
    array& operator%=(const Operand& y);
    /// bitwise_and() with y.
    array& operator&=(const Operand& y);
    /// bitwise_or() with y.
    array& operator|=(const Operand& y);
    /// bitwise_xor() with y.
    array& operator^=(const Operand& y);
    /// @}

    /// \cond for fastnp's own rooms and bindings
    explicit array(std::shared_ptr<detail::ArrayBody> body) : body_(std::move(body)) {}
    const std::shared_ptr<detail::ArrayBody>& body() const { return body_; }
    /// \endcond

private:
    static Index to_index(const Index& i) { return i; }
    static Index to_index(const Slice& s) { return s; }
    static Index to_index(NewAxis) { return newaxis; }
    static Index to_index(Ellipsis) { return ellipsis; }
    template <std::integral I>
    static Index to_index(I i) {
        return static_cast<std::int64_t>(std::in_range<std::int64_t>(i) ? i : static_cast<I>(INT64_MAX));  // out of any bounds, too
    }
    template <class F>  // `all`, which is a function object too
        requires requires { F::is_all; }
    static Index to_index(const F&) {
        return Slice{};
    }
    void check_dtype(Dtype wanted) const;
    void check_contiguous() const;
    Scalar item_scalar() const;

    std::shared_ptr<detail::ArrayBody> body_;
};

/// What an operation takes: an array or a weak scalar.
class Operand {
public:
    /// An array.
    Operand(const array& value) : value_(value) {}  // NOLINT: implicit by design
    /// An array that goes.
    Operand(array&& value) : value_(std::move(value)) {}  // NOLINT: implicit by design
    /// A weak scalar.
    Operand(const Scalar& value) : value_(value) {}  // NOLINT: implicit by design
    /// A number, weakly typed: it takes the array's dtype where its kind is no higher.
    template <class T>
        requires std::is_arithmetic_v<T>
    Operand(T value) : value_(Scalar(value)) {}  // NOLINT: implicit by design
    /// A complex number.
    template <class T>
    Operand(std::complex<T> value) : value_(Scalar(value)) {}  // NOLINT: implicit by design

    /// The array; null for a number.
    const array* as_array() const { return std::get_if<array>(&value_); }
    /// The number; null for an array.
    const Scalar* as_scalar() const { return std::get_if<Scalar>(&value_); }

private:
    std::variant<array, Scalar> value_;
};

/// \cond as declared
template <class T>
T array::item() const {
    static_assert(std::is_arithmetic_v<T> || detail::Element<T>, "fastnp: item<T>() gives a number: bool, integers, floating and complex numbers");
    const Scalar value = item_scalar();
    if constexpr (requires { typename T::value_type; }) {
        return T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
    } else if constexpr (std::integral<T>) {
        const bool whole = value.kind() == WeakKind::integer || value.kind() == WeakKind::boolean;
        return whole ? static_cast<T>(value.bits()) : static_cast<T>(value.real());
    } else {
        return static_cast<T>(value.real());
    }
}
/// \endcond

/// @}

namespace detail {
[[noreturn]] FASTNP_API void throw_ragged();
}

/// \cond as declared
template <class E>
array::array(std::initializer_list<std::initializer_list<E>> rows) {
    const std::size_t width = rows.size() == 0 ? 0 : rows.begin()->size();
    *this = uninitialized(dtype_of<E>, Shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width)});
    E* out = data<E>();
    for (const auto& row : rows) {
        if (row.size() != width) detail::throw_ragged();
        out = std::copy(row.begin(), row.end(), out);
    }
}

template <class E>
array::array(std::initializer_list<std::initializer_list<std::initializer_list<E>>> planes) {
    const std::size_t height = planes.size() == 0 ? 0 : planes.begin()->size();
    const std::size_t width = height == 0 ? 0 : planes.begin()->begin()->size();
    *this =
        uninitialized(dtype_of<E>, Shape{static_cast<std::int64_t>(planes.size()), static_cast<std::int64_t>(height), static_cast<std::int64_t>(width)});
    E* out = data<E>();
    for (const auto& plane : planes) {
        if (plane.size() != height) detail::throw_ragged();
        for (const auto& row : plane) {
            if (row.size() != width) detail::throw_ragged();
            out = std::copy(row.begin(), row.end(), out);
        }
    }
}

/// \endcond

/// \addtogroup arrays
/// @{

/// numpy.array_str's form of the elements. RecordError while recording.
FASTNP_API std::string to_string(const array& x);
/// to_string() of x.
FASTNP_API std::ostream& operator<<(std::ostream& out, const array& x);

/// @}

}  // namespace fastnp
