// Kernels that are written in C++: CUDA's assembler takes all of them, and nothing in them is called or kept in slow memory.
#include "codegen/library_kernel.h"

#include <boost/test/unit_test.hpp>

#include "codegen/ptx.h"

using namespace fastnp;
using codegen::LibraryKernel;

namespace {

std::vector<LibraryKernel> all_kernels() {
    std::vector<LibraryKernel> all{{"check_indices"}};
    for (const char* bytes : {"1", "2", "4", "8", "16"}) all.push_back({std::string("gather_") + bytes});
    for (int i = 0; i < dtype_count; ++i) {
        const std::string dtype(name_of(static_cast<Dtype>(i)));
        all.push_back({"argfold_" + dtype});
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(library_kernels)

BOOST_AUTO_TEST_CASE(every_kernel_assembles) {
    Assembler assembler;
    for (const LibraryKernel& kernel : all_kernels()) {
        for (const int capability : {80, 90}) {
            BOOST_TEST_CONTEXT(kernel.name << " for sm_" << capability) {
                const codegen::DeviceText made = codegen::library_text(kernel, device::Backend::Code::ptx, capability);
                BOOST_TEST(has(made.text, ".entry " + made.symbols.at(0)));
                BOOST_TEST(has(made.text, ".target sm_" + std::to_string(capability)));
                BOOST_TEST(!has(made.text, ".extern"));
                BOOST_TEST(!has(made.text, "call."));
                BOOST_TEST(!has(made.text, ".local"));
                assembler.add(kernel.name, made.text, capability);
            }
        }
    }
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_SUITE_END()
