// Element types and NumPy's rules between them (NEP 50). Nothing here knows of arrays.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fastnp/export.h"
#include "fastnp/half.h"

namespace fastnp {

/// \addtogroup dtypes
/// @{

/// The type of an array's elements: bool_, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64 and complex128. Each is also
/// there by itself: fastnp::float32 is Dtype::float32.
enum class Dtype : std::uint8_t {
#define DTYPE(name, type, kind, code, text) name,
#include "fastnp/ops/dtype.def"
};

/// How many dtypes there are.
inline constexpr int dtype_count = 0
#define DTYPE(name, type, kind, code, text) +1
#include "fastnp/ops/dtype.def"
    ;

/// @}

// fastnp::float32 and so on, spelled as in NumPy.
#define DTYPE(name, type, kind, code, text) inline constexpr Dtype name = Dtype::name;
#include "fastnp/ops/dtype.def"

namespace detail {
template <class T>
struct DtypeOf;
#define DTYPE(name, type, kind, code, text)         \
    template <>                                     \
    struct DtypeOf<type> {                          \
        static constexpr Dtype value = Dtype::name; \
    };
#include "fastnp/ops/dtype.def"
template <>  // the platform's other 64-bit integers
struct DtypeOf<long long> {
    static constexpr Dtype value = Dtype::int64;
};
template <>
struct DtypeOf<unsigned long long> {
    static constexpr Dtype value = Dtype::uint64;
};
template <>
struct DtypeOf<char> {
    static constexpr Dtype value = std::is_signed_v<char> ? Dtype::int8 : Dtype::uint8;
};

template <Dtype>
struct ElementOf;
#define DTYPE(name, T, kind, code, text) \
    template <>                          \
    struct ElementOf<Dtype::name> {      \
        using type = T;                  \
    };
#include "fastnp/ops/dtype.def"
template <class T>
concept Element = requires { DtypeOf<T>::value; };
template <class T>
constexpr Dtype dtype_of_element() {
    static_assert(Element<T>,
                  "fastnp: no dtype has elements of this C++ type; bool, integers, float16_t, bfloat16_t, float, double, std::complex<float> and "
                  "std::complex<double> are elements");
    if constexpr (Element<T>) return DtypeOf<T>::value;
    else return Dtype::bool_;
}
}  // namespace detail

/// \addtogroup dtypes
/// @{

/// The dtype of a C++ element type: dtype_of<float> == float32.
template <class T>
inline constexpr Dtype dtype_of = detail::dtype_of_element<std::remove_cv_t<T>>();

/// The C++ element type of a dtype: element_of<float32> is float.
template <Dtype D>
using element_of = typename detail::ElementOf<D>::type;

/// 'b' bool, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex: numpy.dtype.kind (bfloat16 counts as 'f').
constexpr char kind_of(Dtype dtype) {
    constexpr char kinds[] = {
#define DTYPE(name, type, kind, code, text) #kind[0],
#include "fastnp/ops/dtype.def"
    };
    return kinds[static_cast<int>(dtype)];
}

/// Bytes an element takes.
constexpr std::size_t itemsize_of(Dtype dtype) {
    constexpr std::size_t sizes[] = {
#define DTYPE(name, type, kind, code, text) sizeof(type),
#include "fastnp/ops/dtype.def"
    };
    return sizes[static_cast<int>(dtype)];
}

/// NumPy's type character; 'E' for bfloat16.
constexpr char code_of(Dtype dtype) {
    constexpr char codes[] = {
#define DTYPE(name, type, kind, code, text) code,
#include "fastnp/ops/dtype.def"
    };
    return codes[static_cast<int>(dtype)];
}

/// numpy.dtype.name, for example "float32".
constexpr std::string_view name_of(Dtype dtype) {
    constexpr std::string_view names[] = {
#define DTYPE(name, type, kind, code, text) text,
#include "fastnp/ops/dtype.def"
    };
    return names[static_cast<int>(dtype)];
}

/// Whether a dtype is one of signed or unsigned integers.
constexpr bool is_integer(Dtype dtype) { return kind_of(dtype) == 'i' || kind_of(dtype) == 'u'; }
/// Whether a dtype is complex64 or complex128.
constexpr bool is_complex(Dtype dtype) { return kind_of(dtype) == 'c'; }
/// Whether a dtype is one of real floating numbers.
constexpr bool is_floating(Dtype dtype) { return kind_of(dtype) == 'f'; }
/// Whether a dtype is floating or complex.
constexpr bool is_inexact(Dtype dtype) { return is_floating(dtype) || is_complex(dtype); }

/// The dtype of that name ("float32", "bool", ...). TypeError, in NumPy's words, where there is none.
FASTNP_API Dtype parse_dtype(std::string_view name);

/// float64 for complex128, float32 for complex64, else the dtype itself.
constexpr Dtype real_of(Dtype dtype) {
    if (dtype == Dtype::complex64) return Dtype::float32;
    return dtype == Dtype::complex128 ? Dtype::float64 : dtype;
}

/// The complex dtype that holds the dtype's numbers: complex64 for complex64, float32 and the 16-bit ones, else complex128.
constexpr Dtype complex_of(Dtype dtype) {
    const bool is_small = dtype == Dtype::complex64 || (is_floating(dtype) && dtype != Dtype::float64);
    return is_small ? Dtype::complex64 : Dtype::complex128;
}

/// The order of axes in memory, or that elements are read in: C, as they lie (NumPy's "K"), Fortran, or Fortran for what lies so alone, else C ("A").
enum class Order : std::uint8_t { c, keep, f, any };

/// numpy.can_cast's `casting`.
enum class Casting : std::uint8_t { no, equiv, safe, same_kind, unsafe };

/// "same_kind" and so on.
FASTNP_API std::string_view name_of(Casting casting);

/// Whether a value of dtype `from` may be cast to `to` (numpy.can_cast).
FASTNP_API bool can_cast(Dtype from, Dtype to, Casting casting = Casting::safe);

/// The smallest dtype that both cast to safely (numpy.promote_types). Every pair of fastnp's dtypes has one.
FASTNP_API Dtype promote_types(Dtype a, Dtype b);

/// The kinds of plain, weakly typed scalar: C++'s and Python's bool, integers, floating and complex numbers.
enum class WeakKind : std::uint8_t { boolean, integer, floating, complex };

/// NEP 50: the dtype of an operation over arrays of these dtypes and weak scalars of these kinds (numpy.result_type). Weak
/// scalars only raise the kind, never the size; with no dtypes they count as bool, int64, float64, complex128.
FASTNP_API Dtype result_type(std::span<const Dtype> dtypes, std::span<const WeakKind> weak = {});

/// @}

}  // namespace fastnp
