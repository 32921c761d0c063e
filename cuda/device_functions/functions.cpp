// Device functions for one dtype: an op's for every row of the catalogue that has a loop in it, and the casts from it. They are the rows' own meanings, so
// what generated device code calls and what host kernels compute is one text. Compiled to LLVM bitcode once a dtype (cmake/device_functions.cmake), which
// names it: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes.
//
// Symbols are those of host kernels (codegen/external.h), but a function here takes and returns single values as codegen::Value holds them, never memory:
// the 16-bit floats as floats, a bool as a bit, a complex number as a vector of two.
#include "eager/convert.h"
#include "eager/rows.h"

using namespace fastnp;

namespace {

using Element = element_of<Dtype::FASTNP_DTYPE>;

template <class T>
struct Passing {
    using type = ops::Work<T>;
};
template <class R>
struct Passing<std::complex<R>> {
    using type = R __attribute__((ext_vector_type(2)));
};
template <class T>
using Passed = typename Passing<T>::type;

template <class T>
ops::Number<T> received(Passed<T> x) {
    if constexpr (ops::Complex<T>) return {T(x[0], x[1])};
    else return {x};
}
/// A value rounded to the dtype that it is returned as.
template <class T>
Passed<T> returned(auto value) {
    if constexpr (ops::Complex<T>) return {value.real(), value.imag()};
    else return static_cast<Passed<T>>(static_cast<T>(value));
}

template <class Row>
using Result = typename Row::template Out<Element>;
template <class Row>
using Second = typename Row::template SecondOf<Element>;
template <class Row>
inline constexpr bool has_loop = eager::detail::has<Element>(Row::loops);

template <class Row>
Passed<Result<Row>> call(Passed<Element> x) {
    if constexpr (has_loop<Row>) return returned<Result<Row>>(Row::call(received<Element>(x)).v);
    else return {};
}
template <class Row>
Passed<Result<Row>> call(Passed<Element> x, Passed<Second<Row>> y) {
    if constexpr (has_loop<Row>) return returned<Result<Row>>(Row::call(received<Element>(x), received<Second<Row>>(y)).v);
    else return {};
}

template <class To>
Passed<To> cast(Passed<Element> x) {
    if constexpr (ops::is_half<Element> && !ops::is_half<To>) return returned<To>(eager::detail::convert<float, To>(x));
    else return returned<To>(eager::detail::convert<Element, To>(static_cast<Element>(received<Element>(x).v)));
}

}  // namespace

// Inline functions are written out where something names them, which the table below does for those with a loop; weak, so that they then stay.
#define FASTNP_SYMBOL(name) __asm__("fastnp_span_" name "_" FASTNP_DTYPE_TEXT)

namespace device_functions {
using namespace eager;
#define MAP1(name, ...)                                                                                 \
    [[gnu::weak]] inline Passed<Result<rows::name##_row>> name(Passed<Element> x) FASTNP_SYMBOL(#name); \
    inline Passed<Result<rows::name##_row>> name(Passed<Element> x) { return call<rows::name##_row>(x); }
#define MAP2(name, ...)                                                                                                                     \
    [[gnu::weak]] inline Passed<Result<rows::name##_row>> name(Passed<Element> x, Passed<Second<rows::name##_row>> y) FASTNP_SYMBOL(#name); \
    inline Passed<Result<rows::name##_row>> name(Passed<Element> x, Passed<Second<rows::name##_row>> y) { return call<rows::name##_row>(x, y); }
#include "fastnp/ops/map.def"

#define DTYPE(name, type, kind, code, text)                                                                               \
    [[gnu::weak]] Passed<type> cast_to_##name(Passed<Element> x) __asm__("fastnp_span_cast_" FASTNP_DTYPE_TEXT "_" text); \
    Passed<type> cast_to_##name(Passed<Element> x) { return cast<type>(x); }
#include "fastnp/ops/dtype.def"

using Any = void (*)();
extern const Any with_loop[] __asm__("with_loop_" FASTNP_DTYPE_TEXT);
const Any with_loop[] = {
#define MAP1(name, ...) has_loop<rows::name##_row> ? reinterpret_cast<Any>(&name) : nullptr,
#define MAP2(name, ...) has_loop<rows::name##_row> ? reinterpret_cast<Any>(&name) : nullptr,
#include "fastnp/ops/map.def"
};
}  // namespace device_functions
