"""Measures this machine's roofline by fastnp's own kernels, prints it, and draws users/roofline.svg: build/venv/bin/python docs/roofline.py"""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import fastnp as np

TERMS = [1, 2, 4, 8, 16, 32, 64]


def seconds(call: Callable[[], Any]) -> float:
    """The best of several runs, of as many calls as take 20 ms."""
    call()
    start = time.perf_counter()
    call()
    count = max(1, math.ceil(0.02 / max(time.perf_counter() - start, 1e-7)))
    best = math.inf
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def terms(count: int) -> Any:
    """A sum of products that know nothing of each other: 3 count - 1 operations, one array read and one written."""

    def evaluate(x: Any, out: Any) -> None:
        parts = [x * (1 + k / 64) + (0.5 + k / 256) for k in range(count)]
        while len(parts) > 1:
            parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
        out[:] = parts[0]

    return np.compile(evaluate)


def chain(degree: int) -> Any:
    """Horner's scheme: each of 2 degree operations waits for the one before it."""

    def evaluate(x: Any, out: Any) -> None:
        y = x
        for k in range(degree):
            y = y * x + (0.5 + k / 256)
        out[:] = y

    return np.compile(evaluate)


def measure(elements: int, make: Any, counts: list[int], operations: Any) -> list[tuple[float, float]]:
    """(operations a byte, GFLOP/s) for each."""
    x, out = numpy.linspace(0, 0.5, elements), numpy.empty(elements)
    points = []
    for count in counts:
        f = make(count)
        points.append((operations(count) / 16, operations(count) * elements / seconds(lambda f=f: f(x, out)) / 1e9))
    return points


def drawing(series: dict[str, list[tuple[float, float]]], bandwidth: float, peak: float) -> str:
    width, height, left, bottom, top = 640, 360, 60, 45, 15
    xs, ys = (0.1, 20.0), (1.0, 10 ** math.ceil(math.log10(peak)))

    def place(x: float, y: float) -> tuple[float, float]:
        across = math.log(x / xs[0]) / math.log(xs[1] / xs[0])
        up = math.log(y / ys[0]) / math.log(ys[1] / ys[0])
        return left + across * (width - left - 15), height - bottom - up * (height - bottom - top)

    def line(points: list[tuple[float, float]], style: str) -> str:
        return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*each) for each in points))}" fill="none" {style}/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for x in (0.1, 0.25, 0.5, 1, 2, 4, 8, 16):
        at, foot = place(x, ys[0])
        parts.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{foot}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{foot + 16}" text-anchor="middle">{x:g}</text>')
    y = ys[0]
    while y <= ys[1]:
        start, up = place(xs[0], y)
        parts.append(f'<line x1="{start}" y1="{up:.1f}" x2="{width - 15}" y2="{up:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{start - 6}" y="{up + 4:.1f}" text-anchor="end">{y:g}</text>')
        y *= 10
    ridge = peak / bandwidth
    roof = [(xs[0], xs[0] * bandwidth), (ridge, peak), (xs[1], peak)]
    parts.append(line(roof, 'stroke="black" stroke-width="2"'))
    for (name, points), colour in zip(series.items(), ("#1f77b4", "#d62728", "#2ca02c"), strict=False):
        parts.append(line(points, f'stroke="{colour}" stroke-width="1.5"'))
        for each in points:
            x, y = place(*each)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        row = list(series).index(name)
        parts.append(f'<text x="{width - 240}" y="{height - bottom - 50 + 17 * row}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{left + (width - left) / 2}" y="{height - 8}" text-anchor="middle">operations per byte</text>')
    parts.append(f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">GFLOP/s</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    def tree(elements: int) -> list[tuple[float, float]]:
        return measure(elements, terms, TERMS, lambda count: 3 * count - 1)

    cached, large = "arrays in cache (256 KiB)", "arrays in memory (256 MiB)"
    series = {cached: tree(1 << 14), large: tree(1 << 24), "one chain, in cache": measure(1 << 14, chain, [1, 4, 16, 64], lambda degree: 2 * degree)}
    for name, points in series.items():
        print(name, ", ".join(f"{intensity:g}: {speed:.1f}" for intensity, speed in points))
    bandwidth = max(speed / intensity for intensity, speed in series[large][:3])
    peak = max(speed for points in series.values() for _, speed in points)
    print(f"{bandwidth:.1f} GB/s, {peak:.1f} GFLOP/s, ridge {peak / bandwidth:.1f}")
    (Path(__file__).parent / "users" / "roofline.svg").write_text(drawing(series, bandwidth, peak))


if __name__ == "__main__":
    main()
