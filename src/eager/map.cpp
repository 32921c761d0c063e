// Elementwise ops and copies over any layout: contiguous runs go to the span kernel as they are, others through small buffers.
#include <cstring>

#include "eager/element_bits.h"
#include "eager/isa.h"
#include "eager/iterate.h"
#include "eager/kernels.h"
#include "eager/transpose.h"
#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

template <class T>
void gather_as(const char* from, std::int64_t stride, std::int64_t count, char* to) {
    T* out = reinterpret_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(out + i, from + i * stride, sizeof(T));
}
template <class T>
void scatter_as(const char* from, std::int64_t stride, std::int64_t count, char* to) {
    const T* in = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, in + i, sizeof(T));
}

// One operand of a run: in place where it is contiguous, else a buffer.
struct Lane {
    alignas(64) char buffer[chunk_elements * 16];
};

template <std::size_t N>  // operands and the result, the result last
struct MapRun {
    SpanKernel kernel;
    std::array<std::int64_t, N> strides;
    std::array<std::size_t, N> itemsizes;

    void operator()(const std::array<char*, N>& at, std::int64_t count) const {
        bool contiguous = true;
        for (std::size_t k = 0; k < N; ++k) contiguous = contiguous && strides[k] == static_cast<std::int64_t>(itemsizes[k]);
        if (contiguous) {
            std::array<const void*, N> in;
            for (std::size_t k = 0; k < N; ++k) in[k] = at[k];
            kernel(in.data(), at[N - 1], count);
            return;
        }
        Lane lanes[N];
        for (std::size_t k = 0; k + 1 < N; ++k) {  // a repeated element is filled in once
            if (strides[k] == 0) gather(at[k], 0, itemsizes[k], std::min(count, chunk_elements), lanes[k].buffer);
        }
        for (std::int64_t begin = 0; begin < count; begin += chunk_elements) {
            const std::int64_t n = std::min(chunk_elements, count - begin);
            std::array<const void*, N> in{};
            for (std::size_t k = 0; k + 1 < N; ++k) {
                const char* from = at[k] + begin * strides[k];
                if (strides[k] == static_cast<std::int64_t>(itemsizes[k])) {
                    in[k] = from;
                } else {
                    if (strides[k] != 0) gather(from, strides[k], itemsizes[k], n, lanes[k].buffer);
                    in[k] = lanes[k].buffer;
                }
            }
            char* to = at[N - 1] + begin * strides[N - 1];
            if (strides[N - 1] == static_cast<std::int64_t>(itemsizes[N - 1])) {
                kernel(in.data(), to, n);
            } else {
                kernel(in.data(), lanes[N - 1].buffer, n);
                scatter(lanes[N - 1].buffer, strides[N - 1], itemsizes[N - 1], n, to);
            }
        }
    }
};

// Runs of few elements each, made runs along the next axis: a chunk of that is done for each of the few, while it is in the cache.
template <std::size_t N>
struct FewRun {
    MapRun<N> run;
    std::int64_t few;
    std::array<std::int64_t, N> steps;  // from one of the few to the next

    void operator()(const std::array<char*, N>& at, std::int64_t count) const {
        for (std::int64_t begin = 0; begin < count; begin += chunk_elements) {
            const std::int64_t n = std::min(chunk_elements, count - begin);
            for (std::int64_t i = 0; i < few; ++i) {
                std::array<char*, N> from = at;
                for (std::size_t k = 0; k < N; ++k) from[k] += begin * run.strides[k] + i * steps[k];
                run(from, n);
            }
        }
    }
};

constexpr std::int64_t few_elements = 16;

template <std::size_t N>
bool has_few_in_runs(const Walk<N>& walk) {
    const std::size_t rank = walk.shape.size();
    return rank > 1 && walk.shape[rank - 1] < few_elements && walk.shape[rank - 2] >= 4 * few_elements;
}

template <std::size_t N>
void run_map(SpanKernel kernel, const std::array<const View*, N>& operands_then_out) {
    const View& out = *operands_then_out[N - 1];
    std::array<const View*, N> ordered = operands_then_out;
    std::rotate(ordered.begin(), ordered.end() - 1, ordered.end());  // the result's layout orders the walk
    Walk<N> walk = make_walk(out.shape, ordered);
    std::rotate(walk.strides.begin(), walk.strides.begin() + 1, walk.strides.end());
    std::rotate(walk.data.begin(), walk.data.begin() + 1, walk.data.end());
    FewRun<N> few{{kernel, {}, {}}, walk.shape.back(), {}};
    const bool has_few = has_few_in_runs(walk);
    if (has_few) walk.shape.pop_back();
    for (std::size_t k = 0; k < N; ++k) {
        few.steps[k] = walk.strides[k].back();
        if (has_few) walk.strides[k].pop_back();
        few.run.strides[k] = walk.strides[k].back();
        few.run.itemsizes[k] = itemsize_of(operands_then_out[k]->dtype);
    }
    if (has_few) walk_all(walk, few);
    else walk_all(walk, few.run);
}

template <class T>
[[gnu::always_inline]] inline void select_elements(const void* const* operands, void* out, std::int64_t count) {
    const auto* condition = static_cast<const std::uint8_t*>(operands[0]);
    const T* x = static_cast<const T*>(operands[1]);
    const T* y = static_cast<const T*>(operands[2]);
    T* to = static_cast<T*>(out);
    FASTNP_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) to[i] = condition[i] != 0 ? x[i] : y[i];
}
template <class T>
void select_base(const void* const* operands, void* out, std::int64_t count) {
    select_elements<T>(operands, out, count);
}
template <class T>
FASTNP_V3 void select_v3(const void* const* operands, void* out, std::int64_t count) {
    select_elements<T>(operands, out, count);
}
template <class T>
FASTNP_V4 void select_v4(const void* const* operands, void* out, std::int64_t count) {
    select_elements<T>(operands, out, count);
}

template <class T>
SpanKernel select_of() {
    return for_host<SpanKernel>(&select_base<T>, &select_v3<T>, &select_v4<T>);
}

SpanKernel select_kernel(std::size_t itemsize) {
    return with_bits(itemsize, []<class T>() { return select_of<T>(); });
}

}  // namespace

bool has_negative(const View& x) {
    if (kind_of(x.dtype) != 'i') return false;
    View low{nullptr, x.dtype, {}, {}};
    std::int64_t size = 1;
    for (const std::int64_t extent : x.shape) size *= extent;
    if (size == 0) return false;
    alignas(16) char least[16];
    low.data = least;
    ir::Attributes all;
    for (std::size_t i = 0; i < x.shape.size(); ++i) all.ints.push_back(static_cast<std::int64_t>(i));
    run(ops::Op::min, all, {&x, 1}, low);
    std::int64_t value = 0;
    const void* operand[] = {least};
    cast_kernel(x.dtype, Dtype::int64)(operand, &value, 1);
    return value < 0;
}

void check_exponents(const View& exponents) {
    if (has_negative(exponents)) throw ValueError("Integers to negative integer powers are not allowed.");
}

void gather(const char* from, std::int64_t stride, std::size_t itemsize, std::int64_t count, char* to) {
    with_bits(itemsize, [=]<class T>() { gather_as<T>(from, stride, count, to); });
}

void scatter(const char* from, std::int64_t stride, std::size_t itemsize, std::int64_t count, char* to) {
    with_bits(itemsize, [=]<class T>() { scatter_as<T>(from, stride, count, to); });
}

void copy(const View& in, const View& out) {
    if (in.dtype == out.dtype && copy_transposed(in, out)) return;
    run_map<2>(cast_kernel(in.dtype, out.dtype), {&in, &out});
}

void run_elementwise(ops::Op op, std::span<const View> operands, const View& out) {
    if (op == ops::Op::cast) {
        copy(operands[0], out);
        return;
    }
    if (op == ops::Op::select) {
        run_map<4>(select_kernel(itemsize_of(out.dtype)), {&operands[0], &operands[1], &operands[2], &out});
        return;
    }
    const Dtype compute = operands[0].dtype;
    if (op == ops::Op::power && is_integer(compute)) check_exponents(operands[1]);
    const SpanKernel kernel = span_kernel(op, compute);
    if (kernel == nullptr) {
        throw InternalError("no kernel for " + std::string(ops::info(op).name) + " of " + std::string(name_of(compute)));
    }
    if (operands.size() == 1) run_map<2>(kernel, {&operands[0], &out});
    else run_map<3>(kernel, {&operands[0], &operands[1], &out});
}

}  // namespace fastnp::eager
