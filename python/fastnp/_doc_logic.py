"""What is particular to ufuncs of truth values, comparisons, bits and integers; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["gcd"] = """
Greatest common divisor of two integers.

Signs do not count. ``gcd(0, n)`` is the absolute value of n.

@x1, x2
Integers.
-> The divisor, never negative.
d none
& lcm
>>> np.gcd([12, 18], 8)
array([4, 2])
"""
TEXTS["lcm"] = """
Lowest common multiple of two integers.

Signs do not count. With a zero it is 0.

@x1, x2
Integers.
-> The multiple, never negative; it wraps around where it does not fit.
d none
& gcd
>>> np.lcm([4, 6], 10)
array([20, 30])
"""
_COMPARED = """
Whether {words}: ``x1 {sign} x2``, element by element.

{more}

@x1, x2
What is compared.
-> True where it holds.
d none
& {others}
"""
TEXTS["equal"] = (
    _COMPARED.format(
        words="both elements are equal",
        sign="==",
        others="not_equal, isclose, array_equal",
        more="NaN equals nothing. Integers of different signedness are compared by their values.",
    )
    + """
>>> np.equal([1.0, 2.0, 3.0], 2.0)
array([False,  True, False])
>>> np.equal(np.nan, np.nan)
np.False_
"""
)
TEXTS["not_equal"] = (
    _COMPARED.format(
        words="the elements differ",
        sign="!=",
        others="equal, isclose",
        more="NaN differs from everything, itself included.",
    )
    + """
>>> np.not_equal([1.0, 2.0, 3.0], 2.0)
array([ True, False,  True])
>>> np.not_equal(np.nan, np.nan)
np.True_
"""
)
TEXTS["less"] = (
    _COMPARED.format(
        words="the first element is smaller",
        sign="<",
        others="greater, less_equal, minimum",
        more="Comparisons with NaN are False. Complex numbers are ordered by real, then imaginary parts.",
    )
    + """
>>> np.less([1.0, 2.0, 3.0], 2.0)
array([ True, False, False])
>>> np.less(np.nan, np.nan)
np.False_
"""
)
TEXTS["less_equal"] = (
    _COMPARED.format(
        words="the first element is smaller, or equal",
        sign="<=",
        others="less, greater_equal",
        more="Comparisons with NaN are False. Complex numbers are ordered by real, then imaginary parts.",
    )
    + """
>>> np.less_equal([1.0, 2.0, 3.0], 2.0)
array([ True,  True, False])
>>> np.less_equal(np.nan, np.nan)
np.False_
"""
)
TEXTS["greater"] = (
    _COMPARED.format(
        words="the first element is larger",
        sign=">",
        others="less, greater_equal, maximum",
        more="Comparisons with NaN are False. Complex numbers are ordered by real, then imaginary parts.",
    )
    + """
>>> np.greater([1.0, 2.0, 3.0], 2.0)
array([False, False,  True])
>>> np.greater(np.nan, np.nan)
np.False_
"""
)
TEXTS["greater_equal"] = (
    _COMPARED.format(
        words="the first element is larger, or equal",
        sign=">=",
        others="greater, less_equal",
        more="Comparisons with NaN are False. Complex numbers are ordered by real, then imaginary parts.",
    )
    + """
>>> np.greater_equal([1.0, 2.0, 3.0], 2.0)
array([False,  True,  True])
>>> np.greater_equal(np.nan, np.nan)
np.False_
"""
)
_LOGICAL = """
Truth value of ``x1 {word} x2``, element by element.

{more}

@x1, x2
Values of any dtype; zeros are false, all others true.
-> {result}
d none
& {others}
"""
TEXTS["logical_and"] = (
    _LOGICAL.format(
        word="and",
        others="logical_or, logical_not, bitwise_and, all",
        result="True where both are true.",
        more="Other than `bitwise_and` it looks at numbers as a whole: 1 and 2 are both true.",
    )
    + """
>>> np.logical_and([True, True, False], [True, False, False])
array([ True, False, False])
>>> np.logical_and([2, 0], 1)
array([ True, False])
"""
)
TEXTS["logical_or"] = (
    _LOGICAL.format(
        word="or",
        others="logical_and, logical_xor, bitwise_or, any",
        result="True where one of them is true, or both.",
        more="Other than `bitwise_or` it takes numbers of any dtype, and gives bools.",
    )
    + """
>>> np.logical_or([True, True, False], [True, False, False])
array([ True,  True, False])
>>> np.logical_or([2, 0], 1)
array([ True,  True])
"""
)
TEXTS["logical_xor"] = (
    _LOGICAL.format(
        word="xor",
        others="logical_or, bitwise_xor, not_equal",
        result="True where one of them is true, and not both.",
        more="Of bools it is the same as `not_equal`.",
    )
    + """
>>> np.logical_xor([True, True, False], [True, False, False])
array([False,  True, False])
>>> np.logical_xor([2, 0], 1)
array([False,  True])
"""
)
_BITS = """
Bits that are 1 in {words}: ``x1 {sign} x2``.

{more}

@x1, x2
Integers or bools.
-> ``x1 {sign} x2``, in the dtype that both promote to.
d none
& {others}
"""
TEXTS["bitwise_and"] = (
    _BITS.format(
        words="both integers",
        sign="&",
        others="bitwise_or, bitwise_xor, logical_and",
        more="Of bools it is the logical and. Masks are combined by it: ``(x > 0) & (x < 1)``.",
    )
    + """
>>> np.bitwise_and(np.array([12, 5]), 10)
array([8, 0])
>>> np.bitwise_and([True, True, False], [True, False, False])
array([ True, False, False])
"""
)
TEXTS["bitwise_or"] = (
    _BITS.format(
        words="one of the integers, or in both",
        sign="|",
        others="bitwise_and, bitwise_xor, logical_or",
        more="Of bools it is the logical or. Masks are joined by it: ``(x < 0) | (x > 1)``.",
    )
    + """
>>> np.bitwise_or(np.array([12, 5]), 10)
array([14, 15])
>>> np.bitwise_or([True, True, False], [True, False, False])
array([ True,  True, False])
"""
)
TEXTS["bitwise_xor"] = (
    _BITS.format(
        words="one of the integers, and not in both",
        sign="^",
        others="bitwise_and, bitwise_or, logical_xor",
        more="Of bools it is the exclusive or.",
    )
    + """
>>> np.bitwise_xor(np.array([12, 5]), 10)
array([ 6, 15])
>>> np.bitwise_xor([True, True, False], [True, False, False])
array([False,  True, False])
"""
)
TEXTS["left_shift"] = """
Bits of integers moved to the left: ``x1 << x2``.

It is ``x1 * 2 ** x2`` without what leaves the dtype. Shifts by the width and more give 0.
`bitwise_left_shift` is another name.

@x1, x2
Integers, and by how many bits they are moved.
-> ``x1 << x2``, in the dtype that both promote to.
d none
& right_shift, ldexp
>>> np.left_shift([1, 3], [4, 1])
array([16,  6])
"""
TEXTS["right_shift"] = """
Bits of integers moved to the right: ``x1 >> x2``.

It is ``x1 // 2 ** x2``. Shifts by the width and more give 0, or -1 for negative numbers.
`bitwise_right_shift` is another name.

@x1, x2
Integers, and by how many bits they are moved.
-> ``x1 >> x2``, in the dtype that both promote to.
d none
& left_shift, floor_divide
>>> np.right_shift([20, -20], 2)
array([ 5, -5])
"""
TEXTS["logical_not"] = """
Whether each element is false: ``not x``.

Zeros are false; all other numbers, NaN among them, are true.

@x
The values.
-> True where `x` is zero.
d none
& logical_and, logical_or, invert
>>> np.logical_not([True, False])
array([False,  True])
>>> np.logical_not([0.0, 2.0, np.nan])
array([ True, False, False])
"""
TEXTS["invert"] = """
Bits of each element inverted: ``~x``.

Of signed integers that is ``-x - 1``; of bools the logical not. `bitwise_not` and `bitwise_invert`
are other names.

@x
Integers or bools.
-> ``~x``, in the dtype of `x`.
d none
& bitwise_and, bitwise_or, bitwise_xor, logical_not
>>> np.invert(np.array([0, 5]))
array([-1, -6])
>>> np.invert(np.array([True, False]))
array([False,  True])
"""
TEXTS["isnan"] = """
Whether each element is NaN.

NaN equals nothing, itself included: this is the question that finds it. A complex number is NaN
where a part of it is.

@x
The numbers.
-> True where `x` is NaN; of integers and bools always False.
d none
& isfinite, isinf, nan_to_num
>>> np.isnan([1.0, np.nan, np.inf])
array([False,  True, False])
"""
TEXTS["isinf"] = """
Whether each element is an infinity, of either sign.

A complex number is infinite where a part of it is.

@x
The numbers.
-> True where `x` is infinite; of integers and bools always False.
d none
& isfinite, isnan
>>> np.isinf([1.0, -np.inf, np.nan])
array([False,  True, False])
"""
TEXTS["isfinite"] = """
Whether each element is neither infinite nor NaN.

A complex number is finite where both parts are.

@x
The numbers.
-> True where `x` is finite; of integers and bools always True.
d none
& isinf, isnan
>>> np.isfinite([1.0, np.inf, np.nan])
array([ True, False, False])
"""
TEXTS["signbit"] = """
Whether the sign bit of each element is set.

It tells -0.0 from 0.0, which compare equal, and reads the sign of a NaN.

@x
Real numbers.
-> True where `x` is below 0, or -0.0.
d none
& sign, copysign
>>> np.signbit([-1.5, -0.0, 0.0])
array([ True,  True, False])
"""
TEXTS["bitwise_count"] = """
Number of bits that are 1 in the absolute value of each element.

The population count of the processor.

@x
Integers.
-> The count, at most 64.
d none
& bitwise_and, invert
>>> np.bitwise_count([0, 7, 255, -1])
array([0, 3, 8, 1], dtype=uint8)
"""
