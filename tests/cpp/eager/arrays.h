// Arrays of any layout for the tests of the kernels, elements read and written one at a time by index, independently of the library's own loops.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "eager/eager.h"

namespace fastnp::testing {

using Indices = std::vector<std::int64_t>;

enum class Layout { contiguous, strided, reversed, transposed, repeated };
inline constexpr Layout layouts[] = {Layout::contiguous, Layout::strided, Layout::reversed, Layout::transposed, Layout::repeated};

inline const std::vector<Indices>& shapes() {
    static const std::vector<Indices> all = {{},     {0},      {1},       {7},       {700},     {3, 4},       {0, 4},
                                             {4, 0}, {33, 17}, {2, 3, 5}, {5, 1, 7}, {3, 0, 2}, {2, 2, 3, 2}, {130, 6}};
    return all;
}

/// Elements of one dtype in some layout.
struct Array {
    std::shared_ptr<std::vector<char>> memory;
    eager::View view;

    template <class T>
    T& at(const Indices& index) const {
        char* element = static_cast<char*>(view.data);
        for (std::size_t i = 0; i < index.size(); ++i) element += index[i] * view.strides[i];
        return *reinterpret_cast<T*>(element);
    }
};

/// Uninitialised.
inline Array make(Dtype dtype, const Indices& shape, Layout layout = Layout::contiguous) {
    const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
    const std::int64_t spread = layout == Layout::strided ? 3 : 1;
    Array array{std::make_shared<std::vector<char>>(), {nullptr, dtype, {shape.begin(), shape.end()}, {}}};
    array.view.strides.resize(shape.size());
    std::int64_t step = size * spread;
    const std::size_t rank = shape.size();
    for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t axis = layout == Layout::transposed ? k : rank - 1 - k;
        const bool repeats = layout == Layout::repeated && axis % 2 == 0;
        array.view.strides[axis] = repeats ? 0 : layout == Layout::reversed ? -step : step;
        if (!repeats) step *= std::max<std::int64_t>(shape[axis], 1);
    }
    array.memory->resize(static_cast<std::size_t>(step + size));
    array.view.data = array.memory->data();
    if (layout == Layout::reversed) {
        for (std::size_t i = 0; i < rank; ++i) {
            if (shape[i] > 0) array.view.data = static_cast<char*>(array.view.data) - (shape[i] - 1) * array.view.strides[i];
        }
    }
    return array;
}

/// Calls visit(index) for every index of a shape in C order.
template <class Visit>
void each_index(const Indices& shape, Visit visit) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    Indices index(shape.size(), 0);
    for (std::int64_t n = 0; n < count; ++n) {
        visit(static_cast<const Indices&>(index));
        for (std::size_t i = shape.size(); i-- > 0;) {
            if (++index[i] < shape[i]) break;
            index[i] = 0;
        }
    }
}

/// A small whole number (or bool) as an element.
template <class T>
T number(int value) {
    if constexpr (std::is_same_v<T, bool>) return value % 2 != 0;
    else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) return T(static_cast<float>(value));
    else if constexpr (std::is_unsigned_v<T>) return static_cast<T>(value < 0 ? -value : value);
    else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
        return T(static_cast<typename T::value_type>(value), 1);
    else return static_cast<T>(value);
}

/// Small whole numbers, so that sums and products of some are exact in every dtype.
template <class T>
Array random_array(const Indices& shape, Layout layout, unsigned seed, int low = -4, int high = 4) {
    Array array = make(dtype_of<T>, shape, layout);
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> distribution(low, high);
    each_index(shape, [&](const Indices& index) { array.at<T>(index) = number<T>(distribution(engine)); });
    return array;
}

template <class T>
bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) return same(static_cast<float>(a), static_cast<float>(b));
    else return a == b || (a != a && b != b);
}

/// Calls visit.operator()<T>() for the element type of every dtype.
template <class Visit>
void each_dtype(Visit visit) {
#define DTYPE(name, type, kind, code, text) visit.template operator()<type>();
#include "fastnp/ops/dtype.def"
}

inline std::string describe(const Indices& shape, Layout layout, Dtype dtype) {
    std::string text(name_of(dtype));
    text += " (";
    for (const std::int64_t extent : shape) text += std::to_string(extent) + ",";
    return text + ") layout " + std::to_string(static_cast<int>(layout));
}

}  // namespace fastnp::testing
