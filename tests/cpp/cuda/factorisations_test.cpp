// What cuSOLVER and cuBLAS are told of factors of matrices, and when; over a driver and libraries that have no GPU.
#include "cuda/factorisations.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "cuda/device.h"
#include "cuda/fake_driver.h"
#include "cuda/fake_solver.h"
#include "cuda/says.h"
#include "device/block.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "simulated/factorise.h"

using namespace fastnp;
using cuda::Device;
using cuda::FakeDriver;
using cuda::FakeSolver;
using cuda::says;
using device::Factorisation;
using device::InColumns;
using Kind = Factorisation::Kind;
using Vectors = Factorisation::Vectors;

namespace {

constexpr Kind kinds[] = {Kind::lu,          Kind::lu_solve,  Kind::cholesky, Kind::triangular_solve, Kind::qr,
                          Kind::householder, Kind::hermitian, Kind::general,  Kind::singular};

struct Setup {
    FakeDriver driver;
    FakeSolver library;
    std::unique_ptr<Device> device = std::make_unique<Device>(
        driver.driver(), 0, Device::no_limit, Device::Libraries{&cuda::Blas::get, &cuda::Fft::get, &FakeSolver::find_solver, &FakeSolver::find_cublas});

    void check_all_is_given_back() {
        device.reset();
        BOOST_TEST(library.misuses.empty());
        for (const std::string& each : library.misuses) BOOST_TEST_MESSAGE(each);
        BOOST_TEST(library.handles == 0);
        BOOST_TEST(driver.misuses().empty());
        for (const std::string& each : driver.misuses()) BOOST_TEST_MESSAGE(each);
        BOOST_TEST(driver.handles() == 0);
        BOOST_TEST(driver.device_bytes() == 0U);
    }
};

// All that a task touches, in one piece of memory.
class Memory {
public:
    static constexpr std::size_t area = 4096;  // for each of a, b, v, the numbers and what failed
    Memory(Device& device, const Factorisation& task) : bytes_(5 * area, 0), there_(device, bytes_.size()) {
        // Diagonals that dominate, so that all is defined, and the diagonal's order is that of the singular values.
        const auto size = itemsize_of(task.dtype);
        for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
            for (std::size_t i = 0; i < area / size; ++i) {
                const auto column = static_cast<std::int64_t>(i) % task.a.step / task.a.leading,
                           row = static_cast<std::int64_t>(i) % task.a.step % task.a.leading;
                std::complex<double> value(row == column ? 50 - static_cast<double>(row) : 1 + static_cast<double>(i % 3),
                                           i % 5 == 0 && row != column ? 1 : 0);
                eager::copy({&value, is_complex(task.dtype) ? complex128 : float64, {}, {}}, {bytes_.data() + part * area + i * size, task.dtype, {}, {}});
            }
        }
        if (task.kind == Kind::lu_solve) {
            for (std::size_t i = 0; i < 200; ++i) {  // no row is swapped but the first two
                const auto n = static_cast<std::size_t>(task.rows), step = i % n == 0 && n > 1 ? 2 : i % n + 1;
                if (task.count == 1) reinterpret_cast<std::int64_t*>(bytes_.data() + 3 * area)[i] = static_cast<std::int64_t>(step);
                else reinterpret_cast<std::int32_t*>(bytes_.data() + 3 * area)[i] = static_cast<std::int32_t>(step);
            }
        }
        device.upload(there_.get(), bytes_.data(), bytes_.size());
    }
    Factorisation here(const Factorisation& task) { return at(task, bytes_.data()); }
    Factorisation there(const Factorisation& task) { return at(task, there_.get()); }
    bool is_same() {
        std::vector<char> found(bytes_.size());
        there_.backend().download(found.data(), there_.get(), found.size());
        return found == bytes_;
    }

private:
    static Factorisation at(Factorisation task, char* base) {
        task.a.data = base;
        task.b.data = base + area;
        task.v.data = base + 2 * area;
        if (task.kind != Kind::cholesky && task.kind != Kind::triangular_solve) task.numbers = base + 3 * area;
        if (task.kind == Kind::cholesky || task.kind == Kind::hermitian || task.kind == Kind::general || task.kind == Kind::singular)
            task.failures = base + 4 * area;
        return task;
    }
    std::vector<char> bytes_;
    device::Block there_;
};

Factorisation task_of(Kind kind, Dtype dtype, std::int64_t count = 1) {
    const bool is_tall = kind == Kind::qr || kind == Kind::householder || kind == Kind::singular;
    Factorisation task;
    task.kind = kind;
    task.dtype = dtype;
    task.rows = is_tall ? 5 : 4;
    task.columns = 4;
    task.sides = kind == Kind::householder ? 3 : 2;
    task.count = count;
    const std::int64_t spare = kind == Kind::hermitian ? 0 : 1;
    task.a = {nullptr, task.rows + spare, (task.rows + spare) * 4};
    task.b = {nullptr, task.rows + 2, (task.rows + 2) * 5};
    task.v = {nullptr, 7, 28};
    if (kind == Kind::singular && count > 1) {
        task.a = {nullptr, 5, 20};
        task.b = {nullptr, 5, 25};
        task.v = {nullptr, 4, 16};
    }
    return task;
}

// As the host does it.
void check(Device& device, const Factorisation& task) {
    Memory memory(device, task);
    BOOST_TEST(device.factorise(memory.there(task)));
    simulated::factorise_on_host(memory.here(task));
    BOOST_TEST(memory.is_same(), "kind " << static_cast<int>(task.kind) << " of " << name_of(task.dtype));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_factorisations)

BOOST_AUTO_TEST_CASE(one_matrix_of_every_dtype) {
    Setup setup;
    BOOST_TEST(setup.device->lacks_factorisations() == "");
    for (const Dtype dtype : {float32, float64, complex64, complex128}) {
        for (const Kind kind : kinds) {
            for (const bool lower : {false, true}) {
                for (const auto form : {Factorisation::Form::plain, Factorisation::Form::transposed, Factorisation::Form::adjoint}) {
                    for (const auto vectors : {Vectors::none, Vectors::few, Vectors::all}) {
                        Factorisation task = task_of(kind, dtype);
                        task.lower = lower;
                        task.unit = !lower;
                        task.form = form;
                        task.vectors = vectors;
                        check(*setup.device, task);
                    }
                }
            }
        }
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(stacks_of_small_matrices) {
    Setup setup;
    for (const Dtype dtype : {float32, float64, complex64, complex128}) {
        for (const Kind kind : {Kind::lu, Kind::lu_solve, Kind::cholesky, Kind::triangular_solve, Kind::hermitian, Kind::singular}) {
            for (const auto vectors : {Vectors::none, Vectors::all}) {
                Factorisation task = task_of(kind, dtype, 3);
                task.vectors = vectors;
                check(*setup.device, task);
            }
        }
    }
    BOOST_TEST(setup.device->statistics().factorisations == 48U);
    setup.driver.clear_log();
    for (const Kind kind : {Kind::qr, Kind::householder, Kind::general}) {
        Memory memory(*setup.device, task_of(kind, float64, 3));
        BOOST_TEST(!setup.device->factorise(memory.there(task_of(kind, float64, 3))));
    }
    Factorisation large = task_of(Kind::lu, float64, 3);
    large.rows = large.columns = 300;
    BOOST_TEST(!setup.device->factorise(large));
    large.kind = Kind::singular;
    large.rows = large.columns = 33;
    BOOST_TEST(!setup.device->factorise(large));
    setup.library.solver.hermitian_stack = nullptr;  // of older versions
    setup.library.solver.general = nullptr;
    for (const Factorisation& task : {task_of(Kind::hermitian, float64, 3), task_of(Kind::general, float64)}) {
        Memory memory(*setup.device, task);
        BOOST_TEST(!setup.device->factorise(memory.there(task)));
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(what_fails) {
    Setup setup;
    {
        const Factorisation task = task_of(Kind::cholesky, float64, 3);
        Memory memory(*setup.device, task);
        Factorisation there = memory.there(task);
        const double negative = -1;
        setup.device->upload(static_cast<char*>(there.a.data) + there.a.step * 8, &negative, 8);
        BOOST_TEST(setup.device->factorise(there));
        std::int32_t failures[3];
        setup.device->download(failures, there.failures, sizeof failures);
        BOOST_TEST((failures[0] == 0 && failures[1] != 0 && failures[2] == 0));
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(many_matrices_are_several_calls) {
    Setup setup;
    {
        constexpr std::int64_t count = 40001;
        std::vector<double> numbers(count), found(count);
        for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i + 1);
        const device::Block a(*setup.device, count * sizeof(double)), pivots(*setup.device, count * sizeof(std::int32_t));
        setup.device->upload(a.get(), numbers.data(), count * sizeof(double));
        Factorisation task;
        task.dtype = float64;
        task.count = count;
        task.a = {a.get(), 1, 1};
        task.kind = Kind::lu;
        task.numbers = pivots.get();
        BOOST_TEST(setup.device->factorise(task));
        std::vector<std::int32_t> steps(count);
        setup.device->download(steps.data(), pivots.get(), count * sizeof(std::int32_t));
        BOOST_TEST((steps == std::vector<std::int32_t>(count, 1)));
        task.kind = Kind::cholesky;
        task.numbers = nullptr;
        task.failures = pivots.get();
        BOOST_TEST(setup.device->factorise(task));
        setup.device->download(found.data(), a.get(), count * sizeof(double));
        setup.device->download(steps.data(), pivots.get(), count * sizeof(std::int32_t));
        BOOST_TEST((steps == std::vector<std::int32_t>(count, 0)));
        for (std::size_t i = 0; i < count; ++i) numbers[i] = std::sqrt(numbers[i]);
        BOOST_TEST((found == numbers));
        BOOST_TEST(setup.driver.calls("cusolverDnXpotrfBatched") == 3);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(again_it_is_one_call_and_no_memory) {
    Setup setup;
    {
        const Factorisation task = task_of(Kind::cholesky, float64);
        Memory memory(*setup.device, task);
        const Factorisation there = memory.there(task);
        BOOST_TEST(setup.device->factorise(there));
        setup.driver.clear_log();
        for (int i = 0; i < 3; ++i) BOOST_TEST(setup.device->factorise(there));
        BOOST_TEST(setup.driver.log() == std::vector<std::string>(3, "cusolverDnXpotrf"), boost::test_tools::per_element());
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(errors_of_the_library) {
    Setup setup;
    {
        const Factorisation task = task_of(Kind::lu, float64);
        Memory memory(*setup.device, task);
        const Factorisation there = memory.there(task);
        setup.library.status = 9;
        BOOST_TEST(!setup.device->factorise(there));
        setup.library.status = 7;
        BOOST_CHECK_EXCEPTION(setup.device->factorise(there), DeviceError, says("device 'cuda:0': cusolverDnXgetrf failed: cuSOLVER's error 7"));
        setup.library.status = 0;
        setup.driver.fail("cusolverDnXgetrf", 6);
        BOOST_CHECK_THROW(setup.device->factorise(there), DeviceError);
        BOOST_TEST(setup.device->factorise(there));
        // Of what may fail, this one is the matrix's.
        const Factorisation spectral = task_of(Kind::hermitian, float64);
        Memory other(*setup.device, spectral);
        setup.driver.fail("cusolverDnXsyevd", 6);
        BOOST_TEST(setup.device->factorise(other.there(spectral)));
        std::int32_t failure = 0;
        setup.device->download(&failure, other.there(spectral).failures, sizeof failure);
        BOOST_TEST(failure != 0);
        const Factorisation stack = task_of(Kind::hermitian, float64, 3);
        setup.library.status = 3;
        BOOST_TEST(!setup.device->factorise(other.there(stack)));
        BOOST_CHECK_THROW(setup.device->factorise(other.there(spectral)), DeviceError);
    }
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_CASE(libraries_that_are_not_there) {
    for (const bool has_solver : {false, true}) {
        Setup setup;
        (has_solver ? setup.library.blas.problem : setup.library.solver.problem) = "it was not found";
        BOOST_TEST(setup.device->lacks_factorisations() == "it was not found");
        BOOST_TEST(!setup.device->factorise(task_of(Kind::lu, float64)));
        setup.check_all_is_given_back();
    }
    Setup setup;
    setup.driver.fail("cusolverDnCreate", 7, 2);
    BOOST_TEST(setup.device->lacks_factorisations() == "cuSOLVER does not start (libfake.so): error 7");
    BOOST_TEST(setup.device->lacks_factorisations() != "");  // it is not tried again
    BOOST_TEST(setup.driver.calls("cusolverDnCreate") == 2);
    setup.library.handles = 0;
    setup.check_all_is_given_back();
}

BOOST_AUTO_TEST_SUITE_END()
