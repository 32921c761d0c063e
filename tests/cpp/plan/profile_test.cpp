// Times of a plan's steps, in calls that are measured. On the simulated device a millisecond is a piece of work.
#include <boost/test/unit_test.hpp>
#include <thread>

#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

array program(const array& x) {
    const array y = matmul(x, x);
    return loop(5, [&](array s) { return tanh(matmul(s, x)) + sum(y); }, y * 2);
}

template <class F>
std::vector<KernelInfo> kernels_of(const F& compiled) {
    const std::vector<EntryInfo> entries = compiled.entries();
    BOOST_REQUIRE(entries.size() == 1U);
    return entries[0].kernels;
}

bool is_measured(const KernelInfo& kernel) { return kernel.milliseconds >= 0; }

array matrix() { return sin(arange(64.0)).reshape({8, 8}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(profiles)

BOOST_AUTO_TEST_CASE(steps_on_a_device_have_times_if_asked_for) {
    const simulated::AtTheDoor here;
    const array x = matrix().to("cuda");
    const auto compiled = compile(&program);
    const array want = compiled(x);
    for (const KernelInfo& kernel : kernels_of(compiled)) BOOST_TEST(!is_measured(kernel));
    {
        const profile_scope scope;
        BOOST_TEST(all(equal(compiled(x).to("cpu"), want.to("cpu"))).item<bool>());
        std::thread([&] { (void)compile([](const array& a) { return a + 1; })(x); }).join();
    }
    const std::vector<KernelInfo> measured = kernels_of(compiled);
    std::size_t loops = 0, in_body = 0;
    double outside = 0;
    for (const KernelInfo& kernel : measured) {
        BOOST_TEST(is_measured(kernel));
        BOOST_TEST(kernel.milliseconds >= 1.0);
        if (kernel.name == "loop") {
            loops += 1;
            outside = kernel.milliseconds;
            BOOST_TEST(kernel.count == 1U);
        } else if (loops == 1 && kernel.count == 5) {
            ++in_body;
            BOOST_TEST(kernel.milliseconds >= 5.0);
            BOOST_TEST(kernel.milliseconds <= outside);
        }
    }
    BOOST_TEST(loops == 1U);
    BOOST_TEST(in_body >= 2U);  // the product and what is done to it
    (void)compiled(x);  // leaves them
    BOOST_TEST(kernels_of(compiled)[0].milliseconds == measured[0].milliseconds);
}

BOOST_AUTO_TEST_CASE(steps_on_the_host_have_times_if_asked_for) {
    const auto compiled = compile(&program);
    (void)compiled(matrix());
    BOOST_TEST(!is_measured(kernels_of(compiled)[0]));
    const profile_scope scope;
    (void)compiled(matrix());
    std::size_t loops = 0;
    for (const KernelInfo& kernel : kernels_of(compiled)) {
        BOOST_TEST((is_measured(kernel) == (loops == 0 || kernel.count != 0)));  // the body's come after the loop, and are not measured
        loops += kernel.name == "loop" ? 1 : 0;
    }
    BOOST_TEST(loops == 1U);
}

BOOST_AUTO_TEST_CASE(long_loops_and_scopes_within_scopes) {
    const simulated::AtTheDoor here;
    const auto compiled = compile([](const array& x) { return loop(2000, [](array s) { return s * 0.5 + 1; }, x); });
    const array x = matrix().to("cuda");
    const profile_scope outer;
    {
        const profile_scope inner;
    }
    (void)compiled(x);
    const std::vector<KernelInfo> kernels = kernels_of(compiled);
    BOOST_TEST(kernels.back().count == 2000U);
    BOOST_TEST(kernels.back().milliseconds >= 2000.0);
}

BOOST_AUTO_TEST_SUITE_END()
