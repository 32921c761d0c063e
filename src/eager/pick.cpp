// Elements by their places: taken, set, and the places of those that are true.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "eager/kernels.h"
#include "eager/span.h"
#include "fastnp/error.h"

namespace fastnp::eager {

void throw_out_of_bounds(std::int64_t index, std::int64_t axis, std::int64_t length) {
    throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) + " with size " + std::to_string(length));
}

namespace {

enum class OutOfBounds : std::uint8_t { raise, wrap, clip };

// The place along an axis that an index means.
std::int64_t place_of(std::int64_t index, std::int64_t extent, std::size_t axis, OutOfBounds mode) {
    if (mode == OutOfBounds::clip) return std::clamp<std::int64_t>(index, 0, extent - 1);
    if (mode == OutOfBounds::wrap) {
        index %= extent;
    } else if (index < -extent || index >= extent) {
        throw_out_of_bounds(index, static_cast<std::int64_t>(axis), extent);
    }
    return index < 0 ? index + extent : index;
}

// Calls visit(index, address) for each index in C order; the address begins at `at` and goes along with the indices' axes by `strides`.
template <class F>
void each_index(const View& indices, char* at, const std::int64_t* strides, F visit) {
    std::int64_t count = 1;
    for (const std::int64_t each : indices.shape) count *= each;
    const std::size_t rank = indices.shape.size();
    SmallVector<std::int64_t> place(rank, 0);
    const char* from = static_cast<const char*>(indices.data);
    for (std::int64_t n = 0; n < count; ++n) {
        std::int64_t index = 0;
        std::memcpy(&index, from, sizeof index);
        visit(index, at);
        for (std::size_t k = rank; k-- > 0;) {
            from += indices.strides[k];
            at += strides[k];
            if (++place[k] < indices.shape[k]) break;
            from -= indices.strides[k] * indices.shape[k];
            at -= strides[k] * indices.shape[k];
            place[k] = 0;
        }
    }
}

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

// Rows by index, one after the other. `Size` is a row's bytes, or 0: `bytes`.
template <std::size_t Size>
void take_rows(const View& x, const View& indices, const View& out, std::size_t bytes, OutOfBounds mode) {
    const std::int64_t extent = x.shape[0], count = indices.shape[0];
    in_blocks(count, [&](std::int64_t task) {
        const auto* index = static_cast<const std::int64_t*>(indices.data) + task * block;
        char* to = static_cast<char*>(out.data) + task * block * out.strides[0];
        for (std::int64_t n = std::min(block, count - task * block); n > 0; --n, to += out.strides[0]) {
            const char* from = static_cast<const char*>(x.data) + place_of(*index++, extent, 0, mode) * x.strides[0];
            std::memcpy(to, from, Size != 0 ? Size : bytes);
        }
    });
}

// Where rows lie together and the indices one after the other; false elsewhere.
bool take_whole_rows(const View& x, const View& indices, const View& out, std::size_t axis, OutOfBounds mode) {
    const std::size_t bytes = row_bytes(x);
    if (axis != 0 || indices.shape.size() != 1 || bytes == 0 || row_bytes(out) != bytes || x.shape[0] == 0) return false;
    if (indices.shape[0] > 1 && indices.strides[0] != sizeof(std::int64_t)) return false;
    switch (bytes) {
        case 1: take_rows<1>(x, indices, out, bytes, mode); break;
        case 2: take_rows<2>(x, indices, out, bytes, mode); break;
        case 4: take_rows<4>(x, indices, out, bytes, mode); break;
        case 8: take_rows<8>(x, indices, out, bytes, mode); break;
        case 16: take_rows<16>(x, indices, out, bytes, mode); break;
        default: take_rows<0>(x, indices, out, bytes, mode);
    }
    return true;
}

}  // namespace

// The result's shape is x's with the axis replaced by the indices' shape.
void run_take(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const View& x = operands[0];
    const View& indices = operands[1];
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto mode = static_cast<OutOfBounds>(attributes.ints[1]);
    if (take_whole_rows(x, indices, out, axis, mode)) return;
    const std::int64_t extent = x.shape[axis];
    if (extent == 0 && std::find(out.shape.begin(), out.shape.end(), 0) == out.shape.end())
        throw IndexError("cannot do a non-empty take from an empty axes.");
    if (extent == 0 && mode != OutOfBounds::raise) return;
    const std::size_t rank = indices.shape.size();
    View from{nullptr, x.dtype, {}, {}};
    View to{nullptr, x.dtype, {}, {}};
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        if (i == axis) continue;
        from.shape.push_back(x.shape[i]);
        from.strides.push_back(x.strides[i]);
        to.strides.push_back(out.strides[i < axis ? i : i - 1 + rank]);
    }
    to.shape = from.shape;
    const std::size_t itemsize = itemsize_of(x.dtype);
    each_index(indices, static_cast<char*>(out.data), out.strides.data() + axis, [&](std::int64_t index, char* target) {
        from.data = static_cast<char*>(x.data) + place_of(index, extent, axis, mode) * x.strides[axis];
        if (from.shape.empty()) {
            std::memcpy(target, from.data, itemsize);
        } else {
            to.data = target;
            copy(from, to);
        }
    });
}

void run_nonzero(const View& mask, const View& out) {
    const std::int64_t count = mask.shape[0], step = mask.strides[0], tasks = (count + block - 1) / block;
    const auto* elements = static_cast<const char*>(mask.data);
    std::vector<std::int64_t> ends(static_cast<std::size_t>(tasks));
    in_blocks(count, [&](std::int64_t task) {
        const char* element = elements + task * block * step;
        std::int64_t found = 0;
        const std::int64_t n = std::min(block, count - task * block);
        if (step == 1) found = std::count(element, element + n, char{1});
        else
            for (std::int64_t i = 0; i < n; ++i) found += element[i * step];
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
            at += elements[i * step];
        }
    });
}

namespace {

// IndexError for the first index out of bounds, before anything is written, as NumPy does.
void check_indices(const View& indices, std::int64_t extent) {
    const SmallVector<std::int64_t> none(indices.shape.size(), 0);
    std::int64_t least = 0, most = -1;
    each_index(indices, nullptr, none.data(), [&](std::int64_t index, char*) {
        least = std::min(least, index);
        most = std::max(most, index);
    });
    if (least >= -extent && most < extent) return;
    each_index(indices, nullptr, none.data(), [&](std::int64_t index, char*) { place_of(index, extent, 0, OutOfBounds::raise); });
}

// Rows by index, one after the other, so that of several values for one row the last one stays. As take_rows.
template <std::size_t Size>
void set_rows(const View& indices, const View& values, const View& out, std::size_t bytes) {
    const auto* index = static_cast<const std::int64_t*>(indices.data);
    const char* from = static_cast<const char*>(values.data);
    for (std::int64_t n = indices.shape[0]; n > 0; --n, from += values.strides[0]) {
        const std::int64_t place = *index++;
        std::memcpy(static_cast<char*>(out.data) + (place < 0 ? place + out.shape[0] : place) * out.strides[0], from, Size != 0 ? Size : bytes);
    }
}

// Where rows lie together and the indices one after the other; false elsewhere.
bool set_whole_rows(const View& indices, const View& values, const View& out) {
    const std::size_t bytes = row_bytes(out);
    if (indices.shape.size() != 1 || bytes == 0 || row_bytes(values) != bytes) return false;
    if (indices.shape[0] > 1 && indices.strides[0] != sizeof(std::int64_t)) return false;
    switch (bytes) {
        case 1: set_rows<1>(indices, values, out, bytes); break;
        case 4: set_rows<4>(indices, values, out, bytes); break;
        case 8: set_rows<8>(indices, values, out, bytes); break;
        case 16: set_rows<16>(indices, values, out, bytes); break;
        default: set_rows<0>(indices, values, out, bytes);
    }
    return true;
}

}  // namespace

// The third operand's shape is the indices' with x's further axes.
void run_scatter(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const View& indices = operands[1];
    const View& values = operands[2];
    const std::size_t rank = indices.shape.size();
    if (operands[0].data != out.data) copy(operands[0], out);
    check_indices(indices, out.shape[0]);
    const bool combines = attributes.ints[0] >= 0;
    if (!combines && set_whole_rows(indices, values, out)) return;
    View from{nullptr, out.dtype, {}, {}};
    View to{nullptr, out.dtype, {}, {}};
    for (std::size_t i = 1; i < out.shape.size(); ++i) {
        from.shape.push_back(out.shape[i]);
        from.strides.push_back(values.strides[rank + i - 1]);
        to.strides.push_back(out.strides[i]);
    }
    to.shape = from.shape;
    const auto combine = static_cast<ops::Op>(combines ? attributes.ints[0] : 0);
    const SpanKernel kernel = combines ? span_kernel(combine, out.dtype) : nullptr;
    const std::size_t itemsize = itemsize_of(out.dtype);
    each_index(indices, static_cast<char*>(values.data), values.strides.data(), [&](std::int64_t index, char* value) {
        from.data = value;
        to.data = static_cast<char*>(out.data) + place_of(index, out.shape[0], 0, OutOfBounds::raise) * out.strides[0];
        if (!combines && from.shape.empty()) {
            std::memcpy(to.data, value, itemsize);
        } else if (!combines) {
            copy(from, to);
        } else if (from.shape.empty()) {
            const void* both[] = {to.data, value};
            kernel(both, to.data, 1);
        } else {
            const View both[] = {to, from};
            run_elementwise(combine, both, to);
        }
    });
}

}  // namespace fastnp::eager
