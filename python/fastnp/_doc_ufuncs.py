"""What is particular to ufuncs of one operand; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["sqrt"] = """
Square root: the one that is not negative.

Of a complex number the root whose real part is not negative. Real numbers below 0 give NaN and a
RuntimeWarning; `numpy.emath.sqrt` makes complex numbers of those.

@x
The numbers.
-> The root; its square is `x`.
d 1 / (2 * sqrt(x)); At 0 it is infinite.
& cbrt, square, hypot
>>> np.sqrt([0.0, 2.25, 16.0])
array([0. , 1.5, 4. ])
>>> np.sqrt(-4 + 0j)
np.complex128(2j)
"""
TEXTS["cbrt"] = """
Cube root of real numbers.

It is defined for negative numbers, other than ``x ** (1 / 3)``.

@x
Real numbers.
-> The number whose cube is `x`, with the sign of `x`.
d 1 / (3 * cbrt(x) ** 2)
& sqrt, power
>>> np.cbrt([-8.0, 0.0, 27.0])
array([-2.,  0.,  3.])
"""
TEXTS["square"] = """
Square of each element: ``x * x``.

``x ** 2`` is computed by it. Integers wrap around where the square does not fit.

@x
The numbers.
-> ``x * x``, in the dtype of `x`.
d 2 * x
& sqrt, power, multiply
>>> np.square([-3, 4])
array([ 9, 16])
>>> np.square(1j)
np.complex128(-1+0j)
"""
TEXTS["reciprocal"] = """
One divided by each element: ``1 / x``.

Integers are divided as integers: the result is 0 but for 1 and -1. ``1 / x`` makes floating numbers of them.

@x
The numbers.
-> ``1 / x``, in the dtype of `x`.
d -1 / x ** 2
& divide
>>> np.reciprocal([2.0, -0.25])
array([ 0.5, -4. ])
>>> np.reciprocal([1, 2])
array([1, 0])
"""
TEXTS["exp"] = """
Exponential: e to the power of each element.

It overflows to infinity above 709.78 in float64, with a RuntimeWarning.

@x
The exponents.
-> ``e ** x``.
d exp(x)
& expm1, exp2, log
>>> np.exp([0.0, 1.0])
array([1.        , 2.71828183])
"""
TEXTS["exp2"] = """
Power of two of each element: ``2 ** x``.

Whole exponents give exact powers.

@x
The exponents.
-> ``2 ** x``.
d exp2(x) * log(2)
& exp, log2, ldexp
>>> np.exp2([-1.0, 0.0, 10.0])
array([5.000e-01, 1.000e+00, 1.024e+03])
"""
TEXTS["expm1"] = """
Exponential less one: ``exp(x) - 1``, exact near zero.

For small `x` the difference ``exp(x) - 1`` loses its digits; this does not.

@x
The exponents.
-> ``exp(x) - 1``, above -1.
d exp(x)
& exp, log1p
>>> np.expm1(1e-10)
np.float64(1.00000000005e-10)
"""
TEXTS["log"] = """
Natural logarithm.

0 gives minus infinity, numbers below it NaN, both with a RuntimeWarning. Of complex numbers the
principal branch: the imaginary part is between -pi and pi.

@x
The numbers.
-> The exponent of e that gives `x`.
d 1 / x
& log2, log10, log1p, exp
>>> np.log([1.0, 2.0])
array([0.        , 0.69314718])
"""
TEXTS["log2"] = """
Logarithm to the base of 2.

Powers of two give whole numbers. 0 gives minus infinity, numbers below it NaN.

@x
The numbers.
-> The exponent of 2 that gives `x`.
d 1 / (x * log(2))
& log, log10, exp2, frexp
>>> np.log2([0.25, 1.0, 8.0])
array([-2.,  0.,  3.])
"""
TEXTS["log10"] = """
Logarithm to the base of 10.

0 gives minus infinity, numbers below it NaN, both with a RuntimeWarning.

@x
The numbers.
-> The exponent of 10 that gives `x`.
d 1 / (x * log(10))
& log, log2
>>> np.log10([0.01, 1.0, 1000.0])
array([-2.,  0.,  3.])
"""
TEXTS["log1p"] = """
Logarithm of one plus each element: ``log(1 + x)``, exact near zero.

For small `x` the sum ``1 + x`` loses the digits of `x`; this does not. -1 gives minus infinity.

@x
The numbers, from -1 on.
-> ``log(1 + x)``.
d 1 / (1 + x)
& log, expm1
>>> np.log1p(1e-10)
np.float64(9.999999999500001e-11)
"""
TEXTS["sin"] = """
Sine of angles in radians.

Infinities give NaN and a RuntimeWarning.

@x
The angles, in radians; complex numbers, too.
-> The sine, for real `x` between -1 and 1.
d cos(x)
& cos, tan, arcsin, sinh
>>> np.sin([0.0, np.pi / 2])
array([0., 1.])
"""
TEXTS["cos"] = """
Cosine of angles in radians.

Infinities give NaN and a RuntimeWarning.

@x
The angles, in radians; complex numbers, too.
-> The cosine, for real `x` between -1 and 1.
d -sin(x)
& sin, tan, arccos, cosh
>>> np.cos([0.0, np.pi])
array([ 1., -1.])
"""
TEXTS["tan"] = """
Tangent of angles in radians: ``sin(x) / cos(x)``.

It is large beside odd multiples of pi / 2, none of which is a floating number.

@x
The angles, in radians; complex numbers, too.
-> The tangent.
d 1 + tan(x) ** 2
& sin, cos, arctan, tanh
>>> np.tan([0.0, np.pi / 4])
array([0., 1.])
"""
TEXTS["arcsin"] = """
Angle in radians whose sine is the element.

Real numbers beyond -1 and 1 give NaN and a RuntimeWarning; complex ones have an angle everywhere.
`asin` is another name.

@x
Sines.
-> The angle, for real `x` between -pi / 2 and pi / 2.
d 1 / sqrt(1 - x ** 2)
& sin, arccos, arctan
>>> np.arcsin([0.0, 1.0])
array([0.        , 1.57079633])
"""
TEXTS["arccos"] = """
Angle in radians whose cosine is the element.

Real numbers beyond -1 and 1 give NaN and a RuntimeWarning; complex ones have an angle everywhere.
`acos` is another name.

@x
Cosines.
-> The angle, for real `x` between 0 and pi.
d -1 / sqrt(1 - x ** 2)
& cos, arcsin, arctan
>>> np.arccos([1.0, 0.0, -1.0])
array([0.        , 1.57079633, 3.14159265])
"""
TEXTS["arctan"] = """
Angle in radians whose tangent is the element.

`arctan2` tells all four quadrants apart. `atan` is another name.

@x
Tangents; infinities give pi / 2 with their sign.
-> The angle, for real `x` between -pi / 2 and pi / 2.
d 1 / (1 + x ** 2)
& arctan2, tan, arcsin
>>> np.arctan([0.0, 1.0, np.inf])
array([0.        , 0.78539816, 1.57079633])
"""
TEXTS["sinh"] = """
Hyperbolic sine: ``(exp(x) - exp(-x)) / 2``.

It keeps its digits near zero, where the difference of exponentials would lose them.

@x
The numbers.
-> The hyperbolic sine; odd in `x`.
d cosh(x)
& cosh, tanh, arcsinh, sin
>>> np.sinh([0.0, 1.0])
array([0.        , 1.17520119])
"""
TEXTS["cosh"] = """
Hyperbolic cosine: ``(exp(x) + exp(-x)) / 2``.

The shape of a hanging chain. It overflows above 710.47 in float64.

@x
The numbers.
-> The hyperbolic cosine; for real `x` at least 1.
d sinh(x)
& sinh, tanh, arccosh, cos
>>> np.cosh([0.0, 1.0])
array([1.        , 1.54308063])
"""
TEXTS["tanh"] = """
Hyperbolic tangent: ``sinh(x) / cosh(x)``.

It does not overflow: large numbers give 1 with their sign.

@x
The numbers.
-> The hyperbolic tangent, for real `x` between -1 and 1.
d 1 - tanh(x) ** 2
& sinh, cosh, arctanh
>>> np.tanh([0.0, 0.5, 50.0])
array([0.        , 0.46211716, 1.        ])
"""
TEXTS["arcsinh"] = """
Inverse of the hyperbolic sine.

It is ``log(x + sqrt(x ** 2 + 1))`` without overflow and without loss near zero. `asinh` is another name.

@x
The numbers.
-> The number whose hyperbolic sine is `x`.
d 1 / sqrt(1 + x ** 2)
& sinh, arccosh, arctanh
>>> np.arcsinh([0.0, 1.0])
array([0.        , 0.88137359])
"""
TEXTS["arccosh"] = """
Inverse of the hyperbolic cosine.

Real numbers below 1 give NaN and a RuntimeWarning; complex ones have a value everywhere.
`acosh` is another name.

@x
The numbers, from 1 on.
-> The number that is not negative whose hyperbolic cosine is `x`.
d 1 / (sqrt(x - 1) * sqrt(x + 1))
& cosh, arcsinh, arctanh
>>> np.arccosh([1.0, 2.0])
array([0.       , 1.3169579])
"""
TEXTS["arctanh"] = """
Inverse of the hyperbolic tangent.

-1 and 1 give infinities, real numbers beyond them NaN, with a RuntimeWarning. `atanh` is another name.

@x
The numbers, between -1 and 1.
-> The number whose hyperbolic tangent is `x`.
d 1 / (1 - x ** 2)
& tanh, arcsinh, arccosh
>>> np.arctanh([0.0, 0.5])
array([0.        , 0.54930614])
"""
_DEGREES = """
Angles in radians as degrees: ``x * 180 / pi``.

{}

@x
Angles in radians.
-> The angles in degrees.
d 180 / pi
& radians, deg2rad
"""
TEXTS["degrees"] = (
    _DEGREES.format("A full turn is 360. `rad2deg` is the same function under another name.")
    + """
>>> np.degrees([0.0, np.pi / 2, -np.pi])
array([   0.,   90., -180.])
"""
)
TEXTS["rad2deg"] = (
    _DEGREES.format("A full turn is 360. `degrees` is the same function under another name.")
    + """
>>> np.rad2deg([0.0, np.pi / 2, -np.pi])
array([   0.,   90., -180.])
"""
)
_RADIANS = """
Angles in degrees as radians: ``x * pi / 180``.

{}

@x
Angles in degrees.
-> The angles in radians, as `sin` and its kin take them.
d pi / 180
& degrees, rad2deg
"""
TEXTS["radians"] = (
    _RADIANS.format("A full turn is 2 pi. `deg2rad` is the same function under another name.")
    + """
>>> np.radians([0.0, 90.0, -180.0])
array([ 0.        ,  1.57079633, -3.14159265])
"""
)
TEXTS["deg2rad"] = (
    _RADIANS.format("A full turn is 2 pi. `radians` is the same function under another name.")
    + """
>>> np.deg2rad([0.0, 90.0, -180.0])
array([ 0.        ,  1.57079633, -3.14159265])
"""
)
