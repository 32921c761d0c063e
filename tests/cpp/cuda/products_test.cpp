// What cuBLASLt is told of products of matrices, and when; over a driver and a library that have no GPU.
#include "cuda/products.h"

#include <boost/test/unit_test.hpp>
#include <complex>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_blas.h"
#include "cuda/fake_driver.h"
#include "cuda/libraries.h"
#include "cuda/says.h"
#include "device/block.h"
#include "eager/eager.h"
#include "fastnp/device.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeBlas;
using cuda::FakeDriver;
using cuda::says;
using device::Contraction;
using Added = Contraction::Added;
using device::Matrices;

namespace {

struct Setup {
    FakeDriver driver;
    FakeBlas blas;
    std::unique_ptr<Device> device = std::make_unique<Device>(driver.driver(), 0, Device::no_limit, Device::Libraries{&FakeBlas::find, &cuda::Fft::get});

    void check_all_is_given_back() {
        device.reset();
        BOOST_TEST(blas.misuses.empty());
        for (const std::string& each : blas.misuses) BOOST_TEST_MESSAGE(each);
        BOOST_TEST(blas.handles == 0);
        BOOST_TEST(blas.descriptors == 0);
        BOOST_TEST(driver.misuses().empty());
        BOOST_TEST(driver.handles() == 0);
        BOOST_TEST(driver.device_bytes() == 0U);
    }
};

// Matrices of small whole numbers, on the host and on the device.
struct Stored {
    Stored(Device& device, Dtype dtype, std::int64_t elements)
        : dtype(dtype), bytes(static_cast<std::size_t>(elements) * itemsize_of(dtype)), there(device, bytes.size()) {
        std::vector<std::int8_t> numbers(static_cast<std::size_t>(elements));
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int8_t>(i * 7 % 5 + 1);
        eager::copy({numbers.data(), int8, {elements}, {1}}, {bytes.data(), dtype, {elements}, {static_cast<std::int64_t>(itemsize_of(dtype))}});
        device.upload(there.get(), bytes.data(), bytes.size());
    }
    eager::View here(const Matrices& m, std::int64_t count, std::int64_t rows, std::int64_t columns) {
        const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
        return {bytes.data(), dtype, {count, rows, columns}, {m.step * size, m.row_stride * size, m.column_stride * size}};
    }

    Dtype dtype;
    std::vector<char> bytes;
    device::Block there;
};

void check(Device& device, Contraction contraction) {
    constexpr std::int64_t room = 400;
    Stored x(device, contraction.dtype, room), y(device, contraction.dtype, room), out(device, contraction.dtype, room),
        c(device, contraction.dtype, room);
    const auto& [dtype, rows, inner, columns, count, xm, ym, om, added, cm] = contraction;
    std::vector<eager::View> operands{x.here(xm, count, rows, inner), y.here(ym, count, inner, columns)};
    if (added == Added::matrices) operands.push_back(c.here(cm, count, rows, columns));
    if (added == Added::row) operands.push_back(c.here({nullptr, 0, 1, 0}, count, rows, columns));
    eager::run(ops::Op::matmul, {}, operands, out.here(om, count, rows, columns));
    contraction.c.data = c.there.get();
    contraction.x.data = x.there.get();
    contraction.y.data = y.there.get();
    contraction.out.data = out.there.get();
    BOOST_TEST(device.contract(contraction));
    std::vector<char> found(out.bytes.size());
    device.download(found.data(), out.there.get(), found.size());
    BOOST_TEST((found == out.bytes));  // what lies between the rows, too
}

Contraction rows_of(Dtype dtype, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    return {dtype, rows, inner, columns, 1, {nullptr, inner, 1, 0}, {nullptr, columns, 1, 0}, {nullptr, columns, 1, 0}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_products)

BOOST_AUTO_TEST_CASE(every_dtype_and_layout) {
    Setup setup;
    for (const Dtype dtype : {float32, float64, float16, bfloat16, complex64, complex128}) {
        BOOST_TEST(setup.device->lacks_products(dtype) == "");
        check(*setup.device, rows_of(dtype, 4, 5, 6));
        for (const bool x_turned : {false, true}) {
            for (const bool y_turned : {false, true}) {
                for (const std::int64_t spare : {0, 3}) {
                    Contraction each{dtype, 4, 5, 6, 1, {}, {}, {nullptr, 6 + spare, 1, 0}};
                    each.x = x_turned ? Matrices{nullptr, 1, 4 + spare, 0} : Matrices{nullptr, 5 + spare, 1, 0};
                    each.y = y_turned ? Matrices{nullptr, 1, 5 + spare, 0} : Matrices{nullptr, 6 + spare, 1, 0};
                    check(*setup.device, each);
                }
            }
        }
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(stacks_and_vectors) {
    Setup setup;
    Contraction stack = rows_of(float32, 2, 3, 4);
    stack.count = 5;
    stack.x.step = 6;
    stack.y.step = 12;
    stack.out.step = 8;
    check(*setup.device, stack);
    stack.y.step = 0;
    check(*setup.device, stack);
    check(*setup.device, rows_of(float64, 1, 7, 3));
    check(*setup.device, rows_of(float64, 3, 7, 1));
    check(*setup.device, rows_of(float64, 1, 7, 1));
    check(*setup.device, rows_of(float64, 5, 1, 6));
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(what_is_added) {
    Setup setup;
    for (const Dtype dtype : {float32, float64, complex64, complex128}) {
        for (const Added added : {Added::row, Added::matrices}) {
            Contraction each = rows_of(dtype, 4, 5, 6);
            each.added = added;
            each.c = {nullptr, 9, 1, 0};
            check(*setup.device, each);
            each.x.step = 20;
            each.y.step = 0;
            each.out.step = 24;
            each.c.step = 37;
            each.count = 3;
            check(*setup.device, each);
        }
    }
    for (const Dtype dtype : {float16, bfloat16}) {  // their sums would be rounded once
        Contraction each = rows_of(dtype, 4, 5, 6);
        each.added = Added::matrices;
        BOOST_TEST(!setup.device->contract(each));
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(again_it_is_one_call_and_no_memory) {
    Setup setup;
    const auto make = [&] { return std::make_unique<device::Block>(*setup.device, 4096); };
    const auto x = make(), y = make(), out = make();
    Contraction each = rows_of(float32, 8, 8, 8);
    each.x.data = x->get();
    each.y.data = y->get();
    each.out.data = out->get();
    BOOST_TEST(setup.device->contract(each));
    BOOST_TEST(setup.blas.choices == 1);
    setup.driver.clear_log();
    for (int i = 0; i < 3; ++i) BOOST_TEST(setup.device->contract(each));
    BOOST_TEST(setup.driver.log() == std::vector<std::string>(3, "cublasLtMatmul"), boost::test_tools::per_element());
    BOOST_TEST(setup.blas.choices == 1);
    BOOST_TEST(setup.device->statistics().products == 4U);
    each.x.data = x->get() + 4;  // aligned to less
    BOOST_TEST(setup.device->contract(each));
    BOOST_TEST(setup.blas.choices == 2);
}

BOOST_AUTO_TEST_CASE(what_the_library_has_not) {
    Setup setup;
    for (const Dtype dtype : {bool_, int8, int64, uint32}) {
        BOOST_TEST(setup.device->lacks_products(dtype).find("cuBLAS has no products of") == 0U);
        BOOST_TEST(!setup.device->contract(rows_of(dtype, 2, 2, 2)));
    }
    BOOST_TEST(!setup.device->contract(rows_of(float32, std::int64_t{1} << 31, 2, 2)));
    setup.blas.has_algorithms = false;
    BOOST_TEST(!setup.device->contract(rows_of(float32, 2, 2, 2)));
    BOOST_TEST(!setup.device->contract(rows_of(float32, 2, 2, 2)));
    BOOST_TEST(setup.blas.choices == 1);  // it is remembered
    BOOST_TEST(setup.device->statistics().products == 0U);
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(a_library_that_is_not_there_or_does_not_start) {
    {
        Setup setup;
        setup.blas.blas.problem = "cuBLAS was not found: there is no libcublasLt.so.13";
        BOOST_TEST(setup.device->lacks_products(float32) == setup.blas.blas.problem);
        BOOST_TEST(!setup.device->contract(rows_of(float32, 2, 2, 2)));
        setup.check_all_is_given_back();
    }
    Setup setup;
    setup.driver.fail("cublasLtCreate", 1, 2);
    BOOST_TEST(setup.device->lacks_products(float32) == "cuBLAS does not start (libfake.so): it did not work");
    BOOST_TEST(setup.device->lacks_products(float32) != "");  // it is not tried again
    BOOST_TEST(setup.driver.calls("cublasLtCreate") == 2);
}

BOOST_AUTO_TEST_CASE(a_library_that_finds_no_memory_gets_what_the_pool_keeps) {
    Setup setup;
    constexpr std::size_t bytes = std::size_t{64} << 20;
    setup.device->free(setup.device->allocate(bytes), bytes);
    setup.driver.fail("cublasLtCreate", 1);
    BOOST_TEST(setup.device->lacks_products(float32).empty());
    BOOST_TEST(setup.device->statistics().held_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(errors_of_the_library) {
    Setup setup;
    const device::Block memory(*setup.device, 4096);
    Contraction each = rows_of(float32, 2, 2, 2);
    each.x.data = each.y.data = memory.get();
    each.out.data = memory.get() + 256;
    BOOST_TEST(setup.device->contract(each));
    setup.driver.fail("cublasLtMatmul", 13);
    BOOST_CHECK_EXCEPTION(setup.device->contract(each), DeviceError, says("device 'cuda:0': cublasLtMatmul failed: it did not work (status 13)"));
    BOOST_TEST(setup.device->contract(each));
}

BOOST_AUTO_TEST_CASE(several_threads) {
    Setup setup;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&setup, t] {
            const device::Block memory(*setup.device, 65536);
            for (int i = 1; i < 20; ++i) {
                Contraction each = rows_of(t % 2 == 0 ? float32 : float64, i, 3, t + 1);
                each.x.data = memory.get();
                each.y.data = memory.get() + 16384;
                each.out.data = memory.get() + 32768;
                if (!setup.device->contract(each)) std::abort();
            }
            setup.device->synchronize();
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(setup.device->statistics().products == 4U * 19U);
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(memory_becomes_zero) {
    Setup setup;
    {
        const device::Block memory(*setup.device, 64);
        std::vector<char> bytes(64, 1);
        setup.device->upload(memory.get(), bytes.data(), 64);
        setup.device->clear(memory.get() + 8, 16);
        setup.device->clear(memory.get(), 0);
        setup.device->download(bytes.data(), memory.get(), 64);
        BOOST_TEST(std::accumulate(bytes.begin(), bytes.end(), 0) == 48);
        BOOST_TEST(std::accumulate(bytes.begin() + 8, bytes.begin() + 24, 0) == 0);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(where_libraries_are_looked_for) {
    const FakeDriver fake;  // of CUDA 13
    const cuda::Library none = cuda::find_library(fake.driver(), {"libfastnp_that_is_not_there", "nothing", {7, 6, 5}});
    BOOST_TEST(none.handle == nullptr);
    BOOST_TEST(none.problem ==
               "there is no libfastnp_that_is_not_there.so.7 or libfastnp_that_is_not_there.so.6 or libfastnp_that_is_not_there.so.5 that can be loaded");
    const cuda::Library library = cuda::find_library(fake.driver(), {"libm", "nothing", {8, 6, 7}});
    BOOST_TEST(library.path.find("libm.so.6") != std::string::npos);
    double (*cosine)(double) = nullptr;
    BOOST_REQUIRE(library.find("cos", cosine));
    BOOST_TEST(cosine(0) == 1);
    BOOST_TEST(!library.find("there_is_none", cosine));
    FakeDriver old;
    old.fail("cuDriverGetVersion", 999);
    BOOST_TEST(cuda::find_library(old.driver(), {"libm", "nothing", {8, 6, 7}}).problem == "there is none for this driver");
    look_for_libraries_in("/somewhere/site-packages");
    look_for_libraries_in("/somewhere/site-packages");
    const std::vector<std::string> folders = cuda::folders_for(13, "cublas");
    BOOST_TEST(std::ranges::count(folders, "/somewhere/site-packages/nvidia/cu13/lib") == 1);
    BOOST_TEST(std::ranges::count(folders, "/somewhere/site-packages/nvidia/cublas/lib") == 1);
    BOOST_TEST(std::ranges::count(folders, "/usr/local/cuda/lib64") >= 1);
}

BOOST_AUTO_TEST_SUITE_END()
