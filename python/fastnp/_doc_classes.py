"""Docstrings of classes, and of the methods of ufuncs and compiled functions; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["ufunc.reduce"] = """
Folds an array along axes with the function: ``f(f(a[0], a[1]), a[2])`` and so on.

``np.add.reduce`` is the sum. `add`, `multiply`, `maximum`, `minimum`, `logical_or` and `logical_and`
have kernels of their own for it.

@array : array_like
The elements.
@axis : int, tuple of ints or None, default 0
The axes that are folded. None: all.
@dtype : dtype, optional
The dtype that is computed in.
@out : ndarray, optional
Array that the result is written to.
@keepdims : bool, default False
Whether folded axes stay, with size 1.
@initial : scalar, optional
Value that the fold starts with.
@where : array_like of bool, default True
Which elements take part.
-> ndarray or scalar
Of the shape of `array` without these axes.
! ValueError
For functions of one operand, or with two results; and for no elements without an identity or `initial`.
~ `initial` of None, `where` of functions that have nothing to put in the place of an element, and differences and quotients of float16 are NumPy's.
d yes Of functions that have one; of `maximum`, `minimum`, `fmax` and `fmin` elements that are equal share it.
& ufunc.accumulate, sum, prod, max
>>> np.add.reduce([[1, 2], [3, 4]])
array([4, 6])
>>> np.multiply.reduce([2, 3, 4])
np.int64(24)
"""
TEXTS["ufunc.accumulate"] = """
Folds an array along an axis, and keeps every partial result.

``np.add.accumulate`` is `cumsum`, ``np.maximum.accumulate`` the running maximum.

@array : array_like
The elements, with at least one axis.
@axis : int, default 0
The axis that it runs along.
@dtype : dtype, optional
The dtype that is computed in.
@out : ndarray, optional
Array that the result is written to.
-> ndarray
Of the shape of `array`.
! ValueError
For functions of one operand, or with two results.
~ Functions that are not associative are run over by one thread a line on CUDA devices.
d yes Of functions that have one; of `maximum`, `minimum`, `fmax` and `fmin` it is that of the first element with the running value.
& ufunc.reduce, cumsum, cumprod
>>> np.add.accumulate([1, 2, 4])
array([1, 3, 7])
>>> np.maximum.accumulate([1, 3, 2])
array([1, 3, 3])
"""
TEXTS["ufunc.outer"] = """
The function of every pair of elements of two arrays.

It is ``f(A[..., None], B)``, with as many new axes as `B` has.

@A, B : array_like
The operands.
@kwargs
Options of the function itself; NumPy's own is called for them.
-> ndarray or scalar
Of shape ``A.shape + B.shape``.
! ValueError
For functions of one operand.
d yes Where the function has one.
& outer, broadcast_to
>>> np.multiply.outer([1, 2], [10, 20, 30])
array([[10, 20, 30],
       [20, 40, 60]])
>>> np.less.outer([1, 5], [2, 3])
array([[ True,  True],
       [False, False]])
"""
TEXTS["ufunc.at"] = """
Applies the function in place to the elements at indices, repeated ones as often as they are named.

``a[i] += b`` counts repeated indices once; ``np.add.at(a, i, b)`` counts all.

@a : ndarray
What is written to.
@indices : array_like of int, slice, or a tuple of these
The indices, as ``a[indices]`` has them.
@b : array_like, optional
The second operand, of functions that have two. It broadcasts to the shape of ``a[indices]``.
-> None
The array has the new elements.
! IndexError
For indices out of bounds.
~ It is compiled in compiled functions, and runs on CUDA devices; elsewhere it is NumPy's.
d yes Of `add` and its kin.
& ufunc.reduceat, bincount
>>> x = np.zeros(3, dtype=int)
>>> np.add.at(x, [0, 2, 2], 1)
>>> x
array([1, 0, 2])
"""
TEXTS["ufunc.reduceat"] = """
Folds slices of an axis with the function, one for each index.

Slice i is from ``indices[i]`` to before ``indices[i + 1]``; where that is not larger, it is the one
element at ``indices[i]``.

@array : array_like
The elements.
@indices : array_like of int
Where slices begin.
@axis : int, default 0
The axis that is sliced.
@dtype : dtype, optional
The dtype that is computed in.
@out : ndarray, optional
Array that the result is written to.
-> ndarray
Of the shape of `array`, with the number of indices along the axis.
! IndexError
For indices out of bounds.
~ It is NumPy's own but in compiled code, with derivatives and on devices, where indices may not depend on arrays that are traced.
d yes Of functions whose `at` has one.
& ufunc.reduce, ufunc.accumulate, ufunc.at
>>> np.add.reduceat([1, 2, 3, 4], [0, 2])
array([3, 7])
"""
TEXTS["ufunc"] = """
Function of arrays that works element by element, with broadcasting.

Arrays, nested lists and numbers are operands; their dtypes are promoted as NumPy has it. Compiled
functions fuse calls of ufuncs into one pass over memory. Each is an object of NumPy's calling
conventions (`out`, `where`, `casting`, `dtype`), with the methods `reduce`, `accumulate`, `outer`,
`at` and `reduceat`, and the attributes `nin`, `nout`, `types` and `identity`.

& sin, add, frompyfunc, vectorize
>>> np.add
<ufunc 'add'>
>>> np.add.nin, np.add.nout, np.add.identity
(2, 1, 0)
>>> np.add(1, [1, 2])
array([2, 3])
"""
TEXTS["ndarray"] = """
Array of elements of one dtype, with any number of axes.

Memory with strides, as numpy.ndarray: slices and transposes are views, operators work element by
element, and NumPy takes it without a copy (``numpy.asarray(x)``). Inside of a function that is
compiled or transformed it stands for a value that is not computed yet. Besides what NumPy's has, it
is on a `device`, and can record derivatives (`requires_grad`, `backward`, `grad`).

Functions make arrays (`array`, `zeros`, `arange`); calls of the class are for memory at hand.

@shape : int or tuple of ints
The sizes of the axes.
@dtype : dtype, default float64
The dtype of the elements.
@buffer : object with a buffer, optional
Memory that the array is over; without it memory is new, and elements are not set.
@offset : int, default 0
Bytes in the buffer before the first element.
@strides : tuple of ints, optional
Bytes from an element to the next along each axis.
@order : {'C', 'F'}, default 'C'
How elements lie without `strides`.
-> ndarray
The array.
! TypeError
For buffers that are too small.
~ Other than numpy.ndarray it is no base of classes: those derived from it derive from NumPy's. Methods that it has not are NumPy's, on a view.
& array, asarray, zeros, empty
>>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
>>> x.T @ x
array([[10., 14.],
       [14., 20.]])
>>> x[0] *= 10
>>> x
array([[10., 20.],
       [ 3.,  4.]])
"""
TEXTS["CompiledFunction"] = """
Function that `compile` made: it is called as the function as written is.

The first call with a kind of arguments (dtypes, numbers of axes, structure) records and compiles
it; later calls of the kind run native code. Methods are bound as usual, and attributes of the
function stay.

& compile, explain, compiler.reset
>>> f = np.compile(lambda x: x * 2 + 1)
>>> f(np.arange(3.0))
array([1., 3., 5.])
>>> f.backend
'llvm'
>>> f.cache_info().compiles
1
"""
TEXTS["CompiledFunction.cache_info"] = """
What became of the calls of a compiled function so far.

As functools.lru_cache has it, with two more numbers.

-> CacheInfo
A named tuple: `hits` (calls that compiled code served, those in parts included), `misses`,
`maxsize` (`cache_size_limit`), `currsize` (entries that are kept), `compiles`, and `uncompiled`
(calls that ran as written).
& CompiledFunction.cache_clear, explain
>>> f = np.compile(lambda x: x + 1)
>>> f(np.ones(2)), f(np.zeros(2))
(array([2., 2.]), array([1., 1.]))
>>> info = f.cache_info()
>>> info.compiles, info.hits, info.misses
(1, 1, 1)
"""
TEXTS["CompiledFunction.lower"] = """
The kernels for arguments of such shapes and dtypes, before there is code for them.

Nothing is run, and the compiled function keeps nothing of it. What is compiled of it serves these
arguments alone. (jax.jit(f).lower)

@specs : array or compiler.Spec
A `compiler.Spec`, an array, or anything with a shape and a dtype, for each array; all else as it is.
@named : Any
The same, by name.

-> compiler.Lowered
Its text is the fused loops, and its ``compile()`` gives a `compiler.Specialisation`.
! RecordError
Where the function reads values, or does what can't be recorded as a whole.
& CompiledFunction.warmup, compiler.trace, compiler.Spec
>>> f = np.compile(lambda x: np.sqrt(x) + 1)
>>> lowered = f.lower(np.compiler.Spec((3,)))
>>> sorted(lowered.kernels[0]["ops"])
['add', 'sqrt']
>>> lowered.compile()(np.ones(3))
array([2., 2., 2.])
"""
TEXTS["CompiledFunction.warmup"] = """
Compiles for arguments of such shapes and dtypes, so that the first call with such ones need not.

Nothing is run. The function is recorded as by a call, without a look at any element. It is kept as
what calls compile is, also on disk. Functions that run in parts are compiled by calls alone.

@specs : array or compiler.Spec
As `lower` takes them; or one list of tuples, each of which is for a call.
@named : Any
The same, by name.

-> int
How many entries are new.
! RecordError
Where the function reads values, has loops over numbers, or does what can't be recorded as a whole:
nothing is compiled, and calls go on as ever.
& CompiledFunction.lower, compiler.Spec
>>> f = np.compile(lambda x: np.sqrt(x) + 1)
>>> f.warmup(np.compiler.Spec((3,)))
1
>>> f(np.ones(3)), f.cache_info().hits
(array([2., 2., 2.]), 1)
"""
TEXTS["CompiledFunction.export"] = """
Writes the function to a shared library, which other processes load without compiling.

`fastnp.export`, of this function.

@specs : tuple, list, dict or compiler.Spec
The arguments: for each array a `compiler.Spec`, or anything with a shape and a dtype.
@path : str or path
The file; without a suffix it gets ``.so``. The header for C beside it ends in ``.h``.
@name : str, optional
The function's name in it; by default its own.

-> Exported
What `fastnp.load_exported` gives for the file.
! RecordError
Where the function reads values, or does more than compute its result.
& export, load_exported
>>> import tempfile
>>> f = np.compile(lambda x: np.sqrt(x) + 1)
>>> f.export(np.ShapeDtype("n"), tempfile.mkdtemp() + "/f")(np.array([4.0]))
array([3.])
"""
TEXTS["CompiledFunction.cache_clear"] = """
Forgets all that was compiled for the function.

The next call records and compiles it anew. Counters begin at 0. Code that is kept on disk stays, and
is found again where the function is the same.

-> None
Nothing is kept in memory.
& CompiledFunction.cache_info, compiler.reset
>>> f = np.compile(lambda x: x + 1)
>>> f(np.ones(2))
array([2., 2.])
>>> f.cache_clear()
>>> f.cache_info().currsize
0
"""
