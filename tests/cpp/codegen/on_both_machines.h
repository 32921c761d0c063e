// Kernels run by the host's code for them and by the simulated device, on equal memory, for tests of what the latter is given.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/device_code.h"
#include "codegen/grid.h"
#include "codegen/jit.h"
#include "codegen/recorded_kernels.h"
#include "selection.h"
#include "simulated/backend.h"

namespace fastnp {

/// Memory of a kernel, with a margin around each buffer that must stay as it was.
class Memory {
public:
    Memory(const RecordedKernel& recorded, bool odd) {
        for (std::size_t i = 0; i < recorded.places.size(); ++i) {
            const Dtype dtype = recorded.kernel.buffers[i].dtype;
            // Memory that need not be aligned begins at an odd element.
            const std::size_t begin = margin + (odd && !recorded.kernel.buffers[i].aligned ? itemsize_of(dtype) : 0);
            const auto count = static_cast<std::size_t>(recorded.places[i].bytes) / itemsize_of(dtype);
            buffers_.push_back({dtype, begin, count, static_cast<std::size_t>(recorded.places[i].offset), {}});
            Buffer& made = buffers_.back();
            made.lines.resize((begin + count * itemsize_of(dtype) + margin) / sizeof(Line) + 1);
            std::memset(made.all(), 0xa5, made.bytes());
            fill(made.all() + begin, dtype, count, static_cast<unsigned>(i));
        }
    }
    char* at(std::size_t i) { return buffers_[i].all() + buffers_[i].begin + buffers_[i].offset; }

    /// A buffer with its margins.
    std::pair<char*, std::size_t> all(std::size_t i) { return {buffers_[i].all(), buffers_[i].bytes()}; }

    /// Whether a buffer is the same as in other memory; of inexact dtypes within what another order of sums may change.
    bool is_close(Memory& other, std::size_t i) {
        Buffer& mine = buffers_[i];
        Buffer& theirs = other.buffers_[i];
        if (!is_inexact(mine.dtype)) return std::memcmp(mine.all(), theirs.all(), mine.bytes()) == 0;
        const std::size_t end = mine.begin + mine.count * itemsize_of(mine.dtype);
        if (std::memcmp(mine.all(), theirs.all(), mine.begin) != 0) return false;
        if (std::memcmp(mine.all() + end, theirs.all() + end, mine.bytes() - end) != 0) return false;
        const std::vector<double> x = mine.values(), y = theirs.values();
        return std::equal(x.begin(), x.end(), y.begin(), [tolerance = tolerance()](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
        });
    }

private:
    struct alignas(64) Line {
        char bytes[64];
    };
    struct Buffer {
        Dtype dtype;
        std::size_t begin, count, offset;
        std::vector<Line> lines;
        char* all() { return lines[0].bytes; }
        std::size_t bytes() const { return lines.size() * sizeof(Line); }
        std::vector<double> values() {
            array x = array::uninitialized(dtype, {static_cast<std::int64_t>(count)});
            std::memcpy(x.data(), all() + begin, count * itemsize_of(dtype));
            const array doubles = (is_complex(dtype) ? concatenate({real(x), imag(x)}) : x).astype(float64);
            const auto span = doubles.as_span<double>();
            return {span.begin(), span.end()};
        }
    };
    static constexpr std::size_t margin = 128;

    static void fill(char* to, Dtype dtype, std::size_t count, unsigned seed) {
        array x = array::uninitialized(float64, {static_cast<std::int64_t>(count)});
        const double most = is_integer(dtype) ? 8 : 2;
        // Knuth's linear congruential generator: the library's engines and distributions, unoptimised, take longer than all that is tested.
        std::uint64_t state = seed + 1;
        for (double *at = x.as_span<double>().data(), *end = at + count; at != end; ++at) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            *at = (static_cast<double>(state >> 11U) * 0x1p-52 - 1) * most;
        }
        const array made = kind_of(dtype) == 'u' ? absolute(x).astype(dtype) : x.astype(dtype);
        std::memcpy(to, made.data(), count * itemsize_of(dtype));
    }
    // By the coarsest dtype, which others may have been computed from.
    double tolerance() const {
        double most = 0;
        for (const Buffer& each : buffers_) {
            const std::size_t itemsize = itemsize_of(real_of(each.dtype));
            if (is_inexact(each.dtype)) most = std::max(most, itemsize == 8 ? 1e-11 : itemsize == 4 ? 2e-4 : 3e-2);
        }
        return most;
    }

    std::vector<Buffer> buffers_;
};

/// By the host's code for it.
inline void run_on_host(nest::Kernel kernel, RecordedKernels& recorded, Memory& memory) {
    const nest::Schedule schedule = nest::schedule(kernel, recorded.sizes);
    const codegen::Job job{&kernel, &schedule};
    const codegen::Code code = codegen::compile({&job, 1});
    std::vector<std::int64_t> values(recorded.sizes.size());
    recorded.sizes.evaluate(recorded.symbols.data(), values.data());
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < kernel.buffers.size(); ++i) pointers.push_back(memory.at(i));
    const auto points = static_cast<std::size_t>(recorded.sizes.hint(kernel.inner_points));
    std::vector<char> rows(kernel.scratch.size() * (points * sizeof(std::complex<double>) + 64) + 64);
    void* scratch = rows.data();
    std::size_t left = rows.size();
    code.functions[0](pointers.data(), values.data(), 0, recorded.sizes.hint(schedule.parallel), std::align(64, 1, scratch, left));
}

/// By the simulated device: the memory goes there and back. `checks`: memory that is aligned, though it need not be, is said to be.
inline void run_on_device(nest::Kernel kernel, RecordedKernels& recorded, Memory& memory, bool checks) {
    static auto* const backend = new simulated::Backend;
    for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
        kernel.buffers[i].checked = checks && (memory.at(i) - memory.all(i).first - kernel.buffers[i].past) % nest::Grid::vector_bytes == 0;
    }
    const nest::Grid grid = nest::grid_of(kernel, recorded.sizes);
    const codegen::DeviceJob job{&kernel, &grid};
    const codegen::DeviceCode code = codegen::compile_for_device({&job, 1}, *backend);
    std::vector<char*> buffers;
    std::vector<std::int64_t> arguments;
    for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
        const auto [begin, bytes] = memory.all(i);
        buffers.push_back(static_cast<char*>(backend->allocate(bytes)));
        backend->upload(buffers.back(), begin, bytes);
        arguments.push_back(reinterpret_cast<std::int64_t>(buffers.back() + (memory.at(i) - begin)));
    }
    for (const shape::Dim dim : nest::sizes_of(kernel)) arguments.push_back(recorded.sizes.hint(dim));
    arguments.push_back(recorded.sizes.hint(grid.units));
    std::vector<void*> addresses;
    for (std::int64_t& each : arguments) addresses.push_back(&each);
    backend->launch(*code.kernels[0].module, code.kernels[0].number, 2, grid.block, addresses);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto [begin, bytes] = memory.all(i);
        backend->download(begin, buffers[i], bytes);
        backend->free(buffers[i], bytes);
    }
}

/// Checks all kernels of a function; they get memory of their own. Of all that are asked for, a run of the tests takes its selection.
inline void compare(const std::function<Arrays(const Arrays&)>& function, const std::vector<Argument>& arguments, bool odd) {
    static Selection selection;
    if (!selection.takes()) return;
    RecordedKernels recorded = kernels_of(function, arguments);
    for (std::size_t k = 0; k < recorded.kernels.size(); ++k) {
        const RecordedKernel& each = recorded.kernels[k];
        Memory host(each, odd), gpu(each, odd);
        run_on_host(each.kernel, recorded, host);
        run_on_device(each.kernel, recorded, gpu, !odd || k % 2 == 0);
        for (std::size_t i = 0; i < each.places.size(); ++i) BOOST_TEST(gpu.is_close(host, i), "kernel " << k << ", buffer " << i);
    }
}

}  // namespace fastnp
