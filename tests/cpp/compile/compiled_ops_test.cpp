// Every map, fold and scan of the catalogue compiled, against eager execution: all dtypes, contiguous, strided, reversed, repeated and empty operands,
// special values.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include "device/registry.h"
#include "fastnp/fastnp.h"
#include "ops/catalogue.h"
#include "ops/rules.h"
#include "selection.h"

using namespace fastnp;

namespace {

struct Map1 {
    const char* name;
    const ops::Rule* rule;
    array (*call)(const Operand&, const UfuncOptions&);
};
struct Map2 {
    const char* name;
    const ops::Rule* rule;
    array (*call)(const Operand&, const Operand&, const UfuncOptions&);
};

const std::vector<Map1>& unary() {
    static const std::vector<Map1> rows = {
#define MAP1(name, rule, meaning, partial, traits, doc) {#name, &ops::rules::rule, &fastnp::name},
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)
#include "fastnp/ops/map.def"
    };
    return rows;
}
const std::vector<Map2>& binary() {
    static const std::vector<Map2> rows = {
#define MAP1(name, rule, meaning, partial, traits, doc)
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) {#name, &ops::rules::rule, &fastnp::name},
#include "fastnp/ops/map.def"
    };
    return rows;
}

// Values that bring out special cases, then random ones.
array sample(Dtype dtype, std::int64_t count, unsigned seed, bool nonnegative = false) {
    array wide = array::uninitialized(float64, {count});
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> distribution(-8, 8);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, 1, -1, 0.5, -0.5, nan, inf, -inf, 1e-30, -1e30, 2, 3, 100, -100, 1e-310};
    auto elements = wide.as_span<double>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const bool floating = is_inexact(dtype);
        elements[i] = floating && i < std::size(special) ? special[i] : floating ? distribution(engine) : std::floor(distribution(engine));
        if (nonnegative) elements[i] = std::abs(elements[i]);
    }
    if (!is_complex(dtype)) return wide.astype(dtype);
    const array other = wide(every(-1)).copy();
    array result = array::uninitialized(dtype, {count});
    const array re = wide.astype(real_of(dtype));
    const array im = other.astype(real_of(dtype));
    for (std::int64_t i = 0; i < count; ++i) {
        if (dtype == complex64) result.as_span<std::complex<float>>()[static_cast<std::size_t>(i)] = {re[i].item<float>(), im[i].item<float>()};
        else result.as_span<std::complex<double>>()[static_cast<std::size_t>(i)] = {re[i].item<double>(), im[i].item<double>()};
    }
    return result;
}

// Equal bit by bit, any NaN equal to any other.
bool same(const array& a, const array& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    const array x = a.copy();
    const array y = b.copy();
    const auto size = static_cast<std::size_t>(x.nbytes());
    if (size == 0 || std::memcmp(x.data(), y.data(), size) == 0) return true;
    if (!is_inexact(a.dtype())) return false;
    const Dtype wide = is_complex(a.dtype()) ? complex128 : float64;
    const array p = x.astype(wide).reshape({x.size()});
    const array q = y.astype(wide).reshape({x.size()});
    const auto parts = static_cast<std::size_t>(x.size()) * (is_complex(a.dtype()) ? 2 : 1);
    const double* u = static_cast<const double*>(p.data());
    const double* v = static_cast<const double*>(q.data());
    for (std::size_t i = 0; i < parts; ++i) {
        const bool equal = std::memcmp(u + i, v + i, sizeof(double)) == 0 || (std::isnan(u[i]) && std::isnan(v[i]));
        if (!equal) return false;
    }
    return true;
}

// What a GPU computes of an array it also computes of one without axes in compiled code, where eager execution leaves that to the host: functions that are
// not exactly rounded may differ in the last places. On the host, and on the simulated device, all is bit by bit.
bool same_map(const array& a, const array& b) {
    if (same(a, b)) return true;
    const device::Backend* const device = device::current_backend();
    const bool is_gpu = device != nullptr && device->code() == device::Backend::Code::ptx;
    if (a.ndim() != 0 || !is_gpu || a.dtype() != b.dtype() || !is_inexact(a.dtype())) return false;
    const auto parts = [](const array& x) {
        const auto value = x.astype(complex128).item<std::complex<double>>();
        return std::array{value.real(), value.imag()};
    };
    const std::array x = parts(a), y = parts(b);
    constexpr double last_places = 4;
    const double scale = std::max(std::hypot(x[0], x[1]), std::numeric_limits<double>::min());
    const Dtype real = real_of(a.dtype());
    const double last_place = std::ldexp(1.0, real == float64 ? -52 : real == float32 ? -23 : real == float16 ? -10 : -7);
    const double bound = last_places * last_place * scale;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool is_near = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) || std::abs(x[i] - y[i]) <= bound;
        if (!is_near) return false;
    }
    return true;
}

struct Layout {
    const char* name;
    array (*view)(const array& x);  // of 96 elements
};
const Layout layouts[] = {
    {"contiguous", [](const array& x) { return x; }},
    {"one element short of vectors", [](const array& x) { return x(until(-1)); }},
    {"every second", [](const array& x) { return x(every(2)); }},
    {"reversed", [](const array& x) { return x(every(-1)); }},
    {"transposed", [](const array& x) { return x.reshape({8, 12}).T(); }},
    {"repeated", [](const array& x) { return broadcast_to(x(range(4, 10)), {5, 6}); }},
    {"empty", [](const array& x) { return x(until(0)); }},
    {"0-d", [](const array& x) { return x[40]; }},
};

const CompileOptions many{.cache_size_limit = 256};  // a kind of call for each dtype and layout

template <class F>
void each_dtype(const ops::Rule& rule, F visit) {
    for (int d = 0; d < dtype_count; ++d) {
        const auto dtype = static_cast<Dtype>(d);
        if (ops::rules::has_loop(rule, dtype)) visit(dtype);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compiled_ops)

BOOST_AUTO_TEST_CASE(unary_maps_equal_eager) {
    Selection selection;
    for (const Map1& row : unary()) {
        const auto compiled = compile([&row](const array& x) { return row.call(x, {}); }, many);
        each_dtype(*row.rule, [&](Dtype dtype) {
            const array x = sample(dtype, 96, 1);
            for (const Layout& layout : layouts) {
                if (!selection.takes()) continue;
                const array view = layout.view(x);
                BOOST_TEST(same_map(compiled(view), row.call(view, {})), row.name << " of " << name_of(dtype) << ", " << layout.name);
            }
        });
        BOOST_TEST(compiled.cache_info().uncompiled == 0U, row.name);
    }
}

BOOST_AUTO_TEST_CASE(binary_maps_equal_eager) {
    Selection selection;
    for (const Map2& row : binary()) {
        const bool integer_power = std::string(row.name) == "power";
        const auto compiled = compile([&row](const array& x, const array& y) { return row.call(x, y, {}); }, many);
        each_dtype(*row.rule, [&](Dtype dtype) {
            const array x = sample(dtype, 96, 1);
            const array y = row.rule->integer_second ? sample(int32, 96, 2) : sample(dtype, 96, 2, integer_power && is_integer(dtype));
            for (const Layout& layout : layouts) {
                if (!selection.takes()) continue;
                const array a = layout.view(x);
                const array b = layout.view(y(every(-1)).copy());
                BOOST_TEST(same_map(compiled(a, b), row.call(a, b, {})), row.name << " of " << name_of(dtype) << ", " << layout.name);
            }
        });
        BOOST_TEST(compiled.cache_info().uncompiled == 0U, row.name);
    }
}

BOOST_AUTO_TEST_CASE(casts_equal_eager) {
    Selection selection;
    for (int from = 0; from < dtype_count; ++from) {
        const array x = sample(static_cast<Dtype>(from), 96, 3);
        for (int to = 0; to < dtype_count; ++to) {
            if (!selection.takes()) continue;
            const auto dtype = static_cast<Dtype>(to);
            const auto compiled = compile([dtype](const array& v) { return v.astype(dtype); }, many);
            BOOST_TEST(same(compiled(x), x.astype(dtype)), name_of(static_cast<Dtype>(from)) << " to " << name_of(dtype));
        }
    }
}

BOOST_AUTO_TEST_CASE(reductions_equal_eager) {
    struct Row {
        const char* name;
        array (*call)(const Operand&, const FoldOptions&);
        bool rounds;
    };
    const Row rows[] = {{"sum", &sum, true},  {"prod", &prod, true}, {"max", &max, false},
                        {"min", &min, false}, {"any", &any, false},  {"all", &all_fold, false}};
    const std::vector<Axes> axes = {Axes(), Axes(0), Axes(1), Axes(2), Axes({0, 1}), Axes({0, 2}), Axes({1, 2}), Axes({0, 1, 2})};
    Selection selection;
    for (const Row& row : rows) {
        for (int d = 0; d < dtype_count; ++d) {
            const auto dtype = static_cast<Dtype>(d);
            if (row.rounds && is_inexact(dtype)) continue;  // sums in another order: the next test
            const array x = sample(dtype, 7 * 5 * 35, 4).reshape({7, 5, 35});
            for (const Axes& axis : axes) {
                for (const bool keepdims : {false, true}) {
                    if (!selection.takes()) continue;
                    const FoldOptions options{.axis = axis, .keepdims = keepdims};
                    const auto compiled = compile([&row, options](const array& v) { return row.call(v, options); }, many);
                    BOOST_TEST(same(compiled(x), row.call(x, options)), row.name << " of " << name_of(dtype));
                    const array view = x(every(-2), all, range(1, -1));
                    BOOST_TEST(same(compiled(view), row.call(view, options)), row.name << " of a view of " << name_of(dtype));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(sums_are_at_least_as_accurate_as_pairwise) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<float> distribution(0, 1);
    for (const Shape& shape : {Shape{1000000}, Shape{64, 64, 64}, Shape{17, 4097}, Shape{1, 65536}, Shape{3000, 40}}) {
        array x = array::uninitialized(float32, shape);
        for (float& element : x.as_span<float>()) element = distribution(engine);
        for (const Axes& axis : {Axes(), Axes(-1), Axes(0)}) {
            const auto compiled = compile([axis](const array& v) { return sum(v, {.axis = axis}); }, many);
            const array exact = sum(x.astype(float64), {.axis = axis});
            const array error = max(absolute(compiled(x).astype(float64) - exact) / exact);
            // NumPy's pairwise sums along rows reach about 3e-7 on such data; over the leading axis NumPy adds row by row.
            double bound = 4e-7;
            if (!axis.is_none() && axis.list()[0] == 0 && shape.size() > 1) {
                array plain = zeros(exact.shape(), float32);
                for (std::int64_t i = 0; i < shape[0]; ++i) plain += x[i];
                bound = std::max(bound, max(absolute(plain.astype(float64) - exact) / exact).item<double>());
            }
            BOOST_TEST(error.item<double>() <= bound);
        }
    }
}

BOOST_AUTO_TEST_CASE(empty_sums_and_products) {
    const array none = zeros({3, 0}, float32);
    const auto total = compile([](const array& x) { return sum(x, {.axis = 1}); });
    const auto product = compile([](const array& x) { return prod(x, {.axis = 1}); });
    BOOST_TEST(same(total(none), zeros({3}, float32)));
    BOOST_TEST(same(product(none), ones({3}, float32)));
    const array negative_zero = full({2, 3}, -0.0, float32);
    BOOST_TEST(std::signbit(total(negative_zero)[0].item<float>()) == std::signbit(sum(negative_zero, {.axis = 1})[0].item<float>()));
}

BOOST_AUTO_TEST_CASE(precompiled_steps_equal_eager) {
    const array x = sample(float64, 60, 9).reshape({5, 12});
    const array indices{std::int64_t{3}, std::int64_t{0}, std::int64_t{-1}};
    const auto f = compile([](const array& v, const array& i) {
        return std::vector<array>{cumsum(v, {.axis = 1}),        sort(v * 2.0, 1), argsort(v, 0),
                                  argmax(v + 1.0, {.axis = 1}),  take(v, i, 1),    concatenate({v, v + 1.0}, 0),
                                  pad(v, {{1, 2}, {0, 3}}, 7.0), matmul(v, v.T()), flip(v, 1) * 3.0};
    });
    const auto got = f(x, indices);
    const std::vector<array> want = {cumsum(x, {.axis = 1}),        sort(x * 2.0, 1),    argsort(x, 0),
                                     argmax(x + 1.0, {.axis = 1}),  take(x, indices, 1), concatenate({x, x + 1.0}, 0),
                                     pad(x, {{1, 2}, {0, 3}}, 7.0), matmul(x, x.T()),    flip(x, 1) * 3.0};
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(same(got[i], want[i]), "result " << i);
    BOOST_TEST(f.cache_info().uncompiled == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
