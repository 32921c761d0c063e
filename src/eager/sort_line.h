// Lines without gaps in NumPy's order: the same result on each machine, that of a stable sort.
#pragma once

#include <cstdint>
#include <span>

namespace fastnp::eager {

/// The elements in order; equal ones (two zeros, NaN) as they were. Threads share a long line.
template <class T>
void sort_line(T* line, std::int64_t count);

/// The places of the elements in that order.
template <class T>
void order_line(const T* line, std::int64_t count, std::int64_t* order);

/// Elements [first, first + part) of the line in order, at these places; those at others are any.
template <class T>
void sort_part(T* line, std::int64_t count, std::int64_t first, std::int64_t part);

/// At each of the places (ascending ones) the element of the line in order, before it none that is larger, behind it none that is smaller.
template <class T>
void partition_line(T* line, std::int64_t count, std::span<const std::int64_t> places);

}  // namespace fastnp::eager
