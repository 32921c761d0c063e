"""What is particular to interpolation and convolutions; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["interp"] = """
Interpolation on the line through points.

@x : array_like
Where the line is evaluated.
@xp : array_like
The places of the points along one axis, ascending (with a `period` in any order).
@fp : array_like
The values of the points, real or complex.
@left, right : scalar, optional
What is before the first point, and behind the last one. None: the value of that point.
@period : scalar, optional
The period of the places; `left` and `right` do not count then.
-> ndarray or scalar
Of the shape of `x`: float64, or complex128 for complex values.
! ValueError
For no points, numbers of them that differ, other ranks than 1, and a period of 0.
~ It is not looked at whether places ascend.
d yes It flows to the places and the values; at a point it is that of the line behind it.
% made
& searchsorted, trapezoid
>>> np.interp([0.0, 2.5, 9.0], [1, 2, 3], [3, 2, 0])
array([3., 1., 0.])
>>> np.interp(-30, [0, 90, 180], [0, 1, 0], period=360)
np.float64(0.0)
"""
_MODE = """
@mode : {'full', 'same', 'valid'}, optional
Which sums are given: all, as many as the longer operand has elements, or those without a border.
-> ndarray
In the dtype that both promote to.
! ValueError
For empty operands, and other ranks than 1.
d yes
% made
"""
TEXTS["convolve"] = (
    """
The discrete convolution of two arrays of one axis.

The sums of ``a[i] * v[k - i]``, for each k.

@a, v : array_like
The operands.
"""
    + _MODE
    + """
& correlate, polymul
>>> np.convolve([1, 2, 3], [0, 1, 0.5])
array([0. , 1. , 2.5, 4. , 1.5])
>>> np.convolve([1, 2, 3], [0, 1, 0.5], mode="same")
array([1. , 2.5, 4. ])
"""
)
TEXTS["correlate"] = (
    """
The cross-correlation of two arrays of one axis.

The sums of ``a[k + i] * conjugate(v[i])``, for each k.

@a, v : array_like
The operands.
"""
    + _MODE
    + """
& convolve
>>> np.correlate([1, 2, 3], [0, 1, 0.5])
array([3.5])
>>> np.correlate([1, 2, 3], [0, 1, 0.5], mode="full")
array([0.5, 2. , 3.5, 3. , 0. ])
"""
)
