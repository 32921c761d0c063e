// Maps against NumPy's own results over special values (map_table.inc).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/rules.h"

using namespace fastnp;

namespace {

using Bytes = std::vector<char>;

Bytes bytes_of(std::string_view hexadecimal) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
        bytes.push_back(static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16)));
    return bytes;
}

// Element `i` as real parts: one, or two of a complex number.
std::vector<double> parts_of(const Bytes& bytes, Dtype dtype, std::size_t i) {
    alignas(16) std::complex<double> value;
    const void* operand[] = {bytes.data() + i * itemsize_of(dtype)};
    eager::cast_kernel(dtype, Dtype::complex128)(operand, &value, 1);
    if (is_complex(dtype)) return {value.real(), value.imag()};
    return {value.real()};
}

double unit_in_the_last_place(double value, Dtype dtype) {
    const double magnitude = std::abs(value);
    switch (real_of(dtype)) {
        case Dtype::float16: return std::ldexp(1.0, std::max(std::ilogb(std::max(magnitude, 1e-300)) - 10, -24));
        case Dtype::float32: return std::ldexp(1.0, std::max(std::ilogb(std::max(magnitude, 1e-300)) - 23, -149));
        default: return std::nextafter(magnitude, INFINITY) - magnitude;
    }
}

// NumPy itself gives either zero for the extremes of 0 and -0, by the machine.
bool zeros_are_alike(ops::Op op) { return op == ops::Op::maximum || op == ops::Op::minimum || op == ops::Op::fmax || op == ops::Op::fmin; }

bool close(double got, double wanted, Dtype dtype, bool exact, bool any_zero) {
    if (std::isnan(wanted)) return std::isnan(got);
    if (got == wanted) return got != 0 || any_zero || std::signbit(got) == std::signbit(wanted);
    return !exact && std::isfinite(got) && std::isfinite(wanted) && std::abs(got - wanted) <= 4 * unit_in_the_last_place(wanted, dtype);
}

void check(ops::Op op, Dtype dtype, bool exact, const std::vector<Bytes>& operands, const Bytes& wanted) {
    const Dtype result = ops::rules::output_of(*ops::info(op).rule, dtype);
    const auto count = static_cast<std::int64_t>(operands[0].size() / itemsize_of(dtype));
    Bytes got(static_cast<std::size_t>(count) * itemsize_of(result));
    BOOST_REQUIRE(got.size() == wanted.size());
    std::vector<eager::View> views;
    for (const Bytes& operand : operands) {
        views.push_back({const_cast<char*>(operand.data()), dtype, {count}, {static_cast<std::int64_t>(itemsize_of(dtype))}});
    }
    eager::run(op, {}, views, {got.data(), result, {count}, {static_cast<std::int64_t>(itemsize_of(result))}});
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        if (is_integer(result)) {  // 64 bits do not fit a double
            BOOST_TEST(std::memcmp(got.data() + i * itemsize_of(result), wanted.data() + i * itemsize_of(result), itemsize_of(result)) == 0,
                       ops::info(op).name << " of " << name_of(dtype) << ", element " << i);
            continue;
        }
        const auto have = parts_of(got, result, i);
        const auto want = parts_of(wanted, result, i);
        for (std::size_t part = 0; part < have.size(); ++part) {
            std::string at;
            for (const Bytes& operand : operands) {
                for (const double value : parts_of(operand, dtype, i)) at += " " + std::to_string(value);
            }
            BOOST_TEST(close(have[part], want[part], result, exact, zeros_are_alike(op)),
                       ops::info(op).name << " of " << name_of(dtype) << " at" << at << ": " << have[part] << ", NumPy " << want[part]);
        }
    }
}

class Table {
public:
    void values(int arity, char code, std::string_view hexadecimal) { values_[{arity, code}] = bytes_of(hexadecimal); }

    void map(int arity, ops::Op op, char code, bool exact, std::string_view results) {
        const Dtype dtype = parse_dtype(std::string_view(&code, 1));
        const Bytes& values = values_.at({arity, code});
        if (arity == 1) {
            check(op, dtype, exact, {values}, bytes_of(results));
            return;
        }
        const std::size_t size = itemsize_of(dtype);
        Bytes x, y;
        for (std::size_t i = 0; i < values.size(); i += size) {
            for (std::size_t j = 0; j < values.size(); j += size) {
                x.insert(x.end(), values.begin() + static_cast<std::ptrdiff_t>(i), values.begin() + static_cast<std::ptrdiff_t>(i + size));
                y.insert(y.end(), values.begin() + static_cast<std::ptrdiff_t>(j), values.begin() + static_cast<std::ptrdiff_t>(j + size));
            }
        }
        if (op == ops::Op::power && kind_of(dtype) == 'i') {  // as the generator: |y| & 127
            for (std::size_t j = 0; j < y.size(); j += size) {
                std::int64_t exponent = size == 1 ? y[j] : 0;
                if (size == 8) std::memcpy(&exponent, y.data() + j, size);
                const std::uint64_t magnitude = (exponent < 0 ? 0 - static_cast<std::uint64_t>(exponent) : static_cast<std::uint64_t>(exponent)) & 127;
                std::memcpy(y.data() + j, &magnitude, size);
            }
        }
        check(op, dtype, exact, {x, y}, bytes_of(results));
    }

private:
    std::map<std::pair<int, char>, Bytes> values_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(maps)

BOOST_AUTO_TEST_CASE(special_values_give_numpys_results) {
    Table table;
#define VALUES(arity, code, bytes) table.values(arity, code, bytes);
#define MAP(arity, op, code, exact, results) table.map(arity, ops::Op::op, code, exact != 0, results);
#include "map_table.inc"
#undef VALUES
#undef MAP
}

BOOST_AUTO_TEST_CASE(every_loop_of_every_row_has_a_kernel) {
    for (int i = 0; i < static_cast<int>(ops::Op::count); ++i) {
        const auto op = static_cast<ops::Op>(i);
        if (ops::info(op).rule == nullptr) continue;
        for (int d = 0; d < dtype_count; ++d) {
            const auto dtype = static_cast<Dtype>(d);
            BOOST_TEST((eager::span_kernel(op, dtype) != nullptr) == ops::rules::has_loop(*ops::info(op).rule, dtype),
                       ops::info(op).name << " of " << name_of(dtype));
        }
    }
}

BOOST_AUTO_TEST_CASE(bfloat16_rounds_once_from_float) {
    std::vector<bfloat16_t> x, y, got;
    std::vector<float> wide_x, wide_y;
    for (unsigned bits = 0; bits < 65536; bits += 7) {
        bfloat16_t a, b;
        a.bits = static_cast<std::uint16_t>(bits);
        b.bits = static_cast<std::uint16_t>(bits * 31U);
        x.push_back(a);
        y.push_back(b);
        wide_x.push_back(static_cast<float>(a));
        wide_y.push_back(static_cast<float>(b));
    }
    got.resize(x.size());
    std::vector<float> wanted(x.size());
    for (const auto op : {ops::Op::add, ops::Op::multiply, ops::Op::divide, ops::Op::sqrt, ops::Op::exp, ops::Op::maximum}) {
        const void* narrow[] = {x.data(), y.data()};
        const void* wide[] = {wide_x.data(), wide_y.data()};
        eager::span_kernel(op, Dtype::bfloat16)(narrow, got.data(), static_cast<std::int64_t>(x.size()));
        eager::span_kernel(op, Dtype::float32)(wide, wanted.data(), static_cast<std::int64_t>(x.size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (std::isnan(wanted[i])) BOOST_REQUIRE(std::isnan(static_cast<float>(got[i])));
            else BOOST_REQUIRE(got[i].bits == bfloat16_t(wanted[i]).bits);
        }
    }
}

BOOST_AUTO_TEST_CASE(ldexp_takes_integer_exponents) {
    const double x[] = {1.5, -3.0, 5e-324, 1e308, 0.7, 1.9, -0.0};
    const std::int32_t y[] = {4, -1080, 1074, 2000, -1074, -1075, 5};
    double out[7];
    const void* operands[] = {x, y};
    eager::span_kernel(ops::Op::ldexp, Dtype::float64)(operands, out, 7);
    for (int i = 0; i < 7; ++i) BOOST_TEST(std::memcmp(&out[i], std::vector<double>{std::ldexp(x[i], y[i])}.data(), 8) == 0);
}

BOOST_AUTO_TEST_CASE(negative_integer_powers_are_an_error) {
    std::int32_t x[] = {2, 3, 4};
    std::int32_t y[] = {1, -1, 2};
    std::int32_t out[3];
    const eager::View operands[] = {{x, Dtype::int32, {3}, {4}}, {y, Dtype::int32, {3}, {4}}};
    auto words = [](const ValueError& error) { return std::string(error.what()) == "Integers to negative integer powers are not allowed."; };
    BOOST_CHECK_EXCEPTION(eager::run(ops::Op::power, {}, operands, {out, Dtype::int32, {3}, {4}}), ValueError, words);
}

BOOST_AUTO_TEST_SUITE_END()
