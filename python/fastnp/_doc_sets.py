"""What is particular to arrays as sets of their elements, and to orders by several keys; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_SIZE = "~ In compiled functions the number of elements is a size that is known when the call runs.\n"

TEXTS["isin"] = """
Whether each element is among others.

@element : array_like
The elements.
@test_elements : array_like
The others, of any shape. A set of Python's is no array of its items.
@assume_unique : bool, optional
For NumPy's signature.
@invert : bool, optional
Whether the answers are turned around.
@kind : {None, 'sort', 'table'}, optional
How NumPy finds them. The result is the same.
-> ndarray or scalar, bool
Of the shape of `element`.
d none
% made
& searchsorted, intersect1d
>>> np.isin([[0, 2], [4, 6]], [1, 2, 4, 8])
array([[False,  True],
       [ True, False]])
"""
TEXTS["union1d"] = (
    """
The different elements of two arrays, sorted.

@ar1, ar2 : array_like
The arrays; they are flattened.
-> ndarray
In the dtype that both promote to.
"""
    + _SIZE
    + """d yes
% made
& intersect1d, setdiff1d, unique
>>> np.union1d([-1, 0, 1], [-2, 0, 2])
array([-2, -1,  0,  1,  2])
"""
)
TEXTS["intersect1d"] = (
    """
The different elements that two arrays share, sorted.

@ar1, ar2 : array_like
The arrays; they are flattened.
@assume_unique : bool, optional
Whether neither has an element twice.
@return_indices : bool, optional
Whether it is told where the elements come first in both.
-> ndarray or tuple of ndarray
The elements; with `return_indices` also their indices in both arrays.
"""
    + _SIZE
    + """d yes
% made
& union1d, setdiff1d, isin
>>> np.intersect1d([1, 3, 4, 3], [3, 1, 2, 1])
array([1, 3])
"""
)
TEXTS["setdiff1d"] = (
    """
The different elements of an array that another one has not.

@ar1 : array_like
The array; it is flattened.
@ar2 : array_like
The other one.
@assume_unique : bool, optional
Whether neither has an element twice; the result then has the order of `ar1`, else it is sorted.
-> ndarray
In the dtype of `ar1`.
"""
    + _SIZE
    + """d yes
% made
& union1d, intersect1d, isin
>>> np.setdiff1d([1, 2, 3, 2, 4, 1], [3, 4, 5, 6])
array([1, 2])
"""
)
TEXTS["setxor1d"] = (
    """
The different elements that one of two arrays has and the other one has not, sorted.

@ar1, ar2 : array_like
The arrays; they are flattened.
@assume_unique : bool, optional
Whether neither has an element twice.
-> ndarray
In the dtype that both promote to.
"""
    + _SIZE
    + """d yes
% made
& union1d, intersect1d, setdiff1d
>>> np.setxor1d([1, 2, 3, 2, 4], [2, 3, 5, 7, 5])
array([1, 4, 5, 7])
"""
)
_UNIQUE = """
The different elements of an array{more}.

It is a part of the Array API standard. Each NaN is an element of its own.

@x : array_like
The array; it is flattened.
-> {kind}
{given}
"""
TEXTS["unique_values"] = (
    _UNIQUE.format(more="", kind="ndarray", given="The elements, sorted (in NumPy they may have any order).")
    + _SIZE
    + """d yes
% made
& unique, unique_counts
>>> np.unique_values([2, 1, 1])
array([1, 2])
"""
)
TEXTS["unique_counts"] = (
    _UNIQUE.format(more=", and how often each is there", kind="named tuple", given="``values``, sorted, and ``counts``.")
    + _SIZE
    + """d yes
% made
& unique, unique_all
>>> np.unique_counts([2, 1, 1]).counts
array([2, 1])
"""
)
TEXTS["unique_inverse"] = (
    _UNIQUE.format(
        more=", and which of them each element is", kind="named tuple", given="``values``, sorted, and ``inverse_indices``, of the shape of `x`."
    )
    + _SIZE
    + """d yes
% made
& unique, unique_all
>>> np.unique_inverse([2, 1, 1]).inverse_indices
array([1, 0, 0])
"""
)
TEXTS["unique_all"] = (
    _UNIQUE.format(
        more=", with where and how often each is there",
        kind="named tuple",
        given="``values``, sorted, ``indices`` (where each comes first), ``inverse_indices`` and ``counts``.",
    )
    + _SIZE
    + """d yes
% made
& unique, unique_counts, unique_inverse
>>> np.unique_all([2, 1, 1]).indices
array([1, 0])
"""
)
TEXTS["lexsort"] = """
The order by several keys: by the last one, equal ones by the one before it, and so on.

Elements that are equal in all keys stay in their order.

@keys : sequence of array_like
Keys of one shape, or an array of them along its first axis.
@axis : int, optional
The axis that is sorted along.
-> ndarray, int64
The indices along the axis, of the keys' shape.
! ValueError
For keys of different shapes.
! TypeError
For no keys.
! AxisError
For an axis that the keys have not.
d none
% made
& argsort, sort
>>> np.lexsort(([3, 1, 2], [1, 1, 0]))
array([2, 1, 0])
"""
