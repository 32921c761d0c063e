// Factors of matrices as a plan's step on a device, beside the host's. On a GPU, too; without one, those cases say so and pass.
#include "plan/device_factor.h"

#include <boost/test/unit_test.hpp>
#include <complex>
#include <random>
#include <vector>

#include "codegen/ptx.h"
#include "device/block.h"
#include "device/registry.h"
#include "fastnp/error.h"
#include "plan/device_matrices.h"
#include "shape/strides.h"
#include "simulated/backend.h"

using namespace fastnp;
using device::Backend;
using eager::View;
using ops::Op;

namespace {

constexpr Dtype dtypes[] = {float32, float64, complex64, complex128};

enum class Layout { spread, rows, columns, repeated };

// The same elements on the host and on a device. Spread ones are every second one of each axis, the last axis lying first; repeated ones are those of the
// first matrix of a stack.
class Mirrored {
public:
    Mirrored(Backend& backend, Dtype dtype, const Shape& shape, Layout layout = Layout::spread) : backend_(backend) {
        Shape wide = shape;
        if (layout == Layout::spread) {
            for (std::int64_t& size : wide) size *= 2;
            std::swap(wide.front(), wide.back());
        }
        bytes_.resize(shape::byte_count(wide, itemsize_of(dtype)) + 1);
        here = {bytes_.data(), dtype, shape, shape::c_strides(wide, itemsize_of(dtype))};
        if (layout == Layout::spread) {
            std::swap(here.strides.front(), here.strides.back());
            for (std::int64_t& stride : here.strides) stride *= 2;
        } else if (layout == Layout::columns && shape.size() > 1) {
            here.strides[shape.size() - 1] = here.strides[shape.size() - 2] / shape.back() * shape[shape.size() - 2];
            here.strides[shape.size() - 2] = static_cast<std::int64_t>(itemsize_of(dtype));
        } else if (layout == Layout::repeated) {
            for (std::size_t i = 0; i + 2 < shape.size(); ++i) here.strides[i] = 0;
        }
        there_.emplace_back(backend, bytes_.size());
    }

    void fill(const std::vector<std::complex<double>>& values) {
        View from{const_cast<std::complex<double>*>(values.data()), complex128, here.shape, shape::c_strides(here.shape, 16)};
        if (!is_complex(here.dtype)) from.dtype = float64;
        eager::copy(from, here);
    }
    View there() {
        backend_.upload(there_[0].get(), bytes_.data(), bytes_.size());
        View made = here;
        made.data = there_[0].get();
        return made;
    }
    void fetch() { backend_.download(bytes_.data(), there_[0].get(), bytes_.size()); }
    std::vector<std::complex<double>> values() const {
        std::vector<std::complex<double>> found(static_cast<std::size_t>(shape::count(here.shape)));
        eager::copy(here, {found.data(), complex128, here.shape, shape::c_strides(here.shape, 16)});
        return found;
    }

    View here;

private:
    Backend& backend_;
    std::vector<char> bytes_;
    std::vector<device::Block> there_;
};

struct Case {
    Op op;
    std::vector<std::int64_t> ints, dims;
    std::vector<Shape> operands;
    Shape out;
};

ir::Attributes attributes_of(const Case& each) {
    ir::Attributes attributes;
    attributes.ints.assign(each.ints.begin(), each.ints.end());
    for (const std::int64_t dim : each.dims) attributes.dims.push_back(dim);
    return attributes;
}

std::vector<std::complex<double>> random_values(std::int64_t count, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::vector<std::complex<double>> values(static_cast<std::size_t>(count));
    for (std::complex<double>& each : values) each = {normal(random), normal(random)};
    return values;
}

// Makes matrices hermitian and their diagonals large, so that they have all factors.
void make_definite(std::vector<std::complex<double>>& values, const Shape& shape) {
    const std::int64_t n = shape.back(), rows = shape[shape.size() - 2];
    if (n != rows) return;
    for (std::size_t first = 0; first < values.size(); first += static_cast<std::size_t>(n * n)) {
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j <= i; ++j) {
                auto& below = values[first + static_cast<std::size_t>(i * n + j)];
                if (i == j) below = 3.0 * static_cast<double>(n + i);
                values[first + static_cast<std::size_t>(j * n + i)] = std::conj(below);
            }
        }
    }
}

// Singular vectors and eigenvectors are a number of absolute value 1 times the host's; those that belong to no singular value may be any.
bool is_determined(const Case& each, std::int64_t element) {
    if (each.op != Op::svd) return true;
    const std::int64_t m = each.operands[0][each.operands[0].size() - 2], k = each.dims[0], u = each.dims[1], v = each.dims[2];
    return (u == k && v == k) || (element >= m * u && element < m * u + k);
}

void check(Backend& backend, const Case& each, Dtype dtype, Layout layout) {
    std::mt19937 random(7);
    const ir::Attributes attributes = attributes_of(each);
    std::vector<Mirrored> given;
    for (const Shape& shape : each.operands) {
        auto values = random_values(shape::count(shape), random);
        make_definite(values, shape);
        given.emplace_back(backend, dtype, shape, given.empty() || layout != Layout::repeated ? layout : Layout::rows);
        given.back().fill(values);
    }
    if (each.op == Op::lu_solve || each.op == Op::householder_product) {  // of what the factors are
        const std::int64_t m = given[0].here.shape[given[0].here.shape.size() - 2] - 1;
        View part = given[0].here;
        part.shape[part.shape.size() - 2] = m;
        const View copy = part;
        std::vector<char> bytes(shape::byte_count(part.shape, itemsize_of(dtype)));
        const View x{bytes.data(), dtype, part.shape, shape::c_strides(part.shape, itemsize_of(dtype))};
        eager::copy(copy, x);
        eager::run(each.op == Op::lu_solve ? Op::lu : Op::qr, {}, {&x, 1}, given[0].here);
    }
    const Dtype made = each.op == Op::eigvalsh || each.op == Op::svdvals ? real_of(dtype) : dtype;
    Mirrored expected(backend, made, each.out), found(backend, made, each.out);
    std::vector<View> here, there;
    for (Mirrored& operand : given) {
        here.push_back(operand.here);
        there.push_back(operand.there());
    }
    eager::run(each.op, attributes, here, expected.here);
    const auto work = [&] { return backend.statistics().factorisations + backend.statistics().launches; };
    const std::uint64_t before = work();
    BOOST_TEST_CONTEXT(ops::info(each.op).name << " of " << name_of(dtype)) {
        BOOST_TEST(plan::factorise_on_device(backend, each.op, attributes, there, found.there()));
        BOOST_TEST(work() > before);
        found.fetch();
        const auto wanted = expected.values(), values = found.values();
        const bool up_to_phase = each.op == Op::svd || each.op == Op::eigh;
        double worst = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!is_determined(each, static_cast<std::int64_t>(i) % each.out.back())) continue;
            const double off = up_to_phase ? std::abs(std::abs(values[i]) - std::abs(wanted[i])) : std::abs(values[i] - wanted[i]);
            worst = std::max(worst, off / (1 + std::abs(wanted[i])));
        }
        BOOST_TEST(worst < (real_of(dtype) == float32 ? 1e-4 : 1e-11));
    }
}

void check_every_op(Backend& backend) {
    const std::vector<Case> cases{
        {Op::lu, {}, {}, {{5, 5}}, {6, 5}},
        {Op::lu, {}, {}, {{3, 2, 5, 5}}, {3, 2, 6, 5}},
        {Op::lu, {}, {}, {{2, 30, 30}}, {2, 31, 30}},
        {Op::lu_solve, {0, 1}, {}, {{6, 5}, {5, 3}}, {5, 3}},
        {Op::lu_solve, {1, 0}, {}, {{2, 6, 5}, {2, 5, 3}}, {2, 5, 3}},
        {Op::lu_solve, {2, 0}, {}, {{6, 5}, {5, 3}}, {5, 3}},
        {Op::lu_solve, {3, 0}, {}, {{6, 5}, {5, 5}}, {5, 5}},
        {Op::lu_solve, {3, 0}, {}, {{2, 21, 20}, {2, 20, 1}}, {2, 20, 1}},
        {Op::cholesky, {}, {}, {{5, 5}}, {5, 5}},
        {Op::cholesky, {}, {}, {{3, 2, 5, 5}}, {3, 2, 5, 5}},
        {Op::triangular_solve, {0, 0, 0}, {}, {{5, 5}, {5, 3}}, {5, 3}},
        {Op::triangular_solve, {1, 1, 1}, {}, {{5, 5}, {5, 3}}, {5, 3}},
        {Op::triangular_solve, {1, 2, 0}, {}, {{3, 5, 5}, {3, 5, 3}}, {3, 5, 3}},
        {Op::qr, {}, {}, {{5, 3}}, {6, 3}},
        {Op::qr, {}, {}, {{2, 3, 5}}, {2, 4, 5}},
        {Op::qr, {}, {}, {{3, 1, 5}}, {3, 2, 5}},
        {Op::qr, {}, {}, {{3, 5, 1}}, {3, 6, 1}},
        {Op::qr, {}, {}, {{2, 40, 3, 3}}, {2, 40, 4, 3}},
        {Op::qr, {}, {}, {{3, 20, 20}}, {3, 21, 20}},
        {Op::qr, {}, {}, {{2, 9, 300}}, {2, 10, 300}},
        {Op::qr, {}, {}, {{2, 300, 2}}, {2, 301, 2}},
        {Op::householder_product, {}, {3}, {{2, 40, 4, 3}}, {2, 40, 3, 3}},
        {Op::householder_product, {}, {20}, {{3, 31, 20}}, {3, 30, 20}},
        {Op::householder_product, {}, {3}, {{2, 4, 300}}, {2, 3, 3}},
        {Op::householder_product, {}, {3}, {{6, 3}}, {5, 3}},
        {Op::householder_product, {}, {5}, {{2, 6, 3}}, {2, 5, 5}},
        {Op::householder_product, {}, {3}, {{4, 5}}, {3, 3}},
        {Op::eigh, {1}, {}, {{5, 5}}, {6, 5}},
        {Op::eigh, {0}, {}, {{3, 5, 5}}, {3, 6, 5}},
        {Op::eigvalsh, {1}, {}, {{5, 5}}, {5}},
        {Op::eigvalsh, {0}, {}, {{2, 20, 20}}, {2, 20}},
        {Op::svd, {}, {3, 3, 3}, {{5, 3}}, {27}},
        {Op::svd, {}, {3, 5, 3}, {{2, 5, 3}}, {2, 37}},
        {Op::svd, {}, {3, 3, 3}, {{3, 5}}, {27}},
        {Op::svd, {}, {3, 3, 3}, {{2, 2, 5, 3}}, {2, 2, 27}},
        {Op::svd, {}, {3, 3, 3}, {{2, 3, 5}}, {2, 27}},
        {Op::svd, {}, {3, 3, 5}, {{2, 3, 5}}, {2, 37}},
        {Op::svd, {}, {3, 3, 3}, {{2, 40, 3}}, {2, 132}},
        {Op::svd, {}, {3, 3, 5}, {{3, 5}}, {37}},
        {Op::svdvals, {}, {3}, {{2, 5, 3}}, {2, 3}},
        {Op::svdvals, {}, {1}, {{1, 5}}, {1}},
    };
    for (const Dtype dtype : dtypes) {
        for (const Layout layout : {Layout::spread, Layout::rows, Layout::columns, Layout::repeated}) {
            for (const Case& each : cases) check(backend, each, dtype, layout);
        }
    }
}

// Eigenvalues of general matrices as the host's, in whatever order, with vectors that are theirs: of length 1, the largest element real.
void check_general(Backend& backend, Dtype dtype, const Shape& stack) {
    using Complex = std::complex<double>;
    constexpr std::size_t n = 130;
    const auto with = [&](std::initializer_list<std::int64_t> sizes) {
        Shape shape = stack;
        for (const std::int64_t size : sizes) shape.push_back(size);
        return shape;
    };
    std::mt19937 random(11);
    Mirrored x(backend, dtype, with({n, n})), both(backend, complex_of(dtype), with({n + 1, n})), alone(backend, complex_of(dtype), with({n}));
    Mirrored expected(backend, complex_of(dtype), with({n}), Layout::rows);
    x.fill(random_values(shape::count(x.here.shape), random));
    eager::run(Op::eigvals, {}, {&x.here, 1}, expected.here);
    const View there = x.there();
    const std::uint64_t before = backend.statistics().factorisations;
    if (!plan::factorise_on_device(backend, Op::eig, {}, {&there, 1}, both.there())) {
        BOOST_TEST_MESSAGE("skipped: cuSOLVER has no geev");
        return;
    }
    BOOST_TEST(plan::factorise_on_device(backend, Op::eigvals, {}, {&there, 1}, alone.there()));
    const auto matrices = static_cast<std::size_t>(shape::count(stack));
    BOOST_TEST(backend.statistics().factorisations - before == 2 * matrices);
    both.fetch();
    alone.fetch();
    const auto a = x.values(), found = both.values(), values = alone.values(), wanted = expected.values();
    const double bound = real_of(dtype) == float32 ? 2e-3 : 1e-11;
    const auto least = [](const Complex* from, Complex value) {
        double distance = 1e300;
        for (std::size_t j = 0; j < n; ++j) distance = std::min(distance, std::abs(from[j] - value));
        return distance;
    };
    for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
        const Complex* const m = a.data() + matrix * n * n;
        const Complex* const w = found.data() + matrix * (n + 1) * n;
        const Complex* const v = w + n;
        double worst = 0;
        for (std::size_t j = 0; j < n; ++j) {
            worst = std::max({worst, least(w, wanted[matrix * n + j]), least(values.data() + matrix * n, w[j])});
            double length = 0;
            Complex largest = 0;
            for (std::size_t i = 0; i < n; ++i) {
                Complex product = 0;
                for (std::size_t k = 0; k < n; ++k) product += m[i * n + k] * v[k * n + j];
                worst = std::max(worst, std::abs(product - w[j] * v[i * n + j]));
                length += std::norm(v[i * n + j]);
                if (std::abs(v[i * n + j]) > std::abs(largest)) largest = v[i * n + j];
            }
            worst = std::max({worst, std::abs(length - 1), std::abs(largest.imag())});
            if (is_complex(dtype) || w[j].imag() <= 0) continue;
            BOOST_TEST((w[j + 1] == std::conj(w[j])));
            for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(v[i * n + j + 1] - std::conj(v[i * n + j])));
        }
        BOOST_TEST(worst < bound, name_of(dtype) << ": " << worst);
    }
}

void check_general(Backend& backend) {
    for (const Dtype dtype : dtypes) {
        check_general(backend, dtype, {});
        check_general(backend, dtype, {2});
    }
}

// Reflections of columns that are zero, huge, tiny, or done already.
void check_reflections(Backend& backend) {
    for (const Dtype dtype : dtypes) {
        const double large = real_of(dtype) == float32 ? 1e37 : 1e300, small = real_of(dtype) == float32 ? 1e-39 : 1e-309;
        const std::complex<double> i = is_complex(dtype) ? std::complex<double>(0, 1) : 1;
        const std::vector<std::complex<double>> columns[] = {
            {0, 0, 0, 0},         {5, 0, 0, 0}, {-5, 0, 0, 0},  {0, 0, 3, 0},   {large, large, -large, 0}, {small, 3 * small, 0, small},
            {large, 1, small, 0}, {i, 0, 0, 0}, {-1, i, -i, 1}, {-0.0, 1, 1, 1}};
        const auto count = static_cast<std::int64_t>(std::size(columns));
        std::vector<std::complex<double>> values;
        for (const auto& column : columns) {
            for (int row = 0; row < 4; ++row) {
                values.push_back(column[static_cast<std::size_t>(row)]);
                values.push_back(row + 1.0);
            }
        }
        Mirrored x(backend, dtype, {count, 4, 2}, Layout::rows), out(backend, dtype, {count, 5, 2}, Layout::rows),
            want(backend, dtype, {count, 5, 2}, Layout::rows);
        x.fill(values);
        eager::run(Op::qr, {}, {&x.here, 1}, want.here);
        const View there = x.there();
        BOOST_TEST(plan::factorise_on_device(backend, Op::qr, {}, {&there, 1}, out.there()));
        out.fetch();
        const auto found = out.values(), wanted = want.values();
        const double tolerance = real_of(dtype) == float32 ? 1e-5 : 1e-13;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const double off = std::abs(found[k] - wanted[k]);
            const bool is_tiny = k / 10 == 5 && k % 10 == 0;  // R's first element
            BOOST_TEST((off <= (is_tiny ? 1e-3 * small : tolerance * (std::abs(wanted[k]) + 10))),
                       name_of(dtype) << ", matrix " << k / 10 << ", element " << k % 10 << ": " << found[k] << ", LAPACK: " << wanted[k]);
        }
    }
}

// Hands kernels to CUDA's assembler, and does nothing else with them.
class AssemblerAlone : public simulated::Backend {
public:
    Code code() const override { return Code::ptx; }
    int capability() const override { return 90; }
    std::string assemble(const std::string& code) override {
        assembler->add("written by hand " + std::to_string(++texts), code, capability());
        return code;
    }
    std::shared_ptr<device::Module> load(const std::string&, const std::vector<std::string>&) override { return std::make_shared<device::Module>(); }
    void launch(const device::Module&, std::size_t, std::int64_t, int, std::span<void* const>) override {}
    Assembler* assembler = nullptr;
    int texts = 0;
};

}  // namespace

// With what else is assembled: the report on that is one for a process.
BOOST_AUTO_TEST_SUITE(grid)

BOOST_AUTO_TEST_CASE(kernels_written_by_hand_assemble) {
    static auto* const backend = new AssemblerAlone;  // what is compiled for a device is kept for good
    Assembler assembler;
    backend->assembler = &assembler;
    const Shape square{2, 3, 3}, row{2, 3};
    const auto view = [&](Dtype dtype, const Shape& shape) {
        static const device::Block memory(*backend, 4096);
        return View{memory.get(), dtype, shape, shape::c_strides(shape, itemsize_of(dtype))};
    };
    for (const Dtype dtype : dtypes) {
        plan::lower_part(*backend, view(dtype, square), view(dtype, square));
        plan::unit_lower_part(*backend, plan::transpose_of(view(dtype, square)), view(dtype, square));
        plan::conjugate_on_device(*backend, plan::transpose_of(view(dtype, square)), view(dtype, square));
        plan::convert_on_device(*backend, view(real_of(dtype), row), plan::row_of(view(dtype, square), 0));
        for (const Dtype pivots : {int32, int64}) {
            plan::count_from_zero(*backend, view(pivots, row), plan::row_of(view(dtype, square), 2));
            plan::count_from_one(*backend, plan::real_parts_of(plan::row_of(view(dtype, square), 2)), view(pivots, row));
        }
        plan::any_zero(*backend, plan::diagonal_of(view(dtype, square)));
        plan::any_nan(*backend, view(dtype, square));
        if (!is_complex(dtype)) plan::join_pairs(*backend, view(complex_of(dtype), row), view(dtype, square), view(complex_of(dtype), square));
    }
    BOOST_TEST(backend->texts > 30);
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cuda_gpu_factors)

BOOST_AUTO_TEST_CASE(every_op_and_dtype) {
    const device::Listing listed = device::list_cuda();
    std::string problem = listed.problem;
    if (problem.empty()) problem = device::cuda(0).lacks_factorisations();
    if (!problem.empty()) BOOST_TEST_MESSAGE("skipped: " << problem);
    else check_every_op(device::cuda(0));
}

BOOST_AUTO_TEST_CASE(general_eigenvalues) {
    if (device::list_cuda().problem.empty() && device::cuda(0).lacks_factorisations().empty()) check_general(device::cuda(0));
    BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(reflections_are_lapacks) {
    if (device::list_cuda().problem.empty() && device::cuda(0).lacks_factorisations().empty()) check_reflections(device::cuda(0));
    BOOST_TEST(true);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(device_factors)

BOOST_AUTO_TEST_CASE(every_op_and_dtype) {
    simulated::Backend backend;
    check_every_op(backend);
}

BOOST_AUTO_TEST_CASE(general_eigenvalues) {
    simulated::Backend backend;
    check_general(backend);
    Mirrored x(backend, float64, {130, 130}), out(backend, complex128, {130});
    x.fill(std::vector<std::complex<double>>(130 * 130, std::nan("")));
    const View there = x.there();
    BOOST_TEST(!plan::factorise_on_device(backend, Op::eigvals, {}, {&there, 1}, out.there()));  // the host has an error for it
}

BOOST_AUTO_TEST_CASE(matrices_that_have_no_such_factor) {
    simulated::Backend backend;
    Mirrored x(backend, float64, {2, 3, 3}), out(backend, float64, {2, 3, 3});
    x.fill(std::vector<std::complex<double>>(18, 1.0));
    const View there = x.there();
    BOOST_CHECK_THROW(plan::factorise_on_device(backend, Op::cholesky, {}, {&there, 1}, out.there()), LinAlgError);
    ir::Attributes raises;
    raises.ints.push_back(0);
    raises.ints.push_back(1);
    Mirrored factors(backend, float64, {2, 4, 3});
    factors.fill(std::vector<std::complex<double>>(24, 0.0));
    const View operands[] = {factors.there(), there};
    BOOST_CHECK_THROW(plan::factorise_on_device(backend, Op::lu_solve, raises, operands, out.there()), LinAlgError);
}

BOOST_AUTO_TEST_CASE(reflections_are_lapacks) {
    simulated::Backend backend;
    check_reflections(backend);
}

BOOST_AUTO_TEST_CASE(what_the_host_does) {
    simulated::Backend backend;
    // Many small matrices of which the library has one at a time, and small ones.
    Mirrored x(backend, float64, {40, 3, 3}), out(backend, float64, {40, 4, 3}), wide(backend, complex128, {40, 4, 3});
    x.fill(std::vector<std::complex<double>>(360, 1.0));
    const View there = x.there();
    BOOST_TEST(!plan::factorise_on_device(backend, Op::eig, {}, {&there, 1}, wide.there()));
    Mirrored values(backend, complex128, {40, 3});
    BOOST_TEST(!plan::factorise_on_device(backend, Op::eigvals, {}, {&there, 1}, values.there()));
    BOOST_TEST(!plan::is_factorisation(Op::fft));
    backend.set_libraries(false);
    BOOST_TEST(!plan::factorise_on_device(backend, Op::lu, {}, {&there, 1}, out.there()));
    BOOST_TEST(backend.statistics().factorisations == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
