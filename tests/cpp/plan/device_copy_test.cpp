// Copies between strided arrays on a device, transposed ones among them, which go by way of tiles: every dtype, lengths that fill tiles and that don't,
// short axes, gaps and steps backwards; no byte beside them is touched.
#include "plan/device_copy.h"

#include <boost/test/unit_test.hpp>

#include "device/registry.h"
#include "plan/mirrored.h"
#include "simulated/backend.h"

using namespace fastnp;
using device::Backend;
using plan::Mirrored;

namespace {

using Integers = SmallVector<std::int64_t>;

void check(Backend& backend, Mirrored& from, Mirrored& to) {
    from.fill(1);
    to.fill(2);
    eager::copy(from.view, to.view);
    plan::copy_on_device(backend, from.there(), to.there());
    BOOST_CHECK(to.bytes_there() == to.bytes());
}

void copies_of_all_layouts(Backend& backend) {
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        for (const Shape& shape : {Shape{1, 1}, Shape{64, 64}, Shape{70, 33}, Shape{128, 4}, Shape{3, 1500}, Shape{1500, 3}, Shape{7, 0}, Shape{1, 90}}) {
            BOOST_TEST_CONTEXT(name_of(dtype) << " (" << shape[0] << ", " << shape[1] << ")") {
                Mirrored rows(backend, dtype, shape), columns(backend, dtype, shape, {1, 0}, {1, 1});
                check(backend, columns, rows);
                check(backend, rows, columns);
                Mirrored apart(backend, dtype, shape, {1, 0}, {1, 3}), backwards(backend, dtype, shape, {0, 1}, {2, -1});
                check(backend, apart, rows);
                check(backend, columns, backwards);
                check(backend, backwards, apart);
            }
        }
    }
}

void copies_of_stacks(Backend& backend) {
    for (const Dtype dtype : {Dtype::uint8, Dtype::float16, Dtype::float32, Dtype::complex128}) {
        for (const Shape& shape : {Shape{3, 40, 50}, Shape{2, 65, 3}, Shape{33, 2, 34}}) {
            for (const Integers& order : {Integers{0, 2, 1}, Integers{2, 1, 0}, Integers{1, 2, 0}, Integers{2, 0, 1}, Integers{1, 0, 2}}) {
                Mirrored c(backend, dtype, shape), other(backend, dtype, shape, order, {1, 1, 1});
                check(backend, other, c);
                check(backend, c, other);
            }
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_copies)
BOOST_AUTO_TEST_CASE(of_all_layouts) {
    simulated::Backend backend;
    copies_of_all_layouts(backend);
}
BOOST_AUTO_TEST_CASE(of_stacks) {
    simulated::Backend backend;
    copies_of_stacks(backend);
}
BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cuda_gpu_copies)
BOOST_AUTO_TEST_CASE(of_all_layouts_on_gpu) {
    if (const std::string problem = device::list_cuda().problem; !problem.empty()) BOOST_TEST_MESSAGE("skipped: " << problem);
    else copies_of_all_layouts(device::cuda(0));
}
BOOST_AUTO_TEST_CASE(of_stacks_on_gpu) {
    if (const std::string problem = device::list_cuda().problem; !problem.empty()) BOOST_TEST_MESSAGE("skipped: " << problem);
    else copies_of_stacks(device::cuda(0));
}
BOOST_AUTO_TEST_SUITE_END()
