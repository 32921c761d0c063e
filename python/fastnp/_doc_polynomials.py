"""What is particular to polynomials as arrays of coefficients, that of the highest power first; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["polyval"] = """
A polynomial at places: ``p[0] * x**(n - 1) + ... + p[n - 1]``, by Horner's scheme.

@p : array_like
The coefficients, that of the highest power first.
@x : array_like
The places.
-> ndarray or scalar
Of the shape of `x`.
! TypeError
For coefficients without an axis.
~ Compiled code is for one number of coefficients.
d yes It flows to coefficients and places.
% made
& polyfit, polyder
>>> np.polyval([1, 0, 2], [1, 2, 3])
array([ 3,  6, 11])
"""
_TWO = """
@a1, a2 : array_like
Coefficients, that of the highest power first. With a numpy.poly1d among them the result is one.
-> ndarray
The coefficients of the {word}.
d yes
% made
& {others}
"""
TEXTS["polyadd"] = (
    """
The sum of two polynomials.

The shorter one has zeros put in front.
"""
    + _TWO.format(word="sum", others="polysub, polymul")
    + """
>>> np.polyadd([1, 2], [9, 5, 4])
array([9, 6, 6])
"""
)
TEXTS["polysub"] = (
    """
The difference of two polynomials.

The shorter one has zeros put in front.
"""
    + _TWO.format(word="difference", others="polyadd, polymul")
    + """
>>> np.polysub([2, 10, -2], [3, 10, -4])
array([-1,  0,  2])
"""
)
TEXTS["polymul"] = (
    """
The product of two polynomials.

Leading zeros of both are left out; in a compiled function which ones these are is a branch.
"""
    + _TWO.format(word="product", others="convolve, polydiv")
    + """
>>> np.polymul([1, 2, 3], [9, 5, 1])
array([ 9, 23, 38, 17,  3])
"""
)
TEXTS["polydiv"] = """
Quotient and remainder of polynomials.

@u : array_like
The coefficients of the dividend.
@v : array_like
The coefficients of the divisor.
-> tuple of ndarray
Quotient and remainder, without leading zeros of the remainder (up to rounding).
~ In a compiled function which leading coefficients are zeros is a branch.
d yes
% made
& polymul
>>> np.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
(array([1.5 , 1.75]), array([0.25]))
"""
TEXTS["polyder"] = """
The derivative of a polynomial.

@p : array_like
The coefficients.
@m : int, optional
Of which order.
-> ndarray
The coefficients of the derivative.
! ValueError
For a negative order.
d yes
% made
& polyint, polyval
>>> np.polyder([1, 1, 1, 1])
array([3, 2, 1])
"""
TEXTS["polyint"] = """
The integral of a polynomial.

@p : array_like
The coefficients.
@m : int, optional
How often it is integrated.
@k : scalar or array_like, optional
Integration constants: one for all, or one for each time, that of the first one first. None: 0.
-> ndarray
The coefficients of the integral.
! ValueError
For a negative order, and too few constants.
d yes
% made
& polyder, polyval
>>> np.polyint([6.0, 2.0], k=1)
array([3., 2., 1.])
"""
TEXTS["poly"] = """
The polynomial with given roots, or the characteristic polynomial of a matrix.

@seq_of_zeros : array_like
The roots along one axis, or a square matrix.
-> ndarray
The coefficients, the first one 1. Real where complex roots come in conjugate pairs. Of no roots 1.0.
! ValueError
For other shapes.
~ In a compiled function whether the roots are such pairs is a branch.
d yes
% made
& roots, polyval
>>> np.poly([0.0, 2.0, -1.0])
array([ 1., -1., -2.,  0.])
"""
TEXTS["roots"] = """
Where a polynomial is 0: the eigenvalues of its companion matrix.

@p : array_like
The coefficients, that of the highest power first.
-> ndarray
As many as the degree; real where all are.
! ValueError
For other ranks than 1.
~ In a compiled function which coefficients at the ends are zeros, and whether all roots are real, is a branch.
d yes Where the roots differ.
% made
& poly, polyval, linalg.eigvals
>>> np.sort(np.roots([1, -3, 2]))
array([1., 2.])
"""
TEXTS["polyfit"] = """
The polynomial through samples by least squares.

@x : array_like
The places of the samples.
@y : array_like
The samples (n), or several sets of them in columns (n, k).
@deg : int
The degree.
@rcond : float, optional
Singular values up to this part of the largest one are zeros. None: the number of samples times the precision.
@full : bool, optional
Whether more is given than the coefficients.
@w : array_like, optional
A weight for each sample.
@cov : bool or str, optional
Whether the covariance of the coefficients is given, too; with ``'unscaled'`` it is not scaled by the residuals.
-> ndarray or tuple
The coefficients (deg + 1) or (deg + 1, k); with `full` also residuals, rank, singular values and `rcond`; with `cov` the covariance.
! ValueError
For a negative degree, and too few samples for a covariance.
! TypeError
For other shapes.
~ A numpy.exceptions.RankWarning tells of a rank that is too small; compiled functions do not look for it.
d yes
% made
& polyval, linalg.lstsq
>>> np.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(6)
array([2., 1.])
"""
