"""show_config(): NumPy's, and what fastnp was built with and found on this machine."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp import _core, _fallback


def configuration() -> dict[str, Any]:
    """fastnp's part."""
    known: dict[str, Any] = dict(_core._configuration())
    known["threads"] = int(known["threads"])
    problem = _core._cuda_problem()
    devices = [
        {"name": name, "model": model, "bytes": size, "compute capability": level} for name, model, size, level in _core._devices() if name != "cpu"
    ]
    known["cuda"] = {"found": not problem, "problem": problem, "devices": devices}
    known["logs"] = _core._logs()
    known["deterministic"] = _core._is_deterministic()
    return known


def _lines(known: dict[str, Any], indent: str) -> list[str]:
    """As NumPy writes it where there is no YAML."""
    found = []
    for key, value in known.items():
        if isinstance(value, dict):
            found += [f"{indent}{key}:", *_lines(value, indent + "  ")]
        elif isinstance(value, list):
            found.append(f"{indent}{key}:" + (" []" if not value else ""))
            found += [f"{indent}- {each}" for each in value]
        else:
            text = str(value).lower() if isinstance(value, bool) else repr(value) if value == "" else value
            found.append(f"{indent}{key}: {text}")
    return found


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Shows what NumPy and fastnp were built with, and what fastnp found on this machine.

    As numpy.show_config, with a part of fastnp's: version, LLVM, processor, instruction set (FASTNP_ISA),
    threads, the folder of the disk cache, CUDA devices or why there are none, logs, deterministic mode.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}, default 'stdout'
        Whether it is printed, or given as a dict of dicts.

    Returns
    -------
    dict or None
        With 'dicts' NumPy's dict, and fastnp's part under "fastnp".

    Raises
    ------
    AttributeError
        For another mode.

    See Also
    --------
    cuda.problem, compiler.logs

    Examples
    --------
    >>> import fastnp as np
    >>> known = np.show_config(mode="dicts")["fastnp"]
    >>> known["version"] == np.__version__, known["threads"] >= 1
    (True, True)
    """
    _fallback.check_unrecorded("show_config")
    if mode == "dicts":
        return {**numpy.show_config(mode="dicts"), "fastnp": configuration()}
    shown: Any = numpy.show_config
    shown(mode)
    print("\n".join(["fastnp:", *_lines(configuration(), "  ")]))
    return None
