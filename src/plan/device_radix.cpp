#include "plan/device_radix.h"

#include <algorithm>
#include <optional>
#include <string>

#include "device/block.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint32_t);
constexpr std::int64_t longest_line = (std::int64_t{1} << 30) - 1;  // blocks tell each other counts in 30 bits

std::int64_t parts_of(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

/// The memory that passes share, as words: a counter for the tiles of each pass, and whether the pass has anything to do; counts by line, pass and bits;
/// what blocks tell each other of each tile, twice; and a route for each line and pass. All but the second of those sets and the routes are to be 0 at
/// first.
struct Words {
    device::Block block;
    std::uint32_t *counters, *counts, *told, *routes;

    Words(device::Backend& backend, std::int64_t passes, std::int64_t lines, std::int64_t units)
        : block(backend, static_cast<std::size_t>(2 * passes + lines * passes * (codegen::radix_bins + 1) + 2 * units * codegen::radix_bins) * word_bytes),
          counters(reinterpret_cast<std::uint32_t*>(block.get())),
          counts(counters + 2 * passes),
          told(counts + lines * passes * codegen::radix_bins),
          routes(told + 2 * units * codegen::radix_bins) {
        backend.clear(counters, static_cast<std::size_t>(told + units * codegen::radix_bins - counters) * word_bytes);
    }
};

}  // namespace

bool is_sorted_by_radix(const View& x) {
    // A merge of tiles takes as long as several passes; few short lines take as long as their launches.
    const std::int64_t length = x.shape.back(), tiles = sizeof(std::int64_t) > itemsize_of(x.dtype) ? 2 : 4;
    return !is_complex(x.dtype) && length > tiles * codegen::sort_tile && length <= longest_line;
}

namespace {

std::int64_t passes_for(Dtype dtype, int bits) {
    const auto all_bits = static_cast<std::int64_t>(8 * itemsize_of(dtype));
    return parts_of(bits > 0 ? std::min<std::int64_t>(bits, all_bits) : all_bits, codegen::radix_bits);
}

// With `carried`, `places` are numbers of 32 bits.
void sort_lines(device::Backend& backend, const View& x, std::int64_t lines, void* elements, void* places, const std::uint32_t* carried,
                std::int64_t passes) {
    const std::size_t itemsize = itemsize_of(x.dtype), count = static_cast<std::size_t>(lines * x.shape.back());
    const std::int64_t length = x.shape.back(), tiles = parts_of(length, codegen::radix_tile(itemsize)), units = lines * tiles;
    const std::string dtype(name_of(x.dtype));
    const Words words(backend, passes, lines, units);

    const std::int64_t busy = backend.blocks_at_once(codegen::kernel_threads);
    const std::int64_t part = parts_of(length, std::clamp<std::int64_t>(busy / lines, 1, tiles)), parts = parts_of(length, part);
    launch_library(backend, {"radix_counts_" + dtype}, lines * parts, 1,
                   {address_of(x.data), address_of(words.counts), length, passes, parts, part, lines * parts});
    launch_library(backend, {"radix_routes"}, lines, 1,
                   {address_of(words.counts), address_of(words.routes), address_of(words.counters + passes), length, passes, lines});

    const bool stores_elements = elements != nullptr;
    std::optional<device::Block> held, held_places;
    const device::Block spare(backend, count * itemsize);
    if (!stores_elements) elements = held.emplace(backend, count * itemsize).get();
    if (places != nullptr) held_places.emplace(backend, count * word_bytes);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        LibraryArguments arguments{address_of(x.data), address_of(elements), address_of(spare.get())};
        if (places != nullptr) {
            for (const std::int64_t each :
                 {address_of(places), address_of(held_places->get()), address_of(carried), std::int64_t{stores_elements ? 1 : 0}}) {
                arguments.push_back(each);
            }
        }
        for (const std::int64_t each : {length, tiles, units, pass, passes, address_of(words.counts), address_of(words.routes), address_of(words.told),
                                        address_of(words.counters + pass)}) {
            arguments.push_back(each);
        }
        // Blocks take tiles as long as there are any.
        launch_library(backend, {(places != nullptr ? "radix_argsort_" : "radix_sort_") + dtype}, std::min(units, busy), 1, std::move(arguments));
    }
}

}  // namespace

void radix_sort(device::Backend& backend, const View& x, void* elements, std::int64_t* places, int bits) {
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(x.dtype)), passes = passes_for(x.dtype, bits);
    const std::int64_t length = x.shape.back(), lines = shape::count(x.shape) / length;
    constexpr std::int64_t most_counted = 1 << 16;  // passes of lines whose counts are held at a time
    const std::int64_t at_once = most_counted / passes;
    const auto from = [](void* memory, std::int64_t bytes) -> char* { return memory == nullptr ? nullptr : static_cast<char*>(memory) + bytes; };
    for (std::int64_t first = 0; first < lines; first += at_once) {
        View part = x;
        part.data = from(x.data, first * length * itemsize);
        sort_lines(backend, part, std::min(at_once, lines - first), from(elements, first * length * itemsize),
                   places == nullptr ? nullptr : places + first * length, nullptr, passes);
    }
}

void radix_sort_with(device::Backend& backend, const View& x, const std::uint32_t* others, void* elements, std::uint32_t* sorted_others, int bits) {
    sort_lines(backend, x, 1, elements, sorted_others, others, passes_for(x.dtype, bits));
}

}  // namespace fastnp::plan
