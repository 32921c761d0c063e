// Loops on a device stay there: nothing is copied to the host, and results are the host's. (With FASTNP_TEST_DEVICE all tests of loops are.)
#include <boost/test/unit_test.hpp>
#include <functional>

#include "device/registry.h"
#include "fastnp/fastnp.h"
#include "simulated/backend.h"

using namespace fastnp;

namespace {

using Function = std::function<array(array, array)>;

struct Copies {
    DeviceStatistics before = device_statistics("cuda");
    std::uint64_t count() const {
        const DeviceStatistics now = device_statistics("cuda");
        return now.uploads - before.uploads + now.downloads - before.downloads;
    }
};

std::vector<std::string> kinds_of_loops(const std::vector<EntryInfo>& entries) {
    std::vector<std::string> kinds;
    for (const EntryInfo& entry : entries) {
        BOOST_TEST(entry.uncompiled == "");
        for (const KernelInfo& kernel : entry.kernels) {
            if (kernel.name == "loop") kinds.push_back(kernel.kind);
        }
    }
    return kinds;
}

void check_near(const array& got, const array& want) {
    BOOST_TEST((got.dtype() == want.dtype()));
    BOOST_REQUIRE((got.shape() == want.shape()));
    BOOST_TEST(fastnp::all(absolute(got.to("cpu") - want) <= 1e-11 * (1 + absolute(want))).item<bool>());
}

// The same as on the host, and no copies from the second call on (the first uploads what the recording has).
void check(const Function& f, const array& x, const array& y) {
    const array want = compile(f)(x, y);
    const array there = x.to("cuda"), also = y.to("cuda");
    const auto compiled = compile(f);
    check_near(compiled(there, also), want);
    const Copies copies;
    const array got = compiled(there, also);
    BOOST_TEST(copies.count() == 0U);
    BOOST_TEST(got.device() == "cuda:0");
    check_near(got, want);
    check_near(there, x);
    for (const std::string& kind : kinds_of_loops(compiled.entries())) BOOST_TEST(kind == "loop");
}

array rows() { return sin(arange(24.0)).reshape({8, 3}); }
array weights() { return array({{0.5, -0.3, 0.1}, {0.2, 0.8, -0.4}, {-0.6, 0.1, 0.7}}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(device_turns)

BOOST_AUTO_TEST_CASE(bodies_of_kernels) {
    const simulated::AtTheDoor here;
    for (const int count : {0, 1, 2, 7}) {
        check([=](array x, array w) { return loop(count, [&](array turn, array s) { return tanh(s) * w(0) + turn + sum(s); }, x); }, rows(), weights());
        const auto swapped = [=](array x, array w) {
            const auto [a, b, c] = loop(count, [](array p, array q, array r) { return std::tuple(q, p + r(0), r); }, x, x * 2, w);
            return a - b + sum(c);
        };
        check(swapped, rows(), weights());
    }
    check([](array x, array w) { return loop(3, [&](array s) { return s * sum(w); }, x.T()); }, rows(), weights());
    check([](array x, array w) { return loop(3, [&](array s) { return s + sum(w); }, x(range(0, 0))); }, rows(), weights());
}

BOOST_AUTO_TEST_CASE(bodies_with_products_transforms_and_moves) {
    const simulated::AtTheDoor here;
    check([](array x, array w) { return loop(5, [&](array s) { return tanh(matmul(s, w)); }, x); }, rows(), matmul(weights(), weights()));
    check([](array x, array w) { return loop(3, [&](array s) { return real(fft::ifft(fft::fft(s) * 0.5)) + w(0); }, x); }, rows(), weights());
    check([](array x, array w) { return loop(3, [&](array s) { return concatenate({s(range(4, 8)), s(range(0, 4)) * w(0)}, 0); }, x); }, rows(),
          weights());
}

BOOST_AUTO_TEST_CASE(writes_scans_and_loops_inside) {
    const simulated::AtTheDoor here;
    const auto writes = [](array x, array w) {
        return loop(
            4,
            [&](array s) {
                s(range(1, 5)) += s(range(0, 4)) * 2.0;
                s(7) = w(0);
                return s;
            },
            x);
    };
    check(writes, rows(), weights());
    for (const bool backward : {false, true}) {
        const auto scanned = [=](array x, array w) {
            const auto turn = [&](array s, array part) {
                const array next = tanh(matmul(w, s) + part);
                return std::pair(next, loop(2, [&](array t) { return t * next + part; }, next));
            };
            const auto [last, given] = scan(turn, x(0), x, {.backward = backward});
            return given * 2.0 + sum(last);
        };
        check(scanned, rows(), weights());
    }
}

BOOST_AUTO_TEST_CASE(derivatives_save_states_there) {
    const simulated::AtTheDoor here;
    for (const std::int64_t every : {0, 1, 3}) {
        const auto loss = [=](array x, array w) {
            return sum(loop(LoopOptions{.save_every = every}, 7, [&](array turn, array s) { return tanh(matmul(s, w)) + 0.1 * s * turn; }, x));
        };
        check(grad(loss), rows(), weights());
        check(grad<1>(loss), rows(), weights());
        const auto passes_on = [=](array x, array w) {
            const auto turn = [&](array a, array b) { return std::tuple(tanh(b) * w(0), a); };
            const auto [end, before] = loop(LoopOptions{.save_every = every}, 6, turn, x, cos(x));
            return sum(end * before) + sum(before);
        };
        check(grad(passes_on), rows(), weights());
        check(grad<1>(passes_on), rows(), weights());
        const auto with_ends = [=](array x, array w) {
            const auto [value, gradient] = value_and_grad([&](array a) {
                const auto turn = [&](array s) { return sin(s) * w(0) + 0.5; };
                return sum(loop(LoopOptions{.save_every = every}, 5, turn, a));
            })(x);
            return gradient * value;
        };
        check(with_ends, rows(), weights());
        // Places of saved states that begin anywhere.
        const auto odd = [=](array x, array w) {
            return sum(loop(LoopOptions{.save_every = every}, 4, [&](array s) { return sin(s) * 0.5F + s * w; }, x));
        };
        check(grad(odd), sin(arange(1001.0F)), cos(arange(1001.0F)));
    }
}

BOOST_AUTO_TEST_CASE(sizes_and_counts_that_values_give) {
    const simulated::AtTheDoor here;
    const auto counted = [](array x, array n) { return loop(n, [](array s) { return s * 2 + 1; }, x); };
    const auto compiled = compile(counted);
    for (const int n : {0, 1, 5, 30}) check_near(compiled(rows().to("cuda"), array(n).to("cuda")), counted(rows(), array(n)));
    BOOST_TEST(compiled.cache_info().compiles == 1U);
    const auto chosen = [](array x, array w) {
        const array some = get_masked(x, x > 0);
        return loop(3, [&](array s) { return cos(s) * sum(w) + cumsum(s * 0 + 1); }, some);
    };
    const array want = chosen(rows(), weights());
    check_near(compile(chosen)(rows(), weights()), want);
    check_near(compile(chosen)(rows().to("cuda"), weights().to("cuda")), want);
}

BOOST_AUTO_TEST_CASE(what_a_device_has_no_form_for_is_done_by_the_host) {
    const simulated::AtTheDoor here;
    // Without libraries, that is.
    auto& device = dynamic_cast<simulated::Backend&>(device::cuda(0));
    device.set_libraries(false);
    const std::shared_ptr<void> again(&device, [](void* each) { static_cast<simulated::Backend*>(each)->set_libraries(true); });
    const Function sorted = [](array x, array w) {
        const auto turn = [&](array s) { return loop(2, [&](array t) { return t * 0.5; }, s + 0.01 * absolute(linalg::eigvals(w + matmul(s.T(), s)))); };
        return loop(3, turn, x) + loop(2, [](array s) { return s + 1; }, x);
    };
    const auto compiled = compile(sorted);
    check_near(compiled(rows().to("cuda"), weights().to("cuda")), sorted(rows(), weights()));
    std::size_t on_host = 0;
    const std::vector<std::string> kinds = kinds_of_loops(compiled.entries());
    for (const std::string& kind : kinds) on_host += kind.starts_with("by the host") ? 1 : 0;
    BOOST_TEST(kinds.size() == 3U);
    BOOST_TEST(on_host == 1U);  // the loop inside of it is the host's, as the body is
}

BOOST_AUTO_TEST_CASE(errors_in_a_turn_are_raised) {
    const simulated::AtTheDoor here;
    const auto out_of_bounds = [](array a, array i) { return loop(3, [&](array turn, array s) { return s + take(a, turn + i, 0); }, a); };
    const array x = arange(3.0).to("cuda");
    BOOST_CHECK_THROW(compile(out_of_bounds)(x, array(1).to("cuda")), IndexError);
    check_near(compile(out_of_bounds)(x, array(0).to("cuda")), arange(3.0) + 3.0);
}

BOOST_AUTO_TEST_SUITE_END()
