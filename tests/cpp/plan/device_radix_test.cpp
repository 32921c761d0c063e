// Radix sorts on a device: what a stable sort on the host gives, to the bit, whatever bits keys have, in lines of any length and number.
#include "plan/device_radix.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "fastnp/half.h"
#include "plan/device_case.h"
#include "plan/mirrored.h"
#include "selection.h"

using namespace fastnp;
using device::Backend;
using plan::Mirrored;

namespace {

// Lines of elements, as bytes.
struct Lines {
    Dtype dtype;
    std::int64_t number, length;
    std::vector<char> bytes;

    Lines(Dtype type, std::int64_t lines, std::int64_t line_length)
        : dtype(type), number(lines), length(line_length), bytes(static_cast<std::size_t>(lines * line_length) * itemsize_of(type)) {}
    eager::View view() { return {bytes.data(), dtype, {number, length}, shape::c_strides({number, length}, itemsize_of(dtype))}; }
};

// Sorts on the device, in each of the three ways, beside a stable sort of places on the host and the elements taken by them.
void check_sorts(Backend& backend, Lines& lines, int bits = 0) {
    const std::size_t itemsize = itemsize_of(lines.dtype);
    const auto count = static_cast<std::size_t>(lines.number * lines.length);
    std::vector<std::int64_t> expected_places(count);
    std::vector<char> expected(lines.bytes.size());
    ir::Attributes stable;
    stable.ints.push_back(1);
    stable.ints.push_back(1);
    const eager::View given[] = {lines.view()};
    eager::run(ops::Op::argsort, stable, given, {expected_places.data(), int64, given[0].shape, shape::c_strides(given[0].shape, 8)});
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = i / static_cast<std::size_t>(lines.length) * static_cast<std::size_t>(lines.length);
        std::memcpy(expected.data() + i * itemsize, lines.bytes.data() + (from + static_cast<std::size_t>(expected_places[i])) * itemsize, itemsize);
    }
    const device::Block x(backend, lines.bytes.size()), elements(backend, lines.bytes.size()), places(backend, count * 8);
    backend.upload(x.get(), lines.bytes.data(), lines.bytes.size());
    eager::View there = lines.view();
    there.data = x.get();
    for (const int asked : {1, 2, 3}) {
        const bool wants_elements = (asked & 1) != 0, wants_places = (asked & 2) != 0;
        backend.clear(elements.get(), lines.bytes.size());
        backend.clear(places.get(), count * 8);
        plan::radix_sort(backend, there, wants_elements ? elements.get() : nullptr, wants_places ? reinterpret_cast<std::int64_t*>(places.get()) : nullptr,
                         bits);
        std::vector<char> found(lines.bytes.size());
        std::vector<std::int64_t> found_places(count);
        backend.download(found.data(), elements.get(), found.size());
        backend.download(found_places.data(), places.get(), count * 8);
        if (wants_elements) BOOST_CHECK(found == expected);
        if (wants_places) BOOST_CHECK(found_places == expected_places);
    }
    std::vector<char> after(lines.bytes.size());
    backend.download(after.data(), x.get(), after.size());
    BOOST_CHECK(after == lines.bytes);
}

std::vector<Dtype> real_dtypes() {
    std::vector<Dtype> result;
    for (int i = 0; i < dtype_count; ++i) {
        if (!is_complex(static_cast<Dtype>(i))) result.push_back(static_cast<Dtype>(i));
    }
    return result;
}

// Any bits: NaNs of both signs and all kinds, subnormal numbers.
void fill_with_bits(Lines& lines, unsigned seed) {
    std::mt19937 random(seed);
    for (char& each : lines.bytes) each = static_cast<char>(lines.dtype == bool_ ? random() % 2 : random());
}

// The same few bits in all bytes but one.
void fill_but_for_byte(Lines& lines, std::size_t byte, unsigned seed) {
    const std::size_t itemsize = itemsize_of(lines.dtype);
    std::mt19937 random(seed);
    std::fill(lines.bytes.begin(), lines.bytes.end(), lines.dtype == bool_ ? 1 : 0x15);
    for (std::size_t i = byte; i < lines.bytes.size(); i += itemsize) lines.bytes[i] = static_cast<char>(lines.dtype == bool_ ? random() % 2 : random());
}

}  // namespace

DEVICE_CASE(radix_sorts_of_any_bits) {
    Selection selection;
    for (const Dtype dtype : real_dtypes()) {
        if (!selection.takes()) continue;
        BOOST_TEST_CONTEXT(name_of(dtype)) {
            Lines lines(dtype, 2, 9001);
            fill_with_bits(lines, 1);
            check_sorts(backend, lines);
        }
    }
}

// Passes in which nothing moves are left out, a different number of them in each line.
DEVICE_CASE(radix_sorts_of_few_bits) {
    Selection selection;
    for (const Dtype dtype : real_dtypes()) {
        if (!selection.takes()) continue;
        BOOST_TEST_CONTEXT(name_of(dtype)) {
            for (std::size_t byte = 0; byte < itemsize_of(dtype); ++byte) {
                Lines lines(dtype, 1, 4100);
                fill_but_for_byte(lines, byte, 2);
                check_sorts(backend, lines);
            }
            Lines equal(dtype, 1, 5000), mixed(dtype, 4, 4097);
            check_sorts(backend, equal);
            fill_with_bits(mixed, 3);
            const std::size_t line = mixed.bytes.size() / 4;
            std::fill_n(mixed.bytes.begin() + static_cast<std::ptrdiff_t>(line), line, char{1});
            Lines part(dtype, 1, 4097);
            fill_but_for_byte(part, itemsize_of(dtype) - 1, 4);
            std::copy(part.bytes.begin(), part.bytes.end(), mixed.bytes.begin() + static_cast<std::ptrdiff_t>(2 * line));
            check_sorts(backend, mixed);
        }
    }
}

DEVICE_CASE(radix_sorts_of_any_shape) {
    Selection selection;
    for (const auto& [number, length] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 2}, {7, 33}, {40, 100}, {3, 4095}, {2, 4096}, {1, 70'000}}) {
        for (const Dtype dtype : {int16, float32}) {
            if (!selection.takes()) continue;
            Lines lines(dtype, number, length);
            fill_with_bits(lines, 5);
            check_sorts(backend, lines);
        }
    }
}

DEVICE_CASE(radix_sorts_of_zeros_and_specials) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const double values[] = {0.0, -0.0, nan, -nan, infinity, -infinity, 1.0, -1.0, 5e-324, -5e-324};
    std::mt19937 random(6);
    Lines lines(float64, 1, 6000);
    for (std::size_t i = 0; i < 6000; ++i) std::memcpy(lines.bytes.data() + 8 * i, &values[random() % 10], 8);
    check_sorts(backend, lines);
}

DEVICE_CASE(radix_sorts_of_low_bits_alone) {
    std::mt19937 random(7);
    for (const int bits : {1, 7, 8, 9, 20, 64}) {
        Lines lines(int64, 2, 5000);
        for (std::size_t i = 0; i < 10'000; ++i) {
            const auto value = static_cast<std::int64_t>(random() & ((std::uint64_t{1} << std::min(bits, 31)) - 1));
            std::memcpy(lines.bytes.data() + 8 * i, &value, 8);
        }
        check_sorts(backend, lines, bits);
    }
}

namespace {

void check_on_gpu(Dtype dtype, std::int64_t number, std::int64_t length) {
    Backend* backend = plan::gpu();
    if (backend == nullptr) return;
    Lines lines(dtype, number, length);
    fill_with_bits(lines, 9);
    check_sorts(*backend, lines);
    fill_but_for_byte(lines, itemsize_of(dtype) - 1, 10);
    check_sorts(*backend, lines);
}

}  // namespace

// Too many for a simulated device: blocks wait for each other here, as none do there.
BOOST_AUTO_TEST_SUITE(cuda_gpu_steps)
BOOST_AUTO_TEST_CASE(radix_sorts_of_many_tiles_on_gpu) {
    check_on_gpu(int8, 1, 8'000'000);
    check_on_gpu(float32, 1, 8'000'000);
    check_on_gpu(uint64, 1, 3'000'000);
    check_on_gpu(int16, 9, 300'001);
    check_on_gpu(float64, 300, 5000);
    check_on_gpu(int64, 40'000, 3);  // of more lines than have their counts held at a time
}
BOOST_AUTO_TEST_SUITE_END()
