// Padding inside of loop kernels: random slices, pads and reversals of arrays, compiled against the precompiled kernels, value for value.
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

bool same(const array& x, const array& y) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(logical_or(x == y, logical_and(x != x, y != y))).item<bool>();
}

class Programs {
public:
    explicit Programs(unsigned seed) : random_(seed) {}

    std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }

    // A function of an array, as a list of what it does.
    std::function<array(const array&)> any(int steps) {
        std::vector<std::function<array(const array&)>> all;
        for (int i = 0; i < steps; ++i) all.push_back(step());
        return [all](const array& x) {
            array y = x;
            for (const auto& each : all) y = each(y);
            return y;
        };
    }

private:
    std::function<array(const array&)> step() {
        switch (below(6)) {
            case 0: {
                const std::int64_t before = below(4), after = below(4), axis = below(2);
                const double border = static_cast<double>(below(3)) - 1;
                return [=](const array& x) {
                    std::vector<std::pair<std::int64_t, std::int64_t>> widths(static_cast<std::size_t>(x.ndim()), {0, 0});
                    widths[static_cast<std::size_t>(axis) % widths.size()] = {before, after};
                    if (axis == 1) widths[0] = {after, 1};
                    return pad(x, widths, Scalar(border));
                };
            }
            case 1: {
                const std::int64_t start = below(3), step = 1 + below(2);
                return [=](const array& x) { return x(fastnp::Slice{std::min(start, x.shape(0)), std::nullopt, step}); };
            }
            case 2: return [](const array& x) { return flip(x, 0); };
            case 3: return [](const array& x) { return x + where(x > 0, x, -x); };
            case 4: return [](const array& x) { return transpose(x) * 2; };
            default: {
                const std::int64_t shift = 1 + below(2);
                return [=](const array& x) {
                    if (x.shape(0) <= shift) return x + x;
                    std::vector<std::pair<std::int64_t, std::int64_t>> widths(static_cast<std::size_t>(x.ndim()), {0, 0});
                    widths[0] = {shift, 0};
                    return pad(x(until(-shift)), widths) + x;
                };
            }
        }
    }

    std::mt19937 random_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fusion)

BOOST_AUTO_TEST_CASE(pads_within_kernels_equal_precompiled_ones) {
    const Dtype dtypes[] = {Dtype::float64, Dtype::float32, Dtype::int32, Dtype::int8, Dtype::float16};
    const Shape shapes[] = {{7, 5}, {1, 40}, {40, 33}, {0, 3}, {9}, {3, 4, 18}};
    Selection selection;
    for (unsigned seed = 0; seed < 120; ++seed) {
        if (!selection.takes()) continue;
        Programs programs(seed);
        const auto f = programs.any(5);
        const Shape& shape = shapes[seed % std::size(shapes)];
        std::int64_t count = 1;
        for (const std::int64_t size : shape) count *= size;
        const array x = (arange(static_cast<double>(count)) - 6).reshape(shape).astype(dtypes[seed % std::size(dtypes)]);
        const auto compiled = compile(f);
        BOOST_TEST(same(compiled(x), f(x)), "seed " << seed);
        BOOST_TEST(same(compile([&](const array& y) { return sum(f(y).astype(Dtype::int64)); })(x), sum(f(x).astype(Dtype::int64))), "sum, seed " << seed);
        BOOST_TEST(compiled.entries()[0].uncompiled == "");
        const array strided = transpose(transpose(x).copy());
        BOOST_TEST(same(compiled(strided), f(strided)), "strided, seed " << seed);
    }
}

// Where rows are long, the points around which nothing is outside are done apart.
BOOST_AUTO_TEST_CASE(long_rows_are_done_without_guards) {
    const Dtype dtypes[] = {Dtype::float64, Dtype::float32, Dtype::int16, Dtype::int8, Dtype::bfloat16, Dtype::complex64};
    const Shape shapes[] = {{6, 700}, {3001}, {5, 3, 300}, {90, 520}, {1, 1025}, {2, 9000}};
    Selection selection;
    for (unsigned seed = 0; seed < 120; ++seed) {
        if (!selection.takes()) continue;
        Programs programs(1000 + seed);
        const auto f = programs.any(4);
        const Shape& shape = shapes[seed % std::size(shapes)];
        std::int64_t count = 1;
        for (const std::int64_t size : shape) count *= size;
        const Dtype dtype = dtypes[seed / 2 % std::size(dtypes)];
        const array x = (arange(static_cast<double>(count)) % 100 - 6).reshape(shape).astype(dtype);
        const auto compiled = compile(f);
        BOOST_TEST(same(compiled(x), f(x)), "seed " << seed);
        BOOST_TEST(compiled.entries()[0].uncompiled == "");
        const array strided = transpose(transpose(x).copy());
        BOOST_TEST(same(compiled(strided), f(strided)), "strided, seed " << seed);
        const auto into = [&](array y, const array& z) { y(from(1)) = f(z).reshape({-1}); };
        const array a = zeros({1 + f(x).size()}, dtype), b = a.copy();  // stored one element from where vectors begin
        compile(into)(a, x);
        into(b, x);
        BOOST_TEST(same(a, b), "stored, seed " << seed);
    }
}

BOOST_AUTO_TEST_CASE(large_results_of_stencils_bypass_the_cache) {
    const auto f = [](array u) { return pad(u, {{1, 1}, {1, 1}}) + pad(u, {{0, 2}, {2, 0}}) * 2 + pad(u, {{2, 0}, {0, 2}}); };
    for (const std::int64_t columns : {2500, 2501}) {
        const array u = sin(arange(1900.0 * static_cast<double>(columns)).astype(Dtype::float32)).reshape({1900, columns});
        BOOST_TEST(same(compile(f)(u), f(u)));
    }
}

BOOST_AUTO_TEST_CASE(neighbours_along_rows_are_lanes_of_what_is_there) {
    // Random reaches along the lanes and over the rows, for rows that lie alike to vectors and not; without guards, too.
    std::mt19937 random(7);
    const auto below = [&](std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random); };
    Selection selection;
    for (int round = 0; round < 60; ++round) {
        const std::int64_t reach = 1 + below(20), rows = 1 + below(9), columns = (16 + below(30)) * 16 + (below(2) == 0 ? 0 : below(16));
        std::vector<std::pair<std::int64_t, double>> terms;
        for (std::int64_t i = 0; i < 2 + below(5); ++i) terms.emplace_back(below(2 * reach + 1) - reach, static_cast<double>(1 + below(3)));
        const bool within = below(2) == 0;
        const auto f = [=](const array& u) {
            const auto at = [=](std::int64_t by) { return range(reach + by, columns - reach + by); };
            array sum = u(all, at(0)) + u(all, at(0));
            for (const auto& [by, factor] : terms) sum = sum + u(all, at(by)) * factor;
            if (!within) return sum;
            array result = zeros_like(u);
            result(all, at(0)) = sum;
            return result;
        };
        for (const Dtype dtype : {float32, float64, int32, int64, float16, complex64}) {
            if (!selection.takes()) continue;
            const array u = (sin(arange(static_cast<double>(rows * columns))) * 9).astype(dtype).reshape({rows, columns});
            BOOST_TEST_CONTEXT("round " << round << " " << name_of(dtype)) BOOST_TEST(same(compile(f)(u), f(u)));
        }
    }
}

BOOST_AUTO_TEST_CASE(guards_that_never_hold_together) {
    const auto halves = [](array u) { return pad(u, {{0, 0}, {0, u.shape(1)}}) + pad(-u, {{0, 0}, {u.shape(1), 0}}); };
    const array u = sin(arange(4000.0)).reshape({4, 1000});
    BOOST_TEST(same(compile(halves)(u), halves(u)));
    const auto rows = [](array x) { return pad(x, {{0, 4}, {0, 0}}) - pad(x, {{4, 0}, {0, 0}}); };
    BOOST_TEST(same(compile(rows)(u), rows(u)));
}

BOOST_AUTO_TEST_CASE(pads_of_sizes_that_vary) {
    const auto f = [](array x, array y) { return pad(x, {{1, 2}, {0, 3}}, 7.0) * 2 + pad(y * y, {{0, 3}, {3, 0}}, -1.0); };
    const auto compiled = compile(f);
    for (int n = 1; n < 40; n += 3) {
        const array x = sin(arange(n * (n + 1.0))).reshape({n, n + 1}), y = cos(x);
        BOOST_TEST(same(compiled(x, y), f(x, y)));
    }
    BOOST_TEST(compiled.cache_info().compiles < 5u);
    const auto wide = compile(f);
    for (int n : {200, 700, 131, 1000, 3}) {
        const array x = sin(arange(n * (n / 3 + 1.0))).reshape({n / 3 + 1, n});
        BOOST_TEST(same(wide(x, x), f(x, x)));
    }
}

BOOST_AUTO_TEST_CASE(complex_and_bool_pads) {
    const auto f = [](array x) { return pad(x, {{2, 1}, {1, 1}}) + 1; };
    const array z = (arange(35.0).reshape({5, 7}) * Scalar(std::complex<double>(1, -2)));
    BOOST_TEST(same(compile(f)(z), f(z)));
    const auto g = [](array b) { return logical_xor(pad(b, {{1, 1}, {3, 0}}, true), pad(b, {{2, 0}, {0, 3}}, false)); };
    const array b = arange(35.0).reshape({5, 7}) > 11;
    BOOST_TEST(same(compile(g)(b), g(b)));
}

BOOST_AUTO_TEST_CASE(a_sweep_is_one_kernel) {
    const auto f = [](array u) {
        const array v = u * 1.0;
        v(range(1, -1), range(1, -1)) =
            0.25 * (v(range(0, -2), range(1, -1)) + v(from(2), range(1, -1)) + v(range(1, -1), from(2)) + v(range(1, -1), range(0, -2)));
        return v;
    };
    const array u = sin(arange(600.0)).reshape({20, 30});
    const auto compiled = compile(f);
    BOOST_TEST(same(compiled(u), f(u)));
    BOOST_TEST(compiled.entries()[0].kernels.size() == 1u);
    // Into an argument the result has to be stored, and comes by way of other memory.
    const auto into = [](array v) { v(range(1, -1)) = v(range(0, -2)) + v(from(2)); };
    const array a = u.copy(), b = u.copy();
    compile(into)(a);
    into(b);
    BOOST_TEST(same(a, b));
}

BOOST_AUTO_TEST_SUITE_END()
