#include "plan/device_select.h"

#include <algorithm>
#include <string>

#include "device/block.h"
#include "plan/device_radix.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr std::int64_t wanted_bytes = 16;  // of what is known of an element: bits, and its place among those that have them
constexpr std::int64_t most_lines = 1024;  // whose counts are held

std::int64_t parts_of(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

}  // namespace

bool is_selected(const View& x, std::int64_t count) {
    return count <= codegen::most_selected && is_sorted_by_radix(x) && shape::count(x.shape) / x.shape.back() <= most_lines;
}

void select_on_device(device::Backend& backend, const View& x, std::int64_t first, const View& out) {
    constexpr std::int64_t least_part = 8 * codegen::kernel_threads;
    const std::int64_t length = x.shape.back(), lines = shape::count(x.shape) / length, wanted = out.shape.back();
    const std::string dtype(name_of(x.dtype));
    const auto count_bytes = static_cast<std::size_t>(lines * wanted * codegen::select_bins) * sizeof(std::uint32_t);
    const device::Block all(backend, static_cast<std::size_t>(lines * wanted * wanted_bytes)), counts(backend, count_bytes);
    backend.clear(counts.get(), count_bytes);
    launch_library(backend, {"select_begin"}, lines * wanted, codegen::kernel_threads, {address_of(all.get()), first, wanted, lines});
    const std::int64_t busy = backend.blocks_at_once(codegen::kernel_threads);
    const std::int64_t part = parts_of(length, std::clamp<std::int64_t>(busy / lines, 1, parts_of(length, least_part))), parts = parts_of(length, part);
    const auto bits = static_cast<std::int64_t>(8 * itemsize_of(x.dtype));
    for (std::int64_t known = 0; known < bits; known += codegen::select_step) {
        const std::int64_t next = std::min<std::int64_t>(codegen::select_step, bits - known);
        launch_library(backend, {"select_counts_" + dtype}, lines * parts, 1,
                       {address_of(x.data), address_of(all.get()), address_of(counts.get()), length, wanted, known, next, parts, part, lines * parts});
        launch_library(backend, {"select_bits"}, lines, 1, {address_of(all.get()), address_of(counts.get()), wanted, next, lines});
    }
    launch_library(backend, {"select_store_" + dtype}, lines * wanted, codegen::kernel_threads,
                   {address_of(all.get()), address_of(out.data), lines * wanted});
}

}  // namespace fastnp::plan
