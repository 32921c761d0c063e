// Loop kernels that begin as texts: the interpreter and generated code give the same bits, and these are the right ones.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "codegen/jit.h"
#include "interpret/kernel.h"
#include "nest/text.h"

using namespace fastnp;
using nest::KernelText;

namespace {

using Doubles = std::vector<double>;

Doubles ramp(std::size_t count) {
    Doubles values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = 0.25 * static_cast<double>(i % 37) - 3.0;
    return values;
}

/// What a kernel over doubles makes of an input in its last buffer, of `count` elements, with the symbols' values: by the interpreter, by code without
/// passes, and by code with them, which have to be the same.
Doubles result_of(const std::string& text, Doubles input, std::size_t count, const std::vector<std::int64_t>& symbols = {}) {
    KernelText made = nest::parse(text);
    const nest::Schedule schedule = nest::schedule(made.kernel, made.sizes);
    std::vector<std::int64_t> sizes(made.sizes.size());
    made.sizes.evaluate(symbols.data(), sizes.data());
    const auto value = [&](shape::Dim dim) { return dim.is_constant() ? dim.value() : sizes[dim.id()]; };
    std::vector<double> scratch(64 +
                                static_cast<std::size_t>(value(made.kernel.inner_points)) * (made.kernel.scratch.size() + made.kernel.folds.size()) * 16);
    const auto run = [&](const auto& kernel) {
        Doubles output(count, -77.0);
        void* pointers[] = {input.data(), output.data()};
        kernel(static_cast<void* const*>(pointers), sizes.data(), std::int64_t{0}, value(schedule.parallel), static_cast<void*>(scratch.data()));
        return output;
    };
    const interpret::Kernel interpreted(made.kernel, schedule);
    const Doubles found = run([&](auto... arguments) { interpreted.run(arguments...); });
    const codegen::Job jobs[] = {{&made.kernel, &schedule}};
    for (const codegen::Effort effort : {codegen::Effort::none, codegen::Effort::full}) {
        const codegen::Code code = codegen::compile(jobs, effort);
        const Doubles other = run(code.functions[0]);
        BOOST_TEST((count == 0 || std::memcmp(found.data(), other.data(), count * sizeof(double)) == 0), text);
    }
    return found;
}

void check(const Doubles& found, const std::function<double(std::size_t)>& expected) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double right = expected(i);
        BOOST_TEST(std::abs(found[i] - right) <= 1e-13 * std::max(1.0, std::abs(right)), "element " << i << " is " << found[i] << ", not " << right);
    }
}

const char* const elementwise =
    "size n = 10\n"
    "kernel elementwise(b0: float64, b1: float64 out)\n"
    "  axis i0 < n\n"
    "  %0 = load b0[(8*n - 8) + i0*-8] : float64\n"
    "  %1 = exp %0 : float64\n"
    "  %2 = index 5 + -2*i0 : int64\n"
    "  %3 = cast %2 : float64\n"
    "  %4 = add %1 %3 : float64\n"
    "  b1[0 + i0*8] = %4\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(kernels_from_text)

BOOST_AUTO_TEST_CASE(elementwise_of_any_length) {
    for (const std::size_t n : {0U, 1U, 3U, 4U, 5U, 8U, 17U, 1000U}) {
        const Doubles x = ramp(n);
        check(result_of(elementwise, x, n, {static_cast<std::int64_t>(n)}),
              [&](std::size_t i) { return std::exp(x[n - 1 - i]) + 5.0 - 2.0 * static_cast<double>(i); });
    }
}

BOOST_AUTO_TEST_CASE(what_lies_outside_is_not_read) {
    const Doubles x = ramp(9);
    const std::string text =
        "kernel padded(b0: float64, b1: float64 out)\n"
        "  axis i0 < 13\n"
        "  %0 = inside -2 + 1*i0 < 9 : bool\n"
        "  %1 = load b0[-16 + i0*8] if %0 : float64\n"
        "  %2 = constant 0.5 : float64\n"
        "  %3 = select %0 %1 %2 : float64\n"
        "  b1[0 + i0*8] = %3\n";
    check(result_of(text, x, 13), [&](std::size_t i) { return i < 2 || i > 10 ? 0.5 : x[i - 2]; });
}

BOOST_AUTO_TEST_CASE(rows_in_two_stages) {
    constexpr std::size_t rows = 7, columns = 21;
    const Doubles x = ramp(rows * columns);
    const std::string text =
        "size n = 3\n"
        "kernel rows(b0: float64, b1: float64 out)\n"
        "  axis i0 < n\n"
        "  axis i1 < 21 inner\n"
        "  %0 = load b0[0 + i0*168 + i1*8] : float64\n"
        "  %1 = result of fold 0 : float64\n"
        "  %2 = subtract %0 %1 : float64\n"
        "  %3 = exp %2 : float64\n"
        "  %4 = result of fold 1 : float64\n"
        "  %5 = scratch 0 : float64\n"
        "  %6 = divide %5 %4 : float64\n"
        "  stage 0\n"
        "    fold 0 = maximum over %0\n"
        "  stage 1\n"
        "    fold 1 = add over %3\n"
        "    scratch 0 = %3\n"
        "  stage 2\n"
        "    b1[0 + i0*168 + i1*8] = %6\n";
    check(result_of(text, x, x.size(), {rows}), [&](std::size_t at) {
        const double* const row = &x[at / columns * columns];
        const double most = *std::max_element(row, row + columns);
        double sum = 0;
        for (std::size_t k = 0; k < columns; ++k) sum += std::exp(row[k] - most);
        return std::exp(x[at] - most) / sum;
    });
}

BOOST_AUTO_TEST_CASE(columns_are_summed) {
    constexpr std::size_t rows = 33, columns = 10;
    const Doubles x = ramp(rows * columns);
    const std::string text =
        "kernel columns(b0: float64, b1: float64 out)\n"
        "  axis i0 < 10\n"
        "  axis i1 < 33 inner\n"
        "  %0 = load b0[0 + i0*8 + i1*80] : float64\n"
        "  %1 = result of fold 0 : float64\n"
        "  stage 0\n"
        "    fold 0 = add over %0\n"
        "  b1[0 + i0*8] = %1\n";
    check(result_of(text, x, columns), [&](std::size_t column) {
        double sum = 0;
        for (std::size_t row = 0; row < rows; ++row) sum += x[row * columns + column];
        return sum;
    });
}

BOOST_AUTO_TEST_SUITE_END()
