"""Types of the package: what it has itself; NumPy's other names are there too, with NumPy's functions behind them."""

from typing import Any

from numpy import (
    bool as bool,
)
from numpy import (
    bool_ as bool_,
)
from numpy import (
    byte as byte,
)
from numpy import (
    can_cast as can_cast,
)
from numpy import (
    cdouble as cdouble,
)
from numpy import (
    character as character,
)
from numpy import (
    clongdouble as clongdouble,
)
from numpy import (
    complex64 as complex64,
)
from numpy import (
    complex128 as complex128,
)
from numpy import (
    complexfloating as complexfloating,
)
from numpy import (
    csingle as csingle,
)
from numpy import (
    double as double,
)
from numpy import (
    dtype as dtype,
)
from numpy import e as e
from numpy import (
    errstate as errstate,
)
from numpy import euler_gamma as euler_gamma
from numpy import (
    exceptions as exceptions,
)
from numpy import (
    finfo as finfo,
)
from numpy import (
    float16 as float16,
)
from numpy import (
    float32 as float32,
)
from numpy import (
    float64 as float64,
)
from numpy import (
    floating as floating,
)
from numpy import (
    generic as generic,
)
from numpy import (
    get_printoptions as get_printoptions,
)
from numpy import (
    geterr as geterr,
)
from numpy import (
    half as half,
)
from numpy import (
    iinfo as iinfo,
)
from numpy import (
    inexact as inexact,
)
from numpy import inf as inf
from numpy import (
    int8 as int8,
)
from numpy import (
    int16 as int16,
)
from numpy import (
    int32 as int32,
)
from numpy import (
    int64 as int64,
)
from numpy import (
    int_ as int_,
)
from numpy import (
    intc as intc,
)
from numpy import (
    integer as integer,
)
from numpy import (
    intp as intp,
)
from numpy import (
    isdtype as isdtype,
)
from numpy import (
    issubdtype as issubdtype,
)
from numpy import (
    long as long,
)
from numpy import (
    longdouble as longdouble,
)
from numpy import (
    longlong as longlong,
)
from numpy import nan as nan
from numpy import newaxis as newaxis
from numpy import (
    number as number,
)
from numpy import pi as pi
from numpy import (
    printoptions as printoptions,
)
from numpy import (
    promote_types as promote_types,
)
from numpy import (
    set_printoptions as set_printoptions,
)
from numpy import (
    seterr as seterr,
)
from numpy import (
    short as short,
)
from numpy import (
    signedinteger as signedinteger,
)
from numpy import (
    single as single,
)
from numpy import (
    ubyte as ubyte,
)
from numpy import (
    uint as uint,
)
from numpy import (
    uint8 as uint8,
)
from numpy import (
    uint16 as uint16,
)
from numpy import (
    uint32 as uint32,
)
from numpy import (
    uint64 as uint64,
)
from numpy import (
    uintc as uintc,
)
from numpy import (
    uintp as uintp,
)
from numpy import (
    ulong as ulong,
)
from numpy import (
    ulonglong as ulonglong,
)
from numpy import (
    unsignedinteger as unsignedinteger,
)
from numpy import (
    ushort as ushort,
)

from fastnp import compiler as compiler
from fastnp import fft as fft
from fastnp import linalg as linalg
from fastnp import random as random
from fastnp._compile import Dim as Dim
from fastnp._compile import compile as compile
from fastnp._core import *  # noqa: F403
from fastnp._explain import explain as explain
from fastnp._functions import *  # noqa: F403

__version__: str

def __getattr__(name: str) -> Any: ...
