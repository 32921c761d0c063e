// Each row of the algebra, for every dtype and special values, against the precompiled kernels.
#include "pass/algebra.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/element.h"
#include "ops/infer.h"
#include "selection.h"

using namespace fastnp;
using ir::Op;
using ir::Value;

namespace {

using Bytes = std::vector<char>;

constexpr Dtype all_dtypes[] = {Dtype::bool_,    Dtype::int8,    Dtype::uint8,   Dtype::int16,     Dtype::uint16,
                                Dtype::int32,    Dtype::uint32,  Dtype::int64,   Dtype::uint64,    Dtype::float16,
                                Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128};

template <class T>
void put(Bytes& bytes, T value) {
    const auto at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
std::vector<T> special_floats(std::mt19937_64& random) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values{0,
                          T(-0.0),
                          1,
                          -1,
                          T(0.5),
                          2,
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::max(),
                          Limits::lowest(),
                          Limits::min(),
                          Limits::denorm_min(),
                          -Limits::denorm_min()};
    std::normal_distribution<double> normal;
    for (int i = 0; i < 8; ++i) values.push_back(static_cast<T>(normal(random)));
    return values;
}

// Random bits are the extremes, NaN and subnormals of the 16-bit floats often enough.
Bytes elements(Dtype dtype, std::size_t count, std::mt19937_64& random) {
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const auto pick = [&](const auto& values) { return values[random() % values.size()]; };
        const bool edge = random() % 2 == 0;
        const auto bits =
            edge ? pick(std::vector<std::uint64_t>{0, 1, ~0ULL, 1ULL << 63, ~0ULL >> 1, 0x80, 0x7f, 0x8000, 0x7fff, 1ULL << 31, (1ULL << 31) - 1})
                 : random();
        switch (dtype) {
            case Dtype::bool_: put(bytes, static_cast<std::uint8_t>(bits & 1)); break;
            case Dtype::float32: put(bytes, pick(special_floats<float>(random))); break;
            case Dtype::float64: put(bytes, pick(special_floats<double>(random))); break;
            case Dtype::complex64: put(bytes, std::complex<float>(pick(special_floats<float>(random)), pick(special_floats<float>(random)))); break;
            case Dtype::complex128: put(bytes, std::complex<double>(pick(special_floats<double>(random)), pick(special_floats<double>(random)))); break;
            default:
                switch (itemsize_of(dtype)) {
                    case 1: put(bytes, static_cast<std::uint8_t>(bits)); break;
                    case 2: put(bytes, static_cast<std::uint16_t>(bits)); break;
                    case 4: put(bytes, static_cast<std::uint32_t>(bits)); break;
                    default: put(bytes, bits);
                }
        }
    }
    return bytes;
}

// Real parts, one or two, that are NaN in both or the same to the bit.
template <class T>
bool same_parts(const char* a, const char* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T x, y;
        std::memcpy(&x, a + i * sizeof x, sizeof x);
        std::memcpy(&y, b + i * sizeof y, sizeof y);
        if (std::isnan(x) ? !std::isnan(y) : std::memcmp(&x, &y, sizeof x) != 0) return false;
    }
    return true;
}

bool same(Dtype dtype, const char* a, const char* b) {
    switch (dtype) {
        case Dtype::float32: return same_parts<float>(a, b, 1);
        case Dtype::float64: return same_parts<double>(a, b, 1);
        case Dtype::complex64: return same_parts<float>(a, b, 2);
        case Dtype::complex128: return same_parts<double>(a, b, 2);
        default: break;
    }
    if (is_floating(dtype) && std::isnan(ops::load(dtype, a).real())) return std::isnan(ops::load(dtype, b).real());
    return std::memcmp(a, b, itemsize_of(dtype)) == 0;
}

Value constant(ir::Graph& graph, Dtype dtype, const Scalar& scalar, std::int64_t count) {
    ir::Attributes attributes;
    attributes.scalar = scalar;
    attributes.dtype = dtype;
    attributes.dims = {shape::Dim(count)};
    return graph.make(Op::constant, {}, attributes, dtype, {shape::Dim(count)});
}

// What a call of an op on some operands, of which one may be a constant, is by a row, and by the kernels.
void check(const pass::Rewrite& row, Dtype dtype, std::optional<std::pair<std::size_t, Scalar>> given, std::uint64_t seed) {
    constexpr std::int64_t count = 64;
    std::mt19937_64 random(seed);
    const std::size_t operands = row.op == Op::select ? 3 : row.op == Op::cast || row.op == Op::positive ? 1 : 2;
    ir::Graph graph;
    std::vector<Value> inputs;
    std::vector<Bytes> bytes;
    std::vector<eager::View> views;
    for (std::size_t i = 0; i < operands; ++i) {
        const Dtype its = row.op == Op::select && i == 0 ? Dtype::bool_ : dtype;
        const bool is_constant = given && given->first == i;
        const bool is_again = row.op == Op::select && i == 2 && !given;
        inputs.push_back(is_constant ? constant(graph, its, ops::convert(given->second, its), count)
                         : is_again  ? inputs[1]
                                     : graph.parameter(its, {shape::Dim(count)}));
        bytes.push_back(is_again ? bytes[1] : elements(its, count, random));
        if (is_constant) {
            for (std::int64_t k = 0; k < count; ++k)
                ops::store(ops::convert(given->second, its), its, bytes[i].data() + k * static_cast<std::int64_t>(itemsize_of(its)));
        }
    }
    ir::Attributes attributes;
    if (row.op == Op::cast) attributes.dtype = dtype;
    const Dtype output = row.op == Op::divide && !is_inexact(dtype) ? Dtype::float64 : dtype;
    const Value value = graph.make(row.op, inputs, attributes, output, {shape::Dim(count)});
    if (pass::rewritten(*value) == nullptr || output != dtype) return;
    const Value kept = pass::rewritten(*value);
    const auto place = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), kept) - inputs.begin());
    for (std::size_t i = 0; i < operands; ++i)
        views.push_back({bytes[i].data(), inputs[i]->dtype, {count}, {static_cast<std::int64_t>(itemsize_of(inputs[i]->dtype))}});
    Bytes result(bytes[place].size());
    try {
        eager::run(row.op, attributes, views, {result.data(), output, {count}, {static_cast<std::int64_t>(itemsize_of(output))}});
    } catch (const Error&) {
        return;  // there is no loop for the dtype
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        const std::size_t at = k * itemsize_of(output);
        BOOST_TEST_REQUIRE(same(output, result.data() + at, bytes[place].data() + at),
                           row.text << " for " << name_of(dtype) << ", element " << k << ", seed " << seed);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algebra)

BOOST_AUTO_TEST_CASE(no_row_changes_a_bit) {
    const std::uint64_t seed = test_seed();
    const Scalar numbers[] = {Scalar(0.0),
                              Scalar(-0.0),
                              Scalar(1.0),
                              Scalar(-1.0),
                              Scalar(std::complex<double>(1, 0)),
                              Scalar(std::complex<double>(0, 0)),
                              Scalar(std::complex<double>(-0.0, 0)),
                              Scalar(0),
                              Scalar(1),
                              Scalar(true),
                              Scalar(false)};
    for (const pass::Rewrite& row : pass::rewrites()) {
        for (const Dtype dtype : all_dtypes) {
            check(row, dtype, std::nullopt, seed);
            for (const Scalar& number : numbers) {
                if (number.kind() == WeakKind::complex && !is_complex(dtype)) continue;
                for (std::size_t i = 0; i < (row.op == Op::select ? 1 : row.op == Op::cast || row.op == Op::positive ? 0 : 2); ++i) {
                    if (row.op == Op::select && number.kind() != WeakKind::boolean) continue;
                    if (number.kind() == WeakKind::floating && !is_inexact(dtype)) continue;
                    check(row, dtype, std::pair(i, number), seed);
                }
            }
        }
    }
}

// Rows that apply are found at all.
BOOST_AUTO_TEST_CASE(each_row_applies_to_float64_or_int64) {
    for (const pass::Rewrite& row : pass::rewrites()) {
        ir::Graph graph;
        const Value c = graph.parameter(Dtype::bool_, {}), x = graph.parameter(Dtype::int64, {});
        const auto number = [&](const Scalar& value, Dtype dtype) {
            ir::Attributes attributes;
            attributes.scalar = value;
            attributes.dtype = dtype;
            return graph.make(Op::constant, {}, attributes, dtype, {});
        };
        bool found = false;
        for (const Value a : {c, x, number(0, Dtype::int64), number(1, Dtype::int64), number(true, Dtype::bool_), number(false, Dtype::bool_)}) {
            for (const Value b : {x, number(0, Dtype::int64), number(1, Dtype::int64)}) {
                const Value three[] = {a, x, b};
                const Value two[] = {a, b};
                const std::span<const Value> inputs = row.op == Op::select ? std::span<const Value>(three) : std::span<const Value>(two);
                ir::Attributes attributes;
                const bool is_one = row.op == Op::cast || row.op == Op::positive;
                const Value value = graph.make(row.op, is_one ? inputs.first(1) : inputs, attributes, Dtype::int64, {});
                found = found || row.holds(*value);
            }
        }
        BOOST_TEST(found, row.text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
