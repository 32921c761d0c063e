// Numbers at the ends of their types, as subscripts, axes, counts and shifts: NumPy's result, or its error; nothing overflows on the way (UBSan).
#include <boost/test/unit_test.hpp>
#include <climits>
#include <cstdint>
#include <random>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

constexpr std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
const std::vector<std::int64_t> far = {lowest,      lowest + 1, -(std::int64_t{1} << 62) - 1, -(std::int64_t{1} << 62), -(std::int64_t{1} << 61),
                                       INT32_MIN,   INT32_MAX,  std::int64_t{1} << 61,        std::int64_t{1} << 62,    (std::int64_t{1} << 62) + 1,
                                       highest - 1, highest};

// The elements of a slice, as Python's slice.indices has it, in 128 bits.
std::vector<std::int64_t> expected(std::int64_t size, const Slice& slice) {
    using Wide = __int128;
    const auto bound = [&](std::optional<std::int64_t> given, Wide usual) -> Wide {
        if (!given) return usual;
        const Wide low = slice.step > 0 ? 0 : -1, high = slice.step > 0 ? size : size - 1;
        const Wide at = *given < 0 ? Wide{*given} + size : Wide{*given};
        return at < low ? low : at > high ? high : at;
    };
    const Wide start = bound(slice.start, slice.step > 0 ? 0 : size - 1), stop = bound(slice.stop, slice.step > 0 ? size : -1);
    std::vector<std::int64_t> found;
    for (Wide at = start; slice.step > 0 ? at < stop : at > stop; at += slice.step) found.push_back(static_cast<std::int64_t>(at));
    return found;
}

std::vector<std::int64_t> elements(const array& x) {
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < x.size(); ++i) found.push_back(x(i).item<std::int64_t>());
    return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(extremes)

BOOST_AUTO_TEST_CASE(integers_that_are_out_of_any_bounds) {
    const array x = arange(4.0);
    const auto compiled = compile([](const array& y, std::int64_t at) { return y.index({Index(at)}); });
    for (const std::int64_t at : far) {
        BOOST_CHECK_THROW(x.index({Index(at)}), IndexError);
        BOOST_CHECK_THROW(x(at), IndexError);
        BOOST_CHECK_THROW(compiled(x, at), IndexError);
        BOOST_CHECK_THROW(take(x, array({at})), IndexError);
        BOOST_CHECK_THROW(pick(reshape(x, {2, 2}), {array({at}), array({std::int64_t{0}})}), IndexError);
        BOOST_TEST(take(x, array({at}), 0, TakeMode::clip)(0).item<double>() == (at < 0 ? 0 : 3));
        BOOST_TEST(take(x, array({at}), 0, TakeMode::wrap)(0).item<double>() == static_cast<double>(((at % 4) + 4) % 4));
    }
    BOOST_CHECK_THROW(x(UINT64_MAX), IndexError);
    BOOST_CHECK_THROW(x(std::uint64_t{1} << 63), IndexError);
}

BOOST_AUTO_TEST_CASE(slices_with_any_numbers) {
    const std::uint64_t seed = test_seed();
    std::mt19937 draw(seed);
    const auto number = [&]() -> std::int64_t { return draw() % 3 == 0 ? far[draw() % far.size()] : static_cast<std::int64_t>(draw() % 13) - 6; };
    const auto maybe = [&]() -> std::optional<std::int64_t> { return draw() % 4 == 0 ? std::nullopt : std::optional(number()); };
    for (int round = 0; round < 400; ++round) {
        const std::int64_t size = static_cast<std::int64_t>(draw() % 6);
        Slice slice{maybe(), maybe(), number()};
        if (slice.step == 0) slice.step = lowest;
        const array x = arange(size);
        const auto want = expected(size, slice);
        const auto text = "seed " + std::to_string(seed) + ": size " + std::to_string(size) + ", " + (slice.start ? std::to_string(*slice.start) : "") +
                          ":" + (slice.stop ? std::to_string(*slice.stop) : "") + ":" + std::to_string(slice.step);
        BOOST_TEST((elements(x.index({Index(slice)})) == want), text);
        if (round % 8 == 0) {
            const auto compiled = compile([slice](const array& y) { return array(y.index({Index(slice)}) + std::int64_t{0}); });
            BOOST_TEST((elements(compiled(x)) == want), "compiled, " << text);
        }
    }
}

BOOST_AUTO_TEST_CASE(axes_and_shifts) {
    const array x = reshape(arange(6.0), {2, 3});
    for (const int axis : {INT_MIN, INT_MIN + 1, INT_MAX}) {
        BOOST_CHECK_THROW(sum(x, {.axis = axis}), AxisError);
        BOOST_CHECK_THROW(flip(x, axis), AxisError);
        BOOST_CHECK_THROW(concatenate({x, x}, axis), AxisError);
        BOOST_CHECK_THROW(stack({x, x}, axis), AxisError);
        BOOST_CHECK_THROW(expand_dims(x, axis), AxisError);
        BOOST_CHECK_THROW(swapaxes(x, 0, axis), AxisError);
        BOOST_CHECK_THROW(moveaxis(x, axis, 0), AxisError);
        BOOST_CHECK_THROW(cumsum(x, {.axis = axis}), AxisError);
        BOOST_CHECK_THROW(sort(x, axis), AxisError);
        BOOST_CHECK_THROW(take(x, 0, axis), AxisError);
        BOOST_CHECK_THROW(diff(x, 1, axis), AxisError);
        BOOST_CHECK_THROW(transpose(x, Shape{0, axis}), AxisError);
        BOOST_CHECK_THROW(x.shape(axis), AxisError);
        BOOST_CHECK_THROW(fft::fft(x, {.axis = axis}), AxisError);
        BOOST_TEST(sum(absolute(eye(3, 3, axis))).item<double>() == 0.0);
    }
    BOOST_CHECK_THROW(diff(x, INT_MIN), ValueError);
    BOOST_TEST((tensordot(x, x, INT_MIN).shape() == Shape{2, 3, 2, 3}));  // NumPy sums over none
    BOOST_CHECK_THROW(tensordot(x, x, INT_MAX), Error);
    for (const std::int64_t width : {lowest, highest, std::int64_t{1} << 62}) {
        BOOST_CHECK_THROW(pad(x, {{width, 0}, {0, 0}}), Error);
        BOOST_CHECK_THROW(pad(x, {{0, 0}, {highest, width}}), Error);
        BOOST_CHECK_THROW(zeros({width}), Error);
        if (width > 0) BOOST_CHECK_THROW(x.reshape({width, 2}), Error);  // a negative one is open, as in NumPy
        BOOST_CHECK_THROW(eye(width), Error);
        BOOST_CHECK_THROW(broadcast_to(x, {width, 2, 3}), Error);
        BOOST_CHECK_THROW(linspace(0, 1, width), Error);
        BOOST_CHECK_THROW(fft::fftfreq(width), Error);
    }
    for (const int decimals : {INT_MIN, INT_MAX}) BOOST_CHECK_NO_THROW(round(x, decimals));
    BOOST_TEST(linalg::matrix_power(eye(2), lowest)(0, 0).item<double>() == 1.0);
    BOOST_CHECK_THROW(linalg::tensorinv(ones({2, 2}), INT_MIN), Error);
}

BOOST_AUTO_TEST_SUITE_END()
