"""NumPy's functions over arrays that compile: ``import fastnp as np``, then ``@np.compile``."""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
import types as _types
from typing import Any as _Any

import numpy as _numpy

from fastnp import _core, _fallback
from fastnp._compile import Dim, compile
from fastnp._core import *  # noqa: F403
from fastnp._functions import *  # noqa: F403

__version__ = _core.__version__

del annotations

# What inspect.signature reads, as of NumPy's ufuncs.
# (The core's class is final to type checkers, and its signature comes when it is asked for.)
_core.ufunc.__signature__ = property(lambda self: getattr(_numpy, self.__name__).__signature__)  # type: ignore[assignment, method-assign, misc]

for _folder in _sys.path:
    if _folder.endswith("-packages"):  # where NVIDIA's packages may lie
        _core._look_for_libraries_in(_folder)

# What NumPy has that is no function over arrays: dtypes, constants, classes. As they are.
_shared = """
bool bool_ byte cdouble character clongdouble complex64 complex128 complexfloating csingle double dtype e euler_gamma float16 float32 float64 floating
generic half inexact inf int8 int16 int32 int64 int_ intc integer intp long longdouble longlong nan newaxis number pi short signedinteger single uint
uint8 uint16 uint32 uint64 uintc uintp ulong ulonglong unsignedinteger ushort ubyte
errstate finfo iinfo seterr geterr set_printoptions get_printoptions printoptions issubdtype can_cast promote_types isdtype exceptions
""".split()
for _name in _shared:
    globals()[_name] = getattr(_numpy, _name)

# NumPy's other names for the same functions.
_aliases = {
    "abs": "absolute",
    "true_divide": "divide",
    "mod": "remainder",
    "pow": "power",
    "conj": "conjugate",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "permute_dims": "transpose",
    "concat": "concatenate",
}
for _name, _target in _aliases.items():
    globals()[_name] = globals()[_target]
del _name, _target

_made_when_asked = {
    **dict.fromkeys(["grad", "jvp", "stop_gradient", "value_and_grad"], "_transform"),
    **dict.fromkeys(["hessian", "jacfwd", "jacrev"], "_jacobians"),
    **dict.fromkeys(["linearize", "vjp"], "_linear"),
    **dict.fromkeys(["axis_index", "pmax", "pmean", "pmin", "psum", "vmap"], "_vmap"),
    **dict.fromkeys(["enable_grad", "no_grad"], "_tape"),
    **dict.fromkeys(["current_device", "device"], "_device"),
    **dict.fromkeys(["checkpoint", "custom_jvp", "custom_vjp"], "_custom"),
    **dict.fromkeys(["Exported", "Exporter", "export", "load_exported"], "_export"),
    "ShapeDtype": "_specs",
    **dict.fromkeys(["cond", "fori_loop", "scan", "while_loop"], "_turns"),
    **dict.fromkeys(["get_cmake_dir", "get_include"], "_installed"),
    "flatiter": "_flat",
    "show_config": "_config",
}
_own_modules = {"random", "linalg", "fft", "compiler", "cuda", "debug", "dist", "onnx", "typing"}
_dispatched = type(_numpy.sum)


def __getattr__(name: str) -> _Any:
    if name in _own_modules:
        return _importlib.import_module(f"fastnp.{name}")
    if name in _made_when_asked:
        found = getattr(_importlib.import_module(f"fastnp.{_made_when_asked[name]}"), name)
        globals()[name] = found
        return found
    if name == "explain":
        from fastnp._explain import explain

        globals()["explain"] = explain
        return explain
    if name == "effect":
        from fastnp._effects import effect

        globals()["effect"] = effect
        return effect
    if name == "bfloat16":
        return _importlib.import_module("ml_dtypes").bfloat16
    if name.startswith("__") and name != "__array_namespace_info__":
        raise AttributeError(f"module 'fastnp' has no attribute {name!r}")
    try:
        found = getattr(_numpy, name)
    except AttributeError:
        raise AttributeError(f"module 'fastnp' has no attribute {name!r}") from None
    if isinstance(found, _types.FunctionType) or type(found) is _dispatched:
        found = _fallback.wrap_quickly(found, name)
    else:
        from fastnp import _submodules  # not needed to import fastnp

        found = _submodules.counted(found, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_own_modules, *_made_when_asked, "effect", "explain", *(name for name in dir(_numpy) if not name.startswith("_"))})
