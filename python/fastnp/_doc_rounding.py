"""What is particular to ufuncs of one operand that round, take signs and take numbers apart; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["positive"] = """
The elements as they are: ``+x``.

A copy of the operand, as the unary plus has it.

@x
The numbers.
-> The same values in memory of their own.
d 1
& negative, absolute
>>> np.positive(np.array([-1.5, 0.0, 2.0]))
array([-1.5,  0. ,  2. ])
"""
TEXTS["negative"] = """
The elements with the other sign: ``-x``.

Unsigned integers wrap around, and so does the least of the signed ones. A zero changes its sign, too.

@x
The numbers.
-> ``-x``.
d -1
& positive, subtract, sign
>>> np.negative([1.0, -2.5])
array([-1. ,  2.5])
"""
TEXTS["absolute"] = """
Absolute value; of a complex number its modulus.

``abs(x)`` is the same. The least of the signed integers, which has no counterpart, stays as it is.

@x
The numbers.
-> The distance from zero: never negative, real where `x` is complex.
d sign(x); At 0 it is 0.
& fabs, sign, hypot
>>> np.absolute(np.array([-3, 2]))
array([3, 2])
>>> np.absolute(3 + 4j)
np.float64(5.0)
"""
TEXTS["fabs"] = """
Absolute value of real numbers, as a floating number.

Other than `absolute`, it makes floating numbers of integers, and takes no complex ones.

@x
Real numbers.
-> The distance from zero.
d sign(x); At 0 it is 0.
& absolute
>>> np.fabs([-3, 2])
array([3., 2.])
"""
TEXTS["sign"] = """
Sign of each element: -1, 0 or 1.

Of a complex number the direction, ``x / abs(x)``. NaN stays NaN.

@x
The numbers.
-> The sign, in the dtype of `x`.
d zero
& signbit, copysign, absolute
>>> np.sign([-2.0, 0.0, 7.5])
array([-1.,  0.,  1.])
>>> np.sign(3 + 4j)
np.complex128(0.6+0.8j)
"""
TEXTS["rint"] = """
Nearest whole number, as a floating number.

Halves go to the even neighbour, as IEEE 754 has it. The parts of complex numbers are rounded one by one.

@x
The numbers.
-> Whole numbers in a floating dtype.
d zero
& round, floor, ceil, trunc
>>> np.rint([0.5, 1.5, -2.7])
array([ 0.,  2., -3.])
"""
TEXTS["floor"] = """
Largest whole number that is not above the element.

It rounds towards minus infinity. Integers and bools stay as they are.

@x
Real numbers.
-> Whole numbers in the dtype of `x`.
d zero
& ceil, trunc, rint, floor_divide
>>> np.floor([-1.5, 0.2, 2.0])
array([-2.,  0.,  2.])
"""
TEXTS["ceil"] = """
Smallest whole number that is not below the element.

It rounds towards infinity. Integers and bools stay as they are.

@x
Real numbers.
-> Whole numbers in the dtype of `x`.
d zero
& floor, trunc, rint
>>> np.ceil([-1.5, 0.2, 2.0])
array([-1.,  1.,  2.])
"""
TEXTS["trunc"] = """
The element without its fractional part.

It rounds towards zero. Integers and bools stay as they are.

@x
Real numbers.
-> Whole numbers in the dtype of `x`.
d zero
& floor, ceil, rint, modf
>>> np.trunc([-1.7, 0.2, 2.9])
array([-1.,  0.,  2.])
"""
TEXTS["spacing"] = """
Distance from each element to the next floating number away from zero.

It is the unit in the last place: ``spacing(1.0)`` is `numpy.finfo`'s ``eps``.

@x
Real numbers.
-> The distance, with the sign of `x`.
d undefined
& nextafter, finfo
>>> np.spacing([1.0, 1000.0])
array([2.22044605e-16, 1.13686838e-13])
"""
TEXTS["conjugate"] = """
Complex conjugate: the imaginary part with the other sign.

Real numbers stay as they are. `conj` is another name.

@x
The numbers.
-> The conjugate, in the dtype of `x`.
d 1; Of complex numbers the change is conjugated, too.
& absolute, real, imag
>>> np.conjugate(np.array([1 + 2j, 3 - 1j]))
array([1.-2.j, 3.+1.j])
"""
TEXTS["frexp"] = """
Mantissa and exponent of each element, to the base of 2.

``x == mantissa * 2 ** exponent``. Zeros, infinities and NaN are their own mantissa.

@x
Real numbers.
-> mantissa : ndarray or scalar, floating
The part between 0.5 and 1, with the sign of `x`.
-> exponent : ndarray or scalar, int32
The power of two.
d ~ The mantissa has the derivative ``1 / 2 ** exponent``, the exponent none.
& ldexp, log2, modf
>>> np.frexp([8.0, -0.3])
(array([ 0.5, -0.6]), array([ 4, -1], dtype=int32))
"""
TEXTS["modf"] = """
Fractional and integral part of each element.

Both have the sign of the element, and their sum is the element.

@x
Real numbers.
-> fraction : ndarray or scalar, floating
The part behind the point.
-> whole : ndarray or scalar, floating
The whole number, as `trunc` gives it.
d ~ The fraction has derivative 1, the whole number derivative 0.
& trunc, divmod, frexp
>>> np.modf([1.25, -3.5])
(array([ 0.25, -0.5 ]), array([ 1., -3.]))
"""
