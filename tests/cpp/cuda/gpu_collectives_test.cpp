// Collectives by NCCL on the device that there is, in a group of one rank: each gives what it is given. (Between devices:
// tests/python/test_dist_devices.py.)
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "device/registry.h"
#include "dist/device_group.h"
#include "dist/groups.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

device::Backend* device_with_nccl() {
    const device::Listing listed = device::list_cuda();
    const std::string problem = listed.devices.empty() ? listed.problem : dist::lacks_collectives();
    if (!problem.empty()) {
        BOOST_TEST_MESSAGE("skipped: " << problem);
        return nullptr;
    }
    device::Backend& backend = device::cuda(0);
    return backend.code() == device::Backend::Code::ptx ? &backend : nullptr;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_gpu_collectives)

BOOST_AUTO_TEST_CASE(one_rank_has_what_it_gives) {
    device::Backend* const backend = device_with_nccl();
    if (backend == nullptr) return;
    dist::Transport& alone = dist::group(dist::key_of({1}, {0}));
    const std::unique_ptr<dist::DeviceGroup> group = dist::make_device_group(*backend, alone);
    BOOST_REQUIRE(group != nullptr);
    constexpr std::int64_t elements = 1000;
    int done = 0;
    for (const ops::Op op :
         {ops::Op::all_reduce, ops::Op::reduce_scatter, ops::Op::all_gather, ops::Op::broadcast, ops::Op::all_to_all, ops::Op::permute}) {
        for (int number = 0; number < static_cast<int>(Dtype::complex128) + 1; ++number) {
            for (const ops::Op joins : {ops::Op::add, ops::Op::multiply, ops::Op::minimum, ops::Op::maximum}) {
                const auto dtype = static_cast<Dtype>(number);
                const bool does_join = op == ops::Op::all_reduce || op == ops::Op::reduce_scatter;
                ir::Attributes attributes;
                attributes.ints = ops::Collective::ints(0, 1);
                attributes.ints.push_back(does_join ? static_cast<std::int64_t>(joins) : 0);
                const ops::Collective asked(attributes);
                if (!dist::devices_do(op, asked, dtype)) continue;
                const std::size_t bytes = elements * itemsize_of(dtype);
                std::vector<unsigned char> given(bytes), found(bytes);
                for (std::size_t i = 0; i < bytes; ++i) given[i] = static_cast<unsigned char>(dtype == Dtype::bool_ ? i % 2 : (i * 37) % 64);
                void* const in = backend->allocate(bytes);
                void* const out = backend->allocate(bytes);
                backend->upload(in, given.data(), bytes);
                backend->clear(out, bytes);
                group->run(op, asked, dtype, in, out, elements);
                backend->download(found.data(), out, bytes);
                BOOST_TEST(std::memcmp(given.data(), found.data(), bytes) == 0, ops::info(op).name << " of " << name_of(dtype));
                backend->free(in, bytes);
                backend->free(out, bytes);
                ++done;
            }
        }
    }
    BOOST_TEST(done > 100);
}

BOOST_AUTO_TEST_CASE(work_of_devices_is_in_order) {
    device::Backend* const backend = device_with_nccl();
    if (backend == nullptr) return;
    const device_scope scope("cuda:0");
    array x = ones({1 << 20}, float32);
    for (int i = 0; i < 20; ++i) x = dist::Communicator().all_reduce(x + 1.0F) * 1.0F;
    BOOST_TEST(min(x).item<float>() == 21.0F);
    BOOST_TEST(max(x).item<float>() == 21.0F);
}

BOOST_AUTO_TEST_SUITE_END()
