// A vector of trivially copyable elements that holds its first N in place, so that shapes and strides cost no allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>

namespace fastnp {

/// \addtogroup arrays
/// @{

/// A vector of numbers, as std::vector; the first N are held in place. Shapes, strides and lists of axes are such: Shape{3, 4}.
template <class T, std::size_t N = 6>
class SmallVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// \name As std::vector has them
    /// @{
    using value_type = T;            ///< of an element
    using iterator = T*;             ///< over elements
    using const_iterator = const T*; ///< over elements that are only read

    /// Without elements.
    SmallVector() noexcept {}  // NOLINT: elements that it does not have are left as they are; defaulted, a const one would need an initialiser
    /// So many elements.
    explicit SmallVector(std::size_t count, const T& value = T()) { resize(count, value); }
    /// These elements.
    SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
    /// A copy of elements.
    SmallVector(std::span<const T> values) { assign(values.begin(), values.end()); }  // NOLINT: a span is a value list
    /// A copy of a range.
    template <std::input_iterator It>
    SmallVector(It first, It last) {
        assign(first, last);
    }
    /// A copy.
    SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
    /// The other one's elements; it is left without.
    SmallVector(SmallVector&& other) noexcept { take(other); }
    /// A copy in the place of these elements.
    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    /// The other one's elements in the place of these.
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    /// Gives its memory back.
    ~SmallVector() = default;

    /// How many elements there are.
    std::size_t size() const { return size_; }
    /// Whether there are none.
    bool empty() const { return size_ == 0; }
    /// The address of the first element.
    T* data() { return heap_ ? heap_.get() : inline_; }
    /// The same, to be read.
    const T* data() const { return heap_ ? heap_.get() : inline_; }
    /// The first element.
    T* begin() { return data(); }
    /// What is behind the last.
    T* end() { return data() + size_; }
    /// The first element, to be read.
    const T* begin() const { return data(); }
    /// What is behind the last.
    const T* end() const { return data() + size_; }
    /// An element; unchecked.
    T& operator[](std::size_t i) { return data()[i]; }
    /// An element, to be read; unchecked.
    const T& operator[](std::size_t i) const { return data()[i]; }
    /// The first element.
    T& front() { return data()[0]; }
    /// The last element.
    T& back() { return data()[size_ - 1]; }
    /// The first element, to be read.
    const T& front() const { return data()[0]; }
    /// The last element, to be read.
    const T& back() const { return data()[size_ - 1]; }

    /// One more element, at the end.
    void push_back(T value) {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        data()[size_++] = value;
    }
    /// Without the last element.
    void pop_back() { --size_; }
    /// Without elements.
    void clear() { size_ = 0; }
    /// So many elements; new ones have the value.
    void resize(std::size_t count, const T& value = T()) {
        reserve(count);
        if (count > size_) std::fill(data() + size_, data() + count, value);
        size_ = count;
    }
    /// One more element before another one; gives where it is.
    T* insert(const T* where, T value) {
        const std::size_t at = static_cast<std::size_t>(where - data());
        push_back(value);
        std::rotate(begin() + at, end() - 1, end());
        return data() + at;
    }
    /// Without an element; gives the one that was behind it.
    T* erase(const T* where) {
        T* at = data() + (where - data());
        std::move(at + 1, end(), at);
        --size_;
        return at;
    }
    /// A copy of a range in the place of these elements.
    template <std::input_iterator It>
    void assign(It first, It last) {
        clear();
        for (; first != last; ++first) push_back(*first);
    }
    /// Memory for so many.
    void reserve(std::size_t count) {
        if (count > capacity_) grow(count);
    }

    /// Whether both have equal elements.
    friend bool operator==(const SmallVector& a, const SmallVector& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
    /// @}

private:
    [[gnu::noinline]] void grow(std::size_t count) {
        const std::size_t wanted = std::max(count, capacity_ * 2);
        auto grown = std::make_unique<T[]>(wanted);
        std::copy(begin(), end(), grown.get());
        heap_ = std::move(grown);
        capacity_ = wanted;
    }
    void take(SmallVector& other) {
        heap_ = std::move(other.heap_);
        capacity_ = other.capacity_;
        size_ = other.size_;
        if (!heap_) std::copy(other.inline_, other.inline_ + size_, inline_);
        other.size_ = 0;
        other.capacity_ = N;
    }

    std::unique_ptr<T[]> heap_;
    std::size_t size_ = 0;
    std::size_t capacity_ = N;
    T inline_[N];  // those past the end are nothing
};

/// Sizes of an array's axes.
using Shape = SmallVector<std::int64_t>;
/// Bytes from an element to the next along each axis.
using Strides = SmallVector<std::int64_t>;

/// @}

}  // namespace fastnp
