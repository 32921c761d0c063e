"""Pictures of reports and debug folders, as SVG: the roofline, memory from kernel to kernel, and the graph."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

from fastnp._report import amount

# Colours come from the page around a picture, and else from here.
_STYLE = (
    "<style>text{font:12px system-ui,sans-serif;fill:var(--ink,#1c2330)}.faint{fill:var(--faint,#68718a)}"
    ".grid{stroke:var(--grid,#d8dde8)}.roof{stroke:var(--ink,#1c2330);fill:none;stroke-width:2}.dash{stroke-dasharray:5 4;stroke-width:1.3}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e8f1;--faint:#98a2b8;--grid:#343c4d;--box:#232a38}}</style>"
)
_MOST_NODES = 600
_MOST_PLACES = 5000  # of edges in layers that they pass
_LINE = re.compile(r"^\s*(?P<name>%\w+) = (?P<op>\w+)(?P<rest>.*) : (?P<type>[^:]*)$")
_KINDS = {"parameter": "#5b8def", "constant": "#9aa3b5", "iota": "#9aa3b5", "loop": "#c06ad8", "call": "#c06ad8"}


def _svg(width: float, height: float, parts: Iterable[str], label: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" aria-label="{escape(label)}">'
    return "\n".join([head, _STYLE, *parts, "</svg>"])


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


def _box(x: float, y: float, wide: float, tall: float, style: str, title: str = "") -> str:
    inner = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 1):.1f}" height="{max(tall, 0):.1f}" {style}>{inner}</rect>'


class _Scale(NamedTuple):
    """A logarithmic axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = math.log(min(max(value, self.low), self.high) / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        return [10.0**k for k in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1) if self.low <= 10.0**k <= self.high]


def roofline(machine: dict[str, Any], kernels: list[tuple[str, dict[str, Any]]]) -> str:
    """Kernels (with their labels) by operations a byte and operations a second, below what the machine gives."""
    points = [(label, each["flops"] / each["bytes"], each["flops_per_second"]) for label, each in kernels if each["flops_per_second"] and each["bytes"]]
    bandwidth, peak = machine["bandwidth"], max(machine["peak"].values())
    intensities = [each[1] for each in points] + [peak / bandwidth]
    speeds = [each[2] for each in points] + [peak]
    width, height = 720.0, 380.0
    across = _Scale(10.0 ** math.floor(math.log10(min(intensities) / 2)), 10.0 ** math.ceil(math.log10(max(intensities) * 2)), 64, width - 16)
    up = _Scale(10.0 ** math.floor(math.log10(min(speeds) / 2)), 10.0 ** math.ceil(math.log10(max(speeds) * 1.5)), height - 44, 14)
    parts = []
    for x in across.ticks():
        parts.append(f'<line class="grid" x1="{across(x):.1f}" x2="{across(x):.1f}" y1="{up.end}" y2="{up.start}"/>')
        parts.append(_text(across(x), up.start + 17, f"{x:g}", 'text-anchor="middle" class="faint"'))
    for y in up.ticks():
        parts.append(f'<line class="grid" x1="{across.start}" x2="{across.end}" y1="{up(y):.1f}" y2="{up(y):.1f}"/>')
        parts.append(_text(across.start - 6, up(y) + 4, amount(y, ""), 'text-anchor="end" class="faint"'))
    for place, (dtype, speed) in enumerate(sorted(machine["peak"].items(), reverse=True)):
        ridge = max(speed / bandwidth, across.low)
        low = max(across.low, up.low / bandwidth)
        roof = [(low, low * bandwidth), (ridge, speed), (across.high, speed)]
        line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in roof)
        parts.append(f'<polyline class="roof{" dash" if place else ""}" points="{line}"/>')
        parts.append(_text(across.end - 4, up(speed) - 6 if place else up(speed) + 15, f"{dtype} {amount(speed, 'flop')}/s", 'text-anchor="end"'))
    parts.append(_text(across.start + 8, up.end + 14, f"operations a second; memory gives {amount(bandwidth, 'B')}/s"))
    for label, x, y in points:
        told = f"{label}: {x:.2g} flop/B, {amount(y, 'flop')}/s"
        parts.append(f'<g><circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="6" fill="#e0603a"/><title>{escape(told)}</title>')
        parts.append(_text(across(x) + 9, up(y) + 4, label) + "</g>")
    parts.append(_text((across.start + across.end) / 2, height - 8, "operations per byte", 'text-anchor="middle"'))
    return _svg(width, height, parts, "roofline")


_COLOURS = {"argument": "#5b8def", "result": "#2f9e77", "temporary": "#e0a23a", "given": "#c06ad8"}


def memory(slots: list[dict[str, Any]], live: list[int]) -> str:
    """What is in memory while each kernel runs: bytes in all, and below each piece from its first kernel to its last."""
    shown = [each for each in slots if each["first"] is not None]
    steps, left, top, row, width = max(len(live), 1), 220.0, 96.0, 20.0, 720.0
    step = (width - left - 12) / steps
    most = max([*live, 1])
    parts = []
    for k, used in enumerate(live):
        high = (top - 34) * used / most
        title = f"kernel {k}: {amount(used, 'B')}"
        parts.append(_box(left + k * step + 1, top - 14 - high, step - 2, high, 'fill="#8593ad" rx="2"', title))
        if steps <= 24:
            parts.append(_text(left + (k + 0.5) * step, top - 1, str(k), 'text-anchor="middle" class="faint"'))
    parts.append(_text(8, 26, f"in use: {amount(most, 'B')} at most"))
    parts.append(_text(8, top - 1, "kernel", 'class="faint"'))
    for place, each in enumerate(shown):
        y = top + 8 + place * row
        size = amount(each["bytes"], "B") if each["bytes"] is not None else "?"
        told = f"{each['kind']} {each['number']}: {size}" + (f", place {each['place']}" if each["place"] is not None else "")
        parts.append(_text(8, y + 12, told))
        x, wide = left + each["first"] * step, (each["last"] - each["first"] + 1) * step
        parts.append(_box(x + 1, y, wide - 2, 15, f'fill="{_COLOURS[each["kind"]]}" rx="3"', told))
    return _svg(width, top + 16 + len(shown) * row, parts, "memory over time")


class _Node(NamedTuple):
    name: str
    op: str
    label: str
    operands: list[str]


def _nodes(graph: str) -> list[_Node]:
    """Of a graph's text, without the bodies of its loops."""
    nodes = []
    for line in graph.partition("\nbody ")[0].splitlines():
        found = _LINE.match(line)
        if found is not None:
            operands = re.findall(r"%\w+", found["rest"])
            nodes.append(_Node(found["name"], found["op"], f"{found['op']} {found['type']}", operands))
    return nodes


def _depths(nodes: list[_Node]) -> dict[str, int]:
    """Below all operands; what has none is right above what takes it first."""
    depth: dict[str, int] = {}
    for node in nodes:
        depth[node.name] = 1 + max((depth[each] for each in node.operands if each in depth), default=-1)
    first: dict[str, int] = {}
    for node in nodes:
        for each in node.operands:
            first[each] = min(first.get(each, depth[node.name]), depth[node.name])
    return {node.name: first.get(node.name, 1) - 1 if not node.operands else depth[node.name] for node in nodes}


class _Layout:
    """Names by depth. An edge over several layers has a place in each, so that it goes by what is there: it is a chain of names."""

    def __init__(self, nodes: list[_Node]) -> None:
        depth = _depths(nodes)
        self.layers: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
        self.chains: list[list[str]] = []
        for node in nodes:
            self.layers[depth[node.name]].append(node.name)
        through: dict[tuple[str, int], str] = {}  # edges from one value share their places
        passed = sum(depth[node.name] - depth[each] for node in nodes for each in node.operands if each in depth)
        for node in nodes:
            for each in dict.fromkeys(each for each in node.operands if each in depth):
                chain = [each]
                for layer in range(depth[each] + 1, depth[node.name]) if passed <= _MOST_PLACES else ():
                    if (each, layer) not in through:
                        through[each, layer] = f"{each}@{layer}"
                        self.layers[layer].append(through[each, layer])
                    chain.append(through[each, layer])
                self.chains.append([*chain, node.name])
        self._order()

    def _order(self) -> None:
        """Few crossings: each where its neighbours are on the average."""
        above: dict[str, set[str]] = {name: set() for layer in self.layers for name in layer}
        below: dict[str, set[str]] = {name: set() for name in above}
        for chain in self.chains:
            for upper, lower in zip(chain, chain[1:], strict=False):
                above[lower].add(upper)
                below[upper].add(lower)
        for turn in range(8):
            neighbours = above if turn % 2 == 0 else below
            place = {name: (k + 0.5) / len(layer) for layer in self.layers for k, name in enumerate(layer)}
            for layer in self.layers if turn % 2 == 0 else reversed(self.layers):
                means = {
                    name: sum(place[each] for each in neighbours[name]) / len(neighbours[name]) if neighbours[name] else place[name] for name in layer
                }
                layer.sort(key=means.__getitem__)
                place.update({name: (k + 0.5) / len(layer) for k, name in enumerate(layer)})


def own_layout(graph: str) -> str:
    """The graph in layers, operands above what is made of them."""
    nodes = _nodes(graph)
    if len(nodes) > _MOST_NODES:
        return _svg(420, 40, [_text(10, 25, f"{len(nodes)} operations: too many for a picture")], "graph")
    by_name = {node.name: node for node in nodes}
    layout = _Layout(nodes)
    gap, row, tall, lane = 22.0, 70.0, 34.0, 8.0
    widths = {name: 22 + 6.9 * max(len(by_name[name].label), 6) if name in by_name else lane for layer in layout.layers for name in layer}
    total = [sum(widths[name] + gap for name in layer) for layer in layout.layers]
    width = max([*total, 200.0]) + 20
    at: dict[str, tuple[float, float]] = {}
    for k, layer in enumerate(layout.layers):
        x = (width - total[k]) / 2 + gap / 2
        for name in layer:
            at[name] = (x + widths[name] / 2, 14 + k * row)
            x += widths[name] + gap
    parts = [f'<path d="{_curve([at[name] for name in chain], tall)}" fill="none" stroke="#8593ad" stroke-opacity=".8"/>' for chain in layout.chains]
    for name, node in by_name.items():
        (x, y), wide = at[name], widths[name]
        colour = _KINDS.get(node.op, "#2f9e77")
        parts.append(_box(x - wide / 2, y, wide, tall, f'rx="7" fill="var(--box,#f4f6fb)" stroke="{colour}" stroke-width="1.5"'))
        parts.append(_text(x, y + 21, node.label, 'text-anchor="middle"'))
    return _svg(width, 30 + len(layout.layers) * row, parts, "graph")


def _curve(points: list[tuple[float, float]], tall: float) -> str:
    """From below the first to the top of the last, down past each between them."""
    x, y = points[0][0], points[0][1] + tall
    path = f"M{x:.0f},{y:.0f}"
    for k, (to, top) in enumerate(points[1:], 1):
        middle = (y + top) / 2
        path += f" C{x:.0f},{middle:.0f} {to:.0f},{middle:.0f} {to:.0f},{top:.0f}"
        x, y = to, top
        if k < len(points) - 1:
            y = top + tall
            path += f" L{x:.0f},{y:.0f}"
    return path


def _dot(graph: str) -> str:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph fastnp {", 'node [shape=box, style="rounded", fontname="sans-serif", fontsize=11];']
    for node in _nodes(graph):
        lines.append(f"{quoted(node.name)} [label={quoted(node.label)}, color={quoted(_KINDS.get(node.op, '#2f9e77'))}];")
        lines += [f"{quoted(each)} -> {quoted(node.name)};" for each in node.operands]
    return "\n".join([*lines, "}"])


def picture(graph: str) -> str:
    """The graph as SVG: by Graphviz where that is installed."""
    program = shutil.which("dot")
    if program is not None and len(_nodes(graph)) <= _MOST_NODES:
        try:
            made = subprocess.run([program, "-Tsvg"], input=_dot(graph), capture_output=True, text=True, timeout=20, check=True).stdout
        except (OSError, subprocess.SubprocessError):
            return own_layout(graph)
        start = made.find("<svg")
        if start >= 0:
            return made[start:]
    return own_layout(graph)
