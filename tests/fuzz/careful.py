"""What a program of NumPy's leaves open: how far results move, or that they change altogether, where what nothing promises is done another way."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy
from fuzz.programs import magnitude
from fuzz.statements import ELEMENTARY, may_leave

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.programs import Program

MARGIN = 16  # times the difference between the two ways


def _is_inexact(x: Any) -> bool:
    return numpy.asarray(x).dtype.kind in "fc"


def _is_exact(name: str, x: numpy.ndarray, dtype: numpy.dtype) -> bool:
    """Whether a fold rounds nothing, in whatever order: sums of multiples of one power of two whose number stays small."""
    if dtype.kind == "c":
        return _is_exact(name, numpy.real(x), numpy.zeros(0, dtype).real.dtype) and _is_exact(name, numpy.imag(x), numpy.zeros(0, dtype).real.dtype)
    if name not in ("sum", "mean", "cumsum"):
        return x.size < 2
    parts = x[numpy.isfinite(x) & (x != 0)].astype(numpy.float64)
    if parts.size == 0:
        return True
    fractions, exponents = numpy.frexp(parts)
    whole = (fractions * 2.0**53).astype(numpy.int64)
    grain = (numpy.log2((whole & -whole).astype(numpy.float64)) + exponents - 53).min()
    return bool(numpy.log2(abs(parts).sum()) - grain <= numpy.finfo(dtype).nmant)


def _last_place(name: str, x: Any, options: dict[str, Any]) -> Any:
    """Of what is added up, as far as it is finite: another order may round so."""
    x = numpy.asarray(x)
    magnitudes = abs(x.astype(numpy.float64) if x.dtype.kind in "biu" else x)  # that of the least integer is none
    made = numpy.asarray(getattr(numpy, name)(magnitudes, **options))
    eps = numpy.finfo(made.dtype).eps if _is_inexact(made) else numpy.finfo(numpy.float64).eps
    return numpy.where(numpy.isfinite(made), made * (eps / 2), 0)


class Careful:
    """NumPy with folds in more digits or the other way round, elementary functions some last places off, and the other sign of NaN where that shows."""

    def __init__(self, backwards: bool) -> None:
        self.backwards = backwards

    def __getattr__(self, name: str) -> Any:
        if name in ("sum", "mean", "prod", "var", "cumsum"):
            return self._folded(name)
        if name in ELEMENTARY:
            return self._moved(name)
        return getattr(numpy, name)

    @staticmethod
    def _moved(name: str) -> Any:
        def function(x: Any) -> Any:
            usual = getattr(numpy, name)(x)
            return usual * usual.dtype.type(1 + 4 * float(numpy.finfo(usual.dtype).eps))

        return function

    def _folded(self, name: str) -> Any:
        def fold(x: Any, out: Any = None, **options: Any) -> Any:
            if out is not None:
                numpy.copyto(out, fold(x, dtype=out.dtype, **options), casting="same_kind")
                return out
            usual = getattr(numpy, name)(x, **options)
            if not _is_inexact(usual):
                return usual
            if name == "prod" and may_leave(numpy.asarray(x), usual.dtype):
                return numpy.where(numpy.isnan(usual), 0, numpy.nan).astype(usual.dtype)[()]  # inf * 0, or 0 * 0, by the order
            if self.backwards and name != "cumsum" and numpy.ndim(x) > 0:
                turned = getattr(numpy, name)(numpy.array(numpy.flip(x)), **options)
                made = turned if usual.ndim == 0 else numpy.flip(turned)
            else:
                wide = numpy.clongdouble if usual.dtype.kind == "c" else numpy.longdouble
                made = getattr(numpy, name)(numpy.asarray(x).astype(wide), **options).astype(usual.dtype)
            step = 0 if _is_exact(name, numpy.asarray(x), usual.dtype) else _last_place(name, x, options)
            return (made - step if self.backwards else made + step).astype(usual.dtype)[()]

        return fold

    @staticmethod
    def signbit(x: Any) -> Any:
        return numpy.signbit(x) ^ numpy.isnan(x)

    @staticmethod
    def nextafter(x: Any, y: Any) -> Any:
        """As NumPy before 2.5, which gave the first of two zeros of float16; fastnp does as well (docs/roadmap.md)."""
        made = numpy.asarray(numpy.nextafter(x, y))
        return numpy.where(numpy.equal(x, y), x, made).astype(made.dtype)[()] if made.dtype == numpy.float16 else made[()]

    @staticmethod
    def copysign(x: Any, y: Any) -> Any:
        return numpy.copysign(x, numpy.where(numpy.isnan(y), numpy.negative(y), y)) if _is_inexact(y) else numpy.copysign(x, y)


def _distance(a: Any, b: Any) -> float:
    """Between what two ways give: infinite where they differ in more than the last digits of finite numbers."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return numpy.inf
    if not _is_inexact(a):
        return 0.0 if numpy.array_equal(a, b) else numpy.inf
    if not numpy.array_equal(numpy.isfinite(a), numpy.isfinite(b)) or not numpy.array_equal(a == 0, b == 0):
        return numpy.inf
    if a.dtype.kind == "f" and not numpy.array_equal(numpy.signbit(a[a == 0]), numpy.signbit(b[b == 0])):
        return numpy.inf
    finite = numpy.isfinite(a)
    if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
        return numpy.inf
    return magnitude(a[finite] - b[finite]) * MARGIN


def spread(run: Callable[[Any, list[Any]], Sequence[Any]], make: Callable[[], list[Any]]) -> list[float] | None:
    """How far what `run(module, arguments)` gives, and what it leaves in its arguments, moves; None where one of the ways raises."""
    ways = []
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for module in (numpy, Careful(False), Careful(True)):
            arguments = make()
            try:
                results = run(module, arguments)
            except Exception:  # of any kind: what raises in one of the ways leaves all open
                return None
            ways.append([*results, *arguments])
    return [max(_distance(a, b), _distance(a, c)) for a, b, c in zip(*ways, strict=True)]


def slack(program: Program, call: int) -> dict[str, float]:
    """For each result and each argument of a call how far it may be from NumPy's because of folds and signs of NaN."""
    names = [*program.results, *program.names]
    moved = spread(
        lambda module, arguments: program.function(module)(*arguments),
        lambda: [argument.make() for argument in program.calls[call]],
    )
    return dict.fromkeys(names, numpy.inf) if moved is None else dict(zip(names, moved, strict=True))
