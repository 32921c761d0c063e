// Functions that write into arrays: functional while recorded, in place when run.
#include <boost/test/unit_test.hpp>
#include <string>

#include "api/expect.h"
#include "device/buffer.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal(const array& x, const array& y) { return x.dtype() == y.dtype() && x.shape() == y.shape() && fastnp::all(fastnp::equal(x, y)).item<bool>(); }

array numbers(std::int64_t rows, std::int64_t columns, Dtype dtype = float64) { return reshape(arange(rows * columns), {rows, columns}).astype(dtype); }

// Runs a function compiled and as written on equal arguments; both leave the same behind.
template <class F>
auto check(F function, const array& x, const std::string& backend = "llvm") {
    const auto compiled = compile(function, {.backend = backend});
    for (int i = 0; i < 3; ++i) {
        array mine = x.copy(), theirs = x.copy();
        function(mine);
        compiled(theirs);
        BOOST_TEST(equal(mine, theirs));
    }
    BOOST_TEST(compiled.cache_info().uncompiled == 0U);
    BOOST_TEST(compiled.cache_info().compiles == 1U);
    return compiled.entries();
}

void five_points(array& a, array& b) {
    b(range(1, -1), range(1, -1)) = 0.2 * (a(range(1, -1), range(1, -1)) + a(range(1, -1), range(0, -2)) + a(range(1, -1), from(2)) +
                                           a(from(2), range(1, -1)) + a(range(0, -2), range(1, -1)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(writes)

BOOST_AUTO_TEST_CASE(through_slices_transposes_flips_and_reshapes) {
    for (const char* backend : {"llvm", "eager"}) {
        check([](array& x) { x(range(1, -1), 2) = 7; }, numbers(4, 5), backend);
        check([](array& x) { x.T()(0) = x(0, 0) * 2; }, numbers(4, 5), backend);
        check([](array& x) { flip(x)(0) += 1; }, numbers(4, 5), backend);
        check([](array& x) { x.reshape({20})(range(3, 9)) = x(0, 1); }, numbers(4, 5), backend);
        check([](array& x) { x(all, newaxis, range(0, 4, 2)) *= 3; }, numbers(4, 5), backend);
    }
}

// Copies that are written to, whose writes become values: results all the same, each of its own.
BOOST_AUTO_TEST_CASE(equal_results_lie_apart) {
    const auto compiled = compile([](array x) {
        array y = x.copy(), z = x.copy();
        y(from(1)) *= 2.0;
        z(from(1)) *= 2.0;
        return std::vector<array>{y, y.copy(), z, y(until(2))};
    });
    std::vector<array> got = compiled(arange(5.0));
    got[0] += 1.0;
    BOOST_TEST(equal(got[1], got[2]));
    BOOST_TEST(equal(got[3], got[0](until(2))));
    got[2] *= 3.0;
    BOOST_TEST(equal(got[1] * 3.0, got[2]));
}

BOOST_AUTO_TEST_CASE(later_reads_see_them_and_earlier_ones_do_not) {
    check(
        [](array& x) {
            const array view = x(1), doubled = x * 2, before = x.copy();
            x += 1;
            x(0) = view + doubled(1) + before(2);
        },
        numbers(4, 5));
}

BOOST_AUTO_TEST_CASE(elements_move_within_an_array) {
    check([](array& x) { x(from(1)) = x(range(0, -1)); }, numbers(6, 3));
    check([](array& x) { x(from(0)) = flip(x, 0); }, numbers(6, 3));
    check([](array& x) { x(range(1, -1)) = 0.5 * (x(range(0, -2)) + x(from(2))); }, numbers(600, 300));
}

BOOST_AUTO_TEST_CASE(arrays_made_inside_are_new_at_each_call) {
    const auto f = compile([](const array& x) {
        array made({1.0, 2.0, 3.0});
        made(0) = sum(x);
        return made;
    });
    const array first = f(ones({3})), second = f(ones({4}));
    BOOST_TEST(equal(first, array({3.0, 2.0, 3.0})));
    BOOST_TEST(equal(second, array({4.0, 2.0, 3.0})));
}

BOOST_AUTO_TEST_CASE(captured_arrays_are_changed_for_all) {
    array total = zeros({3});
    const auto f = compile([total](const array& x) mutable {
        total += x;
        return total * 2;
    });
    for (int i = 1; i < 4; ++i) BOOST_TEST(equal(f(ones({3})), full({3}, 2.0 * i)));
    BOOST_TEST(equal(total, full({3}, 3.0)));
    BOOST_TEST(f.cache_info().compiles == 1U);
}

BOOST_AUTO_TEST_CASE(arguments_that_share_memory_run_as_written) {
    const auto f = compile([](array& x, const array& y) { x += y; });
    array x = arange(6.0), apart = arange(6.0);
    f(x, apart);
    BOOST_TEST(equal(x, arange(6.0) * 2));
    array shared = arange(6.0), expected = arange(6.0);
    array target = shared(from(1)), wanted = expected(from(1));
    f(target, shared(range(0, -1)));
    wanted += expected(range(0, -1));
    BOOST_TEST(equal(shared, expected));
    BOOST_TEST(f.cache_info().uncompiled == 1U);
    f(x, apart);
    BOOST_TEST(f.cache_info().uncompiled == 1U);
    array even = shared(every(2)), odd = shared(Slice{1, {}, 2});
    f(even, odd);  // told apart
    BOOST_TEST(f.cache_info().uncompiled == 1U);
}

BOOST_AUTO_TEST_CASE(arguments_that_may_not_be_written_to) {
    const auto f = compile([](array& x) { x(0) = 1; });
    array x = zeros({3});
    f(x);
    x.set_writable(false);
    BOOST_CHECK_EXCEPTION(f(x), ValueError, [](const ValueError& error) { return expect::words(error) == "assignment destination is read-only"; });
}

BOOST_AUTO_TEST_CASE(a_stencil_is_one_kernel_and_allocates_nothing) {
    array a = numbers(60, 80), b = a.copy();
    const auto step = compile(five_points);
    step(a, b);
    const auto entries = step.entries();
    BOOST_REQUIRE(entries.size() == 1U);
    BOOST_TEST(entries[0].kernels.size() == 1U);
    BOOST_TEST(entries[0].kernels[0].kind == "elementwise");
    const auto before = device::pool_statistics().allocations;
    for (int i = 0; i < 100; ++i) {
        step(a, b);
        step(b, a);
    }
    BOOST_TEST(device::pool_statistics().allocations == before);
    BOOST_TEST(step.cache_info().compiles == 1U);
}

BOOST_AUTO_TEST_CASE(many_steps_in_one_recording_allocate_nothing_and_share_code) {
    const auto run = compile([](array& a, array& b) {
        for (int i = 0; i < 20; ++i) {
            five_points(a, b);
            five_points(b, a);
        }
    });
    array a = numbers(30, 40), b = a.copy();
    run(a, b);
    array c = numbers(30, 40), d = c.copy();
    for (int i = 0; i < 20; ++i) {
        five_points(c, d);
        five_points(d, c);
    }
    BOOST_TEST(equal(a, c));
    BOOST_TEST(equal(b, d));
    const auto before = device::pool_statistics().allocations;
    run(a, b);
    BOOST_TEST(device::pool_statistics().allocations == before);
    BOOST_TEST(run.entries()[0].kernels.size() == 40U);
}

BOOST_AUTO_TEST_CASE(sizes_vary) {
    const auto f = compile([](array& x) { x(from(1)) = x(range(0, -1)) + 1; });
    for (std::int64_t n = 0; n < 40; ++n) {
        array x = arange(n) * 1.0, y = x.copy();
        f(x);
        if (n > 0) y(from(1)) = y(range(0, -1)) + 1;
        BOOST_TEST(equal(x, y));
    }
    BOOST_TEST(f.cache_info().compiles <= 3U);
}

BOOST_AUTO_TEST_CASE(an_error_before_the_first_write_leaves_the_call_to_the_function) {
    const auto f = compile([](array& x, const array& indices) { x += take(x, indices); });
    array x = arange(3.0);
    f(x, array({2, 1, 0}));
    BOOST_TEST(equal(x, array({2.0, 2.0, 2.0})));
    BOOST_CHECK_THROW(f(x, array({2, 1, 3})), IndexError);
    BOOST_TEST(equal(x, array({2.0, 2.0, 2.0})));
}

BOOST_AUTO_TEST_SUITE_END()
