// Graphs of kernels, copies, products and transforms; over a driver and libraries that have no GPU.
#include "cuda/graph.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_blas.h"
#include "cuda/fake_driver.h"
#include "cuda/fake_fft.h"
#include "cuda/says.h"
#include "device/block.h"
#include "fastnp/error.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeBlas;
using cuda::FakeDriver;
using cuda::FakeFft;
using cuda::says;
using device::Contraction;
using device::Transform;
using device::Work;

namespace {

struct Setup {
    FakeDriver driver;
    FakeBlas blas;
    FakeFft fft;
    std::unique_ptr<Device> device = std::make_unique<Device>(driver.driver(), 0, Device::no_limit, Device::Libraries{&FakeBlas::find, &FakeFft::find});
    std::shared_ptr<device::Module> module = device->load(device->assemble(".entry fill"), {"fill"});

    void check_all_is_given_back() {
        module.reset();
        device.reset();
        for (const auto& misuses : {driver.misuses(), blas.misuses, fft.misuses}) {
            BOOST_TEST(misuses.empty());
            for (const std::string& each : misuses) BOOST_TEST_MESSAGE(each);
        }
        BOOST_TEST(fft.plans.empty());
        BOOST_TEST(driver.handles() == 0);
        BOOST_TEST(driver.device_bytes() == 0U);
    }
};

constexpr std::int64_t side = 4;
constexpr std::size_t bytes = side * side * 8;

// A matrix on the device.
struct Matrix {
    device::Block there;
    std::int64_t address, count = side * side, value = 0;  // as a kernel is given them
    std::array<void*, 3> given{&address, &count, &value};

    explicit Matrix(Device& device) : there(device, bytes), address(reinterpret_cast<std::intptr_t>(there.get())) {}
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    // By the kernel.
    Work filled_with(const device::Module& module, double with) {
        std::memcpy(&value, &with, sizeof value);
        return device::Launch{&module, 0, 1, 128, given};
    }
    std::vector<double> read() const {
        std::vector<double> found(side * side);
        there.backend().download(found.data(), there.get(), bytes);
        return found;
    }
};

Contraction product(const Matrix& x, const Matrix& y, const Matrix& out) {
    const auto rows = [](const Matrix& m) { return device::Matrices{m.there.get(), side, 1, 0}; };
    return {float64, side, side, side, 1, rows(x), rows(y), rows(out)};
}

// Of real points: a line a row.
Transform transform(const Matrix& from, const device::Block& to) {
    return {Transform::Kind::real, true, side, side, {from.there.get(), 1, side}, {to.get(), 1, side / 2 + 1}};
}

std::vector<double> filled(double value) { return std::vector<double>(side * side, value); }

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_graphs)

BOOST_AUTO_TEST_CASE(work_of_all_kinds_in_order) {
    Setup setup;
    Device& device = *setup.device;
    {
        Matrix x(device), y(device), made(device), copied(device);
        const device::Block lines(device, side * (side / 2 + 1) * 16);
        BOOST_TEST(!device.knows(product(x, y, made)));
        BOOST_TEST(!device.knows(transform(made, lines)));
        BOOST_TEST(device.contract(product(x, y, made)));
        BOOST_TEST(device.transform(transform(made, lines)));
        BOOST_TEST(device.knows(product(y, x, copied)));
        BOOST_TEST(device.knows(transform(copied, lines)));
        const Work work[] = {x.filled_with(*setup.module, 2),
                             y.filled_with(*setup.module, 3),
                             product(x, y, made),
                             device::Copy{copied.there.get(), made.there.get(), bytes},
                             transform(copied, lines),
                             device::Clear{made.there.get(), bytes / 2}};
        const auto before = device.statistics();
        const auto graph = device.graph(work);
        setup.driver.clear_log();
        graph->launch();
        BOOST_TEST(setup.driver.log() == std::vector<std::string>{"cuGraphLaunch"}, boost::test_tools::per_element());
        const auto after = device.statistics();
        BOOST_TEST(after.products - before.products == 1U);
        BOOST_TEST(after.transforms - before.transforms == 1U);
        BOOST_TEST(after.launches - before.launches == 2U);
        BOOST_TEST(copied.read() == filled(24), boost::test_tools::per_element());
        std::vector<double> half = filled(24);
        std::fill_n(half.begin(), side * side / 2, 0);
        BOOST_TEST(made.read() == half, boost::test_tools::per_element());
        std::vector<std::complex<double>> found(side * (side / 2 + 1));
        device.download(found.data(), lines.get(), found.size() * 16);
        for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST(found[i] == (i % 3 == 0 ? 96.0 : 0.0));

        // At other addresses.
        Matrix other(device);
        graph->set(2, product(y, y, other));
        graph->set(3, device::Copy{copied.there.get(), other.there.get(), bytes});
        graph->set(5, device::Clear{x.there.get(), bytes / 2});
        graph->launch();
        BOOST_TEST(copied.read() == filled(36), boost::test_tools::per_element());
        device.download(found.data(), lines.get(), found.size() * 16);
        BOOST_TEST(found[0] == 144.0);
        const device::Block elsewhere(device, side * (side / 2 + 1) * 16);
        graph->set(4, transform(other, elsewhere));
        graph->launch();
        device.download(found.data(), elsewhere.get(), found.size() * 16);
        BOOST_TEST(found[3] == 144.0);
    }
    setup.check_all_is_given_back();
}

// Kernels that follow on each other overlap, other work does not; without such a driver none do.
BOOST_AUTO_TEST_CASE(kernels_overlap) {
    FakeDriver fake;
    for (const bool can : {true, false}) {
        cuda::Driver driver = fake.driver();
        if (!can) driver.graph_add_dependencies = nullptr;
        Device device(driver, 0);
        const auto module = device.load(device.assemble(".entry fill"), {"fill"});
        Matrix x(device), y(device), z(device);
        const Work work[] = {x.filled_with(*module, 2), y.filled_with(*module, 3), device::Copy{z.there.get(), y.there.get(), bytes},
                             x.filled_with(*module, 4), y.filled_with(*module, 5), z.filled_with(*module, 6)};
        const int before = fake.calls("cuGraphAddDependencies");
        const auto graph = device.graph(work);
        BOOST_TEST(fake.calls("cuGraphAddDependencies") - before == (can ? 3 : 0));
        graph->launch();
        BOOST_TEST(z.read() == filled(6), boost::test_tools::per_element());
    }
    for (const std::string& each : fake.misuses()) BOOST_ERROR(each);
}

BOOST_AUTO_TEST_CASE(library_work_keeps_what_it_needs) {
    Setup setup;
    Device& device = *setup.device;
    setup.blas.workspace = 5000;
    setup.fft.workspace = 70000;
    {
        Matrix x(device), y(device), made(device);
        const device::Block lines(device, side * (side / 2 + 1) * 16);
        (void)device.contract(product(x, y, made));
        (void)device.transform(transform(made, lines));
        const Work work[] = {x.filled_with(*setup.module, 2), y.filled_with(*setup.module, 3), product(x, y, made), transform(made, lines)};
        std::vector<std::unique_ptr<device::Graph>> graphs;
        const std::size_t live = device.statistics().live_bytes;
        graphs.push_back(device.graph(work));
        const std::size_t with_one = device.statistics().live_bytes;
        BOOST_TEST(with_one > live);
        for (int i = 0; i < 3; ++i) graphs.push_back(device.graph(work));
        BOOST_TEST(device.statistics().live_bytes == with_one);  // they share the memory that they work in
        for (long long points = 5; points < 100; ++points) {     // so many kinds that plans are forgotten
            const device::Block from(device, 800), to(device, 1600);
            (void)device.transform({Transform::Kind::real, true, points, 1, {from.get(), 1, points}, {to.get(), 1, points}});
        }
        graphs.front()->launch();
        graphs.clear();
        BOOST_TEST(made.read() == filled(24), boost::test_tools::per_element());
        BOOST_TEST(device.statistics().live_bytes == live);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(errors_leave_nothing_behind) {
    Setup setup;
    Device& device = *setup.device;
    {
        Matrix x(device), y(device), made(device);
        (void)device.contract(product(x, y, made));
        const Work work[] = {x.filled_with(*setup.module, 2), y.filled_with(*setup.module, 3), product(x, y, made)};
        const int handles = setup.driver.handles();
        const std::size_t live = device.statistics().live_bytes;
        for (const char* function :
             {"cuGraphAddDependencies", "cuStreamCreate", "cuStreamBeginCapture", "cublasLtMatmul", "cuStreamEndCapture", "cuGraphAddChildGraphNode"}) {
            setup.driver.fail(function, 999);
            BOOST_CHECK_THROW((void)device.graph(work), DeviceError);
            BOOST_TEST(device.statistics().live_bytes == live);
        }
        BOOST_TEST(setup.driver.handles() == handles + 1);  // the stream
        const auto graph = device.graph(work);
        setup.driver.fail("cuGraphExecChildGraphNodeSetParams", 910);
        BOOST_CHECK_EXCEPTION(graph->set(2, product(y, x, made)), DeviceError, says("cuGraphExecChildGraphNodeSetParams failed"));
        (void)device.contract(product(x, y, made));  // not captured
        (void)made.read();
    }
    setup.check_all_is_given_back();
    FakeDriver driver;
    cuda::Driver old = driver.driver();
    old.stream_begin_capture = nullptr;
    Device device_without(old, 0);
    BOOST_TEST((device_without.graph({}) == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
