#include "plan/device_factor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "device/factorisation.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/transforms.h"
#include "plan/device_copy.h"
#include "plan/device_dense.h"
#include "plan/device_matrices.h"
#include "plan/library_launch.h"

namespace fastnp::plan {

using device::Block;
using device::Factorisation;
using eager::View;
using ops::Op;
using Form = Factorisation::Form;
using Kind = Factorisation::Kind;
using Vectors = Factorisation::Vectors;

namespace {

// Where libraries take one matrix at a time, many small ones are quicker on the host.
constexpr std::int64_t few_matrices = 16, small_matrix = 64 * 64;

std::int64_t size_from_end(const View& view, std::size_t place) { return view.shape[view.shape.size() - place]; }

// All matrices of a stack, or one after the other.
class Task {
public:
    Task(device::Backend& backend, const View& x, Kind kind) : backend_(backend), stack_(stack_of(x)) {
        work_.kind = kind;
        work_.dtype = x.dtype;
        work_.rows = size_from_end(x, 2);
        work_.columns = size_from_end(x, 1);
        work_.count = count_of(stack_);
    }

    Factorisation& work() { return work_; }
    const Shape& stack() const { return stack_; }

    // Tells which of the matrices failed: raised as the host does, once the work was asked for.
    void note_failures() { work_.failures = failures_.emplace(backend_, static_cast<std::size_t>(work_.count) * sizeof(std::int32_t)).get(); }
    void raise_failures(const char* text) const {
        std::vector<std::int32_t> found(static_cast<std::size_t>(work_.count));
        backend_.download(found.data(), work_.failures, found.size() * sizeof(std::int32_t));
        if (std::ranges::any_of(found, [](std::int32_t each) { return each != 0; })) throw LinAlgError(text);
    }

    bool at_once() { return backend_.factorise(work_); }
    bool one_by_one() {
        if (work_.count > few_matrices && work_.rows * work_.columns <= small_matrix) return false;
        for (std::int64_t i = 0; i < work_.count; ++i) {
            if (!backend_.factorise(device::part_of(work_, i, 1))) return false;
        }
        return true;
    }
    bool run() { return (work_.count > 1 && at_once()) || one_by_one(); }

private:
    device::Backend& backend_;
    const Shape stack_;
    Factorisation work_;
    std::optional<Block> failures_;
};

// Vectors of numbers of each matrix.
OwnMatrices make_numbers(device::Backend& backend, Dtype dtype, const Shape& stack, std::int64_t length) {
    OwnMatrices made = make_matrices(backend, dtype, stack, 1, length, true);
    made.view = row_of(made.view, 0);
    return made;
}

// Rows that were swapped: of stacks the libraries have them in 32 bits.
Dtype pivots_of(bool at_once) { return at_once ? Dtype::int32 : Dtype::int64; }

bool cholesky(device::Backend& backend, const View& x, const View& out) {
    // Rows are the transpose's columns: its upper triangle becomes that of the factor's transpose.
    const OwnMatrices a = copy_of_matrices(backend, x, true);
    Task task(backend, x, Kind::cholesky);
    task.work().a = a.columns;
    task.work().lower = false;
    task.note_failures();
    if (!task.run()) return false;
    lower_part(backend, a.view, out);
    task.raise_failures("Matrix is not positive definite");
    return true;
}

bool lu(device::Backend& backend, const View& x, const View& out) {
    const std::int64_t n = size_from_end(x, 1);
    const OwnMatrices a = copy_of_matrices(backend, x);
    Task task(backend, x, Kind::lu);
    task.work().a = a.columns;
    const auto run = [&](bool at_once) {
        const OwnMatrices pivots = make_numbers(backend, pivots_of(at_once), task.stack(), n);
        task.work().numbers = pivots.view.data;
        if (!(at_once ? task.at_once() : task.one_by_one())) return false;
        copy_on_device(backend, a.view, rows_of(out, 0, n));
        count_from_zero(backend, pivots.view, row_of(out, n));
        return true;
    };
    return (task.work().count > 1 && run(true)) || run(false);
}

// How many right sides each of so many matrices has: what a stack of sides shares one matrix with is more columns of it.
std::int64_t sides_of(const View& b, std::int64_t matrices) { return size_from_end(b, 1) * count_of(stack_of(b)) / matrices; }

bool lu_solve(device::Backend& backend, const ir::Attributes& attributes, const View& packed, const View& b, const View& out) {
    constexpr std::int64_t lower_half_alone = 3;  // of the op's attribute: as with a U that is the identity
    const std::int64_t n = size_from_end(b, 2), how = attributes.ints[0];
    const View factors = without_repeats(packed), both = rows_of(factors, 0, n);
    if (attributes.ints[1] != 0 && read_bool(any_zero(backend, diagonal_of(both)))) throw LinAlgError("Singular matrix");
    Task task(backend, both, Kind::lu_solve);
    const OwnMatrices a = make_matrices(backend, b.dtype, task.stack(), n, n);
    if (how == lower_half_alone) unit_lower_part(backend, both, a.view);
    else copy_on_device(backend, both, a.view);
    const OwnMatrices x = copy_of_matrices(backend, b);
    task.work().a = a.columns;
    task.work().b = x.columns;
    task.work().sides = sides_of(b, task.work().count);
    task.work().form = how == lower_half_alone ? Form::plain : static_cast<Form>(how);
    const auto run = [&](bool at_once) {
        const OwnMatrices pivots = make_numbers(backend, pivots_of(at_once), task.stack(), n);
        count_from_one(backend, real_parts_of(row_of(factors, n)), pivots.view);
        task.work().numbers = pivots.view.data;
        return at_once ? task.at_once() : task.one_by_one();
    };
    if (!(task.work().count > 1 && run(true)) && !run(false)) return false;
    copy_on_device(backend, x.view, out);
    return true;
}

// A triangle as libraries take it: where it lies, or, with its transpose's other triangle, where that lies.
void set_triangle(device::Backend& backend, const View& triangle, Factorisation& work, std::vector<OwnMatrices>& held) {
    const bool is_adjoint = work.form == Form::adjoint && is_complex(triangle.dtype);
    if (const auto found = walked_in_columns(triangle)) {
        work.a = *found;
    } else if (const auto turned = walked_in_columns(transpose_of(triangle)); turned && !is_adjoint) {
        work.a = *turned;
        work.lower = !work.lower;
        work.form = work.form == Form::plain ? Form::transposed : Form::plain;
    } else {
        work.a = held.emplace_back(copy_of_matrices(backend, triangle)).columns;
    }
}

bool triangular_solve(device::Backend& backend, const ir::Attributes& attributes, const View& triangles, const View& b, const View& out) {
    const View triangle = without_repeats(triangles);
    Task task(backend, triangle, Kind::triangular_solve);
    task.work().lower = attributes.ints[0] != 0;
    task.work().form = static_cast<Form>(attributes.ints[1]);
    task.work().unit = attributes.ints[2] != 0;
    std::vector<OwnMatrices> held;
    set_triangle(backend, triangle, task.work(), held);
    const OwnMatrices x = copy_of_matrices(backend, b);
    task.work().b = x.columns;
    task.work().sides = sides_of(b, task.work().count);
    if (!task.run()) return false;
    copy_on_device(backend, x.view, out);
    return true;
}

// Stacks of small matrices, of which libraries have one factor after the other, are done by kernels of ours.
bool is_small_stack(const View& x) {
    constexpr std::int64_t most_rows = 512;
    const std::int64_t rows = size_from_end(x, 2);
    return count_of(stack_of(x)) > 1 && rows <= most_rows && rows * size_from_end(x, 1) <= small_matrix;
}

std::string kernel_for(const char* name, Dtype dtype) { return std::string(name) + "_" + std::string(name_of(dtype)); }

bool small_qr(device::Backend& backend, const View& x, const View& out) {
    const std::int64_t m = size_from_end(x, 2), n = size_from_end(x, 1), count = count_of(stack_of(x));
    const auto size = static_cast<std::int64_t>(itemsize_of(x.dtype));
    const DenseResult result(backend, out);
    copy_on_device(backend, x, rows_of(result.view(), 0, m));
    std::int64_t team = 1;
    while (team < std::min<std::int64_t>(n, codegen::kernel_threads)) team *= 2;
    launch_library(backend, {kernel_for("qr", x.dtype)}, count, codegen::kernel_threads / team,
                   {address_of(result.view().data), m, n, (m + 1) * n * size, n * size, count, team});
    result.finish();
    return true;
}

bool small_householder(device::Backend& backend, const View& packed, const View& out) {
    const std::int64_t m = size_from_end(out, 2), n = size_from_end(out, 1), all = size_from_end(packed, 1), count = count_of(stack_of(out));
    const auto size = static_cast<std::int64_t>(itemsize_of(out.dtype));
    const Dense dense(backend, packed);
    const DenseResult result(backend, out);
    launch_library(
        backend, {kernel_for("householder", out.dtype)}, count * n, codegen::kernel_threads,
        {address_of(dense.view().data), address_of(result.view().data), m, n, std::min(m, all), (m + 1) * all * size, all * size, size, count * n});
    result.finish();
    return true;
}

bool qr(device::Backend& backend, const View& x, const View& out) {
    if (is_small_stack(x)) return small_qr(backend, x, out);
    const std::int64_t m = size_from_end(x, 2), n = size_from_end(x, 1), k = std::min(m, n);
    const OwnMatrices a = copy_of_matrices(backend, x);
    Task task(backend, x, Kind::qr);
    const OwnMatrices factors = make_numbers(backend, x.dtype, task.stack(), k);
    task.work().a = a.columns;
    task.work().numbers = factors.view.data;
    if (!task.run()) return false;
    copy_on_device(backend, a.view, rows_of(out, 0, m));
    copy_on_device(backend, factors.view, elements_within(row_of(out, m), 0, k));
    if (k == n) return true;
    const Block zero(backend, itemsize_of(x.dtype));
    backend.clear(zero.get(), itemsize_of(x.dtype));
    const View rest = elements_within(row_of(out, m), k, n - k);
    copy_on_device(backend, {zero.get(), rest.dtype, rest.shape, Strides(rest.shape.size(), 0)}, rest);
    return true;
}

bool householder(device::Backend& backend, const View& packed, const View& out) {
    if (is_small_stack(out)) return small_householder(backend, packed, out);
    const std::int64_t m = size_from_end(out, 2), n = size_from_end(out, 1), all = size_from_end(packed, 1), k = std::min(m, all);
    const OwnMatrices a = make_matrices(backend, out.dtype, stack_of(out), m, n);
    const std::int64_t read = std::min(n, all);
    View from = rows_of(packed, 0, m), to = a.view;
    from.shape.back() = to.shape.back() = read;
    copy_on_device(backend, from, to);
    Task task(backend, out, Kind::householder);
    const OwnMatrices factors = make_numbers(backend, out.dtype, task.stack(), k);
    copy_on_device(backend, elements_within(row_of(packed, m), 0, k), factors.view);
    task.work().a = a.columns;
    task.work().sides = k;
    task.work().numbers = factors.view.data;
    if (!task.run()) return false;
    copy_on_device(backend, a.view, out);
    return true;
}

bool hermitian(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& out, bool with_vectors) {
    const std::int64_t n = size_from_end(x, 1);
    const OwnMatrices a = copy_of_matrices(backend, x);
    Task task(backend, x, Kind::hermitian);
    const OwnMatrices values = make_numbers(backend, real_of(x.dtype), task.stack(), n);
    task.work().a = a.columns;
    task.work().numbers = values.view.data;
    task.work().lower = attributes.ints[0] != 0;
    task.work().vectors = with_vectors ? Vectors::all : Vectors::none;
    task.note_failures();
    if (!task.run()) return false;
    convert_on_device(backend, values.view, with_vectors ? row_of(out, 0) : out);
    if (with_vectors) copy_on_device(backend, a.view, rows_of(out, 1, n));
    task.raise_failures("Eigenvalues did not converge");
    return true;
}

// Eigenvalues and, if asked for, vectors of general matrices, of which the library has one after the other. The host is done with small ones before the
// device has begun.
bool general(device::Backend& backend, const View& x, const View& out, bool with_vectors) {
    constexpr std::int64_t least_rows = 128;
    const std::int64_t n = size_from_end(x, 1);
    if (n < least_rows) return false;
    const OwnMatrices a = copy_of_matrices(backend, x);
    Task task(backend, x, Kind::general);
    const OwnMatrices values = make_numbers(backend, out.dtype, task.stack(), n);
    OwnMatrices vectors = make_matrices(backend, x.dtype, task.stack(), n, n + 2);  // with a column more on each side
    task.work().a = a.columns;
    task.work().b = vectors.columns;
    task.work().b.data = static_cast<char*>(vectors.view.data) + vectors.view.strides.back();
    task.work().numbers = values.view.data;
    task.work().vectors = with_vectors ? Vectors::all : Vectors::none;
    task.note_failures();
    if (!task.one_by_one()) return false;
    task.raise_failures("Eigenvalues did not converge");
    copy_on_device(backend, values.view, with_vectors ? row_of(out, 0) : out);
    if (!with_vectors) return true;
    const View found = elements_within(vectors.view, 1, n);
    if (is_complex(x.dtype)) copy_on_device(backend, found, rows_of(out, 1, n));
    else join_pairs(backend, values.view, found, rows_of(out, 1, n));
    return true;
}

// Singular values and vectors of a stack, brought into the op's result.
//
// A matrix with more columns than rows is taken as its transpose, whose U is the transpose of V.H and whose V.H is that of U: what lies in rows here are
// columns there.
class Singular {
public:
    Singular(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& out, bool with_vectors)
        : backend_(backend),
          out_(out),
          m_(size_from_end(x, 2)),
          n_(size_from_end(x, 1)),
          k_(attributes.dims[0].value()),
          u_(with_vectors ? attributes.dims[1].value() : 0),
          v_(with_vectors ? attributes.dims[2].value() : 0),
          with_vectors_(with_vectors),
          is_wide_(m_ < n_),
          has_nan_(any_nan(backend, x)),
          a_(copy_of_matrices(backend, x, is_wide_)),
          task_(backend, x, Kind::singular),
          values_(make_numbers(backend, real_of(x.dtype), task_.stack(), k_)) {
        Factorisation& work = task_.work();
        work.a = a_.columns;
        if (is_wide_) std::swap(work.rows, work.columns);
        work.numbers = values_.view.data;
        work.vectors = !with_vectors ? Vectors::none : u_ == k_ && v_ == k_ ? Vectors::few : Vectors::all;
        task_.note_failures();
    }

    bool run() {
        if (!run_at_once() && !run_one_by_one()) return false;
        convert_on_device(backend_, values_.view, with_vectors_ ? elements_within(out_, m_ * u_, k_) : out_);
        const char* const text = "SVD did not converge";
        task_.raise_failures(text);
        if (read_bool(has_nan_)) throw LinAlgError(text);  // as LAPACK says
        return true;
    }

private:
    View u_of_out() const { return matrices_within(out_, 0, m_, u_); }
    View v_of_out() const { return matrices_within(out_, m_ * u_ + k_, v_, n_); }
    OwnMatrices make(std::int64_t rows, std::int64_t columns, bool in_rows) {
        return make_matrices(backend_, a_.view.dtype, task_.stack(), std::max<std::int64_t>(rows, 1), std::max<std::int64_t>(columns, 1), in_rows);
    }

    bool run_at_once() {
        Factorisation& work = task_.work();
        if (work.count == 1 || work.rows > Factorisation::singular_stack_rows) return false;
        const OwnMatrices u = make(work.rows, work.rows, false), v = make(work.columns, work.columns, false);
        work.b = u.columns;
        work.v = v.columns;
        if (!task_.at_once()) return false;
        if (!with_vectors_) return true;
        if (is_wide_) {
            copy_on_device(backend_, rows_of(transpose_of(u.view), 0, v_), v_of_out());
            conjugate_on_device(backend_, v.view, u_of_out());
        } else {
            copy_on_device(backend_, transpose_of(rows_of(transpose_of(u.view), 0, u_)), u_of_out());
            conjugate_on_device(backend_, transpose_of(v.view), v_of_out());
        }
        return true;
    }

    bool run_one_by_one() {
        const OwnMatrices left = make(m_, u_, is_wide_), right = make(v_, n_, is_wide_);
        task_.work().b = is_wide_ ? right.columns : left.columns;
        task_.work().v = is_wide_ ? left.columns : right.columns;
        if (!task_.one_by_one()) return false;
        if (!with_vectors_) return true;
        copy_on_device(backend_, left.view, u_of_out());
        copy_on_device(backend_, right.view, v_of_out());
        return true;
    }

    device::Backend& backend_;
    const View& out_;
    const std::int64_t m_, n_, k_, u_, v_;
    const bool with_vectors_, is_wide_;
    const Block has_nan_;
    const OwnMatrices a_;
    Task task_;
    const OwnMatrices values_;
};

// LAPACK multiplies by zeros and takes columns of NaN as they come, the device's libraries do otherwise: a determinant of NaN was 0. (And eigenvalues of
// such matrices are an error that the host says.)
bool is_lapacks_alone(device::Backend& backend, ops::Op op, const View& x) {
    if (op != Op::lu && op != Op::cholesky && op != Op::qr && op != Op::eig && op != Op::eigvals) return false;
    return read_bool(any_not_finite(backend, x));
}

}  // namespace

bool is_factorisation(ops::Op op) { return ops::info(op).kind == ops::Kind::library && !ops::is_transform(op); }

bool factorise_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const auto is_empty = [](const View& view) { return std::ranges::find(view.shape, 0) != view.shape.end(); };
    if (!backend.lacks_factorisations().empty() || std::ranges::any_of(operands, is_empty)) return false;
    const View& x = operands[0];
    if (is_lapacks_alone(backend, op, x)) return false;
    switch (op) {
        case Op::lu: return lu(backend, x, out);
        case Op::lu_solve: return lu_solve(backend, attributes, x, operands[1], out);
        case Op::cholesky: return cholesky(backend, x, out);
        case Op::triangular_solve: return triangular_solve(backend, attributes, x, operands[1], out);
        case Op::qr: return qr(backend, x, out);
        case Op::householder_product: return householder(backend, x, out);
        case Op::eigh: return hermitian(backend, attributes, x, out, true);
        case Op::eigvalsh: return hermitian(backend, attributes, x, out, false);
        case Op::eig: return general(backend, x, out, true);
        case Op::eigvals: return general(backend, x, out, false);
        case Op::svd: return Singular(backend, attributes, x, out, true).run();
        case Op::svdvals: return Singular(backend, attributes, x, out, false).run();
        default: return false;
    }
}

}  // namespace fastnp::plan
