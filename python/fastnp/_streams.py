"""Whether fastnp's draws are those of the NumPy that is installed, which may change its generators' streams from version to version (NEP 19)."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp import _core

_REAL: list[tuple[Any, ...]] = [(0.5,), (2.0,), (30.0,)]
_PAIRS: list[tuple[Any, ...]] = [(0.5, 0.25), (3.0, 2.0), (0.1, 0.2), (40.0, 7.0)]
_CHANCES: list[tuple[Any, ...]] = [(0.2,), (0.9,), (0.01,)]

# What each method is tried with, besides a size.
_TRIED: dict[str, list[tuple[Any, ...]]] = {
    **dict.fromkeys(["random", "standard_normal", "standard_exponential", "standard_cauchy", "bytes"], [()]),
    **dict.fromkeys(["exponential", "chisquare", "pareto", "power", "rayleigh", "standard_gamma", "standard_t", "weibull"], _REAL),
    **dict.fromkeys(["uniform"], [(), (2.0, 5.0)]),
    **dict.fromkeys("normal beta f gamma gumbel laplace logistic lognormal noncentral_chisquare vonmises wald".split(), _PAIRS),
    **dict.fromkeys(["geometric", "logseries"], _CHANCES),
    "integers": [(2,), (10,), (1 << 40,), (-3, 1 << 31)],
    "poisson": [(0.5,), (9.0,), (300.0,)],
    "zipf": [(1.1,), (3.0,)],
    "binomial": [(5, 0.3), (1000, 0.4), (1000, 0.999)],
    "negative_binomial": [(3, 0.3), (100, 0.01)],
    "hypergeometric": [(5, 4, 3), (500, 400, 300)],
    "noncentral_f": [(2.0, 3.0, 1.0)],
    "triangular": [(0.0, 0.5, 1.0)],
    "multinomial": [(5, [0.2, 0.8]), (500, [0.2, 0.3, 0.5])],
    "multivariate_hypergeometric": [([3, 4], 2), ([300, 400, 5], 200)],
    "dirichlet": [([1.0, 2.0],), ([0.01, 0.02],)],
    "permutation": [(40,)],
}


def _outcomes(method: str, tried: list[tuple[Any, ...]], is_native: bool) -> list[Any]:
    source = numpy.random.Generator(numpy.random.PCG64(1234))
    found = []

    def call(*args: Any, **kwargs: Any) -> None:
        made = _core._draw_natively(source, method, True, *args, **kwargs) if is_native else getattr(source, method)(*args, **kwargs)
        found.append(made if isinstance(made, bytes) else numpy.asarray(made).tobytes())

    if method in ("choice", "permuted", "shuffle"):
        x = _core.arange(40) if is_native else numpy.arange(40)
        if method == "choice":
            for options in ({}, {"replace": False}, {"p": [0.1, 0.6, 0.3] + [0.0] * 37}, {"replace": False, "shuffle": False}):
                call(x, 3 if "p" not in options else 9, **options)
        else:
            call(x)
            found.append(numpy.asarray(x).tobytes())
        return found
    for args in tried:
        if method == "permutation":
            call(*args)
        elif method == "bytes":
            call(9)
        else:
            call(*args, size=12)
    if method in ("random", "standard_normal", "standard_exponential"):
        call(size=9, dtype="float32")
    if method == "integers":
        for dtype in ("bool", "uint8", "int16", "uint32"):
            call(0, 2, size=9, dtype=dtype)
    return found


def draws_as_numpys(method: str) -> bool:
    """Whether a method of numpy.random.Generator gives the same numbers by both ways; False for one that nothing is tried with."""
    tried = _TRIED.get(method, [])
    return [] != _outcomes(method, tried, True) == _outcomes(method, tried, False)
