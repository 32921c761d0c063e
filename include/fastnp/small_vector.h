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

template <class T, std::size_t N = 6>
class SmallVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    SmallVector() noexcept {}  // NOLINT: elements that it does not have are left as they are; defaulted, a const one would need an initialiser
    explicit SmallVector(std::size_t count, const T& value = T()) { resize(count, value); }
    SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
    SmallVector(std::span<const T> values) { assign(values.begin(), values.end()); }  // NOLINT: a span is a value list
    template <std::input_iterator It>
    SmallVector(It first, It last) {
        assign(first, last);
    }
    SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
    SmallVector(SmallVector&& other) noexcept { take(other); }
    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) assign(other.begin(), other.end());
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    ~SmallVector() = default;

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return heap_ ? heap_.get() : inline_; }
    const T* data() const { return heap_ ? heap_.get() : inline_; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T& front() { return data()[0]; }
    T& back() { return data()[size_ - 1]; }
    const T& front() const { return data()[0]; }
    const T& back() const { return data()[size_ - 1]; }

    void push_back(T value) {
        if (size_ == capacity_) [[unlikely]]
            grow(size_ + 1);
        data()[size_++] = value;
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    void resize(std::size_t count, const T& value = T()) {
        reserve(count);
        if (count > size_) std::fill(data() + size_, data() + count, value);
        size_ = count;
    }
    T* insert(const T* where, T value) {
        const std::size_t at = static_cast<std::size_t>(where - data());
        push_back(value);
        std::rotate(begin() + at, end() - 1, end());
        return data() + at;
    }
    T* erase(const T* where) {
        T* at = data() + (where - data());
        std::move(at + 1, end(), at);
        --size_;
        return at;
    }
    template <std::input_iterator It>
    void assign(It first, It last) {
        clear();
        for (; first != last; ++first) push_back(*first);
    }
    void reserve(std::size_t count) {
        if (count > capacity_) grow(count);
    }

    friend bool operator==(const SmallVector& a, const SmallVector& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

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

/// Sizes of an array's axes, and bytes between neighbours along each.
using Shape = SmallVector<std::int64_t>;
using Strides = SmallVector<std::int64_t>;

}  // namespace fastnp
