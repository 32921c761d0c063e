"""Arrays as text that Python and C++ read: exact to the bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy

_MOST_ELEMENTS = 200
_CPP = {
    "bool": "bool",
    "int8": "std::int8_t",
    "int16": "std::int16_t",
    "int32": "std::int32_t",
    "int64": "std::int64_t",
    "uint8": "std::uint8_t",
    "uint16": "std::uint16_t",
    "uint32": "std::uint32_t",
    "uint64": "std::uint64_t",
    "float32": "float",
    "float64": "double",
}
_CPP_NAMES = {"bool": "bool_"}


def _is_plain(array: Any) -> bool:
    if array.size > _MOST_ELEMENTS or array.dtype.name not in _CPP:
        return False
    return array.dtype.kind in "biu" or bool(numpy.isfinite(array).all())


def python(array: Any) -> str:
    """An expression over `numpy` that is the array."""
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    if _is_plain(array) and array.size:
        return f"numpy.array({array.tolist()!r}, {array.dtype.name!r})"
    data = base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()
    dtype = f"numpy.dtype({array.dtype.str!r})" if array.dtype.kind != "V" else "np.bfloat16"
    return f"numpy.frombuffer(zlib.decompress(base64.b64decode({data!r})), {dtype}).reshape({array.shape})"


def cpp_dtype(dtype: Any) -> str:
    """Its name in C++."""
    return f"fastnp::{_CPP_NAMES.get(dtype.name, dtype.name)}"


def _number(value: Any, dtype: str) -> str:
    if dtype == "bool":
        return "true" if value else "false"
    if dtype in ("float32", "float64"):
        return float(value).hex() + ("F" if dtype == "float32" else "")
    if dtype == "int64":
        return "INT64_MIN" if value == -(2**63) else f"{value}LL"
    return f"{value}ULL" if dtype == "uint64" else str(value)


def cpp(array: Any, name: str) -> tuple[str, str]:
    """(the definition of its elements, an expression that is the array)"""
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    dtype = array.dtype.name
    shape = "{" + ", ".join(map(str, array.shape)) + "}"
    made = f"fastnp::array::from_elements({name}, {cpp_dtype(array.dtype)}, fastnp::Shape{shape})"
    if not array.size:
        return "", made.replace(f"({name},", "(nullptr,")
    if _is_plain(array):
        items = ", ".join(_number(each, dtype) for each in array.ravel().tolist())
        return f"    const {_CPP[dtype]} {name}[] = {{{items}}};\n", made
    items = ", ".join(map(str, array.tobytes()))
    return f"    alignas(16) const unsigned char {name}[] = {{{items}}};\n", made
