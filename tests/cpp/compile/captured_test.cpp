// What a compiled C++ function holds by value, reads through references, and stores outside of itself.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

namespace {

double first(const array& x) { return ravel(x)(0).item<double>(); }

// A filter as users write it: its method keeps state between calls.
class Filter {
public:
    explicit Filter(double k) : k_(k), state_(zeros({3})) {}
    array step(const array& x) {
        state_ = k_ * state_ + x;
        return state_;
    }
    const array& state() const { return state_; }

private:
    double k_;
    array state_;
};

struct Counter {
    int n = 0;
    double scale = 1.0;
    array step(array x) {
        ++n;
        return x * n;
    }
    array scaled(array x) const { return x * scale; }
};

struct Model {
    array weight;
    double rate;
    std::string name;
};

bool says(const Error& error, const char* text) { return std::string(error.what()).find(text) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(captured)

BOOST_AUTO_TEST_CASE(a_mutable_lambda_counts) {
    int n = 0;
    const auto plain = [n](array a) mutable {
        ++n;
        return a + n;
    };
    const auto f = compile(plain);
    auto written = plain;
    for (int call = 0; call < 30; ++call) BOOST_TEST(first(f(ones({1}))) == first(written(ones({1}))), "call " << call);
}

BOOST_AUTO_TEST_CASE(states_that_come_again_are_served_and_go_on) {
    const auto f = compile([n = 0](array a) mutable {
        n = (n + 1) % 3;
        return a * n;
    });
    for (int call = 0; call < 20; ++call) BOOST_TEST(first(f(ones({1}))) == (call + 1) % 3);
    BOOST_TEST(f.cache_info().compiles == 3U);
    BOOST_TEST(f.cache_info().hits == 17U);
}

BOOST_AUTO_TEST_CASE(a_recording_that_breaks_counts_once) {
    const auto f = compile([n = 0](array a) mutable {
        ++n;
        (void)to_string(a);  // which can't be recorded
        return a * n;
    });
    for (int call = 0; call < 5; ++call) BOOST_TEST(first(f(ones({1}))) == call + 1);
    BOOST_TEST(f.cache_info().uncompiled == 5U);
}

BOOST_AUTO_TEST_CASE(lambdas_that_hold_arrays_or_move_alone_count_too) {
    const auto by_array = compile([state = zeros({2})](const array& x) mutable {
        state = state * 0.5 + x;
        return state;
    });
    const auto by_vector = compile([seen = std::vector<double>()](const array& x) mutable {
        seen.push_back(1.0);
        return x * static_cast<double>(seen.size());
    });
    double state = 0;
    for (int call = 0; call < 6; ++call) {
        state = state * 0.5 + 1;
        BOOST_TEST(first(by_array(ones({2}))) == state);
        BOOST_TEST(first(by_vector(ones({2}))) == call + 1);
    }
    const auto entries = by_array.entries();
    BOOST_TEST(std::any_of(entries.begin(), entries.end(),
                           [](const EntryInfo& each) { return each.uncompiled.find("changes what it holds") != std::string::npos; }));
}

BOOST_AUTO_TEST_CASE(member_functions_see_their_object_change) {
    Counter counter, plain;
    const auto step = compile(&Counter::step, counter);
    const auto scaled = compile(&Counter::scaled, counter);
    for (int call = 0; call < 5; ++call) {
        BOOST_TEST(first(step(ones({2}))) == first(plain.step(ones({2}))));
        BOOST_TEST(counter.n == plain.n);
        counter.scale = call;
        BOOST_TEST(first(scaled(ones({2}))) == call);
    }
    counter.n = 100;
    BOOST_TEST(first(step(ones({2}))) == 101);
}

BOOST_AUTO_TEST_CASE(a_compiled_function_that_counts_within_another_one) {
    const auto inner = compile([n = 0](array a) mutable { return a * ++n; });
    const auto outer = compile([&inner](array a) { return inner(a) + 1.0; });
    for (int call = 0; call < 4; ++call) BOOST_TEST(first(outer(ones({1}))) == call + 2);
}

BOOST_AUTO_TEST_CASE(references_are_guards_and_inputs) {
    double rate = 1.0;
    array weight = ones({3});
    const auto f = compile([r = ref(rate), w = ref(weight)](const array& x) { return x * r + w; });
    const array x = ones({3});
    BOOST_TEST(first(f(x)) == 2.0);
    rate = 10.0;
    BOOST_TEST(first(f(x)) == 11.0);
    weight = zeros({3});
    BOOST_TEST(first(f(x)) == 10.0);
    weight += 5.0;
    BOOST_TEST(first(f(x)) == 15.0);
    const auto compiles = f.cache_info().compiles;
    weight = full({3}, 7.0);
    BOOST_TEST(first(f(x)) == 17.0);
    BOOST_TEST(f.cache_info().compiles == compiles);
    BOOST_TEST(f.cache_info().uncompiled == 0U);
    weight = ones({3}, float32);  // of another kind
    BOOST_TEST(first(f(x)) == 11.0);
}

BOOST_AUTO_TEST_CASE(references_to_structures) {
    Model model{ones({2}), 2.0, "first"};
    const auto f = compile([m = ref(model)](const array& x) {
        const Model now = m;
        return now.name == "first" ? x * now.weight * now.rate : x - now.weight;
    });
    const auto want = [&] { return model.name == "first" ? first(model.weight) * 3.0 * model.rate : 3.0 - first(model.weight); };
    const array x = full({2}, 3.0);
    for (int call = 0; call < 3; ++call) {
        BOOST_TEST(first(f(x)) == want());
        model.weight = full({2}, 4.0 + call);
        BOOST_TEST(first(f(x)) == want());
        model.rate += 1.0;
        BOOST_TEST(first(f(x)) == want());
        model.name = call == 0 ? "second" : "first";
    }
}

BOOST_AUTO_TEST_CASE(references_are_set_when_the_call_is_done) {
    array state = zeros({3});
    int steps = 0;
    const auto f = compile([s = ref(state), n = ref(steps)](const array& x) {
        s.set(s * 0.5 + x);
        n.set(n + 1);
        return s + 1.0;
    });
    double plain = 0;
    for (int call = 0; call < 6; ++call) {
        plain = plain * 0.5 + 1.0;
        BOOST_TEST(first(f(ones({3}))) == plain + 1.0);
        BOOST_TEST(first(state) == plain);
        BOOST_TEST(!state.is_recorded());
        BOOST_TEST(steps == call + 1);
    }
}

BOOST_AUTO_TEST_CASE(arrays_that_are_stored_outside_get_their_values) {
    Filter plain(0.5), f(0.5);
    const auto step = compile([&f](const array& x) { return f.step(x); });
    for (int call = 0; call < 5; ++call) {
        BOOST_TEST(first(step(ones({3}))) == first(plain.step(ones({3}))));
        BOOST_TEST(!f.state().is_recorded());
        BOOST_TEST(first(f.state()) == first(plain.state()));
    }
    BOOST_TEST(step.cache_info().uncompiled == 4U);
    BOOST_TEST(step.entries().back().uncompiled.find("stores arrays that it makes") != std::string::npos);
    Filter other(0.5), other_plain(0.5);
    const auto member = compile(&Filter::step, other);
    for (int call = 0; call < 3; ++call) BOOST_TEST(first(member(ones({3}))) == first(other_plain.step(ones({3}))));
}

BOOST_AUTO_TEST_CASE(views_arguments_and_several_arrays_that_are_stored) {
    array last, view, whole;
    std::vector<array> log;
    const auto f = compile([&](const array& x) {
        last = x;
        whole = x * 2.0;
        view = whole(range(0, 2));
        log.push_back(sum(x));
        return whole + 1.0;
    });
    for (int call = 1; call <= 3; ++call) {
        const array x = full({3}, call);
        BOOST_TEST(first(f(x)) == 2.0 * call + 1.0);
        BOOST_TEST((first(last) == call && first(view) == 2.0 * call && first(whole) == 2.0 * call));
        BOOST_TEST(log.size() == static_cast<std::size_t>(call));
        BOOST_TEST(first(log.back()) == 3.0 * call);
        whole(0) = array(100.0);
        BOOST_TEST(first(view) == 100.0);
    }
}

BOOST_AUTO_TEST_CASE(verify_names_what_is_not_seen) {
    double k = 1.0;
    const auto f = compile([&k](const array& x) { return x * k; }, {.verify = 1, .name = "scaled"});
    f(ones({2}));
    k = 2.0;
    BOOST_CHECK_EXCEPTION(f(ones({2})), VerifyError, [](const Error& error) { return says(error, "scaled"); });
    Filter filter(0.5);
    const auto step = compile([&filter](const array& x) { return filter.step(x); }, {.verify = 1, .name = "filtered"});
    BOOST_CHECK_EXCEPTION(step(ones({3})), VerifyError, [](const Error& error) { return says(error, "filtered") && says(error, "stores arrays"); });
    BOOST_TEST(first(filter.state()) == 1.0);
}

BOOST_AUTO_TEST_CASE(what_transforms_keep_is_not_stored_outside) {
    const auto square = custom_vjp([](array x) { return array(x * x); }, [](array x) { return std::pair(array(x * x), x); },
                                   [](array x, array g) { return std::tuple(array(g * x * 2.0)); });
    const auto f = compile([=](array x) { return grad([=](array y) { return array(sum(checkpoint(square)(y))); })(x); });
    for (int call = 0; call < 3; ++call) BOOST_TEST(first(f(full({2}, 3.0))) == 6.0);
    BOOST_TEST(f.cache_info().uncompiled == 0U);
}

// Random small machines: by-value state, referenced numbers and arrays, stores; compiled against as written.
BOOST_AUTO_TEST_CASE(random_machines_do_as_written) {
    const std::uint64_t seed = test_seed();
    std::mt19937 draw(seed);
    for (int round = 0; round < 20; ++round) {
        struct Machine {
            int a;
            double b;
            unsigned kind;
        };
        const Machine machine{static_cast<int>(draw() % 3), 0.5, static_cast<unsigned>(draw() % 4)};
        double rates[2] = {1.0, 1.0};
        array weights[2] = {ones({2}), ones({2})};
        const auto make = [&](int which) {
            return [m = machine, r = ref(rates[which]), w = ref(weights[which])](const array& x) mutable {
                if (m.kind & 1U) m.a = (m.a + 1) % 4;
                if (m.kind & 2U) m.b *= -1;
                w.set(w * 0.5 + x);
                return array(x * m.a + m.b * r + w);
            };
        };
        auto written = make(0);
        const auto compiled = compile(make(1));
        for (int call = 0; call < 12; ++call) {
            if (draw() % 3 == 0) rates[0] = rates[1] = static_cast<double>(draw() % 3);
            if (draw() % 4 == 0) weights[0] = weights[1] = full({2}, static_cast<double>(draw() % 5));
            const array x = full({2}, static_cast<double>(draw() % 7));
            BOOST_TEST(first(compiled(x)) == first(written(x)), "seed " << seed << ", round " << round << ", call " << call);
            BOOST_TEST(first(weights[1]) == first(weights[0]), "seed " << seed << ", round " << round << ", call " << call);
        }
    }
}

// They have no steps; no element may be read of them, in any order of loops.
BOOST_AUTO_TEST_CASE(captured_memory_without_elements) {
    for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 3}}) {
        const array none = zeros(shape);
        for (int axis = 0; axis < none.ndim(); ++axis) {
            const auto function = [none, axis](const array& x) { return sum(none, {.axis = axis}) + sum(none) + x; };
            const auto compiled = compile(function);
            for (int call = 0; call < 2; ++call) {
                const array want = function(array(1.0)), got = compiled(array(1.0));
                BOOST_TEST(got.shape() == want.shape());
                BOOST_TEST(all(equal(got, want)).item<bool>());
            }
        }
    }
}

// A call like the last one takes a short way, which reads captured memory, too.
BOOST_AUTO_TEST_CASE(repeated_calls_see_what_captured_memory_holds_now) {
    array weights = array({1.0, 2.0, 3.0}), table = reshape(arange(6.0), {2, 3});
    const auto compiled = compile([weights, table](const array& x) { return std::tuple(x * weights + table(1), sum(exp(x) * table) + 1); });
    for (int call = 0; call < 20; ++call) {
        const array x = full({3}, 0.1 * call);
        if (call % 4 == 3) {
            weights *= 2;
            table += 10;
        }
        const auto [row, total] = compiled(x);
        BOOST_TEST(all(equal(row, x * weights + table(1))).item<bool>(), "call " << call);
        BOOST_TEST(std::abs((total - (sum(exp(x) * table) + 1)).item<double>()) < 1e-9, "call " << call);
    }
}

BOOST_AUTO_TEST_SUITE_END()
