// Exported functions for C++ with the types of their arrays: what the class in an exported function's header is made of. Arrays go in as std::span, and
// come out as arrays that own their memory. Of fastnp, this needs exported_c.h alone.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/exported_c.h"

namespace fastnp::exported {

/// \addtogroup compile
/// @{

/// What an exported function throws: a text, and a code.
class Error : public std::runtime_error {
public:
    /// With one of fastnp_status.
    Error(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
    /// One of fastnp_status.
    int code() const noexcept { return code_; }

private:
    int code_;
};

/// Throws the error of the function that gave this status.
inline void check(int status) {
    if (status != FASTNP_OK) throw Error(status, fastnp_exported_error());
}

/// Throws unless an argument has as many elements as its sizes say.
inline void check_count(const char* name, std::size_t count, std::initializer_list<std::int64_t> shape) {
    std::size_t wanted = 1;
    for (const std::int64_t size : shape) {
        if (size < 0) throw Error(FASTNP_VALUE_ERROR, std::string("argument '") + name + "' has a negative size");
        wanted *= static_cast<std::size_t>(size);
    }
    if (count == wanted) return;
    throw Error(FASTNP_VALUE_ERROR,
                std::string("argument '") + name + "' has " + std::to_string(count) + " elements, and its sizes say " + std::to_string(wanted));
}

/// A result: elements of type T, which it owns.
template <class T>
class Array {
public:
    /// Of a result that a call gave, which nobody else releases.
    explicit Array(const fastnp_exported_array& array) : array_(array) {}
    ~Array() { release(); }
    /// Takes it; the other one owns nothing then.
    Array(Array&& other) noexcept : array_(std::exchange(other.array_, {})) {}
    /// Takes it, and releases what this one had.
    Array& operator=(Array&& other) noexcept {
        if (this != &other) {
            release();
            array_ = std::exchange(other.array_, {});
        }
        return *this;
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    /// Its sizes.
    std::span<const std::int64_t> shape() const { return {array_.shape, static_cast<std::size_t>(array_.ndim)}; }
    /// Its steps in bytes.
    std::span<const std::int64_t> strides() const { return {array_.strides, static_cast<std::size_t>(array_.ndim)}; }
    /// The number of its elements.
    std::size_t size() const {
        std::size_t count = 1;
        for (const std::int64_t each : shape()) count *= static_cast<std::size_t>(each);
        return count;
    }
    /// The element at these subscripts, one for each axis. They are not looked at.
    template <class... Subscripts>
    T& operator()(Subscripts... subscripts) const {
        std::int64_t offset = 0;
        std::size_t axis = 0;
        ((offset += static_cast<std::int64_t>(subscripts) * array_.strides[axis++]), ...);
        return *reinterpret_cast<T*>(static_cast<char*>(array_.data) + offset);
    }
    /// Whether its elements lie in C's order, one behind the other.
    bool is_contiguous() const {
        std::int64_t step = sizeof(T);
        for (std::size_t axis = shape().size(); axis-- > 0; step *= array_.shape[axis]) {
            if (array_.shape[axis] != 1 && array_.strides[axis] != step) return size() == 0;
        }
        return true;
    }
    /// Its elements in C's order. Error unless that is how they lie: values() copies them.
    std::span<T> span() const {
        if (!is_contiguous()) throw Error(FASTNP_VALUE_ERROR, "the result does not lie in C's order");
        return {static_cast<T*>(array_.data), size()};
    }
    /// Copies of its elements, in C's order.
    std::vector<T> values() const {
        std::vector<T> made;
        made.reserve(size());
        add_values(made, 0, static_cast<const char*>(array_.data));
        return made;
    }

private:
    void release() {
        if (array_.owner != nullptr) fastnp_exported_release(&array_);
    }
    void add_values(std::vector<T>& made, std::size_t axis, const char* from) const {
        if (axis == shape().size()) {
            made.push_back(*reinterpret_cast<const T*>(from));
            return;
        }
        for (std::int64_t i = 0; i < array_.shape[axis]; ++i) add_values(made, axis + 1, from + i * array_.strides[axis]);
    }

    fastnp_exported_array array_{};
};

/// An open library's function. The classes in exported headers are made of it: they know its arrays.
class Function {
public:
    /// Error for a file that can't be loaded, or has no function of that name.
    Function(const std::string& path, const char* name) {
        fastnp_exported_function* opened = nullptr;
        check(fastnp_exported_open_named(path.c_str(), name, &opened));
        function_.reset(opened);
    }
    /// For the functions of exported_c.h.
    const fastnp_exported_function* get() const { return function_.get(); }

private:
    struct Close {
        void operator()(fastnp_exported_function* function) const { fastnp_exported_close(function); }
    };
    std::unique_ptr<fastnp_exported_function, Close> function_;
};

/// @}

}  // namespace fastnp::exported
