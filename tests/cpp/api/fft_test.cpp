// numpy.fft in C++: values against sums of the definition, round trips, layouts, errors, derivatives and batching. Equality with NumPy to the bit is
// tested from Python (tests/python/test_fft.py).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <string>
#include <thread>

#include "api/expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using Complex = std::complex<double>;

bool near(const array& x, const array& y, double tolerance = 1e-11) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(absolute(x - y) <= tolerance * (1 + absolute(y))).item<bool>();
}

array points(std::int64_t count) { return sin(arange(static_cast<double>(count)) * 1.7) + 0.25; }
array spectrum(std::int64_t count) { return points(count) + Complex(0, 1) * cos(arange(static_cast<double>(count)) * 0.9); }

array by_definition(const array& x, int sign) {
    const std::int64_t n = x.shape(0);
    const array k = arange(static_cast<double>(n));
    const array angles = outer(k, k) * (sign * 2 * M_PI / static_cast<double>(n));
    return matmul(cos(angles) + Complex(0, 1) * sin(angles), x.astype(complex128));
}

template <class F>
std::string message(F call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// The real part of the sum of g t: what derivatives of complex functions are paired by.
double paired(const array& g, const array& t) { return sum(real(g * t)).item<double>(); }

// Reverse mode is the transpose of forward mode, which is the function itself.
template <class F>
void expect_linear(F f, const array& x, const array& t) {
    const auto [value, change] = jvp(f, std::tuple(x), std::tuple(t));
    BOOST_TEST(near(change, f(t)));
    const auto [again, pull] = vjp(f, x);
    const array weights = cos(arange(static_cast<double>(value.size())) * 2.3).reshape(value.shape()).astype(value.dtype());
    const array back = std::get<0>(pull(weights));
    BOOST_TEST(std::abs(paired(back, t) - paired(weights, change)) < 1e-10);
    BOOST_TEST((back.shape() == x.shape()));
    BOOST_TEST((back.dtype() == x.dtype()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fft_functions)

BOOST_AUTO_TEST_CASE(transforms_are_the_sums_of_their_definition) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 12, 13, 31, 64, 97, 211}) {
        const array x = spectrum(n), r = points(n);
        BOOST_TEST(near(fft::fft(x), by_definition(x, -1)));
        BOOST_TEST(near(fft::ifft(x), by_definition(x, 1) / static_cast<double>(n)));
        BOOST_TEST(near(fft::rfft(r), by_definition(r, -1)(range(0, n / 2 + 1))));
        BOOST_TEST(near(fft::irfft(fft::rfft(r), {.n = n}), r));
        BOOST_TEST(near(fft::hfft(fft::ihfft(r), {.n = n}), r));
        BOOST_TEST(near(fft::ifft(fft::fft(x, {.norm = fft::Norm::ortho}), {.norm = fft::Norm::ortho}), x));
        BOOST_TEST(near(fft::fft(x, {.norm = fft::Norm::forward}) * static_cast<double>(n), fft::fft(x)));
    }
}

BOOST_AUTO_TEST_CASE(points_are_cut_and_zeros_put_behind) {
    const array x = points(6);
    BOOST_TEST(near(fft::fft(x, {.n = 4}), fft::fft(x(range(0, 4)))));
    BOOST_TEST(near(fft::fft(x, {.n = 9}), fft::fft(pad(x, {{0, 3}}))));
    BOOST_TEST(near(fft::rfft(x, {.n = 9}), fft::rfft(pad(x, {{0, 3}}))));
    const array y = fft::rfft(x);
    BOOST_TEST(near(fft::irfft(y, {.n = 11}), fft::irfft(pad(y, {{0, 2}}), {.n = 11})));
    BOOST_TEST(near(fft::irfft(y, {.n = 3}), fft::irfft(y(range(0, 2)), {.n = 3})));
}

BOOST_AUTO_TEST_CASE(several_axes) {
    const array x = points(24).reshape({2, 3, 4}), z = spectrum(24).reshape({2, 3, 4});
    BOOST_TEST(near(fft::fftn(z), fft::fft(fft::fft(fft::fft(z, {.axis = 2}), {.axis = 1}), {.axis = 0})));
    BOOST_TEST(near(fft::fft2(z), fft::fftn(z, {.axes = {1, 2}})));
    BOOST_TEST(near(fft::ifftn(fft::fftn(z)), z));
    BOOST_TEST(near(fft::ifft2(fft::fft2(z)), z));
    BOOST_TEST(near(fft::irfftn(fft::rfftn(x)), x));
    BOOST_TEST(near(fft::irfft2(fft::rfft2(x)), x));
    BOOST_TEST((fft::rfftn(x, {.s = Shape{5, -1}, .axes = {0, 2}}).shape() == Shape{5, 3, 3}));
    BOOST_TEST((fft::fftn(x, {.axes = {0, 0}}).shape() == Shape{2, 3, 4}));
    BOOST_TEST((fft::fft(x, {.n = 7, .axis = 1}).shape() == Shape{2, 7, 4}));
}

BOOST_AUTO_TEST_CASE(results_lie_as_their_operands_and_many_lines_are_shared_among_threads) {
    const array x = spectrum(64 * 50 * 4).reshape({64, 50, 4});
    const array turned = transpose(x, Shape{2, 0, 1});
    for (const int axis : {0, 1, 2}) {
        const array found = fft::fft(turned, {.axis = axis});
        BOOST_TEST((found.strides() == turned.strides()));
        BOOST_TEST(near(found, fft::fft(turned.copy(), {.axis = axis})));
    }
    BOOST_TEST(near(fft::ifft(fft::fft(turned(all, every(-1)))), turned(all, every(-1))));
    BOOST_TEST((fft::fft(zeros({0, 4})).shape() == Shape{0, 4}));
    BOOST_TEST((fft::rfft(zeros({3, 0, 4})).shape() == Shape{3, 0, 3}));
    const array wanted = fft::fft(x);
    std::vector<std::thread> threads;
    std::vector<array> found(4);
    for (std::size_t i = 0; i < found.size(); ++i) threads.emplace_back([&, i] { found[i] = fft::fft(x); });
    for (std::thread& each : threads) each.join();
    for (const array& each : found) BOOST_TEST(near(each, wanted, 0));
}

BOOST_AUTO_TEST_CASE(dtypes_and_errors) {
    BOOST_TEST((fft::fft(ones({4}, float32)).dtype() == complex64));
    BOOST_TEST((fft::fft(ones({4}, float16)).dtype() == complex64));
    BOOST_TEST((fft::rfft(ones({4}, int32)).dtype() == complex128));
    BOOST_TEST((fft::irfft(ones({4}, complex64)).dtype() == float32));
    BOOST_TEST((fft::irfft(ones({4}, float16)).dtype() == float16));
    BOOST_TEST(message([] { fft::fft(zeros({0})); }) == "Invalid number of FFT data points (0) specified.");
    BOOST_TEST(message([] { fft::irfft(zeros({1})); }) == "Invalid number of FFT data points (0) specified.");
    BOOST_TEST(message([] { fft::rfft(zeros({3}), {.n = -1}); }) == "Invalid number of FFT data points (-1) specified.");
    BOOST_TEST(message([] { fft::fft(zeros({3}), {.axis = 1}); }) == "axis 1 is out of bounds for array of dimension 1");
    BOOST_TEST(message([] { fft::fftn(zeros({3, 3}), {.s = Shape{2}, .axes = {0, 1}}); }) == "Shape and axes have different lengths.");
    BOOST_TEST(message([] { fft::rfftn(zeros({3, 3}), {.axes = std::initializer_list<std::int64_t>{}}); }) == "list index out of range");
    BOOST_TEST(message([] { fft::rfft(zeros({4}, complex128)); }) ==
               "ufunc 'rfft_n_even' not supported for the input types, and the inputs could not be safely coerced to any supported types according to the "
               "casting rule ''safe''");
    BOOST_CHECK_THROW(fft::fftfreq(0), ZeroDivisionError);
}

BOOST_AUTO_TEST_CASE(frequencies_and_shifts) {
    BOOST_TEST(near(fft::fftfreq(4, 0.5), array({0.0, 0.5, -1.0, -0.5}), 0));
    BOOST_TEST(near(fft::fftfreq(5), array({0.0, 0.2, 0.4, -0.4, -0.2}), 1e-16));
    BOOST_TEST(near(fft::rfftfreq(5, 0.1), array({0.0, 2.0, 4.0}), 1e-16));
    const array x = arange(15.0).reshape({3, 5});
    BOOST_TEST(near(fft::fftshift(arange(5.0)), array({3.0, 4.0, 0.0, 1.0, 2.0}), 0));
    BOOST_TEST(near(fft::ifftshift(fft::fftshift(x)), x, 0));
    BOOST_TEST(near(fft::ifftshift(fft::fftshift(x, 1), 1), x, 0));
}

BOOST_AUTO_TEST_CASE(compiled_for_all_sizes_at_once) {
    const auto f = [](const array& x) { return fft::irfft(fft::rfft(x) * exp(-fft::rfftfreq(x.shape(-1))), {.n = x.shape(-1)}); };
    auto compiled = compile(f);
    for (const std::int64_t n : {8, 9, 16, 5}) BOOST_TEST(near(compiled(points(n)), f(points(n)), 0));
    auto plain = compile([](const array& x) { return fft::fft(x) + 1; });
    for (const std::int64_t n : {8, 9, 16, 5}) BOOST_TEST(near(plain(points(n)), fft::fft(points(n)) + 1, 0));
    BOOST_TEST(plain.cache_info().compiles == 2U);  // for the first size, and for all
}

BOOST_AUTO_TEST_CASE(derivatives_are_the_transposes) {
    for (const std::int64_t n : {1, 2, 3, 4, 7, 8}) {
        for (const std::int64_t wanted : {n, n + 3, std::max<std::int64_t>(n - 2, 1)}) {
            for (const auto norm : {fft::Norm::backward, fft::Norm::ortho}) {
                const fft::Options options{.n = wanted, .norm = norm};
                expect_linear([&](array x) { return fft::fft(x, options); }, spectrum(n), spectrum(n) * Complex(0.5, 1));
                expect_linear([&](array x) { return fft::ifft(x, options); }, points(n), cos(points(n)));
                expect_linear([&](array x) { return fft::rfft(x, options); }, points(n), cos(points(n)));
                expect_linear([&](array x) { return fft::irfft(x, options); }, spectrum(n), spectrum(n) * Complex(0.5, 1));
                expect_linear([&](array x) { return fft::hfft(x, options); }, spectrum(n), spectrum(n) * Complex(0.5, 1));
            }
        }
    }
    expect_linear([](array x) { return fft::irfft2(fft::rfft2(x) * 2.0); }, points(12).reshape({3, 4}), cos(points(12)).reshape({3, 4}));
    expect_linear([](array x) { return fft::fftshift(x); }, points(12).reshape({3, 4}), cos(points(12)).reshape({3, 4}));
}

BOOST_AUTO_TEST_CASE(parts_are_lines_of_a_stack) {
    const array x = points(12).reshape({3, 4});
    BOOST_TEST(near(vmap([](array row) { return fft::fft(row); })(x), fft::fft(x), 0));
    BOOST_TEST(near(vmap([](array row) { return fft::rfft(row, {.n = 7}); }, {.in_axes = {1}})(x), fft::rfft(transpose(x), {.n = 7}), 0));
    const auto power = [](array row) { return sum(square(absolute(fft::rfft(row)))); };
    BOOST_TEST(near(vmap(grad(power))(x)(1), grad(power)(x(1))));
}

BOOST_AUTO_TEST_SUITE_END()
