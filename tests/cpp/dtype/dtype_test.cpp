// Names, casts, promotion and NEP 50 result types: NumPy's own answers (dtype_table.inc) over every pair, triple and scalar kind, and bfloat16's.
#include "fastnp/dtype.h"

#include <boost/test/unit_test.hpp>
#include <string_view>
#include <vector>

#include "fastnp/error.h"
#include "fastnp/scalar.h"

using namespace fastnp;

namespace {

#define CODES(codes) constexpr std::string_view numpy_codes = codes;
#define CASTS(casting, table)
#define PROMOTIONS(table)
#define TRIPLES(first, table)
#define WEAK(kinds, table)
#include "dtype_table.inc"
#undef CODES
#undef CASTS
#undef PROMOTIONS
#undef TRIPLES
#undef WEAK

Dtype of(char code) { return parse_dtype(std::string_view(&code, 1)); }

void check_casts(Casting casting, std::string_view table) {
    for (std::size_t a = 0, at = 0; a < numpy_codes.size(); ++a) {
        for (std::size_t b = 0; b < numpy_codes.size(); ++b, ++at) {
            BOOST_TEST(can_cast(of(numpy_codes[a]), of(numpy_codes[b]), casting) == (table[at] == '1'), numpy_codes[a] << " to " << numpy_codes[b]);
        }
    }
}

void check_pairs(std::string_view table) {
    for (std::size_t a = 0, at = 0; a < numpy_codes.size(); ++a) {
        for (std::size_t b = 0; b < numpy_codes.size(); ++b, ++at) {
            BOOST_TEST(code_of(promote_types(of(numpy_codes[a]), of(numpy_codes[b]))) == table[at], numpy_codes[a] << " and " << numpy_codes[b]);
        }
    }
}

void check_triples(char first, std::string_view table) {
    for (std::size_t b = 0, at = 0; b < numpy_codes.size(); ++b) {
        for (std::size_t c = 0; c < numpy_codes.size(); ++c, ++at) {
            const Dtype dtypes[] = {of(first), of(numpy_codes[b]), of(numpy_codes[c])};
            BOOST_TEST(code_of(result_type(dtypes)) == table[at], first << ", " << numpy_codes[b] << " and " << numpy_codes[c]);
        }
    }
}

void check_weak(std::string_view kinds, std::string_view table) {
    std::vector<WeakKind> weak;
    for (const char kind : kinds) {
        weak.push_back(kind == 'b' ? WeakKind::boolean : kind == 'i' ? WeakKind::integer : kind == 'f' ? WeakKind::floating : WeakKind::complex);
    }
    BOOST_TEST(code_of(result_type({}, weak)) == table[0], kinds);
    for (std::size_t a = 0; a < numpy_codes.size(); ++a) {
        const Dtype dtypes[] = {of(numpy_codes[a])};
        BOOST_TEST(code_of(result_type(dtypes, weak)) == table[a + 1], numpy_codes[a] << " with " << kinds);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dtypes)

BOOST_AUTO_TEST_CASE(casts_are_numpys) {
#define CODES(codes)
#define CASTS(casting, table) check_casts(Casting::casting, table);
#define PROMOTIONS(table)
#define TRIPLES(first, table)
#define WEAK(kinds, table)
#include "dtype_table.inc"
#undef CASTS
#undef PROMOTIONS
#undef TRIPLES
#undef WEAK
}

BOOST_AUTO_TEST_CASE(promotions_and_result_types_are_numpys) {
#define CASTS(casting, table)
#define PROMOTIONS(table) check_pairs(table);
#define TRIPLES(first, table) check_triples(first, table);
#define WEAK(kinds, table) check_weak(kinds, table);
#include "dtype_table.inc"
#undef CODES
#undef CASTS
#undef PROMOTIONS
#undef TRIPLES
#undef WEAK
}

BOOST_AUTO_TEST_CASE(bfloat16_promotes_as_ml_dtypes) {
    using enum Dtype;
    const std::pair<Dtype, Dtype> expected[] = {{bool_, bfloat16},  {int8, bfloat16},       {uint8, bfloat16},       {int16, float32},
                                                {uint16, float32},  {int32, float64},       {uint32, float64},       {int64, float64},
                                                {uint64, float64},  {float16, float32},     {bfloat16, bfloat16},    {float32, float32},
                                                {float64, float64}, {complex64, complex64}, {complex128, complex128}};
    for (const auto& [other, result] : expected) {
        BOOST_TEST((promote_types(Dtype::bfloat16, other) == result), name_of(other));
        BOOST_TEST((promote_types(other, Dtype::bfloat16) == result), name_of(other));
    }
    const Dtype dtypes[] = {Dtype::bfloat16};
    const WeakKind one[] = {WeakKind::floating};
    BOOST_TEST((result_type(dtypes, one) == Dtype::bfloat16));
}

BOOST_AUTO_TEST_CASE(names_parse_back) {
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        BOOST_TEST((parse_dtype(name_of(dtype)) == dtype));
    }
    auto words = [](const TypeError& error) { return std::string(error.what()) == "data type 'float33' not understood"; };
    BOOST_CHECK_EXCEPTION(parse_dtype("float33"), TypeError, words);
}

BOOST_AUTO_TEST_CASE(scalars_are_equal_by_kind_and_bits) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST((Scalar(1) == Scalar(1U)));
    BOOST_TEST((Scalar(nan) == Scalar(nan)));
    BOOST_TEST(!(Scalar(0.0) == Scalar(-0.0)));
    BOOST_TEST(!(Scalar(1) == Scalar(1.0)));
    BOOST_TEST(!(Scalar(true) == Scalar(1)));
    BOOST_TEST(!(Scalar(-1) == Scalar(~std::uint64_t{0})));
}

BOOST_AUTO_TEST_SUITE_END()
