"""What is particular to functions of each element by itself that are made of others; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["angle"] = """
The argument of complex numbers: the angle from the positive real axis, counterclockwise.

@z : array_like
Complex or real numbers.
@deg : bool, optional
Whether it is told in degrees instead of radians.
-> ndarray or scalar
From -pi to pi (-180 to 180), floating: float64 of integers. Of real numbers 0, or pi of negative ones.
d yes
% made
& arctan2, absolute, unwrap
>>> np.angle([1.0, 1.0j, -1.0], deg=True)
array([  0.,  90., 180.])
"""
TEXTS["fix"] = """
Rounded towards zero, as `trunc`.

@x : array_like
Real numbers.
@out : ndarray, optional
Array that the result is written to, and that is returned.
-> ndarray or scalar
Of the shape and dtype of `x`.
d zero
% made
& trunc, floor, ceil, rint
>>> np.fix([2.9, -2.9])
array([ 2., -2.])
"""
TEXTS["sinc"] = """
The normalised sinc function ``sin(pi x) / (pi x)``, 1 at 0.

@x : array_like
Numbers.
-> ndarray or scalar
Of the shape of `x`, floating or complex: float64 of integers.
d yes At 0 they are the function's, too.
% made
& sin
>>> np.sinc([0.0, 0.5])
array([1.        , 0.63661977])
"""
TEXTS["nan_to_num"] = """
NaN and infinities replaced by numbers.

@x : array_like
Numbers; integers are as they are.
@copy : bool, optional
False: what is replaced is replaced in `x`, which is returned.
@nan : scalar or array_like, optional
What takes the place of NaN.
@posinf, neginf : scalar or array_like, optional
What takes the places of infinities. None: the largest and the least number of the dtype.
-> ndarray or scalar
Of the shape and dtype of `x`. The parts of complex numbers are replaced each by itself.
! TypeError
For replacements that can't be cast to the dtype.
! ValueError
Without a copy, of a read-only array.
d yes It is zero where elements were replaced.
% made
& isnan, isinf, where
>>> np.nan_to_num([1.0, np.nan, np.inf], posinf=9.0)
array([1., 0., 9.])
"""
TEXTS["real_if_close"] = """
The real parts of complex numbers whose imaginary parts are all close to 0.

@a : array_like
Numbers.
@tol : float, optional
Above 1: in machine precisions of the dtype. Otherwise the least imaginary part that is not close to 0.
-> ndarray
A view of the real parts, or `a` itself.
~ In a compiled function the answer is a branch: each has compiled code of its own.
d yes
% made
& real, isreal
>>> np.real_if_close([2.1 + 4e-14j], tol=1000)
array([2.1])
>>> np.real_if_close([2.1 + 4e-13j], tol=1000)
array([2.1+4.e-13j])
"""
TEXTS["unwrap"] = """
Values along an axis without jumps: multiples of a period are added.

@p : array_like
Values, as angles are, with at least one axis.
@discont : float, optional
Jumps that are smaller stay. None, and at least: half of the period.
@axis : int, optional
The axis.
@period : float, optional
The period.
-> ndarray
Of the shape of `p`, floating unless values and period are integers.
! AxisError
For an axis that `p` has not.
! ValueError
For arrays of no axes.
d yes
% made
& diff, cumsum, angle
>>> np.unwrap([0, 1, 2, -1, 0], period=4)
array([0, 1, 2, 3, 4])
"""

TEXTS["packbits"] = """
Elements as bits: eight of them are a byte.

@a : array_like of bool or int
A bit is set where they are not zero.
@axis : int or None
The axis that is packed; the last byte is filled up with zeros. None: the elements in C order.
@bitorder : {'big', 'little'}
Whether the first element is the largest bit of a byte, or the smallest.
-> ndarray, uint8
An eighth of the elements along the axis.
! TypeError
For other dtypes.
d none
% made
& unpackbits
>>> np.packbits([1, 0, 1])
array([160], dtype=uint8)
"""
TEXTS["unpackbits"] = """
The bits of bytes, each as an element.

@a : array_like of uint8
The bytes.
@axis : int or None
The axis that is unpacked. None: the bytes in C order.
@count : int or None
How many bits there are to be along the axis, zeros behind the others; below 0 all but so many.
@bitorder : {'big', 'little'}
Whether the first element is the largest bit of a byte, or the smallest.
-> ndarray, uint8
Zeros and ones.
! TypeError
For other dtypes.
! ValueError
For fewer bits than none.
d none
% made
& packbits
>>> np.unpackbits(np.array([160], dtype=np.uint8), count=3)
array([1, 0, 1], dtype=uint8)
"""
