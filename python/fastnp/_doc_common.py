"""What docstrings of many functions share: parameters by their names, and sentences of the notes."""

from __future__ import annotations

# name: (type, description)
PARAMETERS: dict[str, tuple[str, str]] = {
    "a": ("array_like", "The array: any shape, any dtype that fastnp has."),
    "x": ("array_like", "The array: any shape, any dtype that fastnp has."),
    "m": ("array_like", "The array: any shape, any dtype."),
    "axis": (
        "int, tuple of ints or None",
        "The axis or axes to reduce; negative ones count from the last. None reduces all axes.",
    ),
    "dtype": ("dtype", "The dtype of the result. None: the one that NumPy's rules of promotion give."),
    "out": (
        "ndarray",
        "Array that the result is written to, and that is returned. It has the result's shape, and a dtype that the result can be cast to.",
    ),
    "keepdims": ("bool", "Whether reduced axes stay, with size 1, so that the result broadcasts against the operand."),
    "initial": ("scalar", "Value that the reduction starts with; also the result where there are no elements."),
    "where": ("array_like of bool", "Which elements take part. It broadcasts against the array."),
    "ddof": ("int or float", "The divisor is ``N - ddof``, with N the number of elements."),
    "correction": ("int or float", "Another name for `ddof`, from the Array API standard; one of them may be given."),
    "casting": (
        "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}",
        "Which casts of dtypes are allowed; others raise TypeError.",
    ),
    "order": (
        "{'C', 'F', 'A', 'K'}",
        "How elements lie in memory: rows ('C') or columns ('F') in sequence, 'F' if the operand is Fortran contiguous ('A'), or as near to "
        "the operand's layout as possible ('K').",
    ),
    "subok": ("bool", "For NumPy's signature. Arrays of fastnp have no subclasses."),
    "like": ("object", "An object of another library with ``__array_function__`` that is to make the array instead."),
    "device": ("str", "For NumPy's signature: None or ``'cpu'``. `fastnp.device` chooses where arrays are made."),
    "copy": ("bool", "Whether the elements are copied: True always, False never (ValueError if needed), None if needed."),
    "shape": ("int or tuple of ints", "The sizes of the axes."),
    "arrays": ("sequence of array_like", "The arrays."),
    "tup": ("sequence of array_like", "The arrays: a list or a tuple of them, not an iterator."),
    "indices_or_sections": (
        "int or sequence of ints",
        "A number of parts, or the sorted positions along the axis at which parts begin.",
    ),
    "ary": ("array_like", "The array to divide."),
    "kind": ("{'quicksort', 'stable', 'mergesort', 'heapsort'}", "'stable' and 'mergesort' keep equal elements in their order; others need not."),
    "stable": ("bool", "True is ``kind='stable'``. Only one of the two may be given."),
    "max_work": ("int", "How much effort NumPy spends on the exact answer, as numpy.shares_memory has it."),
    "fun": ("callable", "A function over arrays. Its arguments and result may be trees: tuples, lists, dicts and dataclasses of arrays."),
}

HOW = {
    "own": "Has kernels of its own: on the host, in compiled functions and on CUDA devices.",
    "view": "A view is no work on any device; in a compiled function it costs nothing.",
    "made": "Made of fastnp's own functions: compiled and fused in compiled functions, and runs on CUDA devices.",
    "host": "Answered by the host, from what it knows of the array; elements are not read.",
    "linalg": "NumPy computes it for arrays on the host. In compiled functions, in transforms and on CUDA devices it is fastnp's own, over LAPACK "
    "or cuSOLVER.",
    "factors": "It is fastnp's own, over LAPACK or cuSOLVER: on the host, in compiled functions, in transforms and on CUDA devices.",
    "products": "NumPy computes it for arrays on the host. In compiled functions, in transforms and on CUDA devices it is made of fastnp's products "
    "of matrices (BLAS or cuBLASLt) and elementwise operations.",
    "pieces": "NumPy computes it for arrays on the host. In compiled functions, in transforms and on CUDA devices it is made of fastnp's own functions.",
    "fft": "It is fastnp's own, over pocketfft: on the host, in compiled functions and in transforms; on CUDA devices cuFFT does it.",
    "creator": "In a compiled function each call makes the array anew. Within ``fastnp.device('cuda')`` it is made on that device.",
    "numpy": "NumPy computes it, on views of the arrays; in a compiled function it is a call between compiled parts.",
}

# By the first word of a `d` line, whose rest follows.
DERIVATIVES = {
    "yes": "It has derivatives of both modes, to any order.",
    "none": "Its result is no floating number: derivatives through it are zero.",
    "zero": "It is constant between steps: its derivative is zero.",
    "moves": "It moves elements, and so does its derivative, of both modes and any order.",
    "undefined": "It has no derivative: one that is asked for raises TypeError.",
    "constant": "Its result is a constant to derivatives.",
}
