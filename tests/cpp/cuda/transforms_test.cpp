// What cuFFT is told of Fourier transforms, and when; over a driver and a library that have no GPU.
#include "cuda/transforms.h"

#include <boost/test/unit_test.hpp>
#include <complex>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_driver.h"
#include "cuda/fake_fft.h"
#include "cuda/says.h"
#include "device/block.h"
#include "eager/eager.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeDriver;
using cuda::FakeFft;
using cuda::says;
using device::Transform;

namespace {

struct Setup {
    FakeDriver driver;
    FakeFft fft;
    std::unique_ptr<Device> device = std::make_unique<Device>(driver.driver(), 0, Device::no_limit, Device::Libraries{&cuda::Blas::get, &FakeFft::find});

    void check_all_is_given_back() {
        device.reset();
        BOOST_TEST(fft.misuses.empty());
        for (const std::string& each : fft.misuses) BOOST_TEST_MESSAGE(each);
        BOOST_TEST(fft.plans.empty());
        BOOST_TEST(driver.misuses().empty());
        BOOST_TEST(driver.handles() == 0);
        BOOST_TEST(driver.device_bytes() == 0U);
    }
};

// Against the host's kernel, of lines at these distances.
void check(Device& device, Transform transform) {
    using Kind = Transform::Kind;
    constexpr std::int64_t room = 600;
    const auto& [kind, is_double, points, count, from, to] = transform;
    const Dtype real = is_double ? float64 : float32, complex = is_double ? complex128 : complex64;
    const Dtype given = kind == Kind::real ? real : complex, made = kind == Kind::to_real ? real : complex;
    std::vector<std::complex<double>> numbers(room);
    for (std::size_t i = 0; i < room; ++i) numbers[i] = {static_cast<double>(i * i % 17), static_cast<double>(i % 5)};
    std::vector<char> x(room * itemsize_of(given)), expected(room * itemsize_of(made), 0), found(expected.size());
    for (std::size_t i = 0; i < room; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i * itemsize_of(given));
        if (is_complex(given)) eager::copy({&numbers[i], complex128, {}, {}}, {x.data() + at, given, {}, {}});
        else eager::copy({&numbers[i], float64, {}, {}}, {x.data() + at, given, {}, {}});
    }
    const auto view = [&, count = count](std::vector<char>& bytes, const device::LinesAt& lines, Dtype dtype, std::int64_t length) {
        const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
        return eager::View{bytes.data(), dtype, {count, length}, {lines.step * size, lines.stride * size}};
    };
    const eager::View operand = view(x, from, given, kind == Kind::to_real ? points / 2 + 1 : points);
    ir::Attributes attributes;
    if (kind == Kind::forward || kind == Kind::backward) attributes.ints.push_back(kind == Kind::forward ? 1 : 0);
    attributes.ints.push_back(0);
    attributes.ints.push_back(-1);
    attributes.dims.push_back(points);
    const ops::Op op = kind == Kind::real ? ops::Op::rfft : kind == Kind::to_real ? ops::Op::irfft : ops::Op::fft;
    eager::run(op, attributes, {&operand, 1}, view(expected, to, made, kind == Kind::real ? points / 2 + 1 : points));
    const device::Block source(device, x.size()), target(device, expected.size());
    device.upload(source.get(), x.data(), x.size());
    device.clear(target.get(), expected.size());
    transform.from.data = source.get();
    transform.to.data = target.get();
    BOOST_TEST(device.transform(transform));
    device.download(found.data(), target.get(), found.size());
    BOOST_TEST((found == expected));  // what lies between the lines, too
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_transforms)

BOOST_AUTO_TEST_CASE(every_kind_and_distance) {
    Setup setup;
    for (const auto kind : {Transform::Kind::forward, Transform::Kind::backward, Transform::Kind::real, Transform::Kind::to_real}) {
        for (const bool is_double : {false, true}) {
            for (const std::int64_t points : {8, 9}) {
                check(*setup.device, {kind, is_double, points, 1, {nullptr, 1, 9}, {nullptr, 1, 9}});
                check(*setup.device, {kind, is_double, points, 5, {nullptr, 1, 9}, {nullptr, 1, 10}});
                check(*setup.device, {kind, is_double, points, 5, {nullptr, 7, 1}, {nullptr, 1, 9}});
                check(*setup.device, {kind, is_double, points, 5, {nullptr, 2, 20}, {nullptr, 5, 1}});
            }
        }
    }
    BOOST_TEST(setup.device->statistics().transforms == 64U);
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(again_it_is_one_call_and_no_memory) {
    Setup setup;
    {
        const device::Block memory(*setup.device, 4096);
        Transform each{Transform::Kind::forward, true, 16, 4, {memory.get(), 1, 16}, {memory.get() + 2048, 1, 16}};
        BOOST_TEST(setup.device->transform(each));
        setup.driver.clear_log();
        for (int i = 0; i < 3; ++i) BOOST_TEST(setup.device->transform(each));
        BOOST_TEST(setup.driver.log() == std::vector<std::string>(3, "cufftExec"), boost::test_tools::per_element());
        for (std::int64_t points = 2; points < 100; ++points) {  // more plans than are kept
            each.points = points;
            each.count = 1;
            BOOST_TEST(setup.device->transform(each));
        }
        BOOST_TEST(setup.fft.plans.size() <= 64U);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(what_the_library_has_not) {
    Setup setup;
    {
        const device::Block memory(*setup.device, 4096);
        const Transform each{Transform::Kind::real, false, 16, 4, {memory.get(), 1, 16}, {memory.get() + 2048, 1, 16}};
        setup.fft.status = 16;
        BOOST_TEST(!setup.device->transform(each));
        BOOST_TEST(!setup.device->transform(each));
        BOOST_TEST(setup.fft.made == 1);  // it is remembered
        setup.fft.status = 5;
        Transform other = each;
        other.points = 8;
        BOOST_CHECK_EXCEPTION(setup.device->transform(other), DeviceError, says("device 'cuda:0': cufftMakePlanMany64 failed: cuFFT's error 5"));
        setup.fft.status = 0;
        BOOST_TEST(setup.device->transform(other));
        setup.driver.fail("cufftExec", 6);
        BOOST_CHECK_THROW(setup.device->transform(other), DeviceError);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(a_library_that_is_not_there) {
    Setup setup;
    setup.fft.fft.problem = "cuFFT was not found: there is no libcufft.so.12";
    BOOST_TEST(setup.device->lacks_transforms() == setup.fft.fft.problem);
    BOOST_TEST(!setup.device->transform({Transform::Kind::forward, true, 4, 1, {nullptr, 1, 4}, {nullptr, 1, 4}}));
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_SUITE_END()
