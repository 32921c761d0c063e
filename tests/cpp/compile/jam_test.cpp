// Kernels beside a short axis, whose steps are done side by side: folds over the axes next to it or over it, stores along it, elements a few places
// apart in memory. Compiled against the precompiled kernels, value for value: numbers are whole, so sums are exact in any order.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

bool same(const array& x, const array& y) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(logical_or(x == y, logical_and(x != x, y != y))).item<bool>();
}

// Whole numbers from -3 to 3.
array numbers(const Shape& shape, Dtype dtype, int seed) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    const array order = (arange(count) * std::int64_t{7919} + std::int64_t{seed} * 31) % std::int64_t{101};
    const array found = order % std::int64_t{7} - std::int64_t{dtype == Dtype::uint8 || dtype == Dtype::bool_ ? 0 : 3};
    return found.reshape(shape).astype(dtype);
}

array column(const array& x) { return expand_dims(x, -1); }

// Arrays of one shape (n, k) that lie in memory in various ways.
constexpr int layout_count = 9;

array laid_out(int layout, std::int64_t n, std::int64_t k, Dtype dtype) {
    switch (layout) {
        case 0: return numbers({n, k}, dtype, 1);
        case 1: return flip(numbers({n, k}, dtype, 2), 0);
        case 2: return flip(numbers({n, k}, dtype, 2), 1);
        case 3: return numbers({n, k + 2}, dtype, 3)(all, range(1, k + 1));  // parts of longer rows
        case 4: return numbers({n, 2 * k}, dtype, 4)(all, Slice{0, std::nullopt, 2});
        case 5: return numbers({2 * n, k}, dtype, 5)(Slice{1, std::nullopt, 2});
        case 6: return transpose(numbers({k, n}, dtype, 6));
        case 7: return broadcast_to(numbers({1, k}, dtype, 7), {n, k});
        default: return broadcast_to(numbers({n, 1}, dtype, 8), {n, k});
    }
}

using Function = std::function<array(const array&, const array&)>;  // of x (n, k) and w (n)

// What all pairs of rows have between them, with a factor for each pair: (n, n, k).
array pairs(const array& x, const array& w) {
    const array factors = expand_dims(w, 1) * expand_dims(w, 0) + expand_dims(w, 0);
    return (expand_dims(x, 1) - expand_dims(x, 0)) * column(factors);
}

std::vector<std::pair<std::string, Function>> functions() {
    const auto columns = [](const Function& each, const Function& folded) {
        return [=](const array& x, const array& w) { return folded(each(x, w), w); };
    };
    const Function over_first = [](const array& x, const array&) { return sum(x, {.axis = 0}); };
    const Function largest_of_first = [](const array& x, const array&) { return max(x, {.axis = 0, .initial = Scalar(0)}); };
    const Function over_second = [](const array& x, const array&) { return sum(x, {.axis = 1}); };
    const Function largest_of_second = [](const array& x, const array&) { return max(x, {.axis = 1, .initial = Scalar(0)}); };
    const Function scaled = [](const array& x, const array& w) { return x * column(w * w) + x; };
    return {
        {"sum of columns", over_first},
        {"weighted sum of columns", columns(scaled, over_first)},
        {"largest of columns", columns(scaled, largest_of_first)},
        {"sum of rows", columns(scaled, over_second)},
        {"largest of rows", columns(scaled, largest_of_second)},
        {"sum of all", [](const array& x, const array& w) { return sum(x * column(w)); }},
        {"any", [](const array& x, const array& w) { return any(x == column(w), {.axis = 1}); }},
        {"all, of columns", [](const array& x, const array& w) { return fastnp::all(x * x != column(w), {.axis = 0}); }},
        {"scaled", scaled},
        {"three stages",
         [](const array& x, const array& w) {
             const array y = x * column(w), m = y - max(y, {.axis = 1, .keepdims = true, .initial = Scalar(0)});
             return m * sum(m, {.axis = 1, .keepdims = true});
         }},
        {"in place",
         [](const array& x, const array& w) {
             array y = x.copy();
             y *= column(w);
             y(all, 0) = y(all, -1) + w;
             return y;
         }},
        {"columns by name", [](const array& x, const array& w) { return x(all, 0) * w - x(all, -1) * x(all, 1); }},
        {"every third row",
         [](const array& x, const array& w) {
             const Slice third{0, std::nullopt, 3};
             return x(third) * column(w(third)) - x(third);
         }},
        {"indices",
         [](const array& x, const array& w) { return where(arange(x.shape(1)) == 1, x * column(w), x - arange(x.shape(1)).astype(x.dtype())); }},
        {"padded", [](const array& x, const array& w) { return pad(x, {{1, 2}, {0, 0}}) * column(pad(w, {{1, 2}})) + pad(x * x, {{0, 3}, {0, 0}}, 2); }},
        {"sum of padded columns", [](const array& x, const array& w) { return sum(pad(x, {{1, 2}, {1, 0}}) * column(pad(w, {{1, 2}})), {.axis = 0}); }},
        {"pairs, over the first", columns(pairs, over_first)},
        {"pairs, over the second", columns(pairs, over_second)},
        {"pairs, largest over the first", columns(pairs, largest_of_first)},
        {"pairs, largest over the second", columns(pairs, largest_of_second)},
        {"pairs", pairs},
        {"distances", [](const array& x, const array& w) { return sum(square(pairs(x, w)), {.axis = 2}) * w; }},
    };
}

constexpr Dtype dtypes[] = {Dtype::float32, Dtype::float64, Dtype::int32, Dtype::int8, Dtype::uint8, Dtype::float16, Dtype::complex64, Dtype::int64};

// A number n of rows and k of columns: short and long axes, whole vectors and parts of one.
constexpr std::pair<std::int64_t, std::int64_t> sizes[] = {{37, 3}, {64, 2}, {1, 4}, {131, 5}, {96, 8}, {40, 9}, {23, 7}, {128, 4}};

}  // namespace

BOOST_AUTO_TEST_SUITE(fusion)

BOOST_AUTO_TEST_CASE(short_axes_equal_precompiled_kernels) {
    Selection selection;
    std::size_t turn = 0;
    for (const auto& [name, f] : functions()) {
        for (int layout = 0; layout < layout_count; ++layout) {
            for (int twice = 0; twice < 2; ++twice, ++turn) {
                if (!selection.takes()) continue;
                const auto [n, k] = sizes[turn * 3 % std::size(sizes)];
                const Dtype dtype = dtypes[(turn + turn / std::size(dtypes)) % std::size(dtypes)];
                const array x = laid_out(layout, n, k, dtype), w = numbers({n}, dtype, 9);
                const auto compiled = compile(f);
                const std::string what = name + ", layout " + std::to_string(layout) + ", " + std::string(name_of(dtype)) + ", " + std::to_string(n) +
                                         " x " + std::to_string(k);
                BOOST_TEST(same(compiled(x, w), f(x, w)), what);
                BOOST_TEST(compiled.entries()[0].uncompiled == "", what);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(short_axes_beside_sizes_that_vary) {
    for (const auto& [name, f] : functions()) {
        const auto compiled = compile(f);
        for (const std::int64_t n : {5, 1, 200, 16, 0, 67, 32}) {
            const array x = numbers({n, 3}, Dtype::float32, 1), w = numbers({n}, Dtype::float32, 9);
            BOOST_TEST(same(compiled(x, w), f(x, w)), name << " of " << n);
        }
        BOOST_TEST(compiled.cache_info().compiles < 6U, name);
    }
    const auto f = functions()[1].second;  // the short axis varies, too
    const auto compiled = compile(f);
    for (const std::int64_t k : {3, 2, 8, 1, 0, 20, 4}) {
        const array x = numbers({50, k}, Dtype::float64, 1), w = numbers({50}, Dtype::float64, 9);
        BOOST_TEST(same(compiled(x, w), f(x, w)), k << " columns");
    }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_beside_short_axes) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16}) {
        array x = numbers({70, 3}, dtype, 1);
        const array w = numbers({70}, dtype, 2);
        x(33, 1) = std::nan("");
        x(69, 0) = -infinity;
        x(5, 2) = infinity;
        for (const auto& [name, f] : functions()) BOOST_TEST(same(compile(f)(x, w), f(x, w)), name);
        const Function least = [](const array& y, const array& v) { return min(y * column(v), {.axis = 0}); };
        BOOST_TEST(same(compile(least)(x, w), least(x, w)));
    }
}

// Sums in blocks: many rows of few columns, and few rows beside many.
BOOST_AUTO_TEST_CASE(short_axes_of_long_sums) {
    const Function sums = [](const array& x, const array& w) { return sum(x * column(w), {.axis = 0}); };
    const Function squares = [](const array& x, const array& w) { return sum(square(x * column(w))); };
    for (const Dtype dtype : {Dtype::float32, Dtype::int16, Dtype::complex128}) {
        for (const std::int64_t k : {2, 3, 4}) {
            const array x = numbers({200'003, k}, dtype, 1), w = numbers({200'003}, dtype, 2);
            for (const Function& f : {sums, squares}) BOOST_TEST(same(compile(f)(x, w), f(x, w)));
        }
    }
}

// Results that are stored past the cache, as vectors that must be aligned: side by side along the short axis, and far apart.
BOOST_AUTO_TEST_CASE(short_axes_of_large_results) {
    const Function f = [](const array& x, const array& w) { return x * column(w); };
    const Function beside = [](const array& x, const array& w) { return transpose(x) * w + transpose(x); };
    const Function copies = [](const array& x, const array& w) { return x.copy() * transpose(stack({w, w, w})); };
    for (const std::int64_t n : {1'500'000, 1'500'003}) {
        const array x = numbers({n, 3}, Dtype::float32, 1), w = numbers({n}, Dtype::float32, 2), y = transpose(numbers({3, n}, Dtype::float32, 3));
        for (const Function& each : {f, beside, copies}) {
            for (const array& in : {x, y}) BOOST_TEST(same(compile(each)(in, w), each(in, w)));
        }
        const Function mixed = [=](const array& a, const array& b) { return a * column(b) + y; };
        BOOST_TEST(same(compile(mixed)(x, w), mixed(x, w)));
        const Function rows = [=](const array& a, const array& b) { return transpose(y) * b + transpose(a); };
        BOOST_TEST(same(compile(rows)(x, w), rows(x, w)));
    }
}

// Errors of sums grow slowly with their length, whichever way they are taken.
BOOST_AUTO_TEST_CASE(long_sums_stay_accurate) {
    const array x = sin(arange(3 * 60'000.0) * 0.7).reshape({60'000, 3}) + 1.0, y = sin(arange(2'000.0 * 100) * 0.3).reshape({2'000, 100}) + 1.0;
    for (const array& each : {x, y}) {
        const Function f = [](const array& a, const array& b) { return sum(a * b, {.axis = 0}); };
        const array one = ones({1}, Dtype::float32), found = compile(f)(each.astype(Dtype::float32), one), wanted = sum(each, {.axis = 0});
        BOOST_TEST(fastnp::all(absolute(found.astype(Dtype::float64) - wanted) < 6e-7 * wanted).item<bool>());
    }
}

// Values that several stages read are kept in rows, lane by lane, where the inner points are many.
BOOST_AUTO_TEST_CASE(rows_are_kept_along_the_lanes) {
    const device_scope host("cpu");  // whose loops these are
    const Function softmax = [](const array& wide, const array&) {
        const array x = wide(all, all, range(0, 3));
        const array e = exp(x - max(x, {.axis = Axes{1, 2}, .keepdims = true}));
        return e / sum(e, {.axis = Axes{1, 2}, .keepdims = true});
    };
    for (const std::int64_t n : {64, 37, 16}) {
        for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
            const array x = numbers({4, n, 4}, dtype, 1), w = numbers({1}, dtype, 1);
            const auto compiled = compile(softmax);
            BOOST_TEST(fastnp::all(absolute(compiled(x, w) - softmax(x, w)) < 1e-6 * softmax(x, w)).item<bool>());
            const std::string loops = compiled.entries(true)[0].loops;
            BOOST_TEST((loops.find("scratch 0") != std::string::npos && loops.find("< 3 inner jammed") != std::string::npos), loops);
        }
    }
}

// One kernel walks all pairs for all three columns at once.
BOOST_AUTO_TEST_CASE(columns_of_pairs_are_done_side_by_side) {
    const device_scope host("cpu");  // whose loops these are
    const array x = numbers({300, 3}, Dtype::float32, 1), w = numbers({300}, Dtype::float32, 2);
    for (const int axis : {0, 1}) {
        const auto compiled = compile([=](const array& a, const array& b) { return sum(pairs(a, b), {.axis = axis}); });
        compiled(x, w);
        const EntryInfo info = compiled.entries(true)[0];
        BOOST_TEST(info.kernels.size() == 1U);
        BOOST_TEST(info.loops.find("< 3 jammed") != std::string::npos, info.loops);
    }
}

BOOST_AUTO_TEST_SUITE_END()
