"""What is particular to ufuncs of two operands; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["add"] = """
Sum of two arrays, element by element: ``x1 + x2``.

Bools are joined by a logical or. Integers wrap around where the sum does not fit.

@x1, x2
The summands.
-> ``x1 + x2``, in the dtype that both promote to.
d 1 | 1
& subtract, sum, logical_or
>>> np.add([1.0, 2.0], [10.0, 20.0])
array([11., 22.])
>>> np.add.reduce([1, 2, 4])
np.int64(7)
"""
TEXTS["subtract"] = """
Difference of two arrays, element by element: ``x1 - x2``.

Bools have none (TypeError): `logical_xor` is the one they have. Unsigned integers wrap around.

@x1, x2
What is subtracted from, and what is subtracted.
-> ``x1 - x2``, in the dtype that both promote to.
d 1 | -1
& add, negative, logical_xor
>>> np.subtract([5, 3], 1)
array([4, 2])
"""
TEXTS["multiply"] = """
Product of two arrays, element by element: ``x1 * x2``.

Bools are joined by a logical and. Integers wrap around where the product does not fit. `matmul` is
the product of matrices.

@x1, x2
The factors.
-> ``x1 * x2``, in the dtype that both promote to.
d x2 | x1
& divide, matmul, prod
>>> np.multiply([1.0, 2.0], [[3.0], [4.0]])
array([[3., 6.],
       [4., 8.]])
"""
TEXTS["divide"] = """
Quotient of two arrays, element by element: ``x1 / x2``.

Integers are divided as float64 numbers. A number by zero is an infinity, zero by zero NaN, both
with a RuntimeWarning. `true_divide` is another name.

@x1, x2
Dividend and divisor.
-> ``x1 / x2``, floating or complex.
d 1 / x2 | -x1 / x2 ** 2
& floor_divide, remainder, reciprocal
>>> np.divide([1, 2, 3], 2)
array([0.5, 1. , 1.5])
"""
TEXTS["floor_divide"] = """
Largest whole number that is not above the quotient: ``x1 // x2``.

It rounds towards minus infinity, as Python does: ``x1 == (x1 // x2) * x2 + x1 % x2``. An integer
by zero is 0, with a RuntimeWarning.

@x1, x2
Dividend and divisor.
-> ``x1 // x2``, in the dtype that both promote to.
d zero
& remainder, divmod, floor
>>> np.floor_divide([7, -7], 2)
array([ 3, -4])
"""
TEXTS["remainder"] = """
Remainder of the division, with the sign of the divisor: ``x1 % x2``.

It is the remainder of `floor_divide`. An integer by zero gives 0, a floating number NaN, both with
a RuntimeWarning. `mod` is another name.

@x1, x2
Dividend and divisor.
-> ``x1 % x2``, in the dtype that both promote to.
d 1 | -floor_divide(x1, x2)
& fmod, floor_divide, divmod
>>> np.remainder([7, -7], 3)
array([1, 2])
"""
TEXTS["fmod"] = """
Remainder of the division, with the sign of the dividend.

C's fmod: the remainder of a quotient that is rounded towards zero.

@x1, x2
Dividend and divisor.
-> The remainder, in the dtype that both promote to.
d 1 | -trunc(x1 / x2)
& remainder, trunc
>>> np.fmod([7, -7], 3)
array([ 1, -1])
"""
TEXTS["divmod"] = """
Quotient and remainder at once: ``(x1 // x2, x1 % x2)``.

The quotient is rounded towards minus infinity; the remainder has the sign of the divisor.

@x1, x2
Dividend and divisor.
-> quotient : ndarray or scalar
As `floor_divide` gives it.
-> remainder : ndarray or scalar
As `remainder` gives it.
d ~ The quotient has derivative zero, the remainder that of `remainder`.
& floor_divide, remainder, modf
>>> np.divmod([7, -7], 3)
(array([ 2, -3]), array([1, 2]))
"""
TEXTS["power"] = """
Power of each element: ``x1 ** x2``.

Integers stay integers, and wrap around. A number below zero to a power that is not whole is NaN
with a RuntimeWarning. `pow` is another name.

@x1, x2
Base and exponent.
-> ``x1 ** x2``, in the dtype that both promote to.
! ValueError
For integers to negative integer powers.
d x2 * x1 ** (x2 - 1) | x1 ** x2 * log(x1); That by the exponent is 0 where the base is 0.
& float_power, square, sqrt, exp
>>> np.power([1, 2, 3], 2)
array([1, 4, 9])
>>> np.power(2.0, [-1.0, 0.5])
array([0.5       , 1.41421356])
"""
TEXTS["float_power"] = """
Power of each element, in float64 or complex128.

Other than `power` it has no integer results, so negative exponents of integers are allowed.

@x1, x2
Base and exponent, of any numeric dtype.
-> ``x1 ** x2``, float64 or complex128.
d x2 * x1 ** (x2 - 1) | x1 ** x2 * log(x1); That by the exponent is 0 where the base is 0.
& power
>>> np.float_power([1, 2, 4], -1)
array([1.  , 0.5 , 0.25])
"""
_EXTREME = """
The {larger} of two elements{nan}.

{more}

@x1, x2
What is compared.
-> The {larger} one, in the dtype that both promote to.
d {derivative}; Equal operands share it alike.
& {others}
"""
TEXTS["maximum"] = (
    _EXTREME.format(
        larger="larger",
        nan="; NaN where either is NaN",
        more="Complex numbers are ordered by their real parts, then by the imaginary ones.",
        derivative="where(x1 > x2, 1, 0) | where(x2 > x1, 1, 0)",
        others="minimum, fmax, max, clip",
    )
    + """
>>> np.maximum([1.0, 5.0, np.nan], [2.0, 3.0, 4.0])
array([ 2.,  5., nan])
"""
)
TEXTS["minimum"] = (
    _EXTREME.format(
        larger="smaller",
        nan="; NaN where either is NaN",
        more="Complex numbers are ordered by their real parts, then by the imaginary ones.",
        derivative="where(x1 < x2, 1, 0) | where(x2 < x1, 1, 0)",
        others="maximum, fmin, min, clip",
    )
    + """
>>> np.minimum([1.0, 5.0, np.nan], [2.0, 3.0, 4.0])
array([ 1.,  3., nan])
"""
)
TEXTS["fmax"] = (
    _EXTREME.format(
        larger="larger",
        nan="; a number wins over NaN",
        more="NaN comes out only where both are NaN. Which of two zeros is given is not defined.",
        derivative="where(x1 > x2, 1, 0) | where(x2 > x1, 1, 0)",
        others="maximum, fmin, nanmax",
    )
    + """
>>> np.fmax([1.0, 5.0, np.nan], [2.0, 3.0, 4.0])
array([2., 5., 4.])
"""
)
TEXTS["fmin"] = (
    _EXTREME.format(
        larger="smaller",
        nan="; a number wins over NaN",
        more="NaN comes out only where both are NaN. Which of two zeros is given is not defined.",
        derivative="where(x1 < x2, 1, 0) | where(x2 < x1, 1, 0)",
        others="minimum, fmax, nanmin",
    )
    + """
>>> np.fmin([1.0, 5.0, np.nan], [2.0, 3.0, 4.0])
array([1., 3., 4.])
"""
)
TEXTS["arctan2"] = """
Angle in radians of the point (`x2`, `x1`) seen from the origin.

The signs of both coordinates choose the quadrant. Note the order: first the ordinate, then the
abscissa. `atan2` is another name.

@x1, x2
Ordinate (y) and abscissa (x) of the points.
-> The angle, between -pi and pi.
d x2 / (x1 ** 2 + x2 ** 2) | -x1 / (x1 ** 2 + x2 ** 2)
& arctan, hypot
>>> np.arctan2([1.0, -1.0], [1.0, -1.0])
array([ 0.78539816, -2.35619449])
"""
TEXTS["hypot"] = """
Length of the hypotenuse: ``sqrt(x1 ** 2 + x2 ** 2)``.

The squares do not overflow, nor lose what is small.

@x1, x2
The legs of right triangles.
-> The length, never negative.
d x1 / hypot(x1, x2) | x2 / hypot(x1, x2); At the origin both are 0.
& absolute, sqrt, arctan2
>>> np.hypot(3.0, [4.0, 1e200])
array([5.e+000, 1.e+200])
"""
TEXTS["logaddexp"] = """
Logarithm of the sum of exponentials: ``log(exp(x1) + exp(x2))``.

Sums of probabilities that are kept as logarithms, where the exponentials themselves would be 0.

@x1, x2
Logarithms.
-> The logarithm of the sum; at least the larger operand.
d exp(x1 - logaddexp(x1, x2)) | exp(x2 - logaddexp(x1, x2))
& logaddexp2, exp, log
>>> np.logaddexp(-1000.0, -1001.0)
np.float64(-999.6867383124818)
"""
TEXTS["logaddexp2"] = """
Logarithm to the base of 2 of a sum of powers of 2: ``log2(2 ** x1 + 2 ** x2)``.

`logaddexp` to another base, for logarithms that count bits.

@x1, x2
Logarithms to the base of 2.
-> The logarithm of the sum.
d exp2(x1 - logaddexp2(x1, x2)) | exp2(x2 - logaddexp2(x1, x2))
& logaddexp, exp2, log2
>>> np.logaddexp2(3.0, 3.0)
np.float64(4.0)
"""
TEXTS["copysign"] = """
The first operand with the sign of the second.

The sign of -0.0 and of NaN counts, too.

@x1, x2
What gives the size, and what gives the sign.
-> `x1` with the sign of `x2`.
d sign(x1) * copysign(1, x2) | 0 * x1
& sign, signbit
>>> np.copysign(3.0, [-1.0, 0.0, -0.0])
array([-3.,  3., -3.])
"""
TEXTS["nextafter"] = """
Next floating number after the first operand, towards the second.

Where both are equal, that number itself. Small steps to test the limits of an algorithm by.

@x1, x2
Where to begin, and where to go.
-> The neighbour.
~ Between the two zeros of float16 it gives the first one, as NumPy before 2.5.
d undefined
& spacing
>>> np.nextafter(1.0, 2.0) == 1.0 + np.finfo(float).eps
np.True_
"""
TEXTS["heaviside"] = """
Step function: 0 below zero, 1 above, and the second operand at zero.

NaN stays NaN.

@x1, x2
Where the step function is taken, and its value at 0.
-> 0, `x2` or 1.
d 0 * x1 | where(x1 == 0, 1, 0)
& sign, where
>>> np.heaviside([-1.0, 0.0, 2.0], 0.5)
array([0. , 0.5, 1. ])
"""
TEXTS["ldexp"] = """
Product with a power of two: ``x1 * 2 ** x2``.

It changes the exponent alone, so it is exact but where it over- or underflows. The inverse of
`frexp`.

@x1 : array_like, floating dtype
The mantissas.
@x2 : array_like, integer dtype
The exponents.
-> ``x1 * 2 ** x2``, in the dtype of `x1`.
d ~ Derivative by `x1`: ``2 ** x2``. The exponents are integers, and have none.
& frexp, exp2
>>> np.ldexp(0.75, [0, 1, 4])
array([ 0.75,  1.5 , 12.  ])
"""
