"""Numbers that vary from call to call, in every place where a function takes one: sizes that are read, ints and floats among the arguments, numbers that
the function knows by name. Compiled code gives what the function as written gives, whatever they are by then."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest
from support import alike

import fastnp as np

FORMS = """
m.linspace(0,1,n); m.linspace(0,n,5); m.linspace(n,1,5); m.linspace(0,1,n,endpoint=False); m.linspace(0,1,n,dtype=int); m.linspace(0,1j,n)
m.linspace(0,0,n); m.linspace(n,n,n); m.linspace(0,n,n,retstep=True)[1]; m.arange(n); m.arange(1,n); m.arange(0,n,2); m.arange(n,0,-1)
m.arange(0.,n); m.arange(n,dtype=float); m.arange(0,1,1/n); m.arange(0,n,0.5); m.arange(-n,n); m.arange(0,n*n,n); m.eye(n); m.eye(3,n)
m.eye(n,k=1); m.eye(4,k=n-4); m.identity(n); m.tri(n); m.tri(3,n); m.tri(4,4,n-5); m.zeros(n); m.ones((n,2)); m.full(n,n); m.full((2,n),n*0.5)
m.full(3,n); m.roll(x,n-1); m.roll(x,n-5); m.roll(y,n,axis=0); m.repeat(x,n); m.repeat(x,n-3); m.tile(x,n); m.tile(x,(n,2)); m.pad(x,n)
m.pad(x,(n,1)); m.diff(x,n-4); m.diff(y,axis=n-n); m.vander(x,n); m.vander(x,n-1); m.hanning(n); m.hamming(n); m.kaiser(n,n); m.bartlett(n)
m.blackman(n); m.bincount(ix,minlength=n); m.bincount(ix,minlength=n*2); m.histogram(x,n)[0]; m.histogram(x,bins=n,range=(0,n))[0]
m.histogram_bin_edges(x,n); m.unravel_index(5,(n,n)); m.unravel_index(n,(n,n)); m.ravel_multi_index((1,2),(n,n)); m.indices((n,2))
m.fft.fft(x,n-1); m.fft.fft(x,n+3); m.fft.fftfreq(n); m.fft.fftfreq(n,1/n); m.fft.rfftfreq(n); m.fft.irfft(x,n); m.partition(x,n-2)
m.argpartition(x,n-1)[n-1]; m.take(x,n-1); m.split(x,n); m.array_split(x,n-1); m.array_split(x,3); m.trace(y,n-5); m.diagonal(y,n-5)
m.diag(x,n-4); m.diag(x,n-6); m.triu(y,n-5); m.tril(y,n-6); m.tril_indices(n); m.triu_indices(n,1); m.triu_indices(n,n-4); m.diag_indices(n)
m.clip(x,0,n); m.clip(x,n-4,n-3); m.var(x,ddof=n-4); m.std(x,ddof=n-3); m.round(x,n-4); m.around(x*1000,n-6); m.linalg.matrix_power(sq,n-2)
m.rot90(y,n); m.power(x,n); x**n; n**x; x**(n-4); 2**n*x; m.left_shift(ix,n); m.right_shift(ix*99,n-3); m.ldexp(x,n); m.bitwise_and(ix,n); ix%n
ix//n; x%n; x//n; m.divmod(ix,n); m.mod(n,ix+1); n//(ix+1); n%(ix+1); m.gcd(ix,n); m.lcm(ix,n); m.maximum(x,n-4); m.minimum(ix,n-4)
m.where(x>0,n,0); m.where(x>0,n,0.5); m.where(ix>n-3,x,n); m.hypot(x,n); m.arctan2(n,x); m.add(n,n); m.multiply(n,n)*x; m.sqrt(n)*x; m.sin(n)+x
m.float64(n)*x; m.int32(n)*ix; m.array(n)*x; m.array([n,1]); m.array([n,1.5]); m.asarray((n,n+1,n*n)); m.array([[n,1],[2,n]]); m.array(x.shape)
m.array(y.shape)*2.; m.prod(x.shape)*x; m.sum(y.shape); m.max(y.shape); m.prod(y.shape)+ix; m.interp(n-3.5,x,x); m.interp(x,[0,n],[0,1])
m.polyval([1,n],x); m.poly1d([n,1])(x); m.convolve(x,[1,n]); m.dot([n]*n,x); m.searchsorted(x,n-4); m.searchsorted([0,n],x)
m.digitize(x,[0,n-3]); m.isin(ix,[n-1,2]); m.isclose(x,n); m.allclose(x,n); m.quantile(x,1/n); m.percentile(x,n); m.nan_to_num(x,nan=n)
m.select([x>1],[x],n); m.choose(ix%2,[x,n]); m.piecewise(x,[x>1],[n,0]); m.put_along_axis(x.copy(),ix%n,n,0); m.insert(x,1,n); m.insert(x,n-1,0)
m.delete(x,n-1); m.append(x,n); m.concatenate([x,[n]]); m.stack([x,m.full(n,n)]); m.broadcast_to(n,(n,2)); m.broadcast_to(x,(n,n))
m.reshape(y,(n*2,)); y.reshape(2,n); y.reshape(-1,n); m.resize(x,n+2); m.expand_dims(x,n-n); m.swapaxes(y,n-n,1); m.moveaxis(y,0,n-n+1)
m.apply_along_axis(lambda r:r*n,0,y); m.cumsum(x)/n; m.mean(x)*n; m.sum(x)/n; m.sum(x)/(n-1); m.sum(x)*(1/n); m.sum(x)/n**2; m.sum(x)/n**0.5
x*n/2; x/(2*n); x*(n//2); x*(n/3); x*(n%3); x*-n; x*abs(n-9); x*float(n); x*int(n/2); x*round(n/3); x*divmod(n,3)[1]; x*(n<5); x*(n==4)
x*max(n,5); x*min(n,5); x*sum(range(n)); x*len(y); x*(n<<1); x*(n>>1); x*(n&1); x*(n|8); x*(n^3); x*(~n); x*complex(n); x*pow(n,2); x*pow(n,-1)
x*n**-1; x*2**-n; x*bool(n-4); x*(-n//3); x*(-n%3); x*(7//n); x*(7%n); x*(n//(n-2)); x*(1.5//n); x*(n//1.5); x*(n%1.5); m.ones(n).sum()
m.full((),n); m.empty((n,0)).sum(); m.cross(m.array([n,0,1.]),x[:3]); m.kron(x,[n]); m.outer(x,[n,1]); m.einsum(',i->i',n,x)
m.tensordot(x,x,axes=n-n+1); m.linalg.norm(x,n); m.linalg.norm(x,ord=n-3); m.meshgrid(x,m.arange(n))[1]; m.logspace(0,1,n); m.geomspace(1,n,n)
m.flip(y,n-n); m.cumprod(m.full(3,n)); m.ediff1d(x,to_end=n); m.trapezoid(x,dx=n); m.gradient(x,n); m.unwrap(x,period=n); m.i0(n*0.1)
m.sinc(n*0.1)*x; m.spacing(n)*x; m.sign(n-4)*x; m.fmod(x,n); m.copysign(x,n-5); m.nextafter(x,n); m.heaviside(x,n); m.argsort(x)[n-1]; x[n-1]
x[n-4]; x[:n-2]; x[n-3:]; x[::n-2]; x[-n]; x[n//2]; x[n//2:]; y[n-1,1]; y[[n-1,0]]; y[[0,n-2],[1,0]]; x[m.arange(n)[::-1]]; x[ix%n]; y[:,n-n]
x[slice(1,n-1)]; m.r_[x,n]; m.r_[0:n]; m.r_[0:1:n*1j]; m.c_[x,x]*n; m.ix_(m.arange(n))[0]; m.mgrid[0:n]; m.ogrid[0:n,0:2][0]; m.s_[0:n] and x
m.random.default_rng(n).random(n); m.random.RandomState(n).rand(n); m.random.default_rng(1).integers(0,n,n); m.random.default_rng(1).choice(n,3)
m.random.default_rng(1).permutation(n); m.random.default_rng(1).normal(n,n,n)
"""
KNOWN: dict[str, Any] = {}
HEADS = {
    "a size": "def function(x, y, ix, sq, given):\n    n = x.shape[0]\n",
    "an int": "def function(x, y, ix, sq, n):\n",
    "a float": "def function(x, y, ix, sq, n):\n    n = n * 0.5\n",
    "known by name": "def function(x, y, ix, sq, given):\n    n = KNOWN['n']\n",
    "in a list": "def function(x, y, ix, sq, given):\n    n, *_ = given\n",
    "an array's": "def function(x, y, ix, sq, given):\n    n = ix[-1] + 1\n",
}


def arguments_of(module: Any, kind: str, n: int) -> tuple[Any, ...]:
    KNOWN["n"] = n
    given = {"a float": n * 2.0, "in a list": [n, 3, 4.0]}.get(kind, n)
    square = numpy.arange(9.0).reshape(3, 3) + numpy.eye(3)
    arrays = numpy.linspace(-1, 3, n), numpy.arange(2.0 * n).reshape(n, 2), numpy.arange(n), square
    return *(module.array(each) for each in arrays), given


def outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("module", [numpy, np], ids=["numpy", "fastnp"])
@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("form", [form.strip() for line in FORMS.strip().splitlines() for form in line.split(";")])
@pytest.mark.part(10)
def test_numbers_that_vary(form, kind, module):
    scope = {"m": module, "KNOWN": KNOWN}
    exec(f"{HEADS[kind]}    return {form}\n", scope)  # noqa: S102  # the text is made here
    function = scope["function"]
    compiled = np.compile(function)
    for n in (4, 4, 5, 6, 4, 7):
        wanted, got = (outcome(each, arguments_of(module, kind, n)) for each in (function, compiled))
        assert alike(got, wanted, rtol=1e-12, atol=1e-14, numbers=1e-12), f"for {n}, {got!r} where the function as written gives {wanted!r}"
