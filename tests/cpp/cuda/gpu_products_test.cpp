// Products of matrices on a GPU, by the real cuBLASLt. Without one, or without the library, these cases say so and pass.
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "device/block.h"
#include "device/registry.h"
#include "eager/eager.h"
#include "shape/strides.h"

using namespace fastnp;
using device::Backend;
using device::Contraction;
using device::Matrices;

namespace {

// The first device, if it has products.
Backend* gpu() {
    const device::Listing listed = device::list_cuda();
    std::string problem = listed.problem;
    if (problem.empty()) problem = device::cuda(0).lacks_products(float32);
    if (!problem.empty()) BOOST_TEST_MESSAGE("skipped: " << problem);
    return problem.empty() ? &device::cuda(0) : nullptr;
}

struct Elements {
    Elements(Backend& backend, Dtype dtype, std::int64_t count, unsigned seed)
        : dtype(dtype), bytes(static_cast<std::size_t>(count) * itemsize_of(dtype)), there(backend, bytes.size()) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::vector<std::complex<double>> values(static_cast<std::size_t>(count));
        for (std::complex<double>& each : values) each = {normal(random), is_complex(dtype) ? normal(random) : 0};
        if (is_complex(dtype)) {
            eager::copy({values.data(), complex128, {count}, {16}}, {bytes.data(), dtype, {count}, {static_cast<std::int64_t>(itemsize_of(dtype))}});
        } else {
            eager::copy({values.data(), float64, {count}, {16}}, {bytes.data(), dtype, {count}, {static_cast<std::int64_t>(itemsize_of(dtype))}});
        }
        backend.upload(there.get(), bytes.data(), bytes.size());
    }
    eager::View view(const Matrices& m, std::int64_t count, std::int64_t rows, std::int64_t columns) {
        const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
        return {bytes.data(), dtype, {count, rows, columns}, {m.step * size, m.row_stride * size, m.column_stride * size}};
    }
    Dtype dtype;
    std::vector<char> bytes;
    device::Block there;
};

std::vector<std::complex<double>> values_of(const eager::View& view) {
    std::vector<std::complex<double>> values(static_cast<std::size_t>(shape::count(view.shape)));
    eager::copy(view, {values.data(), complex128, view.shape, shape::c_strides(view.shape, 16)});
    return values;
}

double tolerance_of(Dtype dtype) {
    if (itemsize_of(dtype) == 2) return dtype == float16 ? 2e-3 : 1.6e-2;
    return real_of(dtype) == float32 ? 2e-6 : 1e-14;
}

void check(Backend& backend, Contraction contraction) {
    const auto& [dtype, rows, inner, columns, count, xm, ym, om, added, cm] = contraction;
    constexpr std::int64_t room = 40000;
    Elements x(backend, dtype, room, 1), y(backend, dtype, room, 2), out(backend, dtype, room, 3);
    contraction.x.data = x.there.get();
    contraction.y.data = y.there.get();
    contraction.out.data = out.there.get();
    Elements c(backend, dtype, room, 4);
    contraction.c.data = c.there.get();
    BOOST_TEST_INFO(name_of(dtype) << " " << rows << " " << inner << " " << columns << " x " << count);
    if (const bool is_done = backend.contract(contraction); !is_done && added != Contraction::Added::nothing) {
        BOOST_TEST_MESSAGE("skipped: no product of " << name_of(dtype) << " with what is added, " << static_cast<int>(added));
        return;
    } else {
        BOOST_REQUIRE(is_done);
    }
    // In double precision.
    std::vector<std::complex<double>> expected(static_cast<std::size_t>(count * rows * columns));
    const auto a = values_of(x.view(xm, count, rows, inner)), b = values_of(y.view(ym, count, inner, columns));
    const Matrices of_c = added == Contraction::Added::row        ? Matrices{nullptr, 0, 1, 0}
                          : added == Contraction::Added::matrices ? cm
                                                                  : Matrices{nullptr, 0, 0, 0};
    const auto more = values_of(c.view(of_c, count, rows, columns));
    for (std::int64_t n = 0; n < count; ++n) {
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
                std::complex<double> sum = added == Contraction::Added::nothing ? 0 : more[static_cast<std::size_t>((n * rows + i) * columns + j)];
                for (std::int64_t k = 0; k < inner; ++k)
                    sum += a[static_cast<std::size_t>((n * rows + i) * inner + k)] * b[static_cast<std::size_t>((n * inner + k) * columns + j)];
                expected[static_cast<std::size_t>((n * rows + i) * columns + j)] = sum;
            }
        }
    }
    backend.download(out.bytes.data(), out.there.get(), out.bytes.size());
    const auto found = values_of(out.view(om, count, rows, columns));
    const double bound = tolerance_of(dtype) * 4 * (std::sqrt(static_cast<double>(inner)) + 1);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]) / (1 + std::abs(expected[i])));
    BOOST_TEST_INFO(name_of(dtype) << " " << rows << " " << inner << " " << columns << " x " << count);
    BOOST_TEST(worst <= bound);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_gpu_products)

BOOST_AUTO_TEST_CASE(every_dtype_size_and_layout) {
    Backend* const backend = gpu();
    if (backend == nullptr) return;
    for (const Dtype dtype : {float32, float64, complex64, complex128, float16, bfloat16}) {
        for (const auto& [rows, inner, columns] :
             {std::array<std::int64_t, 3>{64, 64, 64}, {1, 100, 1}, {1, 37, 50}, {50, 37, 1}, {5, 1, 7}, {33, 65, 17}, {3, 5, 7}}) {
            for (int turned = 0; turned < 4; ++turned) {
                for (const std::int64_t spare : {0, 1, 8}) {
                    Contraction each{dtype, rows, inner, columns, 1, {}, {}, {nullptr, columns + spare, 1, 0}};
                    each.x = (turned & 1) != 0 ? Matrices{nullptr, 1, rows + spare, 0} : Matrices{nullptr, inner + spare, 1, 0};
                    each.y = (turned & 2) != 0 ? Matrices{nullptr, 1, inner + spare, 0} : Matrices{nullptr, columns + spare, 1, 0};
                    check(*backend, each);
                }
            }
        }
        Contraction stack{dtype, 6, 7, 8, 9, {nullptr, 7, 1, 42}, {nullptr, 8, 1, 56}, {nullptr, 8, 1, 48}};
        check(*backend, stack);
        stack.y.step = 0;
        check(*backend, stack);
        stack.x = {nullptr, 1, 6, 43};  // odd distances
        check(*backend, stack);
        stack.added = Contraction::Added::row;
        check(*backend, stack);
        stack.added = Contraction::Added::matrices;
        stack.c = {nullptr, 11, 1, 70};
        check(*backend, stack);
        for (const auto added : {Contraction::Added::row, Contraction::Added::matrices}) {
            check(*backend, {dtype, 33, 65, 17, 1, {nullptr, 65, 1, 0}, {nullptr, 17, 1, 0}, {nullptr, 18, 1, 0}, added, {nullptr, 17, 1, 0}});
            check(*backend, {dtype, 64, 64, 64, 1, {nullptr, 64, 1, 0}, {nullptr, 64, 1, 0}, {nullptr, 64, 1, 0}, added, {nullptr, 64, 1, 0}});
        }
    }
}

BOOST_AUTO_TEST_CASE(again_it_is_quick) {
    Backend* const backend = gpu();
    if (backend == nullptr) return;
    const device::Block memory(*backend, std::size_t{3} << 20);
    backend->clear(memory.get(), std::size_t{3} << 20);
    Contraction each{float32, 64, 64, 64, 1, {memory.get(), 64, 1, 0}, {memory.get() + (1 << 20), 64, 1, 0}, {memory.get() + (2 << 20), 64, 1, 0}};
    BOOST_TEST(backend->contract(each));
    backend->synchronize();
    const auto start = std::chrono::steady_clock::now();
    constexpr int times = 1000;
    for (int i = 0; i < times; ++i) backend->contract(each);
    const std::chrono::duration<double, std::micro> asked = std::chrono::steady_clock::now() - start;
    backend->synchronize();
    BOOST_TEST_MESSAGE("a product of 64 x 64 matrices is asked for in " << asked.count() / times << " microseconds");
    BOOST_TEST(asked.count() / times < 100);
}

BOOST_AUTO_TEST_SUITE_END()
