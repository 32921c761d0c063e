// Elements and views of memory for front ends, without the work that recordings and devices make.
#pragma once

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Where the elements of an array lie, while it lives.
struct HostElements {
    char* data = nullptr;
    const Shape* shape = nullptr;
    const Strides* strides = nullptr;
    Dtype dtype = Dtype::bool_;
    bool is_writable = false;

    std::size_t rank() const { return shape->size(); }
};

/// False where there is more to an access than an address: while this thread records, for recorded arrays, and where a device may have memory.
FASTNP_API bool find_on_host(const array& x, HostElements& found);

/// Whether a device may have memory, or is to have what this thread makes.
FASTNP_API bool may_use_devices();

/// Elements in a row, at equal steps in bytes.
struct Line {
    char* data;
    std::int64_t size, step;
    std::size_t itemsize;
};
FASTNP_API std::int64_t count_true(const char* mask, std::int64_t size);
/// The elements where a mask of that length is true, which are `count`, one after the other in `to`.
FASTNP_API void take_masked(const Line& from, const char* mask, char* to, std::int64_t count);
/// Sets these to elements at equal steps (0: to one).
FASTNP_API void put_masked(const Line& to, const char* mask, const char* from, std::int64_t from_step);
/// Whether all places are on the line, counted from its end below 0.
FASTNP_API bool are_places(const std::int64_t* places, std::int64_t count, std::int64_t size);
/// The elements at such places, one after the other.
FASTNP_API void take_places(const Line& from, const std::int64_t* places, std::int64_t count, char* to);
FASTNP_API void put_places(const Line& to, const std::int64_t* places, std::int64_t count, const char* from, std::int64_t from_step);

/// An array over a part of the memory of x, which has memory: from an address within it.
FASTNP_API array view_at(const array& x, char* data, const Shape& shape, const Strides& strides);
/// The same as elements of another dtype.
FASTNP_API array view_as(const array& x, Dtype dtype, char* data, const Shape& shape, const Strides& strides);

}  // namespace fastnp::detail
