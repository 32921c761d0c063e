"""Models of ONNX: functions written as models, and models read as functions.

`export` writes what a function computes, `load` gives a function that computes what a model says. Both need the
package ``onnx`` (``pip install onnx``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastnp.onnx._model import Model, load
    from fastnp.onnx._write import export

__all__ = ["Model", "export", "load"]
_HOMES = {"Model": "_model", "export": "_write", "load": "_model"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
