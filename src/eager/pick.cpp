// Elements by their places: taken, set, and the places of those that are true.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "eager/element_bits.h"
#include "eager/isa.h"
#include "eager/kernels.h"
#include "eager/picked.h"
#include "eager/places.h"
#include "eager/span.h"
#include "fastnp/error.h"

namespace fastnp::eager {

void throw_out_of_bounds(std::int64_t index, std::int64_t axis, std::int64_t length) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) + " with size " + std::to_string(length));
}

namespace {

// Tasks of about this many elements, which are counted in blocks, or fetched from anywhere.
constexpr std::int64_t block = 32768;

template <class F>
void in_blocks(std::int64_t count, F body) {
    base::parallel_for((count + block - 1) / block, [](void* context, std::int64_t task, int) { (*static_cast<F*>(context))(task); }, &body);
}

// The bytes of all axes but the first, where these lie together as in C order; 0 otherwise.
std::size_t row_bytes(const View& x) {
    auto bytes = static_cast<std::int64_t>(itemsize_of(x.dtype));
    for (std::size_t i = x.shape.size(); i-- > 1;) {
        if (x.shape[i] != 1 && x.strides[i] != bytes) return 0;
        bytes *= x.shape[i];
    }
    return static_cast<std::size_t>(bytes);
}

template <class Element>
[[gnu::always_inline]] inline bool take_elements(const Element* x, const std::int64_t* indices, std::int64_t count, std::int64_t extent,
                                                 std::int64_t behind, Element* to) {
    if (!are_places(indices, count, extent, behind)) return false;
    for (std::int64_t i = 0; i < count; ++i) to[i] = x[from_start(indices[i], extent)];
    return true;
}
template <class Element>
bool take_base(const Element* x, const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, Element* to) {
    return take_elements(x, indices, count, extent, behind, to);
}
template <class Element>
FASTNP_V3 bool take_v3(const Element* x, const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, Element* to) {
    return take_elements(x, indices, count, extent, behind, to);
}
template <class Element>
FASTNP_V4 bool take_v4(const Element* x, const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, Element* to) {
    return take_elements(x, indices, count, extent, behind, to);
}

// Rows by index, one after the other.
void take_rows(const View& x, const View& indices, const View& out, std::size_t bytes, OutOfBounds mode) {
    const std::int64_t extent = x.shape[0], count = indices.shape[0];
    in_blocks(count, [&](std::int64_t task) {
        const auto* index = static_cast<const std::int64_t*>(indices.data) + task * block;
        char* to = static_cast<char*>(out.data) + task * block * out.strides[0];
        for (std::int64_t n = std::min(block, count - task * block); n > 0; --n, to += out.strides[0]) {
            std::memcpy(to, static_cast<const char*>(x.data) + place_of(*index++, extent, 0, mode) * x.strides[0], bytes);
        }
    });
}

// The same of single elements side by side, where all indices are places.
template <class Element>
void take_close(const View& x, const View& indices, const View& out, OutOfBounds mode) {
    static const auto take = for_host(&take_base<Element>, &take_v3<Element>, &take_v4<Element>);
    constexpr std::int64_t chunk = 4096;
    const std::int64_t extent = x.shape[0], count = indices.shape[0], behind = mode == OutOfBounds::clip ? 0 : extent;
    in_blocks(count, [&](std::int64_t task) {
        const std::int64_t end = std::min(count, (task + 1) * block);
        for (std::int64_t at = task * block; at < end; at += chunk) {
            const std::int64_t n = std::min(chunk, end - at);
            const auto* const from = static_cast<const Element*>(x.data);
            const auto* const index = static_cast<const std::int64_t*>(indices.data) + at;
            Element* const to = static_cast<Element*>(out.data) + at;
            if (take(from, index, n, extent, behind, to)) continue;
            for (std::int64_t i = 0; i < n; ++i) to[i] = from[place_of(index[i], extent, 0, mode)];
        }
    });
}

// Where rows lie together and the indices one after the other; false elsewhere.
bool take_whole_rows(const View& x, const View& indices, const View& out, OutOfBounds mode) {
    const std::size_t bytes = row_bytes(x);
    if (indices.shape.size() != 1 || bytes == 0 || x.shape[0] == 0 || row_bytes(out) != bytes) return false;
    if ((indices.shape[0] > 1 && indices.strides[0] != sizeof(std::int64_t))) return false;
    const auto step = static_cast<std::int64_t>(bytes);
    const bool are_close = (x.shape[0] == 1 || x.strides[0] == step) && (out.shape[0] == 1 || out.strides[0] == step);
    const bool is_one = bytes <= sizeof(WideBits) && std::has_single_bit(bytes);
    if (is_one && are_close) with_bits(bytes, [&]<class T>() { take_close<T>(x, indices, out, mode); });
    else take_rows(x, indices, out, bytes, mode);
    return true;
}

}  // namespace

// The result's shape is x's with the axis replaced by the indices' shape.
void run_take(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const View& x = operands[0];
    const View& indices = operands[1];
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto mode = static_cast<OutOfBounds>(attributes.ints[1]);
    if (axis == 0 && take_whole_rows(x, indices, out, mode)) return;
    const std::int64_t extent = x.shape[axis];
    if (extent == 0 && std::find(out.shape.begin(), out.shape.end(), 0) == out.shape.end())
        throw IndexError("cannot do a non-empty take from an empty axes.");
    if (extent == 0 && mode != OutOfBounds::raise) return;
    gather({x, axis, {&indices, 1}, mode}, out);
}

void run_nonzero(const View& mask, const View& out) {
    const std::int64_t count = mask.shape[0], step = mask.strides[0], tasks = (count + block - 1) / block;
    const auto* elements = static_cast<const char*>(mask.data);
    std::vector<std::int64_t> ends(static_cast<std::size_t>(tasks));
    in_blocks(count, [&](std::int64_t task) {
        const char* element = elements + task * block * step;
        std::int64_t found = 0;
        const std::int64_t n = std::min(block, count - task * block);
        if (step == 1) found = n - std::count(element, element + n, char{0});
        else
            for (std::int64_t i = 0; i < n; ++i) found += element[i * step] != 0 ? 1 : 0;
        ends[static_cast<std::size_t>(task)] = found;
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    if ((tasks == 0 ? 0 : ends.back()) != out.shape[0]) throw InternalError("another number of elements is true than was counted");
    in_blocks(count, [&](std::int64_t task) {
        const auto number = static_cast<std::size_t>(task);
        auto* places = static_cast<std::int64_t*>(out.data);
        // Each place is written, and kept if the element is true: no branch to guess.
        for (std::int64_t i = task * block, at = task == 0 ? 0 : ends[number - 1]; at < ends[number]; ++i) {
            places[at] = i;
            at += elements[i * step] != 0 ? 1 : 0;
        }
    });
}

// The third operand's shape is the indices' with x's further axes.
void run_scatter(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const View& values = operands[2];
    if (operands[0].data != out.data) copy(operands[0], out);
    const Picked picked{out, 0, {&operands[1], 1}};
    check(picked);
    if (attributes.ints[0] < 0) scatter(picked, values);
    else combine(picked, static_cast<ops::Op>(attributes.ints[0]), values);
}

}  // namespace fastnp::eager
