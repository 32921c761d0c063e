"""Charts in SVG of what a report measured (its JSON): a row a program, a mark a library, times as fast as a baseline on a logarithmic scale.

They have a background of their own, which follows the reader's preference of dark or light. Nothing but the standard library is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from tables import LABELS, NAMES, Document, libraries_of, took

STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.card { fill: #ffffff; stroke: #d0d7de } .grid { stroke: #d8dee4 } .one { stroke: #57606a; stroke-width: 1.5 }
.head { font-weight: 600 } .faint { fill: #57606a }
.fastnp { fill: #0550ae } .numpy, .cupy, .python { fill: #6e7781 } .numba { fill: #bc4c00 } .jax { fill: #1a7f37 } .torch { fill: #8250df }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.card { fill: #0d1117; stroke: #30363d } .grid { stroke: #262c36 } .one { stroke: #9198a1 }
.faint { fill: #9198a1 }
.fastnp { fill: #58a6ff } .numpy, .cupy, .python { fill: #9198a1 } .numba { fill: #f0883e } .jax { fill: #3fb950 } .torch { fill: #bc8cff }
}
</style>"""
ROW, LEFT, RIGHT, TOP, BOTTOM = 22, 160, 24, 58, 44
TICKS = (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000)


def mark(library: str, x: float, y: float) -> str:
    """Shapes differ as well as colours."""
    shapes = {
        "fastnp": f'<circle class="fastnp" cx="{x:.1f}" cy="{y:.1f}" r="6"/>',
        "numba": f'<path class="numba" d="M{x:.1f} {y - 6:.1f}l6 10h-12z"/>',
        "jax": f'<path class="jax" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>',
        "torch": f'<rect class="torch" x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"/>',
    }
    return shapes.get(library, f'<rect class="{library}" x="{x - 1.5:.1f}" y="{y - 6:.1f}" width="3" height="12"/>')


def speeds(part: dict[str, Any], baseline: str) -> dict[str, dict[str, float]]:
    """By row and library: times as fast as the baseline, where both do the work."""
    found: dict[str, dict[str, float]] = {}
    for row in part["rows"]:
        base = took(row, baseline)
        if base:
            times = {library: took(row, library) for library in libraries_of(part)}
            found[row["name"]] = {library: base / ms for library, ms in times.items() if ms}
    return found


def scale(values: list[float]) -> tuple[float, float]:
    """The ticks that have all values, and one, between them."""
    low, high = min(*values, 1.0), max(*values, 1.0)
    return max(tick for tick in TICKS if tick <= low or tick == TICKS[0]), min(tick for tick in TICKS if tick >= high or tick == TICKS[-1])


def panel(title: str, found: dict[str, dict[str, float]], baseline: str, x: float, width: float) -> Iterator[str]:
    low, high = scale([speed for each in found.values() for speed in each.values()])
    left, foot = x + LEFT, TOP + ROW * len(found)

    def across(speed: float) -> float:
        return left + math.log(speed / low) / math.log(high / low) * (width - LEFT - RIGHT)

    yield f'<text class="head" x="{x + 16}" y="26">{escape(title)}</text>'
    said = [tick for tick in TICKS if low <= tick <= high]
    if len(said) > 9:  # else their labels would touch
        said = [tick for tick in said if tick in (low, high) or f"{tick:g}".strip("0.") == "1"]
    for tick in said:
        yield f'<line class="{"one" if tick == 1 else "grid"}" x1="{across(tick):.1f}" y1="{TOP - 6}" x2="{across(tick):.1f}" y2="{foot}"/>'
        yield f'<text class="faint" x="{across(tick):.1f}" y="{foot + 16}" text-anchor="middle">{tick:g}</text>'
    middle = left + (width - LEFT - RIGHT) / 2
    yield f'<text class="faint" x="{middle:.1f}" y="{foot + 34}" text-anchor="middle">times as fast as {LABELS[baseline]}</text>'
    for place, (name, each) in enumerate(found.items()):
        y = TOP + ROW * (place + 0.5)
        yield f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(NAMES.get(name, name))}</text>'
        for library in reversed(each):  # fastnp last, above the others
            yield mark(library, across(each[library]), y)


def legend(libraries: list[str], x: float) -> Iterator[str]:
    for library in libraries:
        yield mark(library, x, 42)
        yield f'<text x="{x + 11}" y="46">{LABELS[library]}</text>'
        x += 34 + 7.5 * len(LABELS[library])


def chart(panels: list[tuple[str, dict[str, Any], str]], note: str, width: int) -> str:
    """Panels (a title, a part and its baseline) side by side."""
    found = [(title, speeds(part, baseline), baseline, libraries_of(part)) for title, part, baseline in panels]
    height = TOP + ROW * max(len(each) for _, each, _, _ in found) + BOTTOM + 18
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">']
    parts += [f"<title>{escape('; '.join(title for title, *_ in found))}</title>", STYLE]
    parts.append(f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>')
    each_width = width / len(found)
    for place, (title, rows, baseline, libraries) in enumerate(found):
        parts += panel(title, rows, baseline, place * each_width, each_width)
        parts += legend(libraries, place * each_width + 22)
    parts.append(f'<text class="faint" x="16" y="{height - 10}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


BASELINES = {"cpu": "numpy", "gradients": "jax", "loops": "python", "cuda": "cupy", "linalg": "cupy"}


def note(document: Document) -> str:
    device = (document["machine"]["device"] or "").partition(",")[0]
    return f"{document['machine']['processor']}, {document['machine']['cores']} cores" + (f"; {device}" if device else "") + f". {document['date']}."


def charts(document: Document) -> dict[str, str]:
    """By part, for the site: those whose baseline was there."""
    titles = {
        "cpu": "Array programs on the processor",
        "gradients": "Derivatives on the processor",
        "loops": "Loops as written, and compiled",
        "cuda": "Array programs on the device",
        "linalg": "Linear algebra on the device, float64",
    }
    return {
        name: chart([(titles[name], part, BASELINES[name])], note(document), 760)
        for name, part in document["parts"].items()
        if speeds(part, BASELINES[name])
    }


Panel = tuple[str, dict[str, Any], str]


def panels_of(documents: list[Document]) -> list[tuple[Document, Panel]]:
    """The processor's and the device's, each of the first document that has it."""
    found = []
    for name in ("cpu", "cuda"):
        having = [document for document in documents if name in document["parts"] and speeds(document["parts"][name], BASELINES[name])]
        if having:
            machine = having[0]["machine"]
            title = f"Processor, {machine['cores']} cores" if name == "cpu" else machine["device"].partition(",")[0]
            found.append((having[0], (title, having[0]["parts"][name], BASELINES[name])))
    return found


def picture(documents: list[Document]) -> str | None:
    """The README's, of documents of which the newest is the first; None, if none has what it shows."""
    panels = panels_of(documents)
    if not panels:
        return None
    notes = dict.fromkeys(note(document) for document, _ in panels)
    return chart([panel for _, panel in panels], " ".join(notes), 480 * len(panels))
