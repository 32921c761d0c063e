// Kernels that are written in C++: CUDA's assembler takes all of them, and nothing in them is called or kept in slow memory.
#include "codegen/library_kernel.h"

#include <boost/test/unit_test.hpp>

#include "codegen/ptx.h"
#include "selection.h"

using namespace fastnp;
using codegen::LibraryKernel;

namespace {

// Those of every dtype, by units of memory, and then those of each dtype.
std::vector<std::vector<LibraryKernel>> all_kernels() {
    std::vector<std::vector<LibraryKernel>> all{{{"check_indices"},
                                                 {"note_index"},
                                                 {"count_true"},
                                                 {"true_places"},
                                                 {"last_of_place"},
                                                 {"choose_sorted_narrow"},
                                                 {"choose_sorted_wide"},
                                                 {"store_places_narrow"},
                                                 {"store_places_wide"},
                                                 {"radix_routes"},
                                                 {"draw_left_float32"},
                                                 {"draw_left_float64"},
                                                 {"select_begin"},
                                                 {"select_bits"}}};
    for (const char* bytes : {"1", "2", "4", "8", "16"}) {
        for (const char* name : {"gather_", "put_"}) all[0].push_back({std::string(name) + bytes});
    }
    for (const char* bytes : {"1", "2", "4"}) {
        for (const char* name : {"newest_", "put_newest_", "store_pairs_"}) all[0].push_back({std::string(name) + bytes});
    }
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        const std::string text(name_of(dtype));
        std::vector<LibraryKernel>& kernels = all.emplace_back();
        for (const char* name : {"sum_few_", "sum_few_parts_"}) {
            if (is_inexact(dtype)) kernels.push_back({name + text});
        }
        for (const char* name : {"argfold_", "searchsorted_", "sort_tiles_", "sort_merge_", "argsort_tiles_", "argsort_merge_"})
            kernels.push_back({name + text});
        const bool is_lapacks = (is_floating(dtype) || is_complex(dtype)) && (real_of(dtype) == float32 || real_of(dtype) == float64);
        for (const char* name : {"qr_", "householder_"}) {
            if (is_lapacks) kernels.push_back({name + text});
        }
        for (const char* name : {"radix_counts_", "radix_sort_", "radix_argsort_", "select_counts_", "select_store_"}) {
            if (!is_complex(dtype)) kernels.push_back({name + text});
        }
        for (const char* name : {"join_", "join_few_", "join_sums_"}) {
            if (is_integer(dtype) && itemsize_of(dtype) >= 4) kernels.push_back({name + text});
        }
        for (const char* name :
             {"scan_lines_", "scan_pieces_", "scan_tiles_", "combine_runs_narrow_", "combine_parts_narrow_", "combine_runs_wide_", "combine_parts_wide_",
              "combine_rows_narrow_", "combine_row_parts_narrow_", "combine_rows_wide_", "combine_row_parts_wide_"}) {
            kernels.push_back({name + text, LibraryKernel::Combine{ir::Op::add, dtype}});
        }
    }
    for (const std::string generator : {"pcg64", "pcg64dxsm", "philox"}) {
        std::vector<LibraryKernel>& kernels = all.emplace_back();
        for (const char* name : {"float32", "float64", "normal_float32", "normal_float64", "exponential_float32", "exponential_float64"})
            kernels.push_back({std::string("draw_") + name + "_" + generator});
        for (const char* bits : {"64_64", "32_64", "32_32", "16_16", "8_8"}) {
            for (const char* name : {"draw_integers_", "draw_bounded_"}) kernels.push_back({std::string(name) + bits + "_" + generator});
        }
        kernels.push_back({"draw_integers_1_8_" + generator});
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(library_kernels)

BOOST_AUTO_TEST_CASE(every_kernel_assembles) {
    Selection selection;
    Assembler assembler;
    for (const std::vector<LibraryKernel>& kernels : all_kernels()) {
        for (const int capability : {80, 90}) {
            if (!selection.takes()) continue;
            BOOST_TEST_CONTEXT(kernels[0].name << " and others for sm_" << capability) {
                const codegen::DeviceText made = codegen::library_text(kernels, device::Backend::Code::ptx, capability);
                BOOST_TEST(waits_first(made.text, capability));
                for (const std::string& symbol : made.symbols) BOOST_TEST(has(made.text, ".entry " + symbol + "("));
                BOOST_TEST(has(made.text, ".target sm_" + std::to_string(capability)));
                BOOST_TEST(!has(made.text, ".extern"));
                BOOST_TEST(!has(made.text, "call."));
                BOOST_TEST(!has(made.text, ".local"));
                if (kernels[0].name.starts_with("draw_")) BOOST_TEST(!has(made.text, "fma."));  // each step is rounded, as NumPy's
                assembler.add(kernels[0].name, made.text, capability);
            }
        }
    }
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_SUITE_END()
