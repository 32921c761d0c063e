// Cases of tests that are for devices of every kind.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>

#include "device/backend.h"
#include "device/registry.h"
#include "simulated/backend.h"

namespace fastnp::plan {

inline device::Backend* gpu() {
    const std::string problem = device::list_cuda().problem;
    if (!problem.empty()) BOOST_TEST_MESSAGE("skipped: " << problem);
    return problem.empty() ? &device::cuda(0) : nullptr;
}

}  // namespace fastnp::plan

// A case for a simulated device, and for a GPU, where there is one.
#define DEVICE_CASE(name)                                                           \
    static void name(fastnp::device::Backend& backend);                             \
    BOOST_AUTO_TEST_SUITE(device_steps)                                             \
    BOOST_AUTO_TEST_CASE(name##_simulated) {                                        \
        fastnp::simulated::Backend backend;                                         \
        name(backend);                                                              \
    }                                                                               \
    BOOST_AUTO_TEST_SUITE_END()                                                     \
    BOOST_AUTO_TEST_SUITE(cuda_gpu_steps)                                           \
    BOOST_AUTO_TEST_CASE(name##_on_gpu) {                                           \
        if (fastnp::device::Backend* backend = fastnp::plan::gpu()) name(*backend); \
    }                                                                               \
    BOOST_AUTO_TEST_SUITE_END()                                                     \
    static void name([[maybe_unused]] fastnp::device::Backend& backend)
