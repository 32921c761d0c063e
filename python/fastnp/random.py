"""numpy.random, with arrays that are fastnp's (over the memory that NumPy made, without a copy)."""

from __future__ import annotations

import functools
import operator
import threading
import types
import weakref
from typing import Any

import numpy

from fastnp import _core, _doc_numpy, _fallback


def _drawn_there(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is drawn on the current device, or where the first of the arguments that is at home on one is; None: NumPy draws."""
    name = _core._current_device()
    if name == "cpu":
        given = (*args, *kwargs.values()) if kwargs else args
        for x in given:
            if type(x) is _core.ndarray and x.device != "cpu":
                name = x.device
                break
        else:
            return None
    from fastnp import _device, _draws

    with _device.device(name):
        return _draws.draw(getattr(function, "__self__", None), function.__name__, args, kwargs)


_NOTE = """fastnp: the numbers are NumPy's, to the bit, and so is the state of the generator after them;
arrays are fastnp's, over the same memory. In a compiled function each call draws anew, between
compiled parts; under `vmap` the parts draw as a loop over them would. Results are constants to
derivatives."""


def _recorded(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw as a part of a recording; NotImplemented: it is none."""
    from fastnp import _mapped, _outside  # not needed to import fastnp

    if _core._is_recording():
        if isinstance(function, _outside.Outside):  # of the generator's stand-in
            return function(*args, **kwargs)
        source = getattr(function, "__self__", None)
        return _outside.method_of(source, function.__name__, function)(*args, **kwargs)
    source = numpy.random.mtrand._rand if function is numpy.random.seed else getattr(function, "__self__", None)
    if _mapped.is_active() and _outside.is_generator(source):
        return _outside.method_of(source, function.__name__, function)(*args, **kwargs)
    return NotImplemented


_OF_STATE = frozenset(["seed", "get_state", "set_state", "get_bit_generator", "set_bit_generator"])  # nothing is drawn: none of these falls back
_PLAIN = frozenset([int, float, bool, str, type(None)])  # arguments that NumPy takes as they are


def _owned(function: Any, name: str) -> Any:
    source, method = getattr(function, "__self__", None), getattr(function, "__name__", "")
    may_draw = type(source) is numpy.random.Generator or isinstance(source, numpy.random.RandomState)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _core._records():
            made = _recorded(function, args, kwargs)
            if made is not NotImplemented:
                return made
        elif (
            may_draw and _core._current_device() == "cpu" and (made := _core._draw_natively(source, method, False, *args, **kwargs)) is not NotImplemented
        ):
            return made
        elif not kwargs and _PLAIN.issuperset(map(type, args)) and _core._current_device() == "cpu":
            if method not in _OF_STATE:
                _fallback.count(name)
            return _fallback.from_numpy(function(*args), {})
        drawn = _drawn_there(function, args, kwargs)
        if drawn is not None:
            return drawn
        return _fallback.call_counted(function, name, args, kwargs)

    call.__doc__ = _noted(function.__doc__ or "")
    return call


@functools.cache
def _noted(doc: str) -> str:
    text = doc.rstrip()
    return f"{text}\n\n{_doc_numpy.under(text, _NOTE)}\n"


def _bound(source: Any, name: str) -> Any:
    """A method of a generator of NumPy's. As NumPy's own it is bound once and for all, as an attribute of a class, too."""
    call = _owned(getattr(source, name), f"random.Generator.{name}")

    @functools.wraps(getattr(type(source), name))
    def method(_source: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    method.__doc__ = call.__doc__
    return types.MethodType(method, source)


_kept: dict[str, tuple[Any, Any]] = {}  # of NumPy's functions by their names, and what stands for them


def _owned_function(function: Any, name: str) -> Any:
    kept = _kept.get(name)
    if kept is None or kept[0] is not function:
        full = f"random.{name}"
        kept = _kept[name] = function, _core._Function(_owned(function, full), full, _core._ByNumpy(function, full, True))
        if getattr(function, "__self__", None) is numpy.random.mtrand._rand and name != "seed":
            globals()[name] = kept[1]  # the generator stays the same one: these need not be asked for
    return kept[1]


def _makes_anew() -> bool:
    """Whether what is made is to be made at each call of a compiled function; what a vmap maps starts anew for each part."""
    if not _core._is_recording():
        return False
    from fastnp import _mapped  # not needed to import fastnp

    return not _mapped.is_active()


def _made_by(name: str, function: Any, args: Any, kwargs: Any) -> Any:
    from fastnp import _made  # not needed to import fastnp

    return _made.Making(name, function)(*args, **kwargs)


_methods: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()  # of generators, as `_owned` makes them


class Generator:
    """numpy.random.Generator, whose arrays are fastnp's. `default_rng` makes one.

    Its methods are NumPy's, with the same numbers for the same seed, also in compiled functions and
    under `vmap`. In a ``fastnp.device("cuda")`` context large draws of PCG64 and Philox (`random`,
    `uniform`, `integers`, `normal`, `exponential`, `choice`) are made on the device, the same to the bit.

    Parameters
    ----------
    bit_generator : numpy.random.BitGenerator
        Where the bits come from.

    See Also
    --------
    random.default_rng

    Examples
    --------
    >>> import fastnp as np
    >>> rng = np.random.Generator(np.random.PCG64(7))
    >>> type(rng.random(3)) is np.ndarray
    True
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Generator and _makes_anew():
            return _made_by("random.Generator", Generator, args, kwargs)
        return super().__new__(cls)

    def __init__(self, bit_generator: Any) -> None:
        self._numpy = numpy.random.Generator(bit_generator)
        if _core._records():
            from fastnp import _mapped

            _mapped.note_fresh(self._numpy)

    @property
    def bit_generator(self) -> Any:
        return self._numpy.bit_generator

    def spawn(self, n_children: int) -> list[Generator]:
        return [Generator(child.bit_generator) for child in self._numpy.spawn(n_children)]

    def _whole_method(self, name: str) -> Any:
        """A method that takes whatever there is to take; what the class has for it (`_core._DrawMethod`) is the short way."""
        methods = _methods.setdefault(self, {})
        if (kept := methods.get(name)) is None:
            is_plain = type(self._numpy) is numpy.random.Generator  # and no stand-in of a recording
            kept = _bound(self._numpy, name) if is_plain else _owned(getattr(self._numpy, name), f"random.Generator.{name}")
            methods[name] = kept
        return kept

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._numpy)})

    def __reduce__(self) -> Any:
        return Generator, (self._numpy.bit_generator,)

    def __repr__(self) -> str:
        return repr(self._numpy)


for _name, _found in vars(numpy.random.Generator).items():  # (With a __getattr__ Python would look for methods at each call.)
    if _name.startswith("__") or hasattr(Generator, _name):
        continue
    setattr(
        Generator, _name, _core._DrawMethod(_name, f"random.Generator.{_name}") if callable(_found) else property(operator.attrgetter(f"_numpy.{_name}"))
    )


def default_rng(seed: Any = None) -> Generator:
    """A generator of random numbers, as numpy.random.default_rng makes it.

    The same seed gives NumPy's numbers. In a compiled function each call makes it anew.

    Parameters
    ----------
    seed : int, sequence of ints, SeedSequence, BitGenerator or Generator, optional
        Where it begins. None: the system's entropy. A generator is given back as it is.

    Returns
    -------
    Generator
        Over PCG64, unless `seed` says otherwise.

    Raises
    ------
    TypeError
        For other seeds.
    ValueError
        For negative numbers.

    See Also
    --------
    random.Generator

    Examples
    --------
    >>> import fastnp as np
    >>> import numpy
    >>> float(np.random.default_rng(7).random()) == numpy.random.default_rng(7).random()
    True
    """
    if type(seed) is Generator:
        return seed
    if (type(seed) is int or seed is None) and not _core._records():
        made = object.__new__(Generator)
        made._numpy = numpy.random.default_rng(seed)
        return made
    if _makes_anew():
        return _made_by("random.default_rng", default_rng, (seed,), {})
    if isinstance(seed, Generator):
        return seed
    made = Generator(numpy.random.default_rng(_fallback.to_numpy(seed, {})).bit_generator)
    if seed is None and _core._records():  # one stream for all parts of a vmap is as good as one for each
        from fastnp import _mapped

        _mapped.forget(made._numpy)
    return made


class RandomState(numpy.random.RandomState):
    """numpy.random.RandomState, which shuffles fastnp's arrays, too.

    The older generator, whose methods are also functions of ``fastnp.random``. Its streams are the
    same in all versions of NumPy; `default_rng` makes quicker ones.

    Parameters
    ----------
    seed : int, sequence of ints, BitGenerator or None, optional
        Where it begins. None: the system's entropy.

    See Also
    --------
    random.default_rng

    Examples
    --------
    >>> import fastnp as np
    >>> state = np.random.RandomState(7)
    >>> x = np.arange(4)
    >>> state.shuffle(x)
    >>> sorted(x.tolist())
    [0, 1, 2, 3]
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is RandomState and _makes_anew():
            return _made_by("random.RandomState", RandomState, args, kwargs)
        return super().__new__(cls)

    def __init__(self, seed: Any = None) -> None:
        super().__init__(_fallback.to_numpy(seed, {}))

    def seed(self, seed: Any = None) -> None:
        super().seed(_fallback.to_numpy(seed, {}))

    def shuffle(self, x: Any) -> None:
        if _core._records() or _core._draw_natively(self, "shuffle", False, x) is NotImplemented:
            _fallback.call_counted(super().shuffle, "random.shuffle", (x,), {})


class _Inner(threading.local):
    draws = False  # within one of these, which may call another


_inner = _Inner()


def _count_draws(name: str) -> None:
    function = getattr(numpy.random.RandomState, name)

    @functools.wraps(function)
    def draw(self: RandomState, *args: Any, **kwargs: Any) -> Any:
        if _inner.draws:
            return function(self, *args, **kwargs)
        if not _core._records() and (made := _core._draw_natively(self, name, False, *args, **kwargs)) is not NotImplemented:
            return made
        _fallback.count(f"random.{name}")
        _inner.draws = True
        try:
            made = _fallback.retried(function, (self, *args), kwargs)
            return _fallback.from_numpy(made, {}) if not _core._records() else made
        finally:
            _inner.draws = False

    setattr(RandomState, name, draw)


for _name in dir(numpy.random.RandomState):
    if _name[0] != "_" and _name not in ("shuffle", "get_state", "set_state", "seed"):
        _count_draws(_name)
RandomState.__module__ = numpy.random.RandomState.__module__


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(numpy.random, name)
    if _core._is_recording() and _makes_anew():
        from fastnp import _outside

        if (maker := _outside.maker_of(found)) is not None:
            return maker
    return _owned_function(found, name) if callable(found) and not isinstance(found, type) else found


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy.random) if not name.startswith("__"))})
