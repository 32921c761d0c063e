// Operations outside of compiled functions on a device: nothing is copied, and results are the host's.
#include <boost/test/unit_test.hpp>

#include "fastnp/detail/memory.h"
#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

struct Copies {
    DeviceStatistics before = device_statistics("cuda");
    std::uint64_t uploads() const { return device_statistics("cuda").uploads - before.uploads; }
    std::uint64_t downloads() const { return device_statistics("cuda").downloads - before.downloads; }
    std::uint64_t launches() const { return device_statistics("cuda").launches - before.launches; }
};

void check_equal(const array& got, const array& want) {
    BOOST_TEST((got.dtype() == want.dtype()));
    BOOST_REQUIRE((got.shape() == want.shape()));
    BOOST_TEST(all(equal(got.to("cpu"), want)).item<bool>());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_eager)

BOOST_AUTO_TEST_CASE(a_chain_is_done_where_its_arrays_are) {
    const simulated::AtTheDoor here;
    const array x = arange(24.0).reshape({4, 6});
    const array there = x.to("cuda");
    const auto program = [](const array& a) {
        array b = a * 2 + 1;
        b += a.T().reshape({4, 6});
        b(range(1, 3)) = b(0);
        return where(b > 20, b, sum(b, {.axis = 0}) / 4.0);
    };
    const array want = program(x);
    const Copies copies;
    const array got = program(there);
    BOOST_TEST(got.device() == "cuda:0");
    BOOST_TEST(detail::is_at_device(got));
    BOOST_TEST(!detail::is_at_device(want));
    BOOST_TEST(copies.uploads() == 0U);
    BOOST_TEST(copies.downloads() == 0U);
    BOOST_TEST(copies.launches() >= 6U);
    check_equal(got, want);
}

BOOST_AUTO_TEST_CASE(scopes_make_arrays_there) {
    const simulated::AtTheDoor here;
    const Copies copies;
    const array there = [] {
        const device_scope scope("cuda");
        return zeros({3, 4}) + arange(4) * 2 + eye(3, 4);
    }();
    BOOST_TEST(copies.uploads() == 0U);
    BOOST_TEST(there.device() == "cuda:0");
    check_equal(there, zeros({3, 4}) + arange(4) * 2 + eye(3, 4));
}

BOOST_AUTO_TEST_CASE(what_overlaps_is_written_as_if_it_were_read_before) {
    const simulated::AtTheDoor here;
    for (const bool there : {false, true}) {
        array x = there ? arange(10).to("cuda") : arange(10);
        array later = x(from(1)), earlier = x(until(-1));
        later += earlier;
        x(every(-1)) = x;
        UfuncOptions options;
        options.out = x(from(2));
        options.where = x(from(2)) > 5;
        add(x(until(-2)), 100, options);
        BOOST_TEST(x.device() == (there ? "cuda:0" : "cpu"));
        check_equal(x, array({17, 15, 117, 115, 113, 111, 5, 3, 1, 0}).astype(Dtype::int64));
    }
}

BOOST_AUTO_TEST_CASE(results_are_read_when_they_are_used) {
    const simulated::AtTheDoor here;
    const array x = arange(100.0).to("cuda");
    const Copies copies;
    const array total = sum(x), doubled = total * 2;
    BOOST_TEST(copies.downloads() == 0U);
    BOOST_TEST(doubled.item<double>() == 9900.0);
    BOOST_TEST(static_cast<bool>(total > 4000));
    BOOST_TEST(!static_cast<bool>(sum(x * 0)));
    BOOST_TEST(copies.downloads() == 3U);
    BOOST_TEST(copies.uploads() == 0U);
}

BOOST_AUTO_TEST_CASE(the_host_does_what_devices_have_no_code_for) {
    const simulated::AtTheDoor here;
    const array x = array({3.0, 1.0, 2.0}).to("cuda");
    const array sorted = sort(x);
    BOOST_TEST(sorted.device() == "cuda:0");
    BOOST_TEST(x.device() == "cuda:0");
    check_equal(sorted + 1, array({2.0, 3.0, 4.0}));
    BOOST_CHECK_THROW(power(array({1, 2}).to("cuda"), array({-1, -1})), ValueError);
    BOOST_CHECK_THROW(x + array({1.0, 2.0}), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
