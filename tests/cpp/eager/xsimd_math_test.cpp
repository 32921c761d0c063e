// xsimd's functions of vectors, of every instruction set that this machine has, beside the C library's functions of long doubles.
#include "eager/xsimd_math.h"

#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "eager/vector_math.h"
#include "selection.h"

using namespace fastnp;
using eager::Isa;

namespace {

struct Row {
    ir::Op op;
    const char* name;
    long double (*exact)(long double);
    double least32, largest32, least64, largest64;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
#define XSIMD(name, stem, least32, largest32, least64, largest64, tiny64, keeps_zeros) \
    {ir::Op::name, #name, &stem##l, least32, largest32, least64, largest64},
#include "eager/xsimd_math.def"
    };
    return all;
}

std::vector<Isa> levels() {
    std::vector<Isa> levels{Isa::base};
    if (eager::host_isa() >= Isa::v3) levels.push_back(Isa::v3);
    if (eager::host_isa() >= Isa::v4) levels.push_back(Isa::v4);
    return levels;
}

int bytes_of(Isa isa) { return isa == Isa::v4 ? 64 : isa == Isa::v3 ? 32 : 16; }

template <class T>
std::vector<T> applied(ir::Op op, Isa isa, const std::vector<T>& x) {
    const Dtype dtype = sizeof(T) == 4 ? Dtype::float32 : Dtype::float64;
    const int lanes = bytes_of(isa) / static_cast<int>(sizeof(T));
    std::vector<T> result(x.size());
    const void* operands[] = {x.data()};
    eager::run_vector_function({"", eager::xsimd_function(op, dtype, isa), lanes, 1}, dtype, operands, result.data(), static_cast<std::int64_t>(x.size()));
    return result;
}

template <class T>
double units(T got, long double exact) {
    const T wanted = static_cast<T>(exact);
    if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got) ? 0 : DBL_MAX;
    if (got == wanted) return std::signbit(got) == std::signbit(wanted) ? 0 : DBL_MAX;
    if (std::isinf(wanted) || std::isinf(got)) return DBL_MAX;
    const T magnitude = std::fabs(wanted);
    const long double unit = static_cast<long double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) - magnitude;
    return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

// Of all magnitudes between the ends, or evenly between them; with the ends, beyond them, and what is special.
template <class T>
std::vector<T> arguments(T least, T largest, std::mt19937_64& random, int count) {
    std::vector<T> x;
    std::uniform_real_distribution<double> part(0, 1);
    const double tiny = std::max(static_cast<double>(least), static_cast<double>(std::numeric_limits<T>::min()));
    for (int i = 0; i < count; ++i) {
        const double t = part(random);
        const double even = static_cast<double>(least) * (1 - t) + static_cast<double>(largest) * t;
        const double scaled = std::exp(std::log(tiny) * (1 - t) + std::log(static_cast<double>(largest)) * t);
        const double near_one = 2 * (t - 0.5) * 4;
        const double value = i % 4 == 0 ? even : i % 4 == 1 ? scaled : i % 4 == 2 ? -scaled : near_one;
        x.push_back(std::min(std::max(static_cast<T>(value), least), largest));
    }
    const T infinity = std::numeric_limits<T>::infinity();
    const T smallest = std::numeric_limits<T>::denorm_min();
    for (const T special : {T(0), T(-0.0), T(1), T(-1), least, largest, std::nextafter(least, -infinity), std::nextafter(largest, infinity), smallest,
                            T(-smallest), std::numeric_limits<T>::min(), infinity, T(-infinity), std::numeric_limits<T>::quiet_NaN(), T(1e6), T(-1e6)}) {
        x.push_back(special);
    }
    std::shuffle(x.begin(), x.end(), random);
    return x;
}

template <class T>
void compare(const Row& row, Isa isa, T least, T largest) {
    std::mt19937_64 random(test_seed());
    const std::vector<T> x = arguments<T>(least, largest, random, tests_are_long() ? 1'000'000 : 20'000);
    const std::vector<T> got = applied<T>(row.op, isa, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = units<T>(got[i], row.exact(static_cast<long double>(x[i])));
        if (off > 4) {
            BOOST_TEST_ERROR(row.name << " of " << x[i] << " is " << got[i] << ", " << off << " ulp off, level " << static_cast<int>(isa));
            return;
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(xsimd_math)

BOOST_AUTO_TEST_CASE(results_are_within_four_ulp) {
    for (const Isa isa : levels()) {
        for (const Row& row : rows()) {
            compare<float>(row, isa, static_cast<float>(row.least32), static_cast<float>(row.largest32));
            compare<double>(row, isa, row.least64, row.largest64);
        }
    }
}

// Overflow, division by zero and invalid arguments are told as the C library's functions of numbers tell them, beside usual arguments.
BOOST_AUTO_TEST_CASE(errors_are_those_of_numbers) {
    const std::vector<double> values{
        -1e300, -1.0, -0.0, 0.5, 1.0, 1e300, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    constexpr int told = FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
    for (const Isa isa : levels()) {
        for (const Row& row : rows()) {
            for (const double value : values) {
                const double exact = static_cast<double>(row.exact(value));
                std::feclearexcept(FE_ALL_EXCEPT);
                const double beside = row.op == ir::Op::arccosh ? 1.5 : 0.5;
                applied<double>(row.op, isa, {beside, beside, value, beside, beside, beside, beside, beside});
                const int flags = std::fetestexcept(told);
                if (std::isinf(exact) && std::isfinite(value)) BOOST_TEST((flags & (FE_OVERFLOW | FE_DIVBYZERO)) != 0, row.name << " of " << value);
                if (std::isnan(exact)) BOOST_TEST((flags & FE_INVALID) != 0, row.name << " of " << value);
                if (std::isfinite(exact))
                    BOOST_TEST(flags == 0, row.name << " of " << value << " raises " << flags << ", level " << static_cast<int>(isa));
            }
        }
    }
    std::feclearexcept(FE_ALL_EXCEPT);
}

BOOST_AUTO_TEST_SUITE_END()
