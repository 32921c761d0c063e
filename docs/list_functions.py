"""Writes what the reference of Python's functions is made of: names, signatures and docstrings, as JSON.

    PYTHONPATH=build/release/python build/venv/bin/python docs/list_functions.py build/docs/functions.json

The package is asked here, by the Python that it was built for; reference.py makes pages of it where Sphinx is.
"""

from __future__ import annotations

import inspect
import json
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy

import fastnp

MODULES = {
    "fastnp": fastnp,
    "fastnp.linalg": fastnp.linalg,
    "fastnp.fft": fastnp.fft,
    "fastnp.random": fastnp.random,
    "fastnp.compiler": fastnp.compiler,
    "fastnp.cuda": fastnp.cuda,
    "fastnp.debug": fastnp.debug,
    "fastnp.dist": fastnp.dist,
    "fastnp.onnx": fastnp.onnx,
    "fastnp.ndarray": fastnp.ndarray,
}


def signature(value: Any) -> str:
    """Without annotations, which docstrings tell in words."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def is_of_fastnp(value: Any) -> bool:
    """No function that is NumPy's own, counted."""
    return callable(value) and not isinstance(value, (type, types.ModuleType)) and value is not getattr(numpy, getattr(value, "__name__", ""), None)


def rows(name: str, module: Any) -> Iterator[dict[str, str]]:
    for key in sorted(dir(module)):
        if key.startswith("_") or (name == "fastnp" and hasattr(numpy, key) and getattr(fastnp, key) is getattr(numpy, key)):
            continue
        value = inspect.getattr_static(module, key) if isinstance(module, type) else getattr(module, key)
        text = inspect.getdoc(value) or ""
        if hasattr(value, "__wrapped__") and not str(getattr(value, "__module__", "")).startswith("fastnp"):
            text = f"{text.strip().splitlines()[0]}\n\nNumPy's own function, called for views of the arrays; NumPy's reference describes it."
        if is_of_fastnp(value) and "\n" in text:
            yield {"name": f"{name}.{key}", "signature": signature(value), "text": text}


def main() -> None:
    (path,) = sys.argv[1:]
    made = {name: list(rows(name, module)) for name, module in MODULES.items()}
    with open(path, "w") as file:
        json.dump(made, file, indent=1)


if __name__ == "__main__":
    main()
