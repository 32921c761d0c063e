// Sizes that a composition computes with. In a recording they may vary from call to call: a composition that reads them here, and not by x.shape(0), is
// compiled once for all of them.
#pragma once

#include <cstdint>

#include "fastnp/array.h"
#include "fastnp/detail/size.h"

namespace fastnp::compat {

/// A number, or an expression over the sizes of a recording's arguments. Comparisons tell of the sizes at hand; the recording is for calls where the
/// answer is the same.
class Size {
public:
    Size(std::int64_t raw) : raw_(raw) {}  // NOLINT: numbers are sizes
    /// As it goes through Shape, Slice and Index.
    std::int64_t raw() const { return raw_; }
    /// The number that it is now: the recording is for calls where it is the same.
    std::int64_t now() const { return detail::concretize(raw_); }

    friend Size operator+(Size a, Size b) { return combined(detail::SizeOp::add, a, b); }
    friend Size operator-(Size a, Size b) { return combined(detail::SizeOp::subtract, a, b); }
    friend Size operator*(Size a, Size b) { return combined(detail::SizeOp::multiply, a, b); }
    /// Rounded down; by a positive number.
    friend Size operator/(Size a, Size b) { return combined(detail::SizeOp::floor_divide, a, b); }
    friend bool operator==(Size a, Size b) { return is_known(a, b) ? a.raw_ == b.raw_ : detail::sizes_equal(a.raw_, b.raw_); }
    friend bool operator>=(Size a, Size b) { return is_known(a, b) ? a.raw_ >= b.raw_ : detail::size_at_least(a.raw_, b.raw_); }
    friend bool operator<=(Size a, Size b) { return b >= a; }
    friend bool operator<(Size a, Size b) { return !(a >= b); }
    friend bool operator>(Size a, Size b) { return !(b >= a); }

private:
    static bool is_known(Size a, Size b) { return !detail::is_symbolic(a.raw_) && !detail::is_symbolic(b.raw_); }
    static std::int64_t of_numbers(detail::SizeOp op, std::int64_t a, std::int64_t b) {
        switch (op) {
            case detail::SizeOp::add: return a + b;
            case detail::SizeOp::subtract: return a - b;
            case detail::SizeOp::multiply: return a * b;
            case detail::SizeOp::floor_divide: break;
        }
        return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    }
    static Size combined(detail::SizeOp op, Size a, Size b) {
        if (!is_known(a, b) && (op != detail::SizeOp::floor_divide || !detail::is_symbolic(b.raw_))) {
            if (const auto result = detail::combine(op, a.raw_, b.raw_)) return *result;
        }
        return of_numbers(op, a.now(), b.now());
    }

    std::int64_t raw_;
};

/// The size of an axis, which may count from the end. AxisError.
Size size_of(const array& x, int axis);
/// The number of elements.
Size count_of(const array& x);
/// The axis counted from the front. AxisError, in NumPy's words.
int axis_of(const array& x, int axis);
/// The same by a number of axes; `name`: the argument at fault, which the words begin with.
int axis_of(std::int64_t axis, int rank, const char* name = nullptr);
/// x[..., subscript, ...] with the subscript at one axis, which counts from the front.
array along(const array& x, int axis, const Index& subscript);
/// The elements along one axis, in C order; a view where there is one.
array line_of(const array& x);
/// The array, or a copy of it where it lies in the memory of x.
array own(const array& made, const array& x);
/// Whether what is made of it is recorded: values can't be looked at.
bool is_recorded(const array& x);

}  // namespace fastnp::compat
