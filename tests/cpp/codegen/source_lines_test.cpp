// The user's lines in generated code: told where they are asked for, and only there; instructions stay the same.
#include "codegen/source_lines.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "codegen/device_code.h"
#include "codegen/jit.h"
#include "codegen/ptx.h"
#include "codegen/recorded_kernels.h"

using namespace fastnp;

namespace {

/// As long as it lives, code tells of lines or not.
class Telling {
public:
    explicit Telling(bool now) : before_(codegen::tell_lines(now)) {}
    ~Telling() { codegen::tell_lines(before_); }
    Telling(const Telling&) = delete;
    Telling& operator=(const Telling&) = delete;

private:
    bool before_;
};

Arrays softmax(const Arrays& x) {
    const array e = exp(x[0] - max(x[0], {.axis = 1, .keepdims = true}));
    return {e / sum(e, {.axis = 1, .keepdims = true})};
}

// Expressions in turn of lines 11 and 12 of a file, but for the exponentials, which are of another one.
RecordedKernels softmax_kernels() {
    RecordedKernels made = kernels_of(softmax, {{float32, {1000, 70}}});
    for (RecordedKernel& each : made.kernels) {
        each.kernel.function = "softmax";
        each.kernel.lines.clear();
        for (std::size_t i = 0; i < each.kernel.exprs.size(); ++i) {
            each.kernel.lines.push_back(each.kernel.exprs[i].op == ir::Op::exp
                                            ? ir::location_of("/home/user/other.py", 3, "scaled")
                                            : ir::location_of("/home/user/model.py", 11 + static_cast<int>(i % 2), "softmax"));
        }
    }
    return made;
}

struct DeviceJobs {
    RecordedKernels recorded = softmax_kernels();
    std::vector<std::unique_ptr<nest::Grid>> grids;
    std::vector<codegen::DeviceJob> jobs;
    DeviceJobs() {
        for (RecordedKernel& each : recorded.kernels) {
            grids.push_back(std::make_unique<nest::Grid>(nest::grid_of(each.kernel, recorded.sizes)));
            jobs.push_back({&each.kernel, grids.back().get()});
        }
    }
    std::string ptx() const { return codegen::device_text(jobs, device::Backend::Code::ptx, 90).text; }
};

// The code of a text: without directives that tell of lines, labels for them, and the kernels' names.
std::string without_lines(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (has(line, ".loc") || has(line, ".file") || has(line, "$L__tmp") || has(line, "$L__func_") || has(line, "fastnp_") || has(line, ".section"))
            continue;
        if (line.find_first_not_of("\t {}/") == std::string::npos || has(line, "//")) continue;
        kept += line + "\n";
    }
    return kept;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(source_lines)

BOOST_AUTO_TEST_CASE(nothing_is_told_unasked) {
    const Telling quietly(false);
    const RecordedKernels made = softmax_kernels();
    const nest::Kernel& kernel = made.kernels[0].kernel;
    BOOST_TEST(codegen::told_by(kernel).empty());
    BOOST_TEST(!codegen::first_line(kernel));
    BOOST_TEST(codegen::kernel_symbol(kernel, 0) == "fastnp_" + kernel.name + "_0");
    BOOST_TEST(codegen::program_symbol({}) == "fastnp_program");
}

BOOST_AUTO_TEST_CASE(names_of_functions_are_symbols) {
    const Telling aloud(true);
    nest::Kernel kernel = softmax_kernels().kernels[0].kernel;
    const auto named = [&](const char* function) {
        kernel.function = function;
        return codegen::kernel_symbol(kernel, 2);
    };
    BOOST_TEST(named("softmax") == "fastnp_softmax_2");
    BOOST_TEST(named("<lambda>") == "fastnp_lambda_2");
    BOOST_TEST(named("Model.step[1]") == "fastnp_Model_step_1_2");
    BOOST_TEST(named("") == "fastnp_softmax_2");  // by its lines
    kernel.lines.clear();
    kernel.name = "rows";
    BOOST_TEST(named("") == "fastnp_rows_2");
}

BOOST_AUTO_TEST_CASE(keys_have_what_is_told) {
    const Telling aloud(true);
    nest::Kernel kernel = softmax_kernels().kernels[0].kernel;
    const std::string told = codegen::told_by(kernel);
    BOOST_TEST(has(told, "/home/user/model.py:11 in softmax"));
    BOOST_TEST(has(told, "/home/user/other.py:3 in scaled"));
    kernel.lines[0] = ir::location_of("/home/user/model.py", 14, "softmax");
    BOOST_TEST(codegen::told_by(kernel) != told);
    const std::string moved = codegen::told_by(kernel);
    kernel.function = "another";
    BOOST_TEST(codegen::told_by(kernel) != moved);
}

BOOST_AUTO_TEST_CASE(functions_begin_at_their_first_line) {
    const Telling aloud(true);
    const nest::Kernel kernel = softmax_kernels().kernels[0].kernel;
    BOOST_TEST(ir::text_of(codegen::first_line(kernel)) == "/home/user/model.py:11 in softmax");
}

BOOST_AUTO_TEST_CASE(host_code_has_lines) {
    RecordedKernels made = kernels_of([](const Arrays& x) { return Arrays{sqrt(x[0]) * 2 + x[0]}; }, {{float32, {1000, 70}}});
    nest::Kernel& kernel = made.kernels.at(0).kernel;
    kernel.function = "root";
    kernel.lines.assign(kernel.exprs.size(), ir::location_of("model.py", 7, "root"));
    const nest::Schedule schedule = nest::schedule(kernel, made.sizes);
    const codegen::Job job{&kernel, &schedule};
    const auto text = [&](bool told) {
        const Telling telling(told);
        return codegen::llvm_text({&job, 1});
    };
    BOOST_TEST(!has(text(false), "!dbg"));
    BOOST_TEST(has(text(true), "!DILocation(line: 7"));
    BOOST_TEST(has(text(true), "define void @fastnp_root_0"));
    BOOST_TEST(has(text(true), "!DIFile(filename: \"model.py\""));
    BOOST_TEST(has(text(true), "emissionKind: LineTablesOnly"));
    // Equal kernels of other lines are one, but where lines are told.
    nest::Kernel other = kernel;
    other.lines.assign(kernel.exprs.size(), ir::location_of("model.py", 9, "root"));
    const std::vector<codegen::Job> jobs{job, {&other, &schedule}};
    const auto are_one = [&](bool told) {
        const Telling telling(told);
        const codegen::Code code = codegen::compile(jobs);
        return code.functions[0] == code.functions[1];
    };
    BOOST_TEST(are_one(false));
    BOOST_TEST(!are_one(true));
}

BOOST_AUTO_TEST_CASE(programs_have_lines) {
    using Kind = ir::Step::Kind;
    const ir::Location where = ir::location_of("loop.py", 21, "simulate");
    ir::Program program;
    program.variables = {Dtype::float64};
    program.exits = {{{0}}};
    program.inputs = 1;
    program.steps = {{.kind = Kind::input, .dtype = Dtype::float64, .a = 0, .where = where},
                     {.kind = Kind::map, .dtype = Dtype::float64, .compute = Dtype::float64, .op = ir::Op::multiply, .a = 0, .b = 0, .where = where},
                     {.kind = Kind::set, .a = 0, .b = 1, .where = where},
                     {.kind = Kind::exit, .b = 0}};
    const auto text = [&](bool told) {
        const Telling telling(told);
        return codegen::llvm_text(program);
    };
    BOOST_TEST(!has(text(false), "!dbg"));
    BOOST_TEST(has(text(false), "@fastnp_program"));
    BOOST_TEST(has(text(true), "@fastnp_simulate_line_21"));
    BOOST_TEST(has(text(true), "!DILocation(line: 21"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(source_lines_on_gpus)

BOOST_AUTO_TEST_CASE(ptx_has_directives) {
    const DeviceJobs kernels;
    const auto ptx = [&](bool told) {
        const Telling telling(told);
        return kernels.ptx();
    };
    const std::string plain = ptx(false), told = ptx(true);
    BOOST_TEST(!has(plain, ".loc"));
    BOOST_TEST(!has(plain, "model.py"));
    BOOST_TEST(has(told, "/home/user/model.py\""));
    BOOST_TEST(has(told, "/home/user/other.py\""));
    BOOST_TEST(has(told, ".loc\t1 11 0"));
    BOOST_TEST(has(told, ".loc\t2 3 0"));
    BOOST_TEST(has(told, ".entry fastnp_softmax_0"));
    BOOST_TEST(!has(told, ", debug"));  // the assembler optimises such code, unlike what is to be debugged
    BOOST_TEST(without_lines(plain) == without_lines(told));
    Assembler assembler;
    assembler.add("source_lines", told, 90);
    BOOST_TEST(assembler.complaints().empty());
}

BOOST_AUTO_TEST_SUITE_END()
