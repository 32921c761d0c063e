"""Another library with arrays on a simulated device, played in Python: memory of its own there, streams, DLPack and the CUDA Array Interface by ctypes."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy
import simulated

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}  # kinds by DLPack's codes


class Device(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

# fastnp::simulated::foreign_... as compilers call them.
played = ctypes.CDLL(str(simulated.library()))
allocate = played["_ZN6fastnp9simulated16foreign_allocateEim"]
allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_size_t]
free = played["_ZN6fastnp9simulated12foreign_freeEimPvm"]
free.restype, free.argtypes = None, [ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
write = played["_ZN6fastnp9simulated13foreign_writeEimPvPKvm"]
write.restype, write.argtypes = None, [ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
read = played["_ZN6fastnp9simulated12foreign_readEimPvPKvm"]
read.restype, read.argtypes = None, [ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
take_fences = played["_ZN6fastnp9simulated14foreign_fencesEiPcm"]
take_fences.restype, take_fences.argtypes = None, [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]


def fences(device: int = 0) -> list[str]:
    """What fastnp waited for, and what waits for it, since this was last asked for."""
    text = ctypes.create_string_buffer(10_000)
    take_fences(device, text, len(text))
    return [each for each in text.value.decode().split(", ") if each]


take_ranges = played["_ZN6fastnp9simulated14foreign_rangesEiPcm"]
take_ranges.restype, take_ranges.argtypes = None, [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]


def ranges(device: int = 0) -> str:
    """What a profiler would have seen since this was last asked for: "f(multiply()sum())"."""
    text = ctypes.create_string_buffer(10_000)
    take_ranges(device, text, len(text))
    return text.value.decode()


live = 0  # allocations of the library
held: dict[int, Any] = {}  # tensors that are out, by their addresses
deleters: list[Any] = []  # which run when they are let go: kept for good


class Memory:
    """An allocation of the library's."""

    def __init__(self, values: numpy.ndarray, device: int = 0, stream: int = 7) -> None:
        global live
        self.bytes, self.device, self.stream = max(values.nbytes, 1), device, stream
        self.address = allocate(device, self.bytes)
        live += 1
        self.store(values)

    def store(self, values: numpy.ndarray) -> None:
        """In the library's stream, later."""
        values = numpy.ascontiguousarray(values)
        if values.nbytes:
            write(self.device, self.stream, self.address, values.ctypes.data, values.nbytes)

    def load(self, dtype: Any, stream: int | None = None) -> numpy.ndarray:
        """All of it, as the library sees it."""
        values = numpy.empty(self.bytes // numpy.dtype(dtype).itemsize, dtype)
        read(self.device, self.stream if stream is None else stream, values.ctypes.data, self.address, values.nbytes)
        return values

    def __del__(self) -> None:
        global live
        live -= 1
        free(self.device, self.stream, self.address, self.bytes)


class Array:
    """A view of such memory, `like` a NumPy view of the array that is stored there; both protocols, or one."""

    def __init__(self, base: numpy.ndarray, like: numpy.ndarray | None = None, memory: Memory | None = None, read_only: bool = False) -> None:
        self.like = base if like is None else like
        self.memory = Memory(base) if memory is None else memory
        self.offset = self.like.ctypes.data - base.ctypes.data
        self.read_only = read_only
        self.asked: list[dict[str, Any]] = []

    def view(self, base: numpy.ndarray, like: numpy.ndarray) -> Array:
        """Of the same memory."""
        return type(self)(base, like, self.memory)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.memory.device

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        self.asked.append({"stream": stream, "max_version": max_version})
        return capsule(self, max_version is not None)


class OldArray(Array):
    """Of before DLPack had versions."""

    def __dlpack__(self, *, stream: Any = None) -> Any:  # type: ignore[override]
        self.asked.append({"stream": stream})
        return capsule(self, False)


class InterfaceArray:
    """By the CUDA Array Interface alone."""

    def __init__(self, base: numpy.ndarray, like: numpy.ndarray | None = None, stream: int | None = 7, read_only: bool = False) -> None:
        self.inner = Array(base, like, read_only=read_only)
        self.stream = stream

    @property
    def memory(self) -> Memory:
        return self.inner.memory

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        like = self.inner.like
        address = self.memory.address + self.inner.offset if like.size else 0
        found = {"shape": like.shape, "typestr": like.dtype.str, "data": (address, self.inner.read_only), "version": 3, "stream": self.stream}
        return found if like.flags.c_contiguous else found | {"strides": like.strides}


def capsule(array: Array, versioned: bool) -> Any:
    like = array.like
    managed: Any = Versioned() if versioned else Managed()
    shape = (ctypes.c_int64 * max(like.ndim, 1))(*like.shape)
    strides = (ctypes.c_int64 * max(like.ndim, 1))(*(each // like.itemsize for each in like.strides))
    where = Device(2, array.memory.device)
    kind = DataType(CODES[like.dtype.kind], 8 * like.itemsize, 1)
    managed.tensor = Tensor(array.memory.address, where, like.ndim, kind, shape, strides, array.offset)
    address = ctypes.addressof(managed)

    def delete(_: int) -> None:
        del held[address]

    managed.deleter = Deleter(delete)
    if versioned:
        managed.major, managed.flags = 1, int(array.read_only)
    deleters.append(managed.deleter)
    held[address] = (managed, shape, strides, array.memory)
    name = b"dltensor_versioned" if versioned else b"dltensor"
    return api.PyCapsule_New(address, name, None)


class Taken:
    """What the library makes of a capsule or an interface of ours: where it is, and its elements, read in the library's stream."""

    def __init__(self, made: Any, stream: int = 7) -> None:
        name = api.PyCapsule_GetName(made)
        self.versioned = name == b"dltensor_versioned"
        self.address = api.PyCapsule_GetPointer(made, name)
        self.managed: Any = (Versioned if self.versioned else Managed).from_address(self.address)
        api.PyCapsule_SetName(made, b"used_" + name)
        self.stream, self.is_live = stream, True
        tensor = self.managed.tensor
        self.flags = self.managed.flags if self.versioned else 0
        self.device = tensor.device.device_type, tensor.device.device_id
        self.shape = tuple(tensor.shape[: tensor.ndim])
        kind = {code: kind for kind, code in CODES.items()}[tensor.dtype.code]
        self.dtype = numpy.dtype(f"{kind}{tensor.dtype.bits // 8}")
        self.strides = tuple(each * self.dtype.itemsize for each in tensor.strides[: tensor.ndim])
        self.data = (tensor.data or 0) + tensor.byte_offset

    def values(self) -> numpy.ndarray:
        return elements(self.data, self.shape, self.strides, self.dtype, self.device[1], self.stream)

    def store(self, values: numpy.ndarray) -> None:
        """Into contiguous memory, in the library's stream, later."""
        write(self.device[1], self.stream, self.data, values.ctypes.data, values.nbytes)

    def release(self) -> None:
        if self.is_live:
            self.is_live = False
            self.managed.deleter(self.address)


def elements(data: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: numpy.dtype, device: int = 0, stream: int = 7) -> numpy.ndarray:
    """Elements on the device, read in a stream of the library's."""
    if math.prod(shape) == 0:
        return numpy.empty(shape, dtype)
    ways = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    first, end = sum(min(way, 0) for way in ways), sum(max(way, 0) for way in ways) + dtype.itemsize
    raw = numpy.empty(end - first, numpy.uint8)
    read(device, stream, raw.ctypes.data, data + first, raw.nbytes)
    return numpy.ndarray(shape, dtype, raw, -first, strides).copy()
