"""Writes ziggurat.inc: the tables by which NumPy draws from the normal and the exponential distribution (Marsaglia and Tsang 2000; 256 layers), each entry
as NumPy has it, worked out from the definition with 60 digits.

A layer i has the area of all others; its right edge is x[i], where the density has the value f[i]. An attempt takes a layer and a number below the scale
of the table (2^52, 2^53, 2^23): k[i] is the number below which the point lies under the curve for sure, w[i] is the edge divided by the scale. NumPy's
tables were made at different times; what differs from the exact values, rounded once, is said below.

    python make_ziggurat.py > ziggurat.inc
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
LAYERS = 256


def to_float(x: float | Decimal) -> float:
    """The nearest number of 32 bits."""
    return float(struct.unpack("f", struct.pack("f", float(x)))[0])


# In double precision, each step rounded; so the area is 4 units in the last place off, and one density is rounded the other way.
NORMAL_EDGE = 3.6541528853610087963519472518
NORMAL_AREA = float.fromhex("0x1.43016a5a4372ep-8")
NORMAL_SCALE = 2**52
ROUNDED_UP = 38


def normal() -> tuple[list[int], list[float], list[float]]:
    def density(x: float) -> float:
        return float(Decimal(-0.5 * x * x).exp())

    def share(x: float) -> int:
        return round(Fraction(x) * NORMAL_SCALE)

    k, w, f = [0] * LAYERS, [0.0] * LAYERS, [1.0] * LAYERS
    x = NORMAL_EDGE
    f[-1], w[-1] = density(x), x / NORMAL_SCALE
    k[0], w[0] = share(x * f[-1] / NORMAL_AREA), NORMAL_AREA / f[-1] / NORMAL_SCALE
    for i in range(LAYERS - 2, 0, -1):
        next_x, x = x, math.sqrt(-2.0 * float(Decimal(NORMAL_AREA / x + f[i + 1]).ln()))
        k[i + 1], w[i], f[i] = share(x / next_x), x / NORMAL_SCALE, density(x)
        if i == ROUNDED_UP:
            f[i] = math.nextafter(f[i], 1.0)
    return k, w, f


EXPONENTIAL_EDGE = Decimal("7.6971174701310497140446280481")
EXPONENTIAL_SCALE = 2**53


def exponential() -> tuple[list[Decimal], list[Decimal], list[Decimal]]:
    """Exact. (The area is that of the rectangle below the edge and of the tail, which is the density there.)"""
    x = EXPONENTIAL_EDGE
    area = (x + 1) * (-x).exp()
    k, w, f = [Decimal(0)] * LAYERS, [Decimal(0)] * LAYERS, [Decimal(1)] * LAYERS
    f[-1], w[-1] = (-x).exp(), x / EXPONENTIAL_SCALE
    k[0], w[0] = x * f[-1] / area * EXPONENTIAL_SCALE, area / f[-1] / EXPONENTIAL_SCALE
    for i in range(LAYERS - 2, 0, -1):
        next_x, x = x, -(area / x + f[i + 1]).ln()
        k[i + 1], w[i], f[i] = x / next_x * EXPONENTIAL_SCALE, x / EXPONENTIAL_SCALE, (-x).exp()
    return k, w, f


def lines(name: str, entries: list[str]) -> Iterator[str]:
    yield f"constexpr {name}[] = {{"
    line = "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > 155:
            yield line
            line = "   "
        line += f" {entry},"
    yield line
    yield "};"


def table(name: str, entries: list[float], kind: str, rounded: Callable[[float], float] = float) -> Iterator[str]:
    suffix = "F" if kind == "float" else ""
    yield from lines(f"{kind} {name}", [rounded(entry).hex() + suffix for entry in entries])


def whole(name: str, entries: list[int], kind: str) -> Iterator[str]:
    yield from lines(f"std::{kind} {name}", [hex(entry) for entry in entries])


def main() -> None:
    print("// Made by make_ziggurat.py, which says what they are.")
    k, w, f = normal()
    found = [*whole("normal_k", k, "uint64_t"), *table("normal_w", w, "double"), *table("normal_f", f, "double")]
    found += whole("normal_k_float", [round(Fraction(each, 2**29)) for each in k], "uint32_t")
    found += table("normal_w_float", [each * 2**29 for each in w], "float", to_float)
    found += table("normal_f_float", f, "float", to_float)
    ke, we, fe = exponential()
    found += whole("exponential_k", [2 * int(each / 2) for each in ke], "uint64_t")  # made for half the scale
    found += table("exponential_w", [float(each) for each in we], "double")
    found += table("exponential_f", [float(each) for each in fe], "double")
    found += whole("exponential_k_float", [round(each / 2**30) for each in ke], "uint32_t")
    # Written with nine digits, then rounded again.
    found += table("exponential_w_float", [float(f"{each * 2**30:.8e}") for each in we], "float", to_float)
    found += table("exponential_f_float", [float(f"{each:.8e}") for each in fe], "float", to_float)
    print("\n".join(found))


if __name__ == "__main__":
    main()
