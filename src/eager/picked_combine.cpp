// ufunc.at: elements combined with values, one index after the other.
#include <type_traits>

#include "eager/kernels.h"
#include "eager/picked.h"
#include "eager/picked_walk.h"
#include "eager/span.h"

namespace fastnp::eager {

namespace {

// `F`: a row of the catalogue whose loop is its operands' dtype.
template <class T, class F>
void combine_by(const PickedWalk& walk) {
    const std::size_t length = walk.block() / sizeof(T);
    const auto one = [](char* x, const char* value) {
        T* const to = reinterpret_cast<T*>(x);
        detail::store_at(to, 0, F::call(detail::load_at(to, 0), detail::load_at(reinterpret_cast<const T*>(value), 0)).v);
    };
    if (length == 1) return walk.all([one](const PickedPiece& piece) { piece.all(one); });
    walk.all([one, length](const PickedPiece& piece) {
        piece.all([one, length](char* x, const char* values) {
            for (std::size_t n = 0; n < length; ++n) one(x + n * sizeof(T), values + n * sizeof(T));
        });
    });
}

// Whether there is a loop for it that is inlined.
template <class T>
bool combine_numbers(const PickedWalk& walk, ops::Op op) {
    switch (op) {
        case ops::Op::add: combine_by<T, rows::add_row>(walk); return true;
        case ops::Op::subtract: combine_by<T, rows::subtract_row>(walk); return true;
        case ops::Op::multiply: combine_by<T, rows::multiply_row>(walk); return true;
        case ops::Op::maximum: combine_by<T, rows::maximum_row>(walk); return true;
        case ops::Op::minimum: combine_by<T, rows::minimum_row>(walk); return true;
        default: return false;
    }
}

}  // namespace

void combine(const Picked& picked, ops::Op op, const View& values) {
    const PickedWalk walk(picked, values);
    const bool is_done = with_element(picked.x.dtype, [&]<class T>() {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return combine_numbers<T>(walk, op);
        else return false;
    });
    if (is_done) return;
    const SpanKernel kernel = span_kernel(op, picked.x.dtype);
    const auto length = static_cast<std::int64_t>(walk.block() / itemsize_of(picked.x.dtype));
    const bool ends = op == ops::Op::power && has_negative(values);  // at the first of them, as NumPy: what comes before is written
    walk.all([=, dtype = values.dtype](const PickedPiece& piece) {
        piece.all([=](char* x, char* value) {
            if (ends) check_exponents({value, dtype, {length}, {static_cast<std::int64_t>(itemsize_of(dtype))}});
            const void* const both[] = {x, value};
            kernel(both, x, length);
        });
    });
}

}  // namespace fastnp::eager
