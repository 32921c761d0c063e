// Generated code proved to do what its kernel means; and damaged code, which is told.
#include "codegen/prove.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "codegen/host_kernels.h"
#include "codegen/object.h"
#include "compile/random_program.h"
#include "fastnp/error.h"
#include "selection.h"

using namespace fastnp;
using codegen::Job;
using codegen::Proof;

namespace {

struct Program {
    const char* name;
    std::function<Arrays(const Arrays&)> function;
    bool needs_order = false;  // of its elements
    bool subtracts = false;

    bool takes(Dtype dtype) const { return is_complex(dtype) ? !needs_order : dtype != bool_ || !subtracts; }
};

array softmax(const array& x, int axis = -1) {
    const array e = exp(x - max(x, {.axis = axis, .keepdims = true}));
    return e / sum(e, {.axis = axis, .keepdims = true});
}

std::vector<Program> programs() {
    return {
        {"sum of two", [](const Arrays& x) { return Arrays{x[0] + x[1] * 2}; }},
        {"transposed", [](const Arrays& x) { return Arrays{transpose(x[0]) + 1}; }},
        {"backwards", [](const Arrays& x) { return Arrays{flip(x[0], 1) - x[1]}; }, false, true},
        {"every third", [](const Arrays& x) { return Arrays{x[0](all, every(3)) * x[1](every(2), every(3))(newaxis, 0)}; }},
        {"broadcast", [](const Arrays& x) { return Arrays{x[0] + x[1](0)}; }},
        {"bits", [](const Arrays& x) { return Arrays{equal(x[0], x[1]), logical_and(x[0], x[1]), isnan(x[0])}; }},
        {"sum of all", [](const Arrays& x) { return Arrays{sum(x[0] * x[1])}; }},
        {"sum of rows", [](const Arrays& x) { return Arrays{sum(x[0], {.axis = 1}), max(x[1], {.axis = 1, .initial = Scalar(0)})}; }, true},
        {"product of columns", [](const Arrays& x) { return Arrays{prod(x[0], {.axis = 0}), x[1] * 2}; }},
        {"sum of columns", [](const Arrays& x) { return Arrays{sum(x[0], {.axis = 0}), any(x[1], {.axis = 0})}; }},
        {"mean and variance", [](const Arrays& x) { return Arrays{var(x[0], {.axis = 1})}; }},
        {"softmax", [](const Arrays& x) { return Arrays{softmax(x[0])}; }, true, true},
        {"softmax of columns", [](const Arrays& x) { return Arrays{softmax(x[0], 0)}; }, true, true},
        {"stencil", [](const Arrays& x) { return Arrays{x[0](all, range(1, -1)) + x[0](all, range(0, -2)) * x[0](all, Slice{2, std::nullopt})}; }},
        {"padded", [](const Arrays& x) { return Arrays{pad(x[0], {{1, 2}, {0, 3}}) + 1, x[1]}; }},
        {"places", [](const Arrays& x) { return Arrays{x[0] * arange(x[0].shape(1)) + sum(x[1], {.axis = 1, .keepdims = true})}; }},
        {"choices", [](const Arrays& x) { return Arrays{where(x[0] > x[1], sqrt(absolute(x[0])), tanh(x[1]))}; }, true},
        {"mixed dtypes", [](const Arrays& x) { return Arrays{x[0].astype(uint8) + uint8_t{1}, x[1].astype(float64) * 0.5}; }, true},
    };
}

const std::vector<Dtype> some_dtypes{bool_, int8, uint32, int64, float16, bfloat16, float32, float64, complex64};

// How the proofs of many kernels ended.
struct Tally {
    int proved = 0;
    std::map<std::string, int> not_proved{};  // by why
    double slowest = 0;  // milliseconds
    std::string slowest_one{};
    std::size_t asked = 0;

    void add(const plan::Plan& plan, const std::string& program, codegen::Stage stage = codegen::Stage::emitted) {
        for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
            const Job job{&plan.kernels[i], &plan.schedules[i]};
            try {
                const Proof proof = codegen::prove(job, plan.sizes, stage);
                if (proof.milliseconds > slowest) {
                    slowest = proof.milliseconds;
                    slowest_one = program + ": " + to_string(proof);
                }
                asked += proof.asked;
                if (proof.is_proved) ++proved;
                else ++not_proved[program + ": " + proof.why_not];
            } catch (const InternalError& error) {
                BOOST_ERROR(program + ": " + error.what() + "\n" + nest::to_string(*job.kernel, *job.schedule, plan.sizes));
            }
        }
    }
    int missed() const {
        int count = 0;
        for (const auto& [why, times] : not_proved) count += times;
        return count;
    }
    std::string text() const {
        std::string text =
            std::to_string(proved) + " proved, " + std::to_string(missed()) + " not, " + std::to_string(asked) + " questions; slowest " + slowest_one;
        for (const auto& [why, times] : not_proved) text += "\n  " + std::to_string(times) + " " + why;
        return text;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(prove)

// A shape for some programs and dtypes; all of them in long tests.
BOOST_AUTO_TEST_CASE(programs_of_all_dtypes) {
    std::mt19937_64 draw(test_seed());
    const std::vector<std::vector<std::int64_t>> shapes{{64, 65}, {1000, 3}, {3, 2003}, {70, 300}};
    Tally tally;
    for (const Program& program : programs()) {
        for (const Dtype dtype : some_dtypes) {
            if (!program.takes(dtype)) continue;
            const std::size_t drawn = draw() % (4 * shapes.size());
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                if (!tests_are_long() && i != drawn) continue;
                const bool varies = i % 2 != 0;
                tally.add(host_plan_of(program.function, {{dtype, shapes[i], varies}, {dtype, shapes[i], varies}}), program.name);
            }
        }
    }
    BOOST_TEST_MESSAGE(tally.text());
    BOOST_TEST(tally.proved > 15);
    BOOST_TEST(tally.missed() == 0, tally.text());
}

BOOST_AUTO_TEST_CASE(layouts_of_arguments) {
    Tally tally;
    std::mt19937_64 draw(test_seed());
    for (const Program& program : programs()) {
        for (const std::vector<std::int64_t>& strides : {std::vector<std::int64_t>{8, 40 * 8}, {-80, 16}, {0, 8}, {9 * 30, 9}}) {
            if (!tests_are_long() && draw() % 2 != 0) continue;
            tally.add(host_plan_of(program.function, {{float64, {40, 30}}, {float64, {40, 30}}}, {strides, {}}), program.name);
        }
    }
    BOOST_TEST(tally.proved > 15, tally.text());
    BOOST_TEST(tally.missed() == 0, tally.text());
}

BOOST_AUTO_TEST_CASE(random_programs) {
    Tally tally;
    const auto first = static_cast<unsigned>(test_seed() % 1000000);
    for (unsigned seed = first; seed < first + (tests_are_long() ? 200 : 10); ++seed) {
        const RandomProgram program(seed);
        const auto function = [&](const Arrays& x) { return program(x[0], x[1]); };
        tally.add(host_plan_of(function, {{float64, {9, 5}, true}, {float64, {4, 3}}}), "seed " + std::to_string(seed));
        tally.add(host_plan_of(function, {{float64, {40, 33}}, {float64, {4, 3}}}), "seed " + std::to_string(seed));
    }
    BOOST_TEST_MESSAGE(tally.text());
    BOOST_TEST(tally.missed() == 0, tally.text());
}

// Stores that bypass the cache are aligned, wherever arguments begin.
BOOST_AUTO_TEST_CASE(stores_past_the_cache) {
    for (const bool varies : {false, true}) {
        const auto function = [](const Arrays& x) { return Arrays{x[0] * x[1] + 1}; };
        const plan::Plan plan = host_plan_of(function, {{float64, {2100, 2000}, varies}, {float64, {2100, 2000}, varies}});
        BOOST_TEST(plan.schedules.at(0).streaming);
        const Proof proof = codegen::prove({&plan.kernels[0], &plan.schedules[0]}, plan.sizes);
        BOOST_TEST(proof.is_proved, proof.why_not);
        BOOST_TEST(proof.cases >= 3);
        BOOST_TEST(proof.all_units == varies);
    }
}

// Where a kernel's code is another one's, it is told.
BOOST_AUTO_TEST_CASE(code_of_another_kernel) {
    const std::vector<Argument> arguments{{float64, {40, 30}}, {float64, {40, 30}}};
    const plan::Plan difference = host_plan_of([](const Arrays& x) { return Arrays{x[0] + 1, x[0] - x[1]}; }, arguments);
    const plan::Plan swapped = host_plan_of([](const Arrays& x) { return Arrays{x[0] + 1, x[1] - x[0]}; }, arguments);
    const codegen::Emitted emitted = codegen::emitted_code({&difference.kernels[0], &difference.schedules[0]}, codegen::Stage::emitted);
    const Job job{&swapped.kernels[0], &swapped.schedules[0]};
    const auto prove = [&] { return codegen::prove(*emitted.module->getFunction(emitted.symbols[0]), emitted.externals, job, swapped.sizes); };
    BOOST_CHECK_EXCEPTION(prove(), InternalError, [](const InternalError& error) {
        const std::string told = error.what();
        BOOST_TEST_MESSAGE(told);
        return told.starts_with("kernel elementwise is wrong in its code: at b3[") && told.find("i0 = ") != std::string::npos &&
               told.find("instead of fsub(b2[") != std::string::npos;
    });
}

// LLVM's passes write some of it in another way.
BOOST_AUTO_TEST_CASE(code_after_llvms_passes) {
    Tally tally;
    for (const Program& program : programs()) {
        for (const Dtype dtype : {float64, int8}) {
            if (program.takes(dtype))
                tally.add(host_plan_of(program.function, {{dtype, {40, 30}}, {dtype, {40, 30}}}), program.name, codegen::Stage::optimised);
        }
    }
    BOOST_TEST_MESSAGE(tally.text());
    BOOST_TEST(tally.proved > 20);
}

BOOST_AUTO_TEST_SUITE_END()
