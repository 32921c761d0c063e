// pybind11's view of fastnp's arrays and operands, so that C++ functions over them can be bound as they are.
#pragma once

#include <pybind11/pybind11.h>

#include "convert.h"

namespace pybind11::detail {

template <>
struct type_caster<fastnp::array> {
    PYBIND11_TYPE_CASTER(fastnp::array, const_name("fastnp.ndarray"));
    bool load(handle source, bool convert) {
        if (!fastnp::python::is_ndarray(source.ptr()) && !convert) return false;
        value = fastnp::python::to_array(source.ptr());
        return true;
    }
    static handle cast(fastnp::array result, return_value_policy, handle) { return fastnp::python::wrap(std::move(result)); }
};

template <>
struct type_caster<fastnp::Operand> {
    PYBIND11_TYPE_CASTER(fastnp::Operand, const_name("fastnp.ndarray | complex"));
    type_caster() : value(0) {}
    bool load(handle source, bool) {
        value = fastnp::python::to_operand(source.ptr());
        return true;
    }
};

}  // namespace pybind11::detail
