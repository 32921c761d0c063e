#include "cuda/fake_blas.h"

#include <cstring>
#include <map>

#include "cuda/fake_driver.h"
#include "eager/eager.h"

namespace fastnp::cuda {

namespace {

FakeBlas* now = nullptr;

// A descriptor of any kind: what it was made with, and its attributes.
struct Described {
    std::array<std::int64_t, 4> made{};
    std::map<int, std::int64_t> attributes;
};

int make(Handle* handle, std::array<std::int64_t, 4> values) {
    ++now->descriptors;
    *handle = new Described{values, {}};
    return blas_success;
}

int destroy(Handle handle) {
    --now->descriptors;
    delete static_cast<Described*>(handle);
    return blas_success;
}

int set(Handle handle, int attribute, const void* value, std::size_t bytes) {
    std::int64_t wide = 0;
    if (bytes == 4) {
        std::int32_t narrow = 0;
        std::memcpy(&narrow, value, bytes);
        wide = narrow;
    } else {
        std::memcpy(&wide, value, bytes);
    }
    static_cast<Described*>(handle)->attributes[attribute] = wide;
    return blas_success;
}

std::int64_t attribute(Handle handle, int number, std::int64_t otherwise) {
    const auto& attributes = static_cast<Described*>(handle)->attributes;
    const auto found = attributes.find(number);
    return found == attributes.end() ? otherwise : found->second;
}

void require(bool holds, const char* what) {
    if (!holds) now->misuses.emplace_back(what);
}

Dtype dtype_of_type(std::int64_t type) {
    static const std::map<std::int64_t, Dtype> types{{0, float32}, {1, float64}, {2, float16}, {14, bfloat16}, {4, complex64}, {5, complex128}};
    return types.at(type);
}

// The matrices that a layout describes, of which the columns lie side by side; transposed if they are taken like that.
eager::View view_of(Handle layout, const void* data, bool transposed) {
    const auto& [type, rows, columns, leading] = static_cast<Described*>(layout)->made;
    const auto size = static_cast<std::int64_t>(itemsize_of(dtype_of_type(type)));
    require(leading >= rows, "a leading dimension that is less than a column");
    eager::View view{
        const_cast<void*>(data), dtype_of_type(type), {attribute(layout, 5, 1), rows, columns}, {attribute(layout, 6, 0) * size, size, leading * size}};
    std::int64_t bytes = size;
    for (std::size_t i = 0; i < 3; ++i) bytes += (view.shape[i] - 1) * view.strides[i];
    require(FakeDriver::owns(data, static_cast<std::size_t>(bytes)), "a matrix that is not all on the device");
    require(reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size) == 0, "a matrix at an odd address");
    if (transposed) {
        std::swap(view.shape[1], view.shape[2]);
        std::swap(view.strides[1], view.strides[2]);
    }
    return view;
}

bool is_scale(const void* value, std::int64_t type, double expected) {
    const Dtype dtype = dtype_of_type(type);
    alignas(16) double wide[2]{};
    eager::copy({const_cast<void*>(value), dtype, {}, {}}, {wide, complex128, {}, {}});
    return wide[0] == expected && wide[1] == 0;
}

int choose(Handle, Handle operation, Handle a, Handle b, Handle c, Handle d, Handle preference, int wanted, BlasChoice* choices, int* found) {
    ++now->choices;
    require(wanted == 1 && attribute(preference, 1, 0) >= static_cast<std::int64_t>(now->workspace), "no room for an algorithm");
    require(attribute(operation, 3, 0) <= 1 && attribute(operation, 4, 0) <= 1, "a transform of another kind");
    const bool is_half = static_cast<Described*>(d)->made[0] == 2 || static_cast<Described*>(d)->made[0] == 14;
    require(!is_half || attribute(preference, 3, 7) == 2, "sums that are rounded to 16 bits");
    require(attribute(a, 5, 1) == attribute(b, 5, 1) && attribute(a, 5, 1) == attribute(d, 5, 1), "stacks of several lengths");
    require(attribute(c, 5, 1) == attribute(d, 5, 1) && static_cast<Described*>(c)->made[0] == static_cast<Described*>(d)->made[0],
            "another matrix to add");
    require(attribute(operation, 7, 1) == 1 || attribute(operation, 8, 0) != 0, "a row to add that is nowhere");
    *found = now->has_algorithms ? 1 : 0;
    choices[0].workspace_bytes = now->workspace;
    choices[0].algorithm.data[0] = 4711;
    return now->has_algorithms ? blas_success : blas_not_supported;
}

int multiply(Handle, Handle operation, const void* alpha, const void* a, Handle a_layout, const void* b, Handle b_layout, const void* beta, const void* c,
             Handle c_layout, void* d, Handle d_layout, const BlasAlgorithm* algorithm, void* workspace, std::size_t workspace_bytes, Handle stream) {
    require(algorithm->data[0] == 4711, "an algorithm of another product");
    require(workspace_bytes == now->workspace && (workspace_bytes == 0 || FakeDriver::owns(workspace, workspace_bytes)), "no workspace");
    require(stream != nullptr, "another stream");
    const auto& [compute, scale, unused, rest] = static_cast<Described*>(operation)->made;
    const bool adds = is_scale(beta, scale, 1);
    require(is_scale(alpha, scale, 1) && (adds || is_scale(beta, scale, 0)), "scales of the wrong type");
    require(adds || c == d, "another matrix");
    const eager::View x = view_of(a_layout, a, attribute(operation, 3, 0) == 1), y = view_of(b_layout, b, attribute(operation, 4, 0) == 1);
    const eager::View out = view_of(d_layout, d, false);
    require(x.shape[1] == out.shape[1] && y.shape[2] == out.shape[2] && x.shape[2] == y.shape[1], "matrices that don't fit");
    const bool is_wide = out.dtype == float64 || out.dtype == complex128;
    require(compute == (is_wide ? 70 : 68), "sums in another type");
    std::vector<eager::View> added;
    if (adds) added.push_back(view_of(c_layout, c, false));
    if (attribute(operation, 7, 1) == 4) {
        const auto size = static_cast<std::int64_t>(itemsize_of(out.dtype));
        added.push_back({reinterpret_cast<void*>(attribute(operation, 8, 0)), out.dtype, out.shape, {0, size, 0}});
        require(FakeDriver::owns(added.back().data, static_cast<std::size_t>(out.shape[1] * size)), "a row that is not all on the device");
    }
    return FakeDriver::call(
        "cublasLtMatmul",
        [x, y, out, added] {
            const eager::View operands[] = {x, y};
            eager::run(ops::Op::matmul, {}, operands, out);
            for (const eager::View& each : added) {
                const eager::View both[] = {out, each};
                eager::run(ops::Op::add, {}, both, out);
            }
            return 0;
        },
        stream);
}

}  // namespace

FakeBlas::FakeBlas() {
    now = this;
    blas.path = "libfake.so";
    blas.text_of = [](int) { return "it did not work"; };
    blas.create = [](Handle* handle) {
        ++now->handles;
        *handle = now;
        return FakeDriver::call("cublasLtCreate");
    };
    blas.destroy = [](Handle) {
        --now->handles;
        return FakeDriver::call("cublasLtDestroy");
    };
    blas.operation_create = [](Handle* handle, int compute, int scale) { return make(handle, {compute, scale}); };
    blas.layout_create = [](Handle* handle, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
        return make(handle, {type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
    };
    blas.preference_create = [](Handle* handle) { return make(handle, {}); };
    blas.operation_destroy = blas.layout_destroy = blas.preference_destroy = destroy;
    blas.operation_set = blas.layout_set = blas.preference_set = set;
    blas.choose = choose;
    blas.multiply = multiply;
}

FakeBlas::~FakeBlas() { now = nullptr; }

const Blas& FakeBlas::find(const Driver&) { return now->blas; }

}  // namespace fastnp::cuda
