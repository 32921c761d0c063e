// Calls of functions of the outside in the middle of plans, as a front end makes them.
#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

using namespace fastnp;
using detail::Engine;
using detail::Given;

namespace {

// y = outside(x * 2); y + sum(x), recorded and served.
class Doubling final : public Engine::Callee {
public:
    std::vector<array> record(std::span<const array> parameters) override {
        const array& x = parameters[0];
        const array operands[] = {x * 2.0};
        const std::vector<array> given = detail::call_outside("outside", operands, [this](std::span<const array> values) { return call(values); });
        return {given[0] + sum(x), given.size() > 1 ? given[1] : x};
    }
    std::shared_ptr<const void> keep() override { return nullptr; }
    std::optional<Given> make_call(const void*, int number, std::span<const array> operands, bool) override {
        if (fails) return std::nullopt;
        return static_cast<std::size_t>(number) < log.size() ? log[static_cast<std::size_t>(number)] : call(operands);
    }

    int calls = 0;
    bool fails = false, more = false;
    std::vector<Given> log;  // of one call of the compiled function

private:
    Given call(std::span<const array> values) {
        ++calls;
        BOOST_TEST(!values[0].writable());
        Given given{more ? "AA" : "A", {values[0].copy() * 10.0}};
        if (more) given.arrays.push_back(ones({2}));
        log.push_back(given);
        return given;
    }
};

struct Served {
    Engine::Outcome outcome;
    std::vector<array> results;
};

Served serve(Engine& engine, Doubling& callee, const array& x) {
    detail::Argument argument{};
    BOOST_REQUIRE(detail::borrow(x, argument));
    Served served{};
    callee.log.clear();
    served.outcome = engine.call({&argument, 1}, "", callee, true, served.results).outcome;
    return served;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(outside)

BOOST_AUTO_TEST_CASE(each_call_of_the_function_makes_it_once) {
    for (const char* backend : {"llvm", "eager"}) {
        Engine engine({.backend = backend});
        Doubling callee;
        for (int size = 2; size < 7; ++size) {
            const array x = ones({size});
            const Served served = serve(engine, callee, x);
            BOOST_TEST((served.outcome == Engine::Outcome::ran));
            BOOST_TEST(served.results[0].shape(0) == size);
            BOOST_TEST(served.results[0][0].item<double>() == 20 + size);
            BOOST_TEST(callee.calls == size - 1);
        }
        BOOST_TEST(engine.cache_info().compiles == 2U);  // one size, then any
    }
}

BOOST_AUTO_TEST_CASE(another_kind_of_result_is_another_course) {
    Engine engine({});
    Doubling callee;
    const array x = ones({3});
    serve(engine, callee, x);
    callee.more = true;
    const Served served = serve(engine, callee, x);
    BOOST_TEST(served.results[1].shape(0) == 2);
    BOOST_TEST(callee.calls == 2);  // the recording was given what the run had found
    callee.more = false;
    BOOST_TEST(serve(engine, callee, x).results[1].shape(0) == 3);
    BOOST_TEST(engine.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(a_call_that_raises_leaves_the_function_as_written) {
    Engine engine({});
    Doubling callee;
    const array x = ones({3});
    serve(engine, callee, x);
    callee.fails = true;
    BOOST_TEST((serve(engine, callee, x).outcome == Engine::Outcome::uncompiled));
    callee.fails = false;
    BOOST_TEST((serve(engine, callee, x).outcome == Engine::Outcome::ran));
}

BOOST_AUTO_TEST_SUITE_END()
