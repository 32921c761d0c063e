"""What is particular to functions that make arrays and change their shapes; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["array"] = """
Array with the elements of an object: numbers, nested lists, arrays.

The elements are copied unless `copy` says otherwise; `asarray` copies only where it must.

@object : array_like
Numbers, sequences of them to any depth, and what has NumPy's, DLPack's or CUDA's protocols of arrays.
@dtype : dtype
The dtype of the elements. None: the least that holds all of them, as NumPy has it.
@ndmin : int
The least number of axes; those that lack are put in front, with size 1.
-> ndarray
An array of its own memory, unless `copy` is False or None.
! ValueError
For nested sequences of different lengths, and where ``copy=False`` would need a copy.
~ dtypes that only NumPy has (text, dates, objects) give NumPy's array.
d yes Of an array it is that of the array.
% creator
& asarray, zeros, full, from_dlpack
>>> np.array([[1, 2], [3, 4]])
array([[1, 2],
       [3, 4]])
>>> np.array([1, 2], dtype=np.float32)
array([1., 2.], dtype=float32)
"""
_AS = """
Array of an object, without a copy where it is one already.

A NumPy array is shared, not copied: both see what is written. {more}

@a : array_like
Numbers, nested sequences, arrays of fastnp, NumPy, or of other libraries on CUDA devices.
@dtype : dtype
The dtype of the elements. None: that of `a`.
@copy : bool or None
True: always a copy. False: ValueError where one is needed. None: only where it is needed.
-> ndarray
`a` itself where it fits.
! ValueError
For nested sequences of different lengths, and where ``copy=False`` would need a copy.
d yes Of an array it is that of the array.
% creator
& {others}
"""
TEXTS["asarray"] = (
    _AS.format(more="Where `dtype` or `order` ask for another array, it is a new one.", others="array, asanyarray, ascontiguousarray, from_dlpack")
    + """
>>> x = np.ones(3)
>>> np.asarray(x) is x
True
>>> np.asarray([1, 2], dtype=float)
array([1., 2.])
"""
)
TEXTS["asanyarray"] = (
    _AS.format(more="NumPy keeps subclasses here; fastnp's arrays have none, so it is `asarray`.", others="asarray, array")
    + """
>>> x = np.ones(3)
>>> np.asanyarray(x) is x
True
>>> np.asanyarray((1.5, 2.5))
array([1.5, 2.5])
"""
)
_FILLED = """
New array {filled}.

{more}

@shape : int or tuple of ints
The sizes of the axes.
@dtype : dtype
The dtype of the elements.{default}
@order : {{'C', 'F'}}
Whether rows ('C') or columns ('F') are in sequence.
-> ndarray
Of that shape and dtype, {filled}.
! ValueError
For negative sizes.
d constant
% creator
& {others}
"""
TEXTS["zeros"] = (
    _FILLED.format(
        filled="full of zeros",
        more="Zeros are False, 0 or 0.0, by the dtype.",
        default=" None: float64.",
        others="ones, full, empty, zeros_like",
    )
    + """
>>> np.zeros((2, 3))
array([[0., 0., 0.],
       [0., 0., 0.]])
>>> np.zeros(2, dtype=int)
array([0, 0])
"""
)
TEXTS["ones"] = (
    _FILLED.format(
        filled="full of ones",
        more="Ones are True, 1 or 1.0, by the dtype.",
        default=" None: float64.",
        others="zeros, full, empty, ones_like",
    )
    + """
>>> np.ones((2, 2))
array([[1., 1.],
       [1., 1.]])
>>> np.ones(3, dtype=bool)
array([ True,  True,  True])
"""
)
TEXTS["empty"] = (
    _FILLED.format(
        filled="whose elements are not set",
        more="It is for memory that is written to next: the elements are what was there before.",
        default=" None: float64.",
        others="zeros, ones, full, empty_like",
    )
    + """
>>> x = np.empty((2, 3))
>>> x.shape, x.dtype
((2, 3), dtype('float64'))
"""
)
TEXTS["full"] = (
    _FILLED.format(
        filled="full of one value",
        more="`fill_value` broadcasts to the shape, so that it may be a row.",
        default=" None: that of `fill_value`.",
        others="zeros, ones, full_like, broadcast_to",
    ).replace("d constant", "d yes It flows to `fill_value`.")
    + """
>>> np.full(3, 7.5)
array([7.5, 7.5, 7.5])
>>> np.full((2, 2), [1, 2])
array([[1, 2],
       [1, 2]])
"""
).replace("@dtype", "@fill_value : scalar or array_like\nThe value.\n@dtype")
_LIKE = """
New array of the shape and dtype of another one, {filled}.

The elements of `{a}` are not read. {more}

@{a} : array_like
What gives the shape and the dtype.
@dtype : dtype
Another dtype.
@shape : int or tuple of ints
Another shape.
-> ndarray
In memory that lies as `{a}` does, unless `order` says otherwise.
! ValueError
For negative sizes.
d constant
% creator
& {others}
"""
TEXTS["zeros_like"] = (
    _LIKE.format(a="a", filled="full of zeros", more="An array on a CUDA device has its like there.", others="zeros, ones_like, full_like, empty_like")
    + """
>>> np.zeros_like([1.5, 2.5])
array([0., 0.])
>>> np.zeros_like(np.ones((2, 2)), dtype=int)
array([[0, 0],
       [0, 0]])
"""
)
TEXTS["ones_like"] = (
    _LIKE.format(a="a", filled="full of ones", more="An array on a CUDA device has its like there.", others="ones, zeros_like, full_like, empty_like")
    + """
>>> np.ones_like([1.5, 2.5])
array([1., 1.])
>>> np.ones_like(np.zeros(2), shape=(2, 2))
array([[1., 1.],
       [1., 1.]])
"""
)
TEXTS["empty_like"] = (
    _LIKE.format(
        a="prototype",
        filled="whose elements are not set",
        more="It is for memory that is written to next.",
        others="empty, zeros_like, ones_like, full_like",
    )
    + """
>>> x = np.empty_like(np.ones((2, 3), np.float32))
>>> x.shape, x.dtype
((2, 3), dtype('float32'))
"""
)
TEXTS["full_like"] = (
    _LIKE.format(
        a="a", filled="full of one value", more="The value is cast to the dtype of `a`.", others="full, zeros_like, ones_like, empty_like"
    ).replace("d constant", "d yes It flows to `fill_value`.")
    + """
>>> np.full_like([1.5, 2.5], 9)
array([9., 9.])
>>> np.full_like([1, 2], 2.7)
array([2, 2])
"""
).replace("@dtype", "@fill_value : scalar or array_like\nThe value, which broadcasts to the shape.\n@dtype")
TEXTS["arange"] = """
Evenly spaced numbers from a start to before a stop.

``arange(stop)`` begins at 0. With steps that are no integers the last number depends on rounding:
`linspace` is for those.

@start : number
Where it begins; the stop, if it is the only argument.
@stop : number
Where it ends; no element is this number, or beyond it.
@step : number
From an element to the next; 1 if not given. May be negative.
@dtype : dtype
The dtype. None: int64, or float64 where an argument is a floating number.
-> ndarray
Of one axis, with ``ceil((stop - start) / step)`` elements.
! ZeroDivisionError
For a step of 0.
d constant
% creator
& linspace, logspace, geomspace
>>> np.arange(4)
array([0, 1, 2, 3])
>>> np.arange(1, 2, 0.25)
array([1.  , 1.25, 1.5 , 1.75])
"""
TEXTS["linspace"] = """
A number of evenly spaced numbers over an interval.

Both ends are elements, unless `endpoint` is False. The ends may be arrays, which broadcast; the
numbers between go along a new axis.

@start, stop : array_like
The first and the last number.
@num : int
How many there are.
@endpoint : bool
Whether `stop` is the last one.
@retstep : bool
Whether the distance between neighbours is given, too.
@dtype : dtype
The dtype. None: floating, also for integers.
@axis : int
Where the new axis is, of array ends.
-> ndarray, or tuple of it and the distance
The numbers.
! ValueError
For a negative `num`.
d yes It flows to both ends.
% creator
& arange, geomspace, logspace
>>> np.linspace(0, 1, 5)
array([0.  , 0.25, 0.5 , 0.75, 1.  ])
>>> np.linspace(0, 1, 4, endpoint=False)
array([0.  , 0.25, 0.5 , 0.75])
"""
TEXTS["eye"] = """
Matrix with ones on a diagonal, and zeros elsewhere.

Without more arguments it is the unit matrix.

@N : int
The number of rows.
@M : int
The number of columns. None: as many as rows.
@k : int
The diagonal: 0 is the main one, positive ones lie above.
@dtype : dtype
The dtype of the elements.
@order : {'C', 'F'}
Whether rows ('C') or columns ('F') are in sequence.
-> ndarray
Of shape ``(N, M)``.
! ValueError
For negative sizes.
d constant
% creator
& identity, diag, tri
>>> np.eye(2)
array([[1., 0.],
       [0., 1.]])
>>> np.eye(2, 3, k=1, dtype=int)
array([[0, 1, 0],
       [0, 0, 1]])
"""
