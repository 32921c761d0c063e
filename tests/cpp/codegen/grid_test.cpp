// Loop kernels as code for GPUs: what is fused becomes PTX that CUDA's assembler takes, in accesses of 16 bytes, without memory of a thread's own; run on
// a simulated device it computes what the host's code for the same kernel does.
#include "codegen/grid.h"

#include <boost/test/unit_test.hpp>
#include <memory>

#include "codegen/device_code.h"
#include "codegen/nvptx.h"
#include "codegen/on_both_machines.h"
#include "codegen/ptx.h"
#include "codegen/recorded_kernels.h"
#include "compile/random_program.h"
#include "selection.h"

using namespace fastnp;

namespace {

/// Kernels in one text.
class Kernels {
public:
    Kernels() : module_("kernels", context_) { codegen::set_nvptx_target(module_); }

    // As plans have them: where arguments begin is looked at before.
    void add(nest::Kernel kernel, shape::Sizes& sizes, const std::string& name = "k") {
        for (nest::Buffer& buffer : kernel.buffers) buffer.checked = !buffer.by_value;
        const nest::Grid grid = nest::grid_of(kernel, sizes);
        codegen::emit_grid(kernel, grid, module_, name + "_" + std::to_string(count_++));
    }
    int count() const { return count_; }
    std::string ptx(int capability) { return checked_ptx(module_, capability); }

private:
    llvm::LLVMContext context_;
    llvm::Module module_;
    int count_ = 0;
};

std::vector<std::string> ptx_of(const std::function<Arrays(const Arrays&)>& function, const std::vector<Argument>& arguments, bool gathers = false) {
    RecordedKernels recorded = kernels_of(function, arguments, gathers);
    std::vector<std::string> texts;
    for (const RecordedKernel& each : recorded.kernels) {
        Kernels one;
        one.add(each.kernel, recorded.sizes);
        texts.push_back(one.ptx(90));
    }
    return texts;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
}

struct Program {
    const char* name;
    std::function<Arrays(const Arrays&)> function;
    bool needs_order = false;  // of its elements
    bool subtracts = false;
    bool takes_nothing = true;
    int folded = 1;  // the axis that can't be empty, else

    bool takes(Dtype dtype) const { return is_complex(dtype) ? !needs_order : dtype != bool_ || !subtracts; }
};

array softmax(const array& x, int axis = -1) {
    const array e = exp(x - max(x, {.axis = axis, .keepdims = true}));
    return e / sum(e, {.axis = axis, .keepdims = true});
}

// In place, by what is found of it.
Arrays scaled_columns(const Arrays& x) {
    array y = x[0];
    y -= max(y, {.axis = 0}) + sum(x[1], {.axis = 0, .keepdims = true});
    return {y, max(y, {.axis = 0})};
}

std::vector<Program> programs() {
    return {
        {"sum of two", [](const Arrays& x) { return Arrays{x[0] + x[1] * 2}; }},
        {"transposed", [](const Arrays& x) { return Arrays{transpose(x[0]) + 1}; }},
        {"backwards", [](const Arrays& x) { return Arrays{flip(x[0], 1) - x[1]}; }, false, true},
        {"sum of all", [](const Arrays& x) { return Arrays{sum(x[0] * x[1])}; }},
        {"sum of rows", [](const Arrays& x) { return Arrays{sum(x[0], {.axis = 1}), max(x[1], {.axis = 1, .initial = Scalar(0)})}; }, true},
        {"extremes of rows", [](const Arrays& x) { return Arrays{max(x[0], {.axis = 1}), min(x[1], {.axis = 1})}; }, false, false, false},
        {"product of columns", [](const Arrays& x) { return Arrays{prod(x[0], {.axis = 0}), x[1] * 2}; }},
        {"sum of columns", [](const Arrays& x) { return Arrays{sum(x[0], {.axis = 0}), any(x[1], {.axis = 0})}; }},
        {"mean and variance", [](const Arrays& x) { return Arrays{var(x[0], {.axis = 1})}; }},
        {"softmax", [](const Arrays& x) { return Arrays{softmax(x[0])}; }, true, true, false},
        {"softmax of columns", [](const Arrays& x) { return Arrays{softmax(x[0], 0)}; }, true, true, false, 0},
        {"columns in place", scaled_columns, true, true, false, 0},
        {"extremes of columns", [](const Arrays& x) { return Arrays{max(x[0], {.axis = 0}), min(x[1], {.axis = 0})}; }, false, false, false, 0},
        {"loss and gradient", [](const Arrays& x) { return Arrays{sum(exp(x[0])), exp(x[0]) * x[1]}; }},
        {"stencil", [](const Arrays& x) { return Arrays{x[0](all, range(1, -1)) + x[0](all, range(0, -2)) * x[0](all, Slice{2, std::nullopt})}; }},
        {"padded", [](const Arrays& x) { return Arrays{pad(x[0], {{1, 2}, {0, 3}}) + 1, x[1]}; }},
        {"places", [](const Arrays& x) { return Arrays{x[0] * arange(x[0].shape(1)) + sum(x[1], {.axis = 1, .keepdims = true})}; }},
        {"choices", [](const Arrays& x) { return Arrays{where(x[0] > x[1], sqrt(absolute(x[0])), tanh(x[1]))}; }, true},
        {"mixed dtypes", [](const Arrays& x) { return Arrays{x[0].astype(uint8) + uint8_t{1}, x[1].astype(float64) * 0.5}; }, true},
    };
}

const std::vector<Dtype> some_dtypes{bool_, int8, uint32, int64, float16, bfloat16, float32, float64, complex64};

}  // namespace

BOOST_AUTO_TEST_SUITE(grid)

BOOST_AUTO_TEST_CASE(programs_of_all_dtypes_and_sizes_are_assembled) {
    Selection selection;
    Assembler assembler;
    const std::vector<std::vector<std::int64_t>> shapes{{64, 64}, {1000, 3}, {3, 100003}, {100000, 64}, {5000, 2048}};
    for (const Program& program : programs()) {
        for (const int capability : {80, 90}) {
            if (!selection.takes()) continue;
            Kernels kernels;
            for (const Dtype dtype : some_dtypes) {
                if (!program.takes(dtype)) continue;
                for (const auto& shape : shapes) {
                    const bool varies = shape[0] == 1000;
                    RecordedKernels recorded = kernels_of(program.function, {{dtype, shape, varies}, {dtype, shape, varies}});
                    const std::string name = std::string(name_of(dtype)) + "_" + std::to_string(shape[0]) + "x" + std::to_string(shape[1]);
                    for (const RecordedKernel& each : recorded.kernels) kernels.add(each.kernel, recorded.sizes, name);
                }
            }
            BOOST_TEST(kernels.count() >= 20, program.name);
            assembler.add(program.name, kernels.ptx(capability), capability);
        }
    }
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_CASE(random_programs_are_assembled) {
    Assembler assembler;
    for (const int capability : {80, 90}) {
        for (unsigned first = 0; first < 100; first += 25) {
            Kernels kernels;
            for (unsigned seed = first; seed < first + 25; ++seed) {
                const RandomProgram program(seed);
                RecordedKernels recorded = kernels_of([&](const Arrays& x) { return program(x[0], x[1]); }, {{float64, {9, 5}, true}, {float64, {4, 3}}});
                for (const RecordedKernel& each : recorded.kernels) kernels.add(each.kernel, recorded.sizes);
            }
            assembler.add("random programs from " + std::to_string(first), kernels.ptx(capability), capability);
        }
    }
    BOOST_TEST(assembler.complaints() == "");
}

// What the host has of one element stands in the place of an address; tests of operations on devices compute with it.
BOOST_AUTO_TEST_CASE(elements_that_are_given_by_value_are_assembled) {
    Assembler assembler;
    Kernels kernels;
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        RecordedKernels recorded = kernels_of([](const Arrays& x) { return Arrays{x[0] + x[1], sum(x[0] * x[2], {.axis = 0})}; },
                                              {{dtype, {40, 7}, true}, {dtype, {}}, {dtype, {}}});
        for (RecordedKernel& each : recorded.kernels) {
            int count = 0;
            for (std::size_t b = 0; b < each.places.size(); ++b) {
                nest::Buffer& buffer = each.kernel.buffers[b];
                buffer.by_value = !buffer.written && each.places[b].bytes == static_cast<std::int64_t>(itemsize_of(dtype));
                count += buffer.by_value ? 1 : 0;
                BOOST_TEST(nest::words_of(buffer) == (buffer.by_value && itemsize_of(dtype) == 16 ? 2U : 1U));
            }
            BOOST_TEST(count >= 1);
            kernels.add(each.kernel, recorded.sizes, std::string(name_of(dtype)));
        }
    }
    assembler.add("by value", kernels.ptx(80), 80);
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_CASE(programs_compute_what_the_host_computes) {
    const std::vector<std::vector<std::int64_t>> shapes{{33, 35}, {2, 5000}, {1500, 20}, {1000, 3}, {90, 41}, {5, 0}, {0, 7}, {1, 1}};
    for (const Program& program : programs()) {
        for (const Dtype dtype : {bool_, int8, float16, float32, complex64}) {
            if (!program.takes(dtype)) continue;
            for (const auto& shape : shapes) {
                if (shape[static_cast<std::size_t>(program.folded)] == 0 && !program.takes_nothing) continue;
                const bool varies = shape[0] == 33 || shape[0] == 1000;
                BOOST_TEST_CONTEXT(program.name << " " << name_of(dtype) << " (" << shape[0] << ", " << shape[1] << ")")
                compare(program.function, {{dtype, shape, varies}, {dtype, shape, varies}}, dtype == float32 && shape[0] == 2);
            }
        }
    }
}

// Several in a warp; the last block has teams without rows.
BOOST_AUTO_TEST_CASE(many_short_rows_compute_what_the_host_computes) {
    const auto products = [](const Arrays& x) { return Arrays{sum(x[0](all, all, newaxis) * x[1](all, newaxis, all), {.axis = {-2, -1}})}; };
    const auto rows = [](const Arrays& x) { return Arrays{max(x[0], {.axis = 1}) - sum(x[1], {.axis = 1}), softmax(x[0] / x[1])}; };
    for (const bool varies : {false, true}) {
        compare(products, {{float32, {16411, 64}}, {float32, {16411, 64}}}, varies);
        compare(rows, {{float32, {16411, 64}}, {float32, {16411, 64}}}, varies);
        compare(rows, {{float64, {33003, 16}}, {float64, {33003, 16}}}, varies);
        compare(rows, {{float16, {32801, 64}}, {float16, {32801, 64}}}, varies);
    }
}

BOOST_AUTO_TEST_CASE(long_folds_compute_what_the_host_computes) {
    for (const Program& program : programs()) {
        for (const auto& shape : {std::vector<std::int64_t>{3, 100003}, {5000, 64}}) {
            BOOST_TEST_CONTEXT(program.name << " (" << shape[0] << ", " << shape[1] << ")")
            compare(program.function, {{float32, shape}, {float32, shape}}, false);
        }
    }
}

BOOST_AUTO_TEST_CASE(random_programs_compute_what_the_host_computes) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        const RandomProgram program(seed);
        BOOST_TEST_CONTEXT("program " << seed)
        compare([&](const Arrays& x) { return program(x[0], x[1]); }, {{float64, {9, 5}, seed % 2 == 0}, {float64, {4, 3}}}, seed % 3 == 0);
    }
}

// What is called at many places is not inlined at each, or ptxas would take seconds.
BOOST_AUTO_TEST_CASE(functions_that_are_called_often_are_kept) {
    Assembler assembler;
    for (const int count : {2, 60}) {
        const auto sines = [count](const Arrays& a) {
            array total = a[0];
            for (int i = 1; i < count; ++i) total = total + sin(a[0] * static_cast<double>(i));
            return Arrays{total};
        };
        const std::vector<std::string> texts = ptx_of(sines, {{float64, {1000}, true}});
        BOOST_REQUIRE(texts.size() == 1U);
        BOOST_TEST(has(texts[0], "call.uni") == (count == 60));
        BOOST_TEST(texts[0].size() < 100'000U);
        assembler.add(std::to_string(count) + " sines", texts[0], 90);
    }
    // Beside such a kernel another one has its own inlined.
    Kernels both;
    for (const int count : {60, 2}) {
        RecordedKernels recorded = kernels_of(
            [count](const Arrays& a) {
                array total = a[0];
                for (int i = 1; i < count; ++i) total = total + sin(a[0] * static_cast<double>(i));
                return Arrays{total};
            },
            {{float64, {1000}, true}});
        both.add(recorded.kernels[0].kernel, recorded.sizes);
    }
    const std::string text = both.ptx(90);
    const std::size_t second = text.find(".entry", text.find(".entry") + 1);
    BOOST_REQUIRE(second != std::string::npos);
    BOOST_TEST(has(text.substr(0, second), "call.uni"));
    BOOST_TEST(!has(text.substr(second), "call.uni"));
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_CASE(memory_is_accessed_by_16_bytes) {
    for (const Dtype dtype : {Dtype::uint8, Dtype::float16, Dtype::float32, Dtype::float64, Dtype::complex64}) {
        const std::vector<std::string> texts = ptx_of([](const Arrays& x) { return Arrays{x[0] + x[1]}; }, {{dtype, {1 << 20}}, {dtype, {1 << 20}}});
        BOOST_REQUIRE(texts.size() == 1U);
        BOOST_TEST(widest(texts[0], "ld.global") == 16, name_of(dtype));
        BOOST_TEST(widest(texts[0], "st.global") == 16, name_of(dtype));
    }
}

// Else each thread would store to a line of its own. What lies in each other's gaps is stored at once.
BOOST_AUTO_TEST_CASE(what_is_stored_with_gaps_is_stored_one_by_one) {
    const auto pairs = [](const Arrays& x) { return Arrays{stack({x[0] + 1, x[0] * 2}, -1)}; };
    const std::vector<std::string> texts = ptx_of(pairs, {{float32, {1 << 20}}});
    BOOST_REQUIRE(texts.size() == 1U);
    BOOST_TEST(widest(texts[0], "st.global") == 8);
    BOOST_TEST(widest(texts[0], "ld.global") == 4);
    for (const Dtype dtype : {int8, float32, complex128}) compare(pairs, {{dtype, {1001}}}, true);
}

BOOST_AUTO_TEST_CASE(rows_are_folded_by_teams) {
    const auto softmax_of = [](std::int64_t length) {
        const std::vector<std::string> rows = ptx_of([](const Arrays& x) { return Arrays{softmax(x[0])}; }, {{float32, {5000, length}}});
        BOOST_REQUIRE(rows.size() == 1U);
        BOOST_TEST(has(rows[0], "shfl.sync.bfly"));
        BOOST_TEST(has(rows[0], "bar.sync"));
        BOOST_TEST(!has(rows[0], ".local"));
        return rows[0];
    };
    const std::string held = softmax_of(2048), odd = softmax_of(2052), endless = softmax_of(50000);
    BOOST_TEST(held.rfind("ld.global") < held.find("bar.sync"));  // each element once; then it is in a register
    BOOST_TEST(widest(held, "ld.global") == 16);
    BOOST_TEST(widest(held, "st.global") == 16);
    BOOST_TEST(widest(held, "st.shared") == 4);  // what folds come to, no part of a row
    BOOST_TEST(odd.rfind("ld.global") < odd.find("bar.sync"));  // not to be shared out evenly: the row is on the chip
    BOOST_TEST(widest(odd, "ld.shared") == 16);
    BOOST_TEST(endless.rfind("ld.global") > endless.rfind("bar.sync"));  // too long for that
}

// In registers, also where a row's last vectors are fewer than the team has threads; short ones several to a warp.
BOOST_AUTO_TEST_CASE(rows_of_any_length_are_held) {
    const auto normalised = [](const Arrays& x) {
        const array apart = x[0] - mean(x[0], {.axis = 1, .keepdims = true});
        return Arrays{apart / sqrt(mean(apart * apart, {.axis = 1, .keepdims = true}) + 1e-5F) * x[1] + arange(x[0].shape(1)), max(x[0], {.axis = 1})};
    };
    const auto smoothed = [](const Arrays& x) { return Arrays{softmax(x[0]), min(x[0], {.axis = 1}), any(x[0] > 1, {.axis = 1})}; };
    const auto turned = [](const Arrays& x) { return Arrays{flip(softmax(x[0]), 1)}; };
    for (const std::int64_t length : {33, 50, 99, 100, 126, 130, 250, 1000, 1001, 2052}) {
        for (const Dtype dtype : {float32, float64, float16}) {
            compare(smoothed, {{dtype, {37, length}}}, length % 2 == 0);
            compare(normalised, {{dtype, {37, length}}, {dtype, {length}}}, length % 4 == 0);
        }
        compare(turned, {{float32, {37, length}}}, false);
    }
    const auto shifted = [](const Arrays& x) { return Arrays{x[0] + sum(x[0], {.axis = 1, .keepdims = true}), prod(x[0], {.axis = 1})}; };
    const auto padded = [](const Arrays& x) { return Arrays{softmax(pad(x[0], {{0, 0}, {1, 2}}))}; };
    const auto products = [](const Arrays& x) { return Arrays{sum(x[0](all, all, newaxis) * x[1](all, newaxis, all), {.axis = {1, 2}})}; };
    for (const std::int64_t length : {47, 50, 1001}) {
        for (const Dtype dtype : {bool_, int8, int64, complex64}) compare(shifted, {{dtype, {37, length}}}, length == 50);
        compare(padded, {{float32, {37, length - 3}}}, false);
        compare(products, {{float32, {37, length}}, {float32, {37, 10}}}, false);
    }
    constexpr std::int64_t many = nest::Grid::busy_threads / 2 + 3;
    compare(smoothed, {{float32, {many, 8}}}, true);
    // Parts of sectors, put together by the teams of a warp, of which the last one has fewer rows.
    for (const std::int64_t length : {10, 12, 13, 20}) compare(normalised, {{float32, {many, length}}, {float32, {length}}}, length == 12);
    for (const Dtype dtype : {bool_, int16, float64, complex64}) compare(shifted, {{dtype, {many, 9}}}, false);
    for (const std::int64_t length : {2, 3, 4, 5, 6, 7}) {  // each a thread's
        compare(smoothed, {{float32, {2 * many, length}}}, length == 5);
        compare(normalised, {{length % 2 == 0 ? float16 : float64, {2 * many, length}}, {length % 2 == 0 ? float16 : float64, {length}}}, false);
    }
    for (const Dtype dtype : {bool_, int16, complex64, complex128}) compare(shifted, {{dtype, {2 * many, 3}}}, dtype == int16);
    const auto several = [](const Arrays& x) {
        const array e = x[0] - max(x[0], {.axis = 1, .keepdims = true});
        return Arrays{e, e > -1, e.astype(float16), e.astype(int8)};
    };
    for (const std::int64_t length : {3, 9, 15}) compare(several, {{float32, {2 * many, length}}}, length == 9);
    compare(smoothed, {{float16, {many / 4, 50}}}, false);
    compare(smoothed, {{float32, {many / 4, 33}}}, true);
    const auto text_of = [&](std::int64_t rows, std::int64_t length) { return ptx_of(smoothed, {{float32, {rows, length}}})[0]; };
    const std::string eight = text_of(many, 8), ten = text_of(many, 10), thousand = text_of(5000, 1000);
    for (const std::string& text : {eight, ten, thousand, text_of(5000, 33)}) {
        BOOST_TEST(has(text, "shfl.sync"));
        BOOST_TEST(text.rfind("ld.global") < text.find("shfl.sync"));
    }
    BOOST_TEST(widest(eight, "ld.global") == 16);
    BOOST_TEST(widest(eight, "st.global") == 16);
    BOOST_TEST(widest(ten, "st.global") == 16);
    BOOST_TEST(has(ten, "bar.warp.sync"));
    BOOST_TEST(!has(eight, "bar.warp.sync"));
    BOOST_TEST(widest(thousand, "st.global") == 16);
    const std::string three = ptx_of([](const Arrays& x) { return Arrays{softmax(x[0])}; }, {{float32, {2 * many, 3}}})[0];
    BOOST_TEST(has(three, "bar.warp.sync"));
    BOOST_TEST(!has(three, "shfl.sync"));
    BOOST_TEST(widest(three, "st.global") == 16);
}

BOOST_AUTO_TEST_CASE(columns_are_folded_by_crews) {
    const auto columns = [](std::int64_t length, std::int64_t count) {
        return ptx_of([](const Arrays& x) { return Arrays{sum(x[0], {.axis = 0})}; }, {{float32, {length, count}}});
    };
    for (const std::int64_t length : {64, 100000}) {  // the longer ones in blocks, whose sums are then summed
        const std::vector<std::string> few = columns(length, 1024);
        BOOST_REQUIRE(few.size() == (length == 64 ? 1U : 2U));
        for (const std::string& text : few) BOOST_TEST(!has(text, "shfl"));  // neighbouring threads have neighbouring columns
        BOOST_TEST(has(few.back(), "bar.sync"));
    }
    const std::vector<std::string> many = columns(64, 1 << 20);  // as many as there are threads: a thread has four
    BOOST_REQUIRE(many.size() == 1U);
    BOOST_TEST(!has(many[0], "shfl"));
    BOOST_TEST(!has(many[0], "bar.sync"));
    BOOST_TEST(widest(many[0], "ld.global") == 16);
}

// Where there is enough to do, a thread does several steps of another axis for what they share.
BOOST_AUTO_TEST_CASE(steps_that_share_loads_are_done_side_by_side) {
    const auto stencil = [](const Arrays& x) {
        const auto inner = range(1, -1);
        return Arrays{x[0](inner, inner) - 0.2F * (x[0](until(-2), inner) + x[0](from(2), inner) + x[0](inner, until(-2)) * x[0](inner, from(2)))};
    };
    const auto distances = [](const Arrays& x) {
        const array apart = x[0](all, newaxis) - x[1](newaxis);
        return Arrays{sqrt(sum(apart * apart, {.axis = -1}))};
    };
    Selection selection;
    const auto compare_some = [&](const auto& function, const std::vector<Argument>& arguments, bool vectors) {
        if (selection.takes()) compare(function, arguments, vectors);
    };
    const std::vector<Argument> few_and_many{{float32, {64, 8}}, {float32, {100'004, 8}}};  // of one kind too few for sixteen at a time
    compare_some(distances, few_and_many, false);
    BOOST_TEST(widest(ptx_of(distances, few_and_many)[0], "st.global") == 16);
    for (const std::int64_t length : {8, 10, 33, 72, 200}) {
        const std::vector<Argument> points{{float32, {2050, length}}, {float32, {2052, length}}};
        compare_some(distances, points, length == 10);
        const int bytes = length % 4 == 0 ? 16 : length % 2 == 0 ? 8 : 4;
        BOOST_TEST(widest(ptx_of(distances, points)[0], "ld.global") == bytes, length);
    }
    const auto outer = [](const Arrays& x) { return Arrays{x[0](all, newaxis) * 2 + x[1], where(x[1] > 0, x[0](all, newaxis), 0)}; };
    const auto reversed = [](const Arrays& x) { return Arrays{flip(x[0], 0) + x[0] * x[1]}; };
    for (const bool varies : {false, true}) {
        compare_some(stencil, {{float32, {1043, 1046}, varies}}, false);
        compare_some(stencil, {{float32, {2050, 2052}, varies}}, true);
        compare_some(distances, {{float32, {2050, 3}, varies}, {float32, {2052, 3}, varies}}, false);
        compare_some(distances, {{float64, {1029, 2}, varies}, {float64, {2051, 2}, varies}}, false);
        compare_some(outer, {{float32, {2051}, varies}, {float32, {2048}, varies}}, false);
        compare_some(outer, {{float64, {1027}, varies}, {float64, {2049}, varies}}, varies);
        compare_some(reversed, {{float32, {1100, 1001}, varies}, {float32, {1001}, varies}}, false);
    }
    const auto loads = [](const std::vector<std::string>& texts, const std::string& kind) {
        std::size_t count = 0;
        for (std::size_t at = texts[0].find(kind); at != std::string::npos; at = texts[0].find(kind, at + 1)) ++count;
        return count;
    };
    // Two columns of eight rows: two vectors of each row, besides those for one row. The rows above and below are of single elements.
    BOOST_TEST(loads(ptx_of(stencil, {{float32, {80, 90}}}), "ld.global.v2") == 2U);
    BOOST_TEST(loads(ptx_of(stencil, {{float32, {8192, 4096}}}), "ld.global.v2") == 2U + 16U);
    // They are all on their way at once.
    BOOST_TEST(has(ptx_of(stencil, {{float32, {8192, 4096}}})[0], ".minnctapersm 4"));
    BOOST_TEST(!has(ptx_of(stencil, {{float32, {80, 90}}})[0], ".minnctapersm 4"));
    BOOST_TEST(!has(ptx_of(stencil, {{float64, {8192, 4096}}})[0], ".minnctapersm 4"));  // too many registers
    // And stores are in turn: each comes after its sums, not all of them after all sums.
    const std::string turns = ptx_of(stencil, {{float32, {8192, 4096}}})[0];
    const std::size_t first = turns.find("st.global.v2"), second = turns.find("st.global.v2", first + 1);
    const std::string between = turns.substr(first, second - first);
    BOOST_TEST(has(between, "bra"));
    BOOST_TEST(has(between, "sub.rn.f32"));
    BOOST_TEST(!has(between, "ld.global"));
    Assembler assembler;
    assembler.add("stores in turn", turns, 90);
    BOOST_TEST(assembler.complaints() == "");
    // A column less: no vectors of 8 bytes are aligned. 26 for one column of eight rows.
    BOOST_TEST(loads(ptx_of(stencil, {{float32, {8192, 4095}}}), "ld.global") == 26 + loads(ptx_of(stencil, {{float32, {80, 91}}}), "ld.global"));
}

// Elements that are taken by index (tests/python/test_cuda_gathers.py runs such kernels).
BOOST_AUTO_TEST_CASE(rows_are_taken_by_16_bytes) {
    Assembler assembler;
    Kernels kernels;
    const auto scaled = [](const Arrays& x) { return Arrays{take(x[0], x[1], 0) * 2}; };
    const auto summed = [](const Arrays& x) { return Arrays{sum(take(x[0], x[1], 0), {.axis = 1}), softmax(take(x[0], x[1](all, 0), 0))}; };
    for (const Dtype dtype : some_dtypes) {
        for (const bool varies : {false, true}) {
            for (const std::int64_t length : {1, 3, 128}) {
                for (const auto& function : {std::function<Arrays(const Arrays&)>(scaled), std::function<Arrays(const Arrays&)>(summed)}) {
                    if (dtype == bool_ && length != 3) continue;
                    RecordedKernels recorded = kernels_of([&](const Arrays& x) { return dtype == bool_ || is_complex(dtype) ? scaled(x) : function(x); },
                                                          {{dtype, {5000, length}, varies}, {int64, {3000, 8}, varies}}, true);
                    for (const RecordedKernel& each : recorded.kernels) kernels.add(each.kernel, recorded.sizes, std::string(name_of(dtype)));
                }
            }
        }
    }
    assembler.add("gathers", kernels.ptx(90), 90);
    BOOST_TEST(assembler.complaints() == "");
    const std::vector<std::string> rows = ptx_of(scaled, {{float32, {50000, 128}}, {int64, {30000}}}, true);
    BOOST_REQUIRE(rows.size() == 1U);
    BOOST_TEST(widest(rows[0], "ld.global") == 16);
}

BOOST_AUTO_TEST_CASE(arithmetic_is_rounded_as_numpy_rounds_it) {
    const std::vector<std::string> products =
        ptx_of([](const Arrays& x) { return Arrays{x[0] * x[1] + x[0] * x[0]}; }, {{float32, {5000}}, {float32, {5000}}});
    BOOST_REQUIRE(products.size() == 1U);
    BOOST_TEST(has(products[0], "mul.rn.f32"));
    BOOST_TEST(has(products[0], "add.rn.f32"));
    BOOST_TEST(!has(products[0], "fma"));
    const std::vector<std::string> sums = ptx_of([](const Arrays& x) { return Arrays{sum(x[0] * x[0], {.axis = 0})}; }, {{float64, {3, 5000}}});
    BOOST_REQUIRE(sums.size() == 1U);
    BOOST_TEST(!has(sums[0], "fma"));  // in NumPy's order
    const std::vector<std::string> quotients = ptx_of([](const Arrays& x) { return Arrays{x[0] / x[1]}; }, {{float64, {5000}}, {float64, {5000}}});
    BOOST_TEST(has(quotients[0], "div.rn.f64"));
}

// Divisions and roots of float32: four elements without a branch, and for operands of unusual size exact results one after the other, by doubles; where
// elements are not a thread's only ones, by exact instructions.
BOOST_AUTO_TEST_CASE(quotients_are_speculated_on) {
    const auto both = [](const Arrays& x) { return Arrays{x[0] / (1.0F + sqrt(x[1]) * 0.5F)}; };
    const std::vector<std::string> texts = ptx_of(both, {{float32, {4096}}, {float32, {4096}}});
    BOOST_REQUIRE(texts.size() == 1U);
    BOOST_TEST(count(texts[0], "rcp.approx.ftz.f32") == 4U);
    BOOST_TEST(count(texts[0], "rsqrt.approx.ftz.f32") == 4U);
    BOOST_TEST(count(texts[0], "rcp.approx.ftz.f64") == 1U);  // in a loop
    BOOST_TEST(count(texts[0], "rsqrt.approx.ftz.f64") == 1U);
    BOOST_TEST(!has(texts[0], "div.rn"));  // which would be a call
    BOOST_TEST(!has(texts[0], "sqrt.rn"));
    const std::string left = ptx_of(both, {{float32, {4097}}, {float32, {4097}}})[0];  // what is less than a vector is rare, and exact at once
    BOOST_TEST(count(left, "rcp.approx.ftz.f32") == 4U);
    BOOST_TEST(count(left, "rcp.approx.ftz.f64") == 2U);
    BOOST_TEST(!has(left, "div.rn"));
    const auto shares = [](const Arrays& x) { return Arrays{x[0] / sum(x[0], {.axis = 1, .keepdims = true})}; };
    BOOST_TEST(has(ptx_of(shares, {{float32, {4096, 256}}})[0], "div.rn.f32"));
    // Quotients of +0 are right, though nothing is known of their size: whether that is all is looked at apart.
    BOOST_TEST(count(ptx_of([](const Arrays& x) { return Arrays{x[0] / x[1]}; }, {{float32, {4096}}, {float32, {4096}}})[0], "setp.eq.s32") == 4U);
    const auto roots = [](const Arrays& x) { return Arrays{sqrt(x[0] / x[1])}; };  // not of zero
    BOOST_TEST(!has(ptx_of(roots, {{float32, {4096}}, {float32, {4096}}})[0], "setp.eq.s32"));
    const std::vector<std::string> halves = ptx_of([](const Arrays& x) { return Arrays{x[0] / 4.0F}; }, {{float32, {4096}}});
    BOOST_TEST(count(halves[0], "mul.rn.f32") == 4U);
}

// The driver's assembler takes as many registers as it likes, unless it is told that many threads are wanted.
BOOST_AUTO_TEST_CASE(threads_have_registers_for_what_they_do) {
    using Function = std::function<Arrays(const Arrays&)>;
    const auto text_of = [](const Function& function, const std::vector<Argument>& arguments) { return ptx_of(function, arguments)[0]; };
    const Argument line{float32, {1 << 20}}, points{float32, {8192, 3}};
    const Function ratio = [](const Arrays& x) { return Arrays{exp(-x[0]) / (x[0] + x[1]), log(x[1])}; };
    BOOST_TEST(has(text_of(ratio, {line, line}), ".minnctapersm 6"));
    const Function distances = [](const Arrays& x) {
        const array apart = x[0].reshape({8192, 1, 3}) - x[1].reshape({1, 8192, 3});
        return Arrays{sqrt(sum(apart * apart, {.axis = -1}))};
    };
    BOOST_TEST(has(text_of(distances, {points, points}), ".minnctapersm 5"));
    const Function rows = [](const Arrays& x) { return Arrays{softmax(x[0])}; };
    BOOST_TEST(has(text_of(rows, {{float32, {4096, 4096}}}), ".minnctapersm 4"));
    BOOST_TEST(has(text_of(rows, {{float32, {1 << 18, 10}}}), ".minnctapersm 5"));
    const Function paired_rows = [](const Arrays& x) {
        const array apart = x[0].reshape({8192, 1, 64}) - x[1].reshape({1, 8192, 64});
        return Arrays{sqrt(sum(apart * apart, {.axis = -1}))};
    };
    const Argument far{float32, {8192, 64}};
    const std::string paired = text_of(paired_rows, {far, far});
    BOOST_TEST(has(paired, ".minnctapersm 4"));
    BOOST_TEST(widest(paired, "ld.global") == 16);
    // Too many values at a time; functions that need any number of registers.
    const Function many = [](const Arrays& x) { return Arrays{(x[0] * x[1] + x[2] * x[3]) / (x[4] * x[5] + x[6] * x[7])}; };
    BOOST_TEST(!has(text_of(many, std::vector<Argument>(8, line)), ".minnctapersm"));
    BOOST_TEST(!has(text_of([](const Arrays& x) { return Arrays{sin(x[0])}; }, {line}), ".minnctapersm"));
    BOOST_TEST(!has(text_of([](const Arrays& x) { return Arrays{exp(x[0])}; }, {{float64, {1 << 20}}}), ".minnctapersm"));
    BOOST_TEST(!has(text_of(rows, {{float64, {4096, 4096}}}), ".minnctapersm"));
}

// Logarithms and sines of four elements without the cases for rare arguments, which are tested for, and the whole function once.
BOOST_AUTO_TEST_CASE(usual_arguments_are_speculated_on) {
    const auto text_of = [](array function(const array&)) {
        return ptx_of([&](const Arrays& x) { return Arrays{function(x[0])}; }, {{float32, {4096}}})[0];
    };
    const std::string logarithms = text_of([](const array& x) { return log(x); });
    BOOST_TEST(count(logarithms, "cvt.rn.f32.s32") == 5U);
    BOOST_TEST(count(logarithms, "0f4B000000") == 1U);  // by which subnormal numbers are multiplied
    BOOST_TEST(count(logarithms, "2130706432") == 1U);  // of so many bit patterns all are normal and positive
    const std::string waves = text_of([](const array& x) { return sin(x); });
    BOOST_TEST(count(waves, "cvt.rni.s32.f32") == 5U);
    BOOST_TEST(count(waves, "madc.hi.u32") <= 6U);       // of arguments that are not small, unrolled or not
    BOOST_TEST(count(waves, "0f47800000") == 4U);        // 2^16
}

BOOST_AUTO_TEST_SUITE_END()
