#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal_to(const array& x, const array& y) { return x.shape() == y.shape() && x.dtype() == y.dtype() && all(x == y).item<bool>(); }

const array x{{1, 2, 3}, {4, 5, 6}};
const array line{1, 2, 3};

}  // namespace

BOOST_AUTO_TEST_SUITE(compat_arrays)

BOOST_AUTO_TEST_CASE(moved) {
    BOOST_TEST(equal_to(roll(line, {1}), array{3, 1, 2}));
    BOOST_TEST(equal_to(roll(x, {1, -1}, {0, 1}), array{{5, 6, 4}, {2, 3, 1}}));
    BOOST_TEST(equal_to(rot90(x), array{{3, 6}, {2, 5}, {1, 4}}));
    BOOST_TEST(equal_to(rot90(x, -1), array{{4, 1}, {5, 2}, {6, 3}}));
    BOOST_TEST(equal_to(rollaxis(x, 1), x.T()));
    BOOST_CHECK_THROW(roll(x, {1}, 2), AxisError);
    BOOST_CHECK_THROW(roll(x, {1, 2}, {0, 1, 1}), ValueError);
    BOOST_CHECK_THROW(rot90(x, 1, 0, 0), ValueError);
    array y = x.copy();
    rot90(y)(0, 0) = 9;
    BOOST_TEST(y(0, 2).item<int>() == 9);
}

BOOST_AUTO_TEST_CASE(repeated) {
    BOOST_TEST(equal_to(repeat(line, 2), array{1, 1, 2, 2, 3, 3}));
    BOOST_TEST(equal_to(repeat(x, array{2, 0}, 0), array{{1, 2, 3}, {1, 2, 3}}));
    BOOST_TEST(equal_to(tile(line, {2, 2}), array{{1, 2, 3, 1, 2, 3}, {1, 2, 3, 1, 2, 3}}));
    BOOST_TEST(equal_to(resize(line, {2, 4}), array{{1, 2, 3, 1}, {2, 3, 1, 2}}));
    BOOST_CHECK_THROW(repeat(line, -1), ValueError);
    BOOST_CHECK_THROW(repeat(line, array{1, 2}), ValueError);
    BOOST_CHECK_THROW(resize(line, {-1}), ValueError);
    BOOST_TEST(atleast_3d(line).shape() == (Shape{1, 3, 1}));
    BOOST_TEST(equal_to(unstack(x, 1)[2], array{3, 6}));
}

BOOST_AUTO_TEST_CASE(joined) {
    BOOST_TEST(equal_to(append(line, x), array{1, 2, 3, 1, 2, 3, 4, 5, 6}));
    BOOST_TEST(equal_to(insert(line, 1, array(9)), array{1, 9, 2, 3}));
    BOOST_TEST(equal_to(insert(line, array{0, 3}, array{8, 9}), array{8, 1, 2, 3, 9}));
    BOOST_TEST(equal_to(delete_at(x, -1, 1), array{{1, 2}, {4, 5}}));
    BOOST_TEST(equal_to(delete_at(line, every(2)), array{2}));
    BOOST_TEST(equal_to(delete_at(line, array{0, 0}), array{2, 3}));
    BOOST_TEST(equal_to(delete_at(line, array{true, false, true}), array{2}));
    BOOST_CHECK_THROW(delete_at(line, 3), IndexError);
    BOOST_CHECK_THROW(insert(line, 4, array(1)), IndexError);
    BOOST_TEST(dstack({x, x}).shape() == (Shape{2, 3, 2}));
    using List = std::vector<Blocks>;
    BOOST_TEST(equal_to(block(List{List{x, array{{7}, {8}}}, List{array{{1, 2, 3, 4}}}}), array{{1, 2, 3, 7}, {4, 5, 6, 8}, {1, 2, 3, 4}}));
    BOOST_CHECK_THROW(block(List{x, List{x}}), ValueError);
}

BOOST_AUTO_TEST_CASE(diagonals) {
    BOOST_TEST(equal_to(diagonal(x, 1), array{2, 6}));
    BOOST_TEST(!diagonal(x).writable());
    BOOST_TEST(diagonal_sum(x).item<int>() == 6);
    BOOST_TEST(equal_to(diag(array{1, 2}, -1), array{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}));
    BOOST_TEST(equal_to(triu(x), array{{1, 2, 3}, {0, 5, 6}}));
    BOOST_TEST(equal_to(tril(x, -1), array{{0, 0, 0}, {4, 0, 0}}));
    BOOST_TEST(equal_to(tri(2, 3, 0, int64), array{{1L, 0L, 0L}, {1L, 1L, 0L}}));
    BOOST_TEST(equal_to(tril_indices(2).second, array{0L, 0L, 1L}));
    BOOST_CHECK_THROW(diagonal(line), ValueError);
    BOOST_CHECK_THROW(diagonal(x, 0, 1, 1), ValueError);
}

BOOST_AUTO_TEST_CASE(borders) {
    BOOST_TEST(equal_to(pad(line, {{2, 2}}, {.mode = PadMode::reflect}), array{3, 2, 1, 2, 3, 2, 1}));
    BOOST_TEST(equal_to(pad(line, {{2, 1}}, {.mode = PadMode::wrap}), array{2, 3, 1, 2, 3, 1}));
    BOOST_TEST(equal_to(pad(line, {{1, 1}}, {.mode = PadMode::mean, .stat_length = {{1, 2}}}), array{1, 1, 2, 3, 2}));
    BOOST_TEST(equal_to(pad(line, {{1, 2}}, {.values = {{7, 8}}}), array{7, 1, 2, 3, 8, 8}));
    BOOST_CHECK_THROW(pad(zeros({0}), {{1, 1}}, {.mode = PadMode::edge}), ValueError);
    BOOST_CHECK_THROW(pad(line, {{1, 1}}, {.mode = PadMode::maximum, .stat_length = {{0, 0}}}), ValueError);
}

BOOST_AUTO_TEST_CASE(made) {
    BOOST_TEST(equal_to(linspace(array{0.0, 1.0}, array{1.0, 3.0}, 3), array{{0.0, 1.0}, {0.5, 2.0}, {1.0, 3.0}}));
    BOOST_TEST(equal_to(vander(line, 2), array{{1L, 1L}, {2L, 1L}, {3L, 1L}}));
    BOOST_TEST(equal_to(indices({2, 2})(1), array{{0L, 1L}, {0L, 1L}}));
    BOOST_TEST(equal_to(meshgrid({line, array{7, 8}})[1], array{{7, 7, 7}, {8, 8, 8}}));
    BOOST_TEST(ix_({line, line})[1].shape() == (Shape{1, 3}));
    BOOST_TEST(hanning(5)(2).item<double>() == 1.0);
    BOOST_TEST(kaiser(4, 0.0)(1).item<double>() == 1.0);
    BOOST_TEST(std::abs(geomspace(1.0, 100.0, 3)(1).item<double>() - 10.0) < 1e-13);
    BOOST_TEST(std::abs(logspace(0, 2, 3)(2).item<double>() - 100.0) < 1e-12);
    BOOST_TEST(i0(array(0.0)).item<double>() == 1.0);
    BOOST_CHECK_THROW(geomspace(0.0, 1.0), ValueError);
    BOOST_CHECK_THROW(i0(array{std::complex<double>(1, 1)}), TypeError);
}

BOOST_AUTO_TEST_CASE(chosen) {
    const array y{{3.0, 1.0, 2.0}, {6.0, 5.0, 4.0}};
    BOOST_TEST(equal_to(take_along_axis(y, argsort(y)), sort(y)));
    array z = y.copy();
    put_along_axis(z, argmax(y, {.axis = 1, .keepdims = true}), 0.0, 1);
    BOOST_TEST(equal_to(z, array{{0.0, 1.0, 2.0}, {0.0, 5.0, 4.0}}));
    BOOST_TEST(equal_to(select({y > 4.0, y < 2.0}, {y, -1.0}), array{{0.0, -1.0, 0.0}, {6.0, 5.0, 0.0}}));
    BOOST_TEST(equal_to(choose(array{0, 1, 0}, {line, 7}), array{1, 7, 3}));
    BOOST_CHECK_THROW(choose(array{2}, {line, 7}), ValueError);
    BOOST_CHECK_THROW(take_along_axis(y, array{0}), ValueError);
    BOOST_CHECK_THROW(select({}, {}), ValueError);
}

BOOST_AUTO_TEST_CASE(compiled_as_eager) {
    const auto f = compile(
        [](const array& v) { return std::make_pair(pad(tril(v), {{1, 1}}, {.mode = PadMode::symmetric}), append(roll(v, {1}), diagonal_sum(v))); });
    for (const int n : {3, 4, 6}) {
        const array v = reshape(arange(n * n), {n, n});
        const auto [border, sums] = f(v);
        BOOST_TEST(equal_to(border, pad(tril(v), {{1, 1}}, {.mode = PadMode::symmetric})));
        BOOST_TEST(equal_to(sums, append(roll(v, {1}), diagonal_sum(v))));
    }
    BOOST_TEST(f.cache_info().misses <= 2U);
}

BOOST_AUTO_TEST_SUITE_END()
