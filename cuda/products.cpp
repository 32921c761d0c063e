#include "products.h"

#include <algorithm>
#include <complex>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "fastnp/error.h"
#include "workspace.h"

namespace fastnp::cuda {

using device::Contraction;
using Added = Contraction::Added;
using device::Matrices;

namespace {

// The library's numbers for element types, and for what sums are computed in: never in less than float32, and float32's never in TF32.
struct Types {
    int element, compute, scale;
};

std::optional<Types> types_of(Dtype dtype) {
    constexpr int compute_float = 68, compute_double = 70;
    switch (dtype) {
        case Dtype::float32: return Types{0, compute_float, 0};
        case Dtype::float64: return Types{1, compute_double, 1};
        case Dtype::float16: return Types{2, compute_float, 0};
        case Dtype::bfloat16: return Types{14, compute_float, 0};
        case Dtype::complex64: return Types{4, compute_float, 4};
        case Dtype::complex128: return Types{5, compute_double, 5};
        default: return std::nullopt;
    }
}

// 1 and 0 in every type that products are scaled in; the imaginary parts are those of complex ones.
struct Scales {
    std::complex<float> single_one = 1, single_zero = 0;
    std::complex<double> double_one = 1, double_zero = 0;
};
constexpr Scales scales;

bool is_wide(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::complex128; }
const void* one_of(Dtype dtype) { return is_wide(dtype) ? static_cast<const void*>(&scales.double_one) : &scales.single_one; }
const void* zero_of(Dtype dtype) { return is_wide(dtype) ? static_cast<const void*>(&scales.double_zero) : &scales.single_zero; }

constexpr std::size_t most_workspace = std::size_t{32} << 20;
constexpr std::size_t most_prepared = 4096;

// Bytes that the addresses of all matrices are multiples of, as far as that makes a difference.
std::uint32_t alignment_of(const Matrices& m, Dtype dtype) {
    constexpr std::uintptr_t most = 256;
    const std::uintptr_t either = reinterpret_cast<std::uintptr_t>(m.data) | (static_cast<std::uintptr_t>(m.step) * itemsize_of(dtype)) | most;
    return static_cast<std::uint32_t>(either & (~either + 1));
}

// The library's matrices have columns side by side: a matrix that lies in rows is the transpose of one that does.
struct Columns {
    bool transposed;  // as the library sees it
    std::int64_t rows, columns, leading, step;
};

// An operand's transpose, which is what is multiplied: (x y)^T = y^T x^T.
Columns transpose_of(const Matrices& m, std::int64_t rows, std::int64_t columns) {
    // Of a single row or column the distance to the next one may be anything.
    const auto leading = [](std::int64_t stride, std::int64_t count, std::int64_t length) { return count == 1 ? std::max(stride, length) : stride; };
    if (m.column_stride == 1) return {false, columns, rows, leading(m.row_stride, rows, columns), m.step};
    return {true, rows, columns, leading(m.column_stride, columns, rows), m.step};
}

// A descriptor of the library's, destroyed with its owner.
class Descriptor {
public:
    explicit Descriptor(int (*destroy)(Handle)) : destroy_(destroy) {}
    ~Descriptor() {
        if (handle_ != nullptr) destroy_(handle_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Handle* slot() { return &handle_; }
    Handle get() const { return handle_; }

private:
    int (*destroy_)(Handle);
    Handle handle_ = nullptr;
};

}  // namespace

// A kind of product: what the library is told of it, and what it said.
class Products::Prepared {
public:
    Prepared(Products& owner, const Blas& blas, Handle handle, const Contraction& contraction)
        : added_(contraction.added),
          operation_(blas.operation_destroy),
          x_(blas.layout_destroy),
          y_(blas.layout_destroy),
          c_(blas.layout_destroy),
          out_(blas.layout_destroy) {
        const Types types = *types_of(contraction.dtype);
        owner.check(blas.operation_create(operation_.slot(), types.compute, types.scale), "cublasLtMatmulDescCreate");
        const Columns x = transpose_of(contraction.x, contraction.rows, contraction.inner);
        const Columns y = transpose_of(contraction.y, contraction.inner, contraction.columns);
        const Columns out{false, contraction.columns, contraction.rows, contraction.out.row_stride, contraction.out.step};
        constexpr int transpose_a = 3, transpose_b = 4;
        const auto set = [&](int attribute, bool transposed) {
            const int value = transposed ? 1 : 0;
            owner.check(blas.operation_set(operation_.get(), attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
        };
        set(transpose_a, y.transposed);
        set(transpose_b, x.transposed);
        describe(owner, blas, x_, types, x, contraction.count);
        describe(owner, blas, y_, types, y, contraction.count);
        describe(owner, blas, out_, types, out, contraction.count);
        const Columns c{false, contraction.columns, contraction.rows, contraction.c.row_stride, contraction.c.step};
        describe(owner, blas, c_, types, added_ == Added::matrices ? c : out, contraction.count);
        if (added_ == Added::row) {
            constexpr int epilogue = 7;
            constexpr std::uint32_t with_row = 4;
            owner.check(blas.operation_set(operation_.get(), epilogue, &with_row, sizeof with_row), "cublasLtMatmulDescSetAttribute");
            owner.check(set_row(blas, contraction), "cublasLtMatmulDescSetAttribute");
        }
        choose(owner, blas, handle, contraction);
    }

    bool is_possible() const { return is_possible_; }
    std::size_t workspace_bytes() const { return choice_.workspace_bytes; }
    bool was_done() const { return was_done_.load(std::memory_order_acquire); }
    void note_done() { was_done_.store(true, std::memory_order_release); }

    int run(const Blas& blas, Handle handle, const Contraction& contraction, void* workspace, Handle stream) {
        // The row's address is the descriptor's, which is all threads'.
        const auto lock = added_ == Added::row ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
        if (added_ == Added::row) {
            if (const int status = set_row(blas, contraction); status != blas_success) return status;
        }
        const bool has_c = added_ == Added::matrices;
        return blas.multiply(handle, operation_.get(), one_of(contraction.dtype), contraction.y.data, y_.get(), contraction.x.data, x_.get(),
                             has_c ? one_of(contraction.dtype) : zero_of(contraction.dtype), has_c ? contraction.c.data : contraction.out.data, c_.get(),
                             contraction.out.data, out_.get(), &choice_.algorithm, workspace, choice_.workspace_bytes, stream);
    }

private:
    int set_row(const Blas& blas, const Contraction& contraction) {
        constexpr int row = 8;
        return blas.operation_set(operation_.get(), row, &contraction.c.data, sizeof contraction.c.data);
    }

    static void describe(Products& owner, const Blas& blas, Descriptor& layout, const Types& types, const Columns& matrix, std::int64_t count) {
        owner.check(blas.layout_create(layout.slot(), types.element, static_cast<std::uint64_t>(matrix.rows), static_cast<std::uint64_t>(matrix.columns),
                                       matrix.leading),
                    "cublasLtMatrixLayoutCreate");
        if (count == 1) return;
        constexpr int batch_count = 5, batch_step = 6;
        const auto matrices = static_cast<std::int32_t>(count);
        owner.check(blas.layout_set(layout.get(), batch_count, &matrices, sizeof matrices), "cublasLtMatrixLayoutSetAttribute");
        owner.check(blas.layout_set(layout.get(), batch_step, &matrix.step, sizeof matrix.step), "cublasLtMatrixLayoutSetAttribute");
    }

    void choose(Products& owner, const Blas& blas, Handle handle, const Contraction& contraction) {
        Descriptor preference(blas.preference_destroy);
        owner.check(blas.preference_create(preference.slot()), "cublasLtMatmulPreferenceCreate");
        const auto prefer = [&](int attribute, auto value) { return blas.preference_set(preference.get(), attribute, &value, sizeof value); };
        constexpr int workspace = 1, reductions = 3, alignment_a = 5, alignment_b = 6, alignment_c = 7, alignment_d = 8, implementations = 12;
        owner.check(prefer(workspace, static_cast<std::uint64_t>(most_workspace)), "cublasLtMatmulPreferenceSetAttribute");
        // Partial sums are added in what they are computed in: of the 16-bit floats, not in the result's memory.
        constexpr std::uint32_t in_place = 1, in_workspace = 2;
        prefer(reductions, itemsize_of(contraction.dtype) == 2 ? in_workspace : in_place | in_workspace);
        prefer(alignment_a, alignment_of(contraction.y, contraction.dtype));
        prefer(alignment_b, alignment_of(contraction.x, contraction.dtype));
        prefer(alignment_c, alignment_of(added_ == Added::matrices ? contraction.c : contraction.out, contraction.dtype));
        prefer(alignment_d, alignment_of(contraction.out, contraction.dtype));
        // Neither operands that are rounded to TF32, nor complex products of three real ones, which cancel. Versions that don't know this have neither.
        constexpr std::uint64_t rounded = std::uint64_t{4} << 16, gaussian = std::uint64_t{1} << 32;
        prefer(implementations, ~(rounded | gaussian));
        int found = 0;
        const int status = blas.choose(handle, operation_.get(), y_.get(), x_.get(), c_.get(), out_.get(), preference.get(), 1, &choice_, &found);
        const bool has_none = status == blas_not_supported || status == blas_invalid_value || status == blas_arch_mismatch;
        if (!has_none) owner.check(status, "cublasLtMatmulAlgoGetHeuristic");
        is_possible_ = !has_none && found > 0 && choice_.status == blas_success;
    }

    const Added added_;
    std::mutex mutex_;
    Descriptor operation_, x_, y_, c_, out_;
    BlasChoice choice_;
    bool is_possible_ = false;
    std::atomic<bool> was_done_ = false;
};

Products::~Products() {
    if (handle_ == nullptr || !context_.is_usable()) return;
    try {
        context_.synchronize();
        const Current current(context_);
        prepared_.clear();
        blas_->destroy(handle_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and what the library had there
    }
}

void Products::check(int status, const char* function) {
    if (status == blas_success) [[likely]]
        return;
    const char* text = blas_->text_of(status);
    throw DeviceError("device '" + context_.name() + "': " + function + " failed: " + (text != nullptr ? text : "") + " (status " +
                      std::to_string(status) + ")");
}

// Whether the library is there, and started on this device.
bool Products::start() {
    const std::scoped_lock lock(mutex_);
    if (handle_ != nullptr) return true;
    if (!problem_.empty()) return false;
    blas_ = &find_(context_.driver());
    problem_ = blas_->problem;
    if (!problem_.empty()) return false;
    const Current current(context_);
    int status = blas_->create(&handle_);
    if (status != blas_success) {  // for want of memory, it may be, which the pool keeps
        context_.make_room();
        status = blas_->create(&handle_);
    }
    if (status == blas_success) return true;
    handle_ = nullptr;
    const char* text = blas_->text_of(status);
    problem_ = "cuBLAS does not start (" + blas_->path + "): " + (text != nullptr ? text : "status " + std::to_string(status));
    return false;
}

std::string Products::lacks(Dtype dtype) {
    if (!types_of(dtype)) return "cuBLAS has no products of " + std::string(name_of(dtype));
    if (start()) return "";
    const std::scoped_lock lock(mutex_);
    return problem_;
}

Products::Key Products::key_of(const Contraction& contraction) {
    const auto& [dtype, rows, inner, columns, count, x, y, out, added, c] = contraction;
    const std::int64_t alignments = (std::int64_t{alignment_of(x, dtype)} << 40) | (std::int64_t{alignment_of(y, dtype)} << 20) | alignment_of(out, dtype);
    return {static_cast<std::int64_t>(dtype),
            rows,
            inner,
            columns,
            count,
            x.row_stride,
            x.column_stride,
            x.step,
            y.row_stride,
            y.column_stride,
            y.step,
            out.row_stride,
            out.step,
            alignments,
            static_cast<std::int64_t>(added),
            c.row_stride,
            c.step,
            added == Added::nothing ? 0 : std::int64_t{alignment_of(c, dtype)}};
}

std::shared_ptr<Products::Prepared> Products::prepared(const Contraction& contraction) {
    const Key key = key_of(contraction);
    const std::scoped_lock lock(mutex_);
    if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second;
    if (prepared_.size() >= most_prepared) prepared_.clear();
    return prepared_[key] = std::make_shared<Prepared>(*this, *blas_, handle_, contraction);
}

bool Products::knows(const Contraction& contraction) {
    const Key key = key_of(contraction);
    const std::scoped_lock lock(mutex_);
    const auto found = prepared_.find(key);
    return found != prepared_.end() && found->second->was_done();
}

bool Products::contract(const Contraction& contraction) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (std::max({contraction.rows, contraction.inner, contraction.columns, contraction.count}) > most) return false;
    if (!types_of(contraction.dtype) || !start()) return false;
    if (contraction.added != Added::nothing && itemsize_of(real_of(contraction.dtype)) < 4) return false;  // the sum would be rounded, and it alone
    const Current current(context_);
    const std::shared_ptr<Prepared> kind = prepared(contraction);
    if (!kind->is_possible()) return false;
    const Workspace workspace(pool_, kind->workspace_bytes());
    const int status = kind->run(*blas_, handle_, contraction, workspace.get(), context_.stream());
    if (status == blas_not_supported) return false;
    check(status, "cublasLtMatmul");
    kind->note_done();
    count_more(1);
    return true;
}

std::size_t Products::workspace_bytes(const Contraction& contraction) { return prepared(contraction)->workspace_bytes(); }

void Products::ask(const Contraction& contraction, Handle stream, void* workspace) {
    check(prepared(contraction)->run(*blas_, handle_, contraction, workspace, stream), "cublasLtMatmul");
}

}  // namespace fastnp::cuda
