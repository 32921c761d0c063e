"""Methods of ndarray, ufunc and compiled functions, and these classes; `_doc` says how an entry is written.

A method that is a function on its array has what its entry lacks from the function's.
"""

TEXTS: dict[str, str] = {}

_OF = {  # name: (summary, see also, example, its output)
    "sum": (
        "Sum of the elements, over all axes or the given ones.",
        "ndarray.mean, ndarray.cumsum",
        "np.array([[1, 2], [3, 4]]).sum(axis=0)",
        "array([4, 6])",
    ),
    "prod": (
        "Product of the elements, over all axes or the given ones.",
        "ndarray.sum, ndarray.cumprod",
        "np.array([1, 2, 3]).prod()",
        "np.int64(6)",
    ),
    "max": (
        "Largest element, over all axes or the given ones.",
        "ndarray.min, ndarray.argmax",
        "np.array([[1, 5], [7, 2]]).max(axis=1)",
        "array([5, 7])",
    ),
    "min": (
        "Smallest element, over all axes or the given ones.",
        "ndarray.max, ndarray.argmin",
        "np.array([[1, 5], [7, 2]]).min(axis=1)",
        "array([1, 2])",
    ),
    "any": (
        "Whether any element is true, over all axes or the given ones.",
        "ndarray.all",
        "(np.arange(3) > 1).any()",
        "np.True_",
    ),
    "all": (
        "Whether all elements are true, over all axes or the given ones.",
        "ndarray.any",
        "(np.arange(3) > 1).all()",
        "np.False_",
    ),
    "argmax": (
        "Index of the largest element, along an axis or in the whole array.",
        "ndarray.max, ndarray.argmin",
        "np.array([3, 9, 4]).argmax()",
        "np.int64(1)",
    ),
    "argmin": (
        "Index of the smallest element, along an axis or in the whole array.",
        "ndarray.min, ndarray.argmax",
        "np.array([3, 9, 4]).argmin()",
        "np.int64(0)",
    ),
    "cumsum": (
        "Running sum of the elements along an axis.",
        "ndarray.sum, ndarray.cumprod",
        "np.array([1, 2, 4]).cumsum()",
        "array([1, 3, 7])",
    ),
    "cumprod": (
        "Running product of the elements along an axis.",
        "ndarray.prod, ndarray.cumsum",
        "np.array([1, 2, 4]).cumprod()",
        "array([1, 2, 8])",
    ),
    "mean": (
        "Arithmetic mean of the elements, over all axes or the given ones.",
        "ndarray.sum, ndarray.std",
        "np.array([1, 2, 6]).mean()",
        "np.float64(3.0)",
    ),
    "var": (
        "Variance of the elements, over all axes or the given ones.",
        "ndarray.std, ndarray.mean",
        "np.array([1.0, 2.0, 6.0]).var()",
        "np.float64(4.666666666666667)",
    ),
    "std": (
        "Standard deviation of the elements, over all axes or the given ones.",
        "ndarray.var",
        "np.array([1.0, 3.0]).std()",
        "np.float64(1.0)",
    ),
    "clip": (
        "The elements limited to an interval.",
        "maximum, minimum",
        "np.array([-3, 2, 9]).clip(0, 5)",
        "array([0, 2, 5])",
    ),
    "round": (
        "The elements rounded to a number of decimals.",
        "rint, floor",
        "np.array([1.234, 5.678]).round(1)",
        "array([1.2, 5.7])",
    ),
    "ravel": (
        "The elements as an array of one axis, a view where they lie so.",
        "ndarray.flatten, ndarray.reshape",
        "np.ones((2, 2)).ravel()",
        "array([1., 1., 1., 1.])",
    ),
    "swapaxes": (
        "View with two axes in each other's place.",
        "ndarray.transpose, moveaxis",
        "np.ones((2, 3, 4)).swapaxes(0, 2).shape",
        "(4, 3, 2)",
    ),
    "squeeze": (
        "View without axes of size 1: all of them, or the given ones.",
        "expand_dims",
        "np.ones((1, 3, 1)).squeeze().shape",
        "(3,)",
    ),
    "take": (
        "Elements at indices along an axis.",
        "take_along_axis",
        "np.array([10, 20, 30]).take([2, 0])",
        "array([30, 10])",
    ),
    "nonzero": (
        "Places of the elements that are not zero, an array for each axis.",
        "flatnonzero",
        "np.array([0, 3, 0, 4]).nonzero()",
        "(array([1, 3]),)",
    ),
    "argsort": (
        "Indices that would sort the array along an axis.",
        "ndarray.sort",
        "np.array([30, 10, 20]).argsort()",
        "array([1, 2, 0])",
    ),
    "searchsorted": (
        "Places at which values would go into this sorted array.",
        "argsort, digitize",
        "np.array([1, 3, 5]).searchsorted([0, 4])",
        "array([0, 2])",
    ),
    "choose": (
        "For each element, an index, the one of several arrays that it names.",
        "select, where",
        "np.array([0, 1]).choose([[1, 2], [10, 20]])",
        "array([ 1, 20])",
    ),
    "compress": (
        "Slices along an axis where a condition holds.",
        "extract, ndarray.take",
        "np.array([7, 8, 9]).compress([0, 1])",
        "array([8])",
    ),
    "repeat": (
        "Each element a number of times, one after the other.",
        "tile",
        "np.array([1, 2]).repeat(2)",
        "array([1, 1, 2, 2])",
    ),
    "diagonal": (
        "View of a diagonal of two axes, which may be read only.",
        "diag, ndarray.trace",
        "np.eye(2).diagonal()",
        "array([1., 1.])",
    ),
    "trace": (
        "Sum of a diagonal of two axes.",
        "ndarray.diagonal, ndarray.sum",
        "np.eye(2).trace()",
        "np.float64(2.0)",
    ),
    "dot": (
        "Product with an array, over the last axis of this one and the second to last of it.",
        "matmul",
        "np.eye(2).dot([3.0, 4.0])",
        "array([3., 4.])",
    ),
}
for _name, (_summary, _others, _example, _output) in _OF.items():
    TEXTS[f"ndarray.{_name}"] = f"{_summary}\n\nThe method of `fastnp.{_name}`, on this array.\n& {_name}, {_others}\n>>> {_example}\n{_output}\n"

TEXTS["ndarray.reshape"] = """
The same elements under another shape.

A view where the strides allow it, else a copy. The method of `fastnp.reshape`, on this array.

@shape : ints, or a tuple of them
The new sizes. One of them may be -1: it is what the others leave.
& reshape, ndarray.ravel, ndarray.resize
>>> np.arange(6).reshape(2, -1)
array([[0, 1, 2],
       [3, 4, 5]])
"""
TEXTS["ndarray.transpose"] = """
View with the axes in another order.

Without arguments they are reversed, as ``x.T`` has them. The method of `fastnp.transpose`.

@axes : ints, or a tuple of them
For each axis of the result the axis of the array that it is.
& transpose, ndarray.swapaxes, ndarray.T
>>> np.array([[1, 2], [3, 4]]).transpose()
array([[1, 3],
       [2, 4]])
>>> np.ones((2, 3, 4)).transpose(2, 0, 1).shape
(4, 2, 3)
"""
TEXTS["ndarray.copy"] = """
Copy of the array: the same elements in memory of their own.

Other than `fastnp.copy` it lies in C order, unless told otherwise.

& copy, ndarray.flatten
>>> x = np.zeros(2)
>>> y = x.copy()
>>> y[0] = 5
>>> x
array([0., 0.])
"""
TEXTS["ndarray.flatten"] = """
Copy of the elements as an array of one axis.

Other than `ravel`, it is a copy always.

@order : {'C', 'F', 'A', 'K'}
The order in which they are read: by rows, by columns, or as they lie in memory.
-> ndarray
Of shape ``(x.size,)``.
d moves
% own
& ndarray.ravel, ndarray.reshape, ndarray.flat
>>> np.array([[1, 2], [3, 4]]).flatten()
array([1, 2, 3, 4])
>>> np.array([[1, 2], [3, 4]]).flatten("F")
array([1, 3, 2, 4])
"""
_CONJUGATE = """
Complex conjugate of the elements.

The imaginary parts with the other sign; real arrays stay as they are. {other}

-> ndarray
Of the shape and dtype of the array.
d yes
% own
& conjugate, real, imag
"""
TEXTS["ndarray.conj"] = (
    _CONJUGATE.format(other="`conjugate` is the same.")
    + """
>>> np.array([1 + 2j, 3.0]).conj()
array([1.-2.j, 3.-0.j])
"""
)
TEXTS["ndarray.conjugate"] = (
    _CONJUGATE.format(other="`conj` is the same.")
    + """
>>> np.array([1 + 2j, 3.0]).conjugate()
array([1.-2.j, 3.-0.j])
"""
)
TEXTS["ndarray.fill"] = """
Sets every element to one value, in place.

The value is cast to the dtype of the array. ``x[...] = value`` broadcasts arrays, too.

@value : scalar
The value.
-> None
The array has it.
! ValueError
For read-only arrays.
d yes In a transformed function: the former elements have none left.
% own
& full, copyto
>>> x = np.zeros(3)
>>> x.fill(7)
>>> x
array([7., 7., 7.])
"""
TEXTS["ndarray.item"] = """
An element as a Python number.

Of an array of one element without arguments. It reads the element: on a CUDA device it waits for it.

@args : ints, or a tuple of them
The index in C order, or one for each axis.
-> bool, int, float or complex
The element.
! ValueError
Without arguments, of more or fewer elements than one.
! IndexError
For indices out of bounds.
~ In a compiled function the value is guarded: for another one at a later call the function is compiled again, or goes on with it as an input.
d constant
& ndarray.tolist
>>> np.array([[1, 2], [3, 4]]).item(3)
4
>>> np.array(2.5).item()
2.5
"""
TEXTS["ndarray.tolist"] = """
The elements as nested lists of Python numbers.

An array without axes gives a number. It reads all elements: on a CUDA device it waits for them.

-> list or number
As deep as the array has axes.
! RecordError
In a compiled function with ``fullgraph=True``; others are compiled in parts around it.
d constant
& ndarray.item, array
>>> np.array([[1, 2], [3, 4]]).tolist()
[[1, 2], [3, 4]]
>>> np.array(2.5).tolist()
2.5
"""
TEXTS["ndarray.astype"] = """
The elements converted to a dtype.

Floating numbers lose their fractions where they become integers; what does not fit wraps around, or
is undefined as in C.

@dtype : dtype
The dtype of the result.
@casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
Which casts are allowed; others raise TypeError.
@copy : bool
Whether an array that is as wanted is copied all the same.
-> ndarray
The converted elements.
! TypeError
For casts that `casting` does not allow.
~ Complex numbers that lose their imaginary parts warn of it (ComplexWarning).
d yes Between floating dtypes; to integers it is zero.
% own
& astype, asarray, can_cast
>>> np.array([1.7, -1.7]).astype(int)
array([ 1, -1])
"""
TEXTS["ndarray.sort"] = """
Sorts the array in place, along an axis.

`fastnp.sort` gives a sorted copy. NaN come last.

@axis : int
The axis along which elements are sorted.
-> None
The array is sorted.
! ValueError
For read-only arrays, and for both `kind` and `stable`.
d moves Equal elements are in the order of a stable sort.
& sort, ndarray.argsort
>>> x = np.array([3, 1, 2])
>>> x.sort()
>>> x
array([1, 2, 3])
"""
TEXTS["ndarray.backward"] = """
Adds up derivatives of this array in the `grad` of the arrays that it was computed from.

As torch.Tensor.backward: `requires_grad` of these arrays was set before the computation, which was
recorded on a tape then. `fastnp.grad` differentiates functions without it.

@gradient : array_like
What each element's derivative is multiplied by, in the shape of this array. A single number needs none: it is 1.
@retain_graph : bool
Whether the tape stays, for another call.
@create_graph : bool
Whether the derivatives are recorded, too, so that they can be differentiated again.
-> None
The gradients are added to `grad`.
! RuntimeError
For an array that was not recorded, or whose tape was used up; and without `gradient` for more than one element.
d yes With `create_graph`.
& grad, no_grad, ndarray.detach
>>> x = np.array([1.0, 2.0])
>>> x.requires_grad = True
>>> (x**2).sum().backward()
>>> x.grad
array([2., 4.])
"""
TEXTS["ndarray.resize"] = """
Gives the array another shape in place, with more or fewer elements.

New elements are 0. `reshape` keeps the number of elements, and `fastnp.resize` makes a new array.

@new_shape : ints, or a tuple of them
The new sizes.
@refcheck : bool
Whether it is refused where others refer to the array.
-> None
The array has the shape.
! ValueError
For views, arrays that others refer to, and negative sizes.
! RecordError
In a compiled function with ``fullgraph=True``.
& resize, ndarray.reshape
>>> x = np.array([1, 2, 3])
>>> x.resize(5, refcheck=False)
>>> x
array([1, 2, 3, 0, 0])
"""
TEXTS["ndarray.to"] = """
The array on a device.

Where it is there already it is itself, else a copy. The original stays where it is.

@device : str
``'cpu'``, ``'cuda'`` (the first CUDA device), ``'cuda:1'``, ...
-> ndarray
An array of the same elements, whose `device` is that one.
! ValueError
For names that no device has.
! RuntimeError
For a device that can't be used; the message says what is missing.
d yes
& device, current_device, cuda.devices
>>> x = np.ones(3)
>>> x.to("cpu") is x
True
"""
TEXTS["ndarray.detach"] = """
The same elements as a constant to derivatives.

No gradient of `backward` flows through it. In transforms of functions `stop_gradient` does that.

-> ndarray
A view without `requires_grad`.
d constant
& stop_gradient, no_grad, ndarray.backward
>>> x = np.array([3.0])
>>> x.requires_grad = True
>>> (x * x.detach()).sum().backward()
>>> x.grad
array([3.])
"""
TEXTS["ndarray.setflags"] = """
Makes the array read-only, or writable again.

A view can't be made writable where its memory is read-only.

@write : bool
Whether elements can be written to.
@align : bool
For NumPy's signature: fastnp's arrays are aligned.
@uic : bool
For NumPy's signature: only False is possible.
-> None
The flags are set.
! ValueError
Where the memory is read-only.
& ndarray.flags
>>> x = np.zeros(2)
>>> x.setflags(write=False)
>>> x.flags.writeable
False
"""
TEXTS["ndarray.view"] = """
The same memory as another array, of another dtype, if one is given.

Elements of other sizes have to fit into the last axis, along which they lie side by side.

@dtype : dtype
What the bytes are taken for. None: what they are.
@type : type
A subclass of NumPy's arrays, of which the result is to be: NumPy's.
-> ndarray
A view: what is written to it is written to the array.
! ValueError
For sizes of elements that do not fit.
d moves Where no dtype is given; of another dtype it raises TypeError.
& ndarray.astype, ndarray.copy
>>> np.array([1.0]).view(np.int64)
array([4607182418800017408])
"""
TEXTS["ndarray.getfield"] = """
A part of each element's bytes as an element of a dtype.

@dtype : dtype
What the part is taken for.
@offset : int
How many bytes of each element are before it.
-> ndarray
A view: what is written to it is written to the array.
! ValueError
For a part that the elements do not have.
d undefined It raises TypeError.
& ndarray.view, ndarray.setfield
>>> np.array([1 + 2j]).getfield(np.float64, 8)
array([2.])
"""
TEXTS["ndarray.setfield"] = """
Sets a part of each element's bytes to a value of a dtype.

@val : scalar
The value.
@dtype : dtype
What the part is taken for.
@offset : int
How many bytes of each element are before it.
-> None
The array is changed.
! ValueError
For a part that the elements do not have, and read-only arrays.
d undefined It raises TypeError.
& ndarray.getfield
>>> x = np.array([1 + 2j])
>>> x.setfield(5.0, np.float64, 8)
>>> x
array([1.+5.j])
"""
TEXTS["ndarray.byteswap"] = """
Each element's bytes the other way round.

@inplace : bool
Whether the array itself is changed, and returned.
-> ndarray
A new array, or this one. The parts of complex numbers are elements of their own.
d undefined It raises TypeError.
& ndarray.view
>>> np.array([1, 256], dtype=np.int16).byteswap()
array([256,   1], dtype=int16)
"""
TEXTS["ndarray.tobytes"] = """
The elements' bytes.

@order : {'C', 'F', 'A'}
In which order the elements are; 'A': as they lie, if that is Fortran order.
-> bytes
As many as all elements have.
d undefined It raises TypeError.
& ndarray.view
>>> np.array([1, 2], dtype=np.int8).tobytes()
b'\\x01\\x02'
"""
TEXTS["ndarray.to_device"] = """
The array itself, for its own device: NumPy's name for it. `to` moves arrays.

@device : {'cpu'}
The host.
@stream : None
For NumPy's signature.
-> ndarray
The array.
! ValueError
For other devices, and streams.
d moves
& ndarray.to
>>> x = np.ones(2)
>>> x.to_device("cpu") is x
True
"""
