// Arrays that a native program made, or parts of arrays that it was handed, as NumPy's.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <vector>

#include "fastnp/detail/blocks.h"

namespace fastnp::python {

/// An array of NumPy's over memory that a program made, which it keeps. `steps`: of its axes, in bytes.
pybind11::object made_array(const detail::Blocks& blocks, std::int64_t address, std::span<const std::int64_t> sizes, std::span<const std::int64_t> steps,
                            const pybind11::object& dtype);

/// What Python holds of a run's memory.
struct MadeArrays {
    detail::Blocks blocks;

    pybind11::object array(std::int64_t address, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& steps,
                           const pybind11::object& dtype) const;
    /// A copy of so many words.
    static pybind11::object words(std::int64_t address, std::int64_t count);
    /// A part of an array of NumPy's.
    static pybind11::object view(const pybind11::object& array, std::int64_t address, const std::vector<std::int64_t>& sizes,
                                 const std::vector<std::int64_t>& steps, const pybind11::object& dtype);
};

}  // namespace fastnp::python
