"""What is particular to comparisons within tolerances, of whole arrays, and to kinds of numbers; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_TOLERANCES = """
@a, b : array_like
What is compared; `b` is what tolerances go by.
@rtol : array_like, optional
The difference allowed, as a part of the absolute value of `b`.
@atol : array_like, optional
The difference allowed besides.
@equal_nan : bool, optional
Whether a NaN equals a NaN.
"""

TEXTS["isclose"] = (
    """
Whether elements are equal within tolerances: ``|a - b| <= atol + rtol * |b|``.

Infinities equal those of their sign. It is not symmetric in `a` and `b`.
"""
    + _TOLERANCES
    + """
-> ndarray or scalar, bool
Of the shape that both broadcast to.
~ Integers are compared as floats. A difference of infinities is no floating-point error here.
d none
% made
& allclose, equal, array_equal
>>> np.isclose([1e10, 1e-7], [1.00001e10, 1e-8])
array([ True, False])
>>> np.isclose([1.0, np.nan], [1.0, np.nan], equal_nan=True)
array([ True,  True])
"""
)
TEXTS["allclose"] = (
    """
Whether all elements are equal within tolerances, as `isclose` says.
"""
    + _TOLERANCES
    + """
-> bool
Python's True or False.
~ In a compiled function the answer is a branch: each has compiled code of its own.
d none
% made
& isclose, array_equal, all
>>> np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
True
>>> np.allclose([1.0, np.nan], [1.0, np.nan])
False
"""
)
TEXTS["array_equal"] = """
Whether two arrays have the same shape and equal elements.

@a1, a2 : array_like
The arrays.
@equal_nan : bool, optional
Whether a NaN equals a NaN; complex numbers are NaN if either part is.
-> bool
Python's True or False; False for what no array can be made of.
~ In a compiled function the answer is a branch: each has compiled code of its own.
d none
% made
& array_equiv, allclose
>>> np.array_equal([1, 2], [1.0, 2.0])
True
>>> np.array_equal([1, 2], [[1, 2]])
False
"""
TEXTS["array_equiv"] = """
Whether two arrays broadcast against each other and are equal then.

@a1, a2 : array_like
The arrays.
-> bool
Python's True or False; False for what no array can be made of.
~ In a compiled function the answer is a branch: each has compiled code of its own.
d none
% made
& array_equal, allclose
>>> np.array_equiv([1, 2], [[1, 2], [1, 2]])
True
>>> np.array_equiv([1, 2], [[1, 2, 1]])
False
"""
_INFINITE = """
Whether elements are the {word} infinity.

@x : array_like
Real numbers.
@out : ndarray, optional
Array that the result is written to, and that is returned.
-> ndarray or scalar, bool
Of the shape of `x`.
! TypeError
For complex numbers, of which each part may be infinite.
d none
% made
& isinf, isfinite, {other}
"""
TEXTS["isneginf"] = (
    _INFINITE.format(word="negative", other="isposinf")
    + """
>>> np.isneginf([-np.inf, 0.0, np.inf])
array([ True, False, False])
"""
)
TEXTS["isposinf"] = (
    _INFINITE.format(word="positive", other="isneginf")
    + """
>>> np.isposinf([-np.inf, 0.0, np.inf])
array([False, False,  True])
"""
)
TEXTS["isreal"] = """
Whether the imaginary part of each element is 0.

@x : array_like
Numbers of any kind.
-> ndarray or scalar, bool
Of the shape of `x`; Python's True or False of Python's numbers.
d none
% made
& iscomplex, isrealobj, real_if_close
>>> np.isreal([1 + 1j, 2 + 0j, 3])
array([False,  True,  True])
"""
TEXTS["iscomplex"] = """
Whether the imaginary part of each element differs from 0.

@x : array_like
Numbers of any kind.
-> ndarray or scalar, bool
Of the shape of `x`.
d none
% made
& isreal, iscomplexobj
>>> np.iscomplex([1 + 1j, 2 + 0j, 3])
array([ True, False, False])
"""
TEXTS["isrealobj"] = """
Whether the dtype is none of complex numbers.

@x : array_like
Numbers of any kind; elements are not looked at.
-> bool
Python's True or False.
d none
% host
& iscomplexobj, isreal
>>> np.isrealobj([1, 2]), np.isrealobj([1, 2 + 0j])
(True, False)
"""
TEXTS["iscomplexobj"] = """
Whether the dtype is one of complex numbers.

@x : array_like
Numbers of any kind; elements are not looked at.
-> bool
Python's True or False.
d none
% host
& isrealobj, iscomplex
>>> np.iscomplexobj([1, 2]), np.iscomplexobj([1, 2 + 0j])
(False, True)
"""
TEXTS["isscalar"] = """
Whether an object is a scalar: a number of Python's or NumPy's, or a text.

Arrays of no axes are none; what reductions give is one, in compiled functions, too.

@element : object
Anything.
-> bool
Python's True or False.
d none
% host
& ndim
>>> np.isscalar(3.1), np.isscalar(np.array(3.1)), np.isscalar(np.ones(2).sum())
(True, False, True)
"""
