// Loop kernels as text: what is written is read back, and what is no kernel is told with its place.
#include "nest/text.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "codegen/recorded_kernels.h"
#include "compile/random_program.h"
#include "fastnp/error.h"
#include "selection.h"

using namespace fastnp;
using nest::Kernel;
using nest::KernelText;
using nest::Schedule;
using shape::Sizes;

namespace {

void check_comes_back(const Kernel& kernel, const Schedule& schedule, const Sizes& sizes) {
    const std::string text = nest::to_string(kernel, schedule, sizes), whole = nest::whole_text(kernel, schedule, sizes);
    const KernelText shorter = nest::parse(text), made = nest::parse(whole);
    BOOST_TEST(nest::to_string(shorter.kernel, shorter.schedule, shorter.sizes) == text);
    BOOST_TEST(nest::to_string(made.kernel, made.schedule, made.sizes) == text);
    BOOST_TEST(nest::whole_text(made.kernel, made.schedule, made.sizes) == whole);
    const bool is_named = text.starts_with("size") || text.starts_with("found");  // sizes have other numbers
    if (!is_named) BOOST_TEST((nest::fingerprint(made.kernel, made.schedule) == nest::fingerprint(kernel, schedule)), whole);
}

void check_is_text(const std::string& text) {
    const KernelText made = nest::parse(text);
    BOOST_TEST(nest::to_string(made.kernel, made.schedule, made.sizes) == text);
    check_comes_back(made.kernel, made.schedule, made.sizes);
}

// The error's text without its beginning.
std::string wrong(const std::string& text) {
    try {
        (void)nest::parse(text);
    } catch (const ValueError& error) {
        const std::string told = error.what(), begins = "kernel text, ";
        BOOST_TEST(told.starts_with(begins), told);
        return told.substr(begins.size());
    }
    return "no error";
}

const std::string rows =
    "size n = 5 in 1..\n"
    "size n//2\n"
    "size m = 3\n"
    "kernel rows(b0: float64, b1: float32, b2: float64 out)\n"
    "  axis i0 < n\n"
    "  axis i1 < n//2 + m inner lanes unroll 4\n"
    "  streaming stores\n"
    "  %0 = load b0[(8*n - 8) + i0*-8 + i1*(8*n//2 + 8*m)] : float64\n"
    "  %1 = inside 1 + -2*i1 < m : bool\n"
    "  %2 = load b1[-4 + i1*4] if %1 : float32\n"
    "  %3 = cast %2 : float64\n"
    "  %4 = constant -0.5 : float64\n"
    "  %5 = select %1 %3 %4 : float64\n"
    "  %6 = result of fold 0 : float64\n"
    "  %7 = result of fold 1 : float64\n"
    "  %8 = scratch 0 : float64\n"
    "  %9 = add %8 %6 : float64\n"
    "  %10 = extent n : int64\n"
    "  %11 = cast %10 : float64\n"
    "  %12 = divide %7 %11 : float64\n"
    "  stage 0\n"
    "    fold 0 = maximum over %5\n"
    "    scratch 0 = %0\n"
    "  stage 1\n"
    "    fold 1 = add over %9\n"
    "    b2[0 + i0*8 + i1*8] = %9\n"
    "  b2[0 + i0*8] = %12\n";

const std::string others =
    "kernel elementwise(b0: int64, b1: complex128, b2: complex128 out)\n"
    "  axis i0 < 6 lanes\n"
    "  axis i1 < 2 jammed\n"
    "  accumulators in tiles\n"
    "  %0 = load b0[0 + i0*8] : int64\n"
    "  %1 = index 3 + -1*i1 : int64\n"
    "  %2 = less %0 %1 : bool\n"
    "  %3 = gather b1[16] + %0*16 of 4 mode 2 if %2 : complex128\n"
    "  %4 = constant (0.0, nan(0x7ff8000000000001)) : complex128\n"
    "  %5 = multiply %3 %4 : complex128\n"
    "  b2[0 + i0*32 + i1*16] = %5\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(kernel_text)

BOOST_AUTO_TEST_CASE(all_kinds_of_lines_come_back) {
    BOOST_TEST(nest::parse(rows).kernel.exprs.size() == 13);
    check_is_text("kernel nothing(b0: bool out)\n  %0 = constant true : bool\n  b0[0] = %0\n");
    check_is_text(others);
    check_is_text(
        "size n = 1000\n"
        "kernel reduction(b0: float64, b1: float64 out)\n"
        "  axis i0 < (n + 127)//128\n"
        "  axis i1 < 128 inner lanes\n"
        "  i0 counts blocks of 128 of n\n"
        "  row 0 : float32\n"
        "  %0 = load b0[0 + i0*1024 + i1*8] : float64\n"
        "  %1 = result of fold 0 : float64\n"
        "  stage 0\n"
        "    fold 0 = add over %0\n"
        "  b1[0 + i0*8] = %1\n");
}

BOOST_AUTO_TEST_CASE(sizes_are_written_as_products) {
    const KernelText made = nest::parse(rows);
    check_comes_back(made.kernel, made.schedule, made.sizes);
    const nest::Expr& load = made.kernel.exprs[0];
    BOOST_TEST(made.sizes.hint(load.access.offset) == 32);
    BOOST_TEST(made.sizes.hint(load.access.strides[0]) == -8);
    BOOST_TEST(made.sizes.hint(load.access.strides[1]) == 44);
    BOOST_TEST(made.sizes.hint(made.kernel.inner_points) == 5);
    BOOST_TEST(made.kernel.axes[1].hint == 5);
    BOOST_TEST((made.schedule.lane == 1 && made.schedule.unroll == 4 && made.schedule.unroll_axis == 1 && made.schedule.streaming));
    BOOST_TEST((made.kernel.exprs[5].compute == Dtype::float64 && made.kernel.exprs[3].compute == Dtype::float32));
    BOOST_TEST((made.kernel.folds[0].dtype == Dtype::float64 && made.kernel.scratch == std::vector<Dtype>{Dtype::float64}));
    BOOST_TEST((made.kernel.buffers[0].read && !made.kernel.buffers[0].aligned && !made.kernel.buffers[2].read));
}

BOOST_AUTO_TEST_CASE(whole_texts_have_what_code_depends_on) {
    KernelText made = nest::parse(others);
    made.kernel.buffers[0].aligned = made.kernel.buffers[1].checked = made.kernel.buffers[1].by_value = true;
    made.kernel.buffers[1].past = 48;
    made.kernel.buffers[2].read = true;
    made.kernel.buffers[0].read = false;
    made.kernel.axes[0].hint = 100;
    made.kernel.ops = {"multiply", "take"};
    made.schedule.parallel = 7;
    made.schedule.cost = 80;
    made.schedule.lane_block = 64;
    made.schedule.lane_blocks = 3;
    check_comes_back(made.kernel, made.schedule, made.sizes);
    const KernelText again = nest::parse(nest::whole_text(made.kernel, made.schedule, made.sizes));
    BOOST_TEST((again.kernel.ops == made.kernel.ops && again.kernel.axes[0].hint == 100));
    BOOST_TEST((again.kernel.buffers[0].aligned && !again.kernel.buffers[0].read && again.kernel.buffers[2].read));
    BOOST_TEST((again.kernel.buffers[1].checked && again.kernel.buffers[1].by_value && again.kernel.buffers[1].past == 48));
    BOOST_TEST((again.schedule.parallel == shape::Dim(7) && again.schedule.cost == 80 && again.schedule.lane_block == 64));
}

BOOST_AUTO_TEST_CASE(kernels_of_random_programs_come_back) {
    std::mt19937 draw(test_seed());
    std::size_t count = 0;
    for (int i = 0; i < 60; ++i) {
        const RandomProgram program(draw());
        const auto function = [&](const Arrays& x) { return program(x[0], x[1]); };
        const bool varies = draw() % 2 == 0;
        RecordedKernels made = kernels_of(function, {{Dtype::float64, {6, 4}, varies}, {Dtype::float64, {6, 4}, varies}}, true);
        for (RecordedKernel& each : made.kernels) {
            check_comes_back(each.kernel, Schedule(), made.sizes);
            const bool gathers = std::ranges::any_of(each.kernel.exprs, [](const nest::Expr& expr) { return expr.kind == nest::Expr::Kind::gather; });
            if (gathers) continue;  // devices alone have them
            const Schedule schedule = nest::schedule(each.kernel, made.sizes);
            check_comes_back(each.kernel, schedule, made.sizes);
            ++count;
        }
    }
    BOOST_TEST(count > 60U);
}

BOOST_AUTO_TEST_CASE(comments_and_empty_lines_are_passed_over) {
    const KernelText made = nest::parse(
        "; by hand\n\n"
        "size n = 4 ; its length\n"
        "kernel twice(b0: float64, b1: float64 out) ; two buffers\n\n"
        "  axis i0 < n\n"
        "  ; what it does\n"
        "  %0 = load b0[0 + i0*8] : float64\n"
        "  %1 = add %0 %0 : float64\n\n"
        "  b1[0 + i0*8] = %1\n\n");
    BOOST_TEST(made.kernel.name == "twice");
    BOOST_TEST(made.kernel.outer_stores.size() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_no_kernel_is_told_with_its_place) {
    const std::string head = "kernel k(b0: float64, b1: float64 out)\n  axis i0 < 4\n", load = "  %0 = load b0[0 + i0*8] : float64\n",
                      store = "  b1[0 + i0*8] = %0\n";
    BOOST_TEST(wrong("") == "line 1, column 1: expected 'kernel', not the end of the text");
    BOOST_TEST(wrong("kernel k(b1: float64)\n") == "line 1, column 10: expected 'b0', not 'b1'");
    BOOST_TEST(wrong("kernel k(b0: float63)\n") == "line 1, column 14: expected a dtype, not 'float63'");
    BOOST_TEST(wrong("kernel k(b0: float64 inn)\n") == "line 1, column 22: expected ',', ')' or what is known of the buffer, not 'inn'");
    BOOST_TEST(wrong("kernel k(b0: float64\n") == "line 1, column 21: expected ',', ')' or what is known of the buffer, not the end of the line");
    BOOST_TEST(wrong("kernel k()\n  axis i1 < 3\n") == "line 2, column 8: expected 'i0', not 'i1'");
    BOOST_TEST(wrong("kernel k()\n  axis i0 < m\n") == "line 2, column 13: there is no size 'm'");
    BOOST_TEST(wrong("kernel k()\n  axis i0 < 3 iner\n") ==
               "line 2, column 15: expected 'inner', 'lanes', 'unroll', 'jammed' or the end of the line, not 'iner'");
    BOOST_TEST(wrong("kernel k()\n  axis i0 < 99 jammed\n") == "line 2, column 22: too many steps to be jammed");
    BOOST_TEST(wrong(head + "  %1 = load b0[0] : float64\n") == "line 3, column 4: expected '0', not '1'");
    BOOST_TEST(wrong(head + "  %0 = load b7[0] : float64\n") == "line 3, column 13: there is no buffer b7");
    BOOST_TEST(wrong(head + "  %0 = load b0[0 + i1*8] : float64\n") == "line 3, column 20: there is no axis i1");
    BOOST_TEST(wrong(head + "  %0 = load b0[0 + i0*8 : float64\n") == "line 3, column 25: expected ']', not ':'");
    BOOST_TEST(wrong(head + "  %0 = load b0[0 + i0*8 + i0*8] : float64\n") == "line 3, column 30: there is a step along i0 already");
    BOOST_TEST(wrong(head + load + "  %1 = ad %0 %0 : float64\n") ==
               "line 4, column 8: expected an op, 'load', 'gather', 'constant', 'index', 'inside', 'extent', 'result' or 'scratch', not 'ad'");
    BOOST_TEST(wrong(head + load + "  %1 = add %0 %3 : float64\n") == "line 4, column 16: there is no value above: 3");
    BOOST_TEST(wrong(head + load + "  stage 1\n") == "line 4, column 10: expected stage 0");
    BOOST_TEST(wrong(head + load + "  stage 0\n    fold 1 = add over %0\n").ends_with("there is no fold 0"));
    BOOST_TEST(wrong(head + load + "  stage 0\n    fold 0 = add over %0\n    fold 0 = add over %0\n") == "line 6, column 10: fold 0 is made twice");
    BOOST_TEST(wrong(head + load + "  stage 0\n    fold 0 = sort over %0\n") == "line 5, column 14: expected an op that combines, not 'sort'");
    BOOST_TEST(wrong(head + load + store + "more\n") == "line 5, column 1: expected buffer, not 'more'");
    BOOST_TEST(wrong(head + load + "  b0[0 + i0*8] = %0\n").ends_with("after the stages: it stores to buffer 0, which is not written"));
    BOOST_TEST(wrong(head + "  %0 = load b0[0 + i0*8] : float32\n" + store).ends_with("%0: its dtype is not the buffer's"));
}

// Anything but a crash.
BOOST_AUTO_TEST_CASE(damaged_texts_are_kernels_or_errors) {
    std::mt19937 draw(test_seed());
    const std::vector<std::string> texts = {rows, others};
    const std::string signs = "%b0123456789 :+*-/()[],;\n=<iaxsnm";
    int errors = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = texts[draw() % texts.size()];
        for (unsigned k = 0; k <= draw() % 3; ++k) {
            const std::size_t at = draw() % text.size();
            switch (draw() % 4) {
                case 0: text[at] = signs[draw() % signs.size()]; break;
                case 1: text.erase(at, draw() % 12); break;
                case 2: text.insert(at, 1, signs[draw() % signs.size()]); break;
                default: text.insert(at, text.substr(draw() % text.size(), draw() % 30)); break;
            }
            if (text.empty()) text = "\n";
        }
        try {
            const KernelText made = nest::parse(text);
            check_comes_back(made.kernel, made.schedule, made.sizes);
        } catch (const ValueError& error) {
            ++errors;
            BOOST_TEST(std::string_view(error.what()).starts_with("kernel text, line "), error.what());
        }
    }
    BOOST_TEST(errors > 1000);
}

BOOST_AUTO_TEST_SUITE_END()
