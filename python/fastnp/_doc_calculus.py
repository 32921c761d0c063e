"""What is particular to differences, integrals and products of vectors; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["trapezoid"] = """
The integral along an axis by the trapezoidal rule.

Between two samples next to each other the function is taken for a line.

@y : array_like
The samples.
@x : array_like, optional
Where the samples are: an array of the shape of `y`, or one axis for all. None: `dx` apart.
@dx : scalar, optional
The distance between two samples next to each other, where `x` is None.
@axis : int, optional
The axis to integrate along.
-> ndarray or scalar
Of the shape of `y` without the axis; float64 for integers.
! IndexError
For an axis that `y` has not.
! ValueError
Where `x` does not fit.
d yes It flows to `y`, `x` and `dx`.
% made
& sum, cumsum, diff
>>> np.trapezoid([1, 2, 3])
np.float64(4.0)
>>> np.trapezoid([1, 2, 3], x=[4, 6, 8])
np.float64(8.0)
>>> np.trapezoid([[0, 1, 2], [3, 4, 5]], axis=0)
array([1.5, 2.5, 3.5])
"""
TEXTS["ediff1d"] = """
Differences of elements next to each other in the flattened array.

@ary : array_like
The elements.
@to_end : array_like, optional
What is put behind the differences.
@to_begin : array_like, optional
What is put before them.
-> ndarray
Along one axis, in the dtype of `ary`.
! TypeError
For ends that can't be cast to that dtype by the ``same_kind`` rule, and for bools.
d yes
% made
& diff, gradient
>>> np.ediff1d([1, 2, 4, 7], to_begin=[-99], to_end=[88, 99])
array([-99,   1,   2,   3,  88,  99])
"""
TEXTS["gradient"] = """
Slopes along axes: of the line between an element's neighbours, and at the ends one-sided.

With uneven spacings neighbours are weighed, so that parabolas have exact slopes.

@f : array_like
Samples.
@varargs : scalar or array_like, optional
Spacings: none (1), one number for all axes, or for each axis a number or the places of its samples.
@axis : int, tuple of ints or None, optional
The axes. None: all of them.
@edge_order : {1, 2}, optional
The order at the ends: of the first two samples, or of the first three.
-> ndarray or tuple of ndarray
Of the shape of `f`, for each axis one; float64 for integers.
! TypeError
For another number of spacings.
! ValueError
For fewer than ``edge_order + 1`` samples, and places that do not fit.
! AxisError
For an axis that `f` has not.
d yes It flows to `f` and the spacings.
% made
& diff, trapezoid
>>> np.gradient([1.0, 2.0, 4.0, 7.0, 11.0])
array([1. , 1.5, 2.5, 3.5, 4. ])
>>> np.gradient([0.0, 1.0, 9.0], [0.0, 1.0, 3.0], edge_order=2)
array([0., 2., 6.])
"""
TEXTS["cross"] = """
Cross products of vectors.

A vector of length 2 has a third element 0; of two such the third element of the product is given.

@a, b : array_like
Vectors of length 2 or 3 along an axis; other axes broadcast.
@axisa, axisb : int, optional
The axes of the vectors.
@axisc : int, optional
The axis of the products.
@axis : int, optional
All three.
-> ndarray
In the dtype that both promote to.
! ValueError
For other lengths.
! AxisError
For axes that are not there.
~ Vectors of length 2 are deprecated, as the warning says.
d yes
% made
& dot, outer
>>> np.cross([1, 2, 3], [4, 5, 6])
array([-3,  6, -3])
"""
TEXTS["kron"] = """
The Kronecker product: a block of `b` for each element of `a`.

@a, b : array_like
The operands; the one of fewer axes has axes of size 1 put in front.
-> ndarray or scalar
The sizes of its axes are products of the operands'.
d yes
% made
& outer, tensordot
>>> np.kron([1, 10], [5, 6, 7])
array([ 5,  6,  7, 50, 60, 70])
"""
_RUNNING = """
The running {word} along an axis.

@x : array_like
The elements. A number has one.
@axis : int, optional
The axis; it may be left out where there is one.
@dtype : dtype, optional
The dtype that is computed in. None: that of `{other}`.
@out : ndarray, optional
Array that the result is written to, and that is returned.
@include_initial : bool, optional
Whether there is a {identity} before it.
-> ndarray
Of the shape of `x`, one longer with `include_initial`.
! ValueError
Without an axis, for arrays of several ones.
! AxisError
For an axis that `x` has not.
d yes
% made
& {other}, {fold}
"""
TEXTS["cumulative_sum"] = (
    _RUNNING.format(word="sum", other="cumsum", fold="sum", identity="0")
    + """
>>> np.cumulative_sum([1, 2, 3], include_initial=True)
array([0, 1, 3, 6])
"""
)
TEXTS["cumulative_prod"] = (
    _RUNNING.format(word="product", other="cumprod", fold="prod", identity="1")
    + """
>>> np.cumulative_prod([1, 2, 3], include_initial=True)
array([1, 1, 2, 6])
"""
)
