"""The error function, by W. J. Cody, Rational Chebyshev approximations for the error function, Mathematics of Computation 23 (1969), 631-637."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import fastnp as np
from fastnp.onnx._read_values import like, wide

_BOUND = 0.46875  # up to here erf is x times a quotient of polynomials of x squared; from here on 1 - erf is exp(-x squared) times one of x
_END = 6.0  # where erf of float64 is 1; the second quotient is for arguments up to 4, and is good for the few digits of 1 - erf that count beyond

# From the highest power down.
_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
_FAR = (
    (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    ),
)


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    result = x * coefficients[0] + coefficients[1]
    for each in coefficients[2:]:
        result = result * x + each
    return result


def erf(x: Any) -> Any:
    """The error function of each element, to a few units in the last place."""
    given = wide(x)
    size = np.abs(given)
    is_near = size <= _BOUND
    near = np.where(is_near, given, 0.0)  # outside of its range a formula gets a number from it, so that its derivative is one, too
    square = near * near
    inner = near * (_polynomial(_NEAR[0], square) / _polynomial(_NEAR[1], square))
    far = np.where(is_near, _BOUND, np.minimum(size, _END))
    outer = 1.0 - np.exp(-far * far) * (_polynomial(_FAR[0], far) / _polynomial(_FAR[1], far))
    return like(np.where(is_near, inner, np.where(given < 0, -outer, outer)), x)
