#include "shape/strides.h"

#include <cstdlib>
#include <numeric>

#include "fastnp/error.h"
#include "shape/dim.h"

namespace fastnp::shape {

std::int64_t count(const Shape& shape) {
    std::int64_t total = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        if (size < 0) throw ValueError("negative dimensions are not allowed");
        empty = empty || size == 0;
    }
    if (empty) return 0;
    for (const std::int64_t size : shape) {
        if (__builtin_mul_overflow(total, size, &total)) throw_too_big();
    }
    return total;
}

std::size_t byte_count(const Shape& shape, std::size_t itemsize) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count(shape), static_cast<std::int64_t>(itemsize), &bytes)) throw_too_big();
    return static_cast<std::size_t>(bytes);
}

std::size_t allocatable(std::int64_t bytes) {
    if (bytes < 0 || bytes >= Dim::too_big) throw_too_big();
    return static_cast<std::size_t>(bytes);
}

Strides c_strides(const Shape& shape, std::size_t itemsize) {
    Strides strides(shape.size());
    auto step = static_cast<std::int64_t>(itemsize);
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        if (shape[i] != 0) step *= shape[i];  // as NumPy: an empty axis does not make the outer strides zero
    }
    return strides;
}

namespace {

template <class Places>
bool is_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize, Places place) {
    auto step = static_cast<std::int64_t>(itemsize);
    bool contiguous = true;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::size_t i = place(k);
        if (shape[i] == 0) return true;
        if (shape[i] == 1) continue;
        contiguous = contiguous && strides[i] == step;
        step *= shape[i];
    }
    return contiguous;
}

}  // namespace

bool is_c_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize) {
    return is_contiguous(shape, strides, itemsize, [&](std::size_t k) { return shape.size() - 1 - k; });
}

bool is_f_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize) {
    return is_contiguous(shape, strides, itemsize, [](std::size_t k) { return k; });
}

std::optional<Strides> reshaped(const Shape& from, const Strides& strides, const Shape& to, std::size_t itemsize) {
    if (count(to) == 0 || is_c_contiguous(from, strides, itemsize)) return c_strides(to, itemsize);
    Shape sizes;
    Strides steps;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == 1) continue;
        sizes.push_back(from[i]);
        steps.push_back(strides[i]);
    }
    Strides result(to.size());
    std::size_t old_begin = 0;
    std::size_t new_begin = 0;
    while (old_begin < sizes.size() && new_begin < to.size()) {
        // The next groups of old and of new axes with equally many elements.
        std::size_t old_end = old_begin + 1;
        std::size_t new_end = new_begin + 1;
        std::int64_t old_count = sizes[old_begin];
        std::int64_t new_count = to[new_begin];
        while (old_count != new_count) {
            if (new_count < old_count) new_count *= to[new_end++];
            else old_count *= sizes[old_end++];
        }
        for (std::size_t i = old_begin; i + 1 < old_end; ++i) {
            if (steps[i] != sizes[i + 1] * steps[i + 1]) return std::nullopt;
        }
        result[new_end - 1] = steps[old_end - 1];
        for (std::size_t i = new_end - 1; i > new_begin; --i) result[i - 1] = result[i] * to[i];
        old_begin = old_end;
        new_begin = new_end;
    }
    const std::int64_t last = new_begin > 0 ? result[new_begin - 1] : static_cast<std::int64_t>(itemsize);
    for (std::size_t i = new_begin; i < to.size(); ++i) result[i] = last;  // trailing axes of size 1
    return result;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
    Strides result(to.size(), 0);
    const std::size_t lead = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == to[lead + i]) result[lead + i] = strides[i];
    }
    return result;
}

Bounds bounds(const Layout& layout) {
    Bounds result{0, static_cast<std::int64_t>(layout.itemsize)};
    for (std::size_t i = 0; i < layout.shape.size(); ++i) {
        if (layout.shape[i] == 0) return {0, 0};
        const std::int64_t reach = (layout.shape[i] - 1) * layout.strides[i];
        (reach < 0 ? result.low : result.high) += reach;
    }
    return result;
}

bool may_overlap(const Layout& a, const Layout& b) {
    const Bounds x = bounds(a);
    const Bounds y = bounds(b);
    if (x.low == x.high || y.low == y.high) return false;
    const std::int64_t apart = static_cast<const char*>(b.data) - static_cast<const char*>(a.data);
    if (apart + y.high <= x.low || x.high <= apart + y.low) return false;
    // All elements lie at multiples of a common step from each other: they miss if their remainders do.
    std::int64_t step = 0;
    for (std::size_t i = 0; i < a.shape.size(); ++i) step = a.shape[i] > 1 ? std::gcd(step, a.strides[i]) : step;
    for (std::size_t i = 0; i < b.shape.size(); ++i) step = b.shape[i] > 1 ? std::gcd(step, b.strides[i]) : step;
    if (step == 0) return true;
    const std::int64_t offset = (apart % step + step) % step;
    return offset < static_cast<std::int64_t>(a.itemsize) || offset + static_cast<std::int64_t>(b.itemsize) > step;
}

bool is_same(const Layout& a, const Layout& b) {
    if (a.data != b.data || a.itemsize != b.itemsize || !(a.shape == b.shape)) return false;
    for (std::size_t i = 0; i < a.shape.size(); ++i) {
        if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
    }
    return true;
}

bool repeats(const Shape& shape, const Strides& strides) {
    if (count(shape) == 0) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] > 1 && strides[i] == 0) return true;
    }
    return false;
}

void collapse(Shape& shape, std::span<Strides> operands) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) continue;
        bool joins = kept > 0;
        for (const Strides& strides : operands) joins = joins && strides[kept - 1] == strides[i] * shape[i];
        if (!joins) ++kept;
        shape[kept - 1] = joins ? shape[kept - 1] * shape[i] : shape[i];
        for (Strides& strides : operands) strides[kept - 1] = strides[i];
    }
    shape.resize(kept);
    for (Strides& strides : operands) strides.resize(kept);
}

}  // namespace fastnp::shape
