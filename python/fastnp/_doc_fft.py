"""What is particular to fastnp.fft; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_SHARED = """
@norm : {{'backward', 'ortho', 'forward'}}
Which direction is divided by the number of points: the way back, each by its root, or the way there. None is 'backward'.
@out : ndarray
Array that the result is written to; NumPy's own function is called for it.
"""
_LINE = (
    """
@n : int
The number of points{points}. Longer axes are cut, shorter ones have zeros behind. None: {default}.
@axis : int
The axis of the points.
"""
    + _SHARED.strip()
    + """
-> ndarray, {dtype}
{result}
! ValueError
For an `n` below 1, and another `norm`.
! AxisError
For an axis that `a` has not.
d yes
% fft
"""
)
_AXES = (
    """
@s : sequence of ints
The number of points of each axis. None: {default}.
@axes : sequence of ints
The axes, one after the other. None: all, or as many of the last as `s` has.
"""
    + _SHARED.strip()
    + """
-> ndarray, {dtype}
{result}
! ValueError
For sizes below 1, and for `s` and `axes` of different lengths.
! AxisError
For axes that `a` has not.
d yes
% fft
"""
)

TEXTS["fft.fft"] = (
    """
Discrete Fourier transform along an axis.

Element k of the result is the sum of ``a[m] * exp(-2j * pi * m * k / n)``: the part of frequency
k / n. Frequencies from n / 2 on stand for negative ones.

@a : array_like
The points, complex or real.
"""
    + _LINE.strip().format(points="", default="the axis' size", dtype="complex", result="Of the shape of `a`, with n elements along the axis.")
    + """
& fft.ifft, fft.rfft, fft.fftn, fft.fftfreq
>>> np.fft.fft([1.0, 0.0, 0.0, 0.0])
array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
"""
)
TEXTS["fft.ifft"] = (
    """
Inverse of the discrete Fourier transform along an axis.

Element m of the result is the mean of ``a[k] * exp(2j * pi * m * k / n)``.

@a : array_like
The frequencies, in the order of `fft`.
"""
    + _LINE.strip().format(points="", default="the axis' size", dtype="complex", result="Of the shape of `a`, with n elements along the axis.")
    + """
& fft.fft, fft.irfft, fft.ifftn
>>> np.fft.ifft([4.0, 0.0, 0.0, 0.0])
array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
"""
)
TEXTS["fft.rfft"] = (
    """
Discrete Fourier transform of real points along an axis.

The negative frequencies, which are conjugates of the positive ones, are left out: half the work.

@a : array_like
The points; imaginary parts are dropped, with a warning.
"""
    + _LINE.strip().format(
        points="", default="the axis' size", dtype="complex", result="Of the shape of `a`, with ``n // 2 + 1`` elements along the axis."
    )
    + """
& fft.irfft, fft.fft, fft.rfftfreq, fft.rfftn
>>> np.fft.rfft([1.0, 2.0, 3.0, 4.0])
array([10.+0.j, -2.+2.j, -2.+0.j])
"""
)
TEXTS["fft.irfft"] = (
    """
Real points that frequencies are the transform of: the inverse of `rfft`.

The number of points is not known from the frequencies: for an odd one give `n`.

@a : array_like
The frequencies that are not negative, in the order of `rfft`.
"""
    + _LINE.strip().format(
        points=" of the result",
        default="``2 * (m - 1)`` for m frequencies",
        dtype="floating",
        result="Of the shape of `a`, with n elements along the axis.",
    )
    + """
& fft.rfft, fft.ifft, fft.irfftn
>>> np.fft.irfft([10.0, -2.0 + 2.0j, -2.0])
array([1., 2., 3., 4.])
"""
)
TEXTS["fft.hfft"] = (
    """
Real frequencies of points that are symmetric about 0: ``a[-m] == conj(a[m])``.

One half of the points is given. It is `irfft` of the conjugate, the other way round.

@a : array_like
The points from 0 on.
"""
    + _LINE.strip().format(
        points=" of the result",
        default="``2 * (m - 1)`` for m points",
        dtype="floating",
        result="Of the shape of `a`, with n elements along the axis.",
    )
    + """
& fft.ihfft, fft.irfft
>>> np.fft.hfft([1.0, 2.0, 3.0])
array([ 8., -2.,  0., -2.])
"""
)
TEXTS["fft.ihfft"] = (
    """
Inverse of `hfft`: the half of symmetric points that real frequencies belong to.

It is the conjugate of `rfft`, divided by n.

@a : array_like
Real frequencies.
"""
    + _LINE.strip().format(
        points="", default="the axis' size", dtype="complex", result="Of the shape of `a`, with ``n // 2 + 1`` elements along the axis."
    )
    + """
& fft.hfft, fft.rfft
>>> np.fft.ihfft([4.0, 0.0, 0.0, 0.0])
array([1.-0.j, 1.-0.j, 1.-0.j])
"""
)
_MANY = {  # name: (summary, more, points, sizes, dtype, result, example)
    "fft": (
        "Discrete Fourier transform along {axes}.",
        "`fft` along one axis after the other.",
        "The points, complex or real.",
        "the axes' sizes",
        "complex",
        "Of the shape of `a`, with these sizes.",
        "np.fft.fft{n}([[1.0, 2.0], [3.0, 4.0]])",
    ),
    "ifft": (
        "Inverse of the discrete Fourier transform along {axes}.",
        "`ifft` along one axis after the other.",
        "The frequencies, in the order of `fft{n}`.",
        "the axes' sizes",
        "complex",
        "Of the shape of `a`, with these sizes.",
        "np.fft.ifft{n}([[4.0, 0.0], [0.0, 0.0]])",
    ),
    "rfft": (
        "Discrete Fourier transform of real points along {axes}.",
        "`rfft` along the last of them, `fft` along the others.",
        "The points; imaginary parts are dropped, with a warning.",
        "the axes' sizes",
        "complex",
        "Of the shape of `a`, with these sizes; ``s[-1] // 2 + 1`` along the last of the axes.",
        "np.fft.rfft{n}([[1.0, 2.0], [3.0, 4.0]])",
    ),
    "irfft": (
        "Real points that frequencies along {axes} are the transform of.",
        "The inverse of `rfft{n}`. For an odd number of points along the last axis give `s`.",
        "The frequencies, in the order of `rfft{n}`.",
        "the axes' sizes, ``2 * (m - 1)`` for m frequencies along the last",
        "floating",
        "Of the shape of `a`, with these sizes.",
        "np.fft.irfft{n}([[10.0, -2.0], [-4.0, 0.0]])",
    ),
}
_OUTPUTS = {
    "fft": "array([[10.+0.j, -2.+0.j],\n       [-4.+0.j,  0.+0.j]])",
    "ifft": "array([[1.+0.j, 1.+0.j],\n       [1.+0.j, 1.+0.j]])",
    "rfft": "array([[10.+0.j, -2.+0.j],\n       [-4.+0.j,  0.+0.j]])",
    "irfft": "array([[1., 2.],\n       [3., 4.]])",
}


def _add(name: str, n: str, axes: str) -> None:
    summary, more, points, sizes, dtype, result, example = (part.replace("{n}", n).replace("{axes}", axes) for part in _MANY[name])
    back = name.replace("ir", "r") if name[0] == "i" and name != "ifft" else "fft" if name == "ifft" else f"i{name}"
    TEXTS[f"fft.{name}{n}"] = (
        f"{summary}\n\n{more}\n\n@a : array_like\n{points}\n"
        + _AXES.strip().format(default=sizes, dtype=dtype, result=result)
        + f"\n& fft.{name}, fft.{back}{n}, fft.{name}{'2' if n == 'n' else 'n'}\n>>> {example}\n{_OUTPUTS[name]}\n"
    )


for _name in _MANY:
    _add(_name, "n", "several axes")
    _add(_name, "2", "two axes, the last ones unless told otherwise")

_SHIFT = """
{summary}

{more}

@x : array_like
The elements.
@axes : int or tuple of ints
The axes. None: all.
-> ndarray
Of the shape and dtype of `x`.
d moves
% fft
& fft.{other}, fft.fftfreq, roll
"""
TEXTS["fft.fftshift"] = (
    _SHIFT.format(
        summary="Frequencies in ascending order: that of 0 is moved to the middle.",
        more="It rolls each axis by half its size.",
        other="ifftshift",
    )
    + """
>>> np.fft.fftshift([0, 1, 2, -2, -1])
array([-2, -1,  0,  1,  2])
"""
)
TEXTS["fft.ifftshift"] = (
    _SHIFT.format(
        summary="Inverse of `fftshift`: the frequency of 0 is moved to the front.",
        more="The two differ for axes of odd size.",
        other="fftshift",
    )
    + """
>>> np.fft.ifftshift([-2, -1, 0, 1, 2])
array([ 0,  1,  2, -2, -1])
"""
)
_FREQUENCIES = """
Frequencies that belong to the elements of {name}'s result.

{more}

@n : int
The number of points that were transformed.
@d : number
The distance between points: 1 / d is the rate of sampling.
@device : str
None or ``'cpu'``.
-> ndarray, float64
{result}
! ValueError
For an `n` that is no integer.
d ~ By `d` it has derivatives in compiled functions and transforms alone.
% fft
& fft.{other}, fft.fft
"""
TEXTS["fft.fftfreq"] = (
    _FREQUENCIES.format(
        name="`fft`",
        more="In cycles for each unit of `d`; the second half are the negative ones.",
        result="Of n elements: 0, 1, ..., -2, -1, divided by ``n * d``.",
        other="rfftfreq",
    )
    + """
>>> np.fft.fftfreq(4, d=0.5)
array([ 0. ,  0.5, -1. , -0.5])
"""
)
TEXTS["fft.rfftfreq"] = (
    _FREQUENCIES.format(
        name="`rfft`",
        more="In cycles for each unit of `d`; none is negative.",
        result="Of ``n // 2 + 1`` elements: 0, 1, 2, ..., divided by ``n * d``.",
        other="fftfreq",
    )
    + """
>>> np.fft.rfftfreq(4, d=0.5)
array([0. , 0.5, 1. ])
"""
)
