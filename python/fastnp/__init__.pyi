"""Types of the package: what it has itself; NumPy's other names are there too, with NumPy's functions behind them."""

from typing import Any

from numpy import (
    bool as bool,
    bool_ as bool_,
    byte as byte,
    can_cast as can_cast,
    cdouble as cdouble,
    character as character,
    clongdouble as clongdouble,
    complex64 as complex64,
    complex128 as complex128,
    complexfloating as complexfloating,
    csingle as csingle,
    double as double,
    dtype as dtype,
    e as e,
    errstate as errstate,
    euler_gamma as euler_gamma,
    exceptions as exceptions,
    finfo as finfo,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    floating as floating,
    generic as generic,
    get_printoptions as get_printoptions,
    geterr as geterr,
    half as half,
    iinfo as iinfo,
    inexact as inexact,
    inf as inf,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int_ as int_,
    intc as intc,
    integer as integer,
    intp as intp,
    isdtype as isdtype,
    issubdtype as issubdtype,
    long as long,
    longdouble as longdouble,
    longlong as longlong,
    nan as nan,
    newaxis as newaxis,
    number as number,
    pi as pi,
    printoptions as printoptions,
    promote_types as promote_types,
    set_printoptions as set_printoptions,
    seterr as seterr,
    short as short,
    signedinteger as signedinteger,
    single as single,
    ubyte as ubyte,
    uint as uint,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uintc as uintc,
    uintp as uintp,
    ulong as ulong,
    ulonglong as ulonglong,
    unsignedinteger as unsignedinteger,
    ushort as ushort,
)

from fastnp import compiler as compiler, cuda as cuda, fft as fft, linalg as linalg, random as random
from fastnp._compile import Dim as Dim, compile as compile
from fastnp._core import *  # noqa: F403
from fastnp._core import ufunc
from fastnp._custom import checkpoint as checkpoint, custom_jvp as custom_jvp, custom_vjp as custom_vjp
from fastnp._effects import effect as effect
from fastnp._explain import explain as explain
from fastnp._functions import *  # noqa: F403
from fastnp._tape import enable_grad as enable_grad, no_grad as no_grad
from fastnp._transform import (
    grad as grad,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    linearize as linearize,
    stop_gradient as stop_gradient,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from fastnp._turns import cond as cond, fori_loop as fori_loop, scan as scan, while_loop as while_loop
from fastnp._vmap import axis_index as axis_index, pmax as pmax, pmean as pmean, pmin as pmin, psum as psum, vmap as vmap

__version__: str
True_: bool_
False_: bool_
ScalarType: tuple[type, ...]
sctypeDict: dict[Any, type[generic]]
typecodes: dict[str, str]
little_endian: Any
abs: ufunc
true_divide: ufunc
mod: ufunc
pow: ufunc
conj: ufunc
acos: ufunc
acosh: ufunc
asin: ufunc
asinh: ufunc
atan: ufunc
atan2: ufunc
atanh: ufunc
bitwise_not: ufunc
bitwise_invert: ufunc
bitwise_left_shift: ufunc
bitwise_right_shift: ufunc

def __dir__() -> list[str]: ...
def __getattr__(name: str) -> Any: ...
