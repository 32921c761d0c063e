"""Tables in Markdown of what a report measured (its JSON), for benchmarks/RESULTS.md and for the site. Nothing but the standard library is needed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator
from typing import Any

Document = dict[str, Any]

LABELS = {"fastnp": "fastnp", "numpy": "NumPy", "numba": "Numba", "jax": "JAX", "torch": "torch", "cupy": "CuPy", "python": "Python"}
NAMES = {
    "faq": "sum of outer products",
    "blackscholes": "Black-Scholes",
    "softmax": "softmax",
    "layernorm": "layer norm",
    "sumsq": "sum of squares",
    "axis0": "sum over axis 0",
    "pairdist": "pairwise distances",
    "stencil": "five-point stencil",
    "matmul": "matrix product",
    "mlp": "perceptron, a step",
    "lstm": "LSTM, 50 steps",
    "jacobi_2d": "Jacobi, 50 sweeps",
    "swing": "pendulum, 10,000 steps",
}
TITLES = {
    "cpu": "Array programs on the processor",
    "gradients": "Derivatives on the processor",
    "loops": "Loops over numbers and elements",
    "cuda": "Array programs on the device",
    "linalg": "Linear algebra on the device",
}
ABOUT = {
    "cpu": "Milliseconds a call, float32, all cores. The last column is the share of the machine's limit.",
    "gradients": "Milliseconds for the value and the gradients of a sum of squares of each program, and of whole loops.",
    "loops": "Milliseconds a call, the best of several. Python is the loop as it is written;\nNumba compiles the same source.",
    "cuda": "Milliseconds a call, float32, on arrays that are on the device. The last column is the share of its limit.",
    "linalg": "Milliseconds a call of matrices of 1024 x 1024 numbers, float64, until the result is there.",
}


LEVEL = 0.03  # nearer than that to a peer is neither ahead nor behind


def number(value: float) -> str:
    """Three digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def took(row: dict[str, Any], library: str) -> float | None:
    """Milliseconds; None, if it does not do the work."""
    found: float | None = row["libraries"].get(library, {}).get("ms")
    return found


def best_peer(row: dict[str, Any]) -> tuple[str, float] | None:
    """Its name, and how many times faster fastnp is (below 1: slower)."""
    own = took(row, "fastnp")
    peers = {library: each["ms"] for library, each in row["libraries"].items() if library != "fastnp" and "ms" in each}
    if own is None or not peers:
        return None
    best = min(peers, key=lambda library: peers[library])
    return best, peers[best] / own


def beside(row: dict[str, Any]) -> str:
    found = best_peer(row)
    if found is None:
        return "no peer"
    text = f"{found[1]:.2f} x {LABELS[found[0]]}"
    return f"**{text}**" if found[1] < 1 - LEVEL else text


def share(row: dict[str, Any]) -> str:
    value = row["libraries"].get("fastnp", {}).get("share")
    return "" if value is None else f"{100 * value:.0f} % of {row['limit']}"


def libraries_of(part: dict[str, Any]) -> list[str]:
    """fastnp, then the peers."""
    return sorted(part["libraries"], key=lambda library: (library != "fastnp", list(LABELS).index(library)))


def milliseconds(part: dict[str, Any]) -> str:
    libraries = libraries_of(part)
    has_limit = any(row["limit"] for row in part["rows"])
    head = ["ms", *(LABELS[library] for library in libraries), "fastnp, beside the best peer", *(["limit"] if has_limit else [])]
    rows = []
    for row in part["rows"]:
        times = [took(row, library) for library in libraries]
        cells = ["-" if ms is None else number(ms) for ms in times]
        rows.append([NAMES.get(row["name"], f"`{row['name']}`"), *cells, beside(row), *([share(row)] if has_limit else [])])
    return table(head, rows)


def summary(part: dict[str, Any]) -> str:
    """The mean, and all that is behind."""
    found = [(row["name"], *peer) for row in part["rows"] if (peer := best_peer(row))]
    if not found:
        return "No peer was there.\n"
    mean = statistics.geometric_mean(ratio for _, _, ratio in found)
    behind = sorted((ratio, name, peer) for name, peer, ratio in found if ratio < 1 - LEVEL)
    ahead = sum(ratio > 1 + LEVEL for _, _, ratio in found)
    level = len(found) - ahead - len(behind)
    text = (
        f"Beside the best peer of each row, fastnp is ahead in {ahead}, level (within 3 %) in {level} and\n"
        f"behind in {len(behind)}. Geometric mean of the {len(found)} ratios: {mean:.2f}.\n"
    )
    lines = [f"- {NAMES.get(name, f'`{name}`')}: {ratio:.2f} of {LABELS[peer]}'s speed" for ratio, name, peer in behind]
    return text + ("\nBehind:\n\n" + "\n".join(lines) + "\n" if lines else "")


def refusals(part: dict[str, Any]) -> str:
    lines = []
    for row in part["rows"]:
        for library, each in row["libraries"].items():
            if "refused" in each:
                text = f"- {LABELS[library]} does not run {NAMES.get(row['name'], row['name'])}: {each['refused']}"
                lines.append(text if len(text) <= 100 else f"{text[:97]}...")
    return "\n".join(lines) + "\n" if lines else ""


def first_calls(part: dict[str, Any]) -> str:
    """Compiling included; nothing where no library tells its own."""
    libraries = [library for library in libraries_of(part) if any("first_ms" in row["libraries"].get(library, {}) for row in part["rows"])]
    libraries = [library for library in libraries if library not in ("numpy", "cupy")]
    rows = []
    for row in part["rows"]:
        times = [row["libraries"].get(library, {}).get("first_ms") for library in libraries]
        rows.append([NAMES.get(row["name"], f"`{row['name']}`"), *("-" if ms is None else number(ms) for ms in times)])
    return table(["first call, ms", *(LABELS[library] for library in libraries)], rows)


def largest_errors(name: str, part: dict[str, Any]) -> str:
    libraries = [library for library in libraries_of(part) if name != "gradients" or library != "fastnp"]
    found = {library: [row["libraries"].get(library, {}).get("error") for row in part["rows"]] for library in libraries}
    worst = {library: max(each for each in errors if each is not None) for library, errors in found.items() if any(each is not None for each in errors)}
    if not worst:
        return ""
    what = "Largest differences from fastnp's gradients" if name == "gradients" else "Largest errors"
    return f"{what}: " + ", ".join(f"{LABELS[library]} {error:.0e}" for library, error in worst.items()) + ".\n"


def part_texts(name: str, part: dict[str, Any]) -> Iterator[str]:
    load = f"; load of the machine before them: {part['load']:.1f}" if "load" in part else ""
    yield f"{ABOUT[name]}\nfastnp {part['fastnp']}, {part['date']}; {part['rounds']} rounds{load}.\n"
    yield milliseconds(part)
    yield summary(part)
    for text in (refusals(part), largest_errors(name, part)):
        if text:
            yield text
    yield first_calls(part)


def limits(document: Document) -> str:
    rows = []
    for name, what in (("cpu", "processor, all cores"), ("cuda", "device")):
        found = document["parts"].get(name, {}).get("limits", {})
        if found:
            copy, product = (found.get(limit, math.nan) for limit in ("copy", "product"))  # a run of some rows measures what these need
            told = ((copy / 1e9, ",.0f", "GB/s"), (product / 1e12, ".2f", "TFLOP/s"))
            rows.append([what, *(f"{value:{form}} {unit}" if math.isfinite(value) else "not measured" for value, form, unit in told)])
    return table(["limits", "copy", "product of float32 matrices"], rows)


def machine(document: Document) -> str:
    found = document["machine"]
    return table(
        ["machine", ""],
        [
            ["processor", f"{found['processor']}, {found['cores']} cores"],
            ["memory", f"{found['memory_gib']} GiB"],
            ["system", found["system"]],
            ["device", found["device"] or "none"],
            ["measured", document["date"]],
        ],
    )


def versions(document: Document) -> str:
    return table(["package", "version"], [[name, version or "not there"] for name, version in document["versions"].items()])


def title(document: Document) -> str:
    device = (document["machine"]["device"] or "").partition(",")[0]
    return f"{document['machine']['processor']}, {document['machine']['cores']} cores" + (f", {device}" if device else "")


def page(documents: dict[str, Document]) -> str:
    """RESULTS.md, of documents by the names of their files."""
    texts = [
        "# Results\n",
        "`benchmarks/run.py --report` makes this page from the files that each section names.\n"
        "[docs/benchmarks.md](../docs/benchmarks.md) says what the programs are and how they are timed.\n"
        "Ratios are times as fast as the best peer. Those where fastnp is behind by more than 3 % are bold.\n",
    ]
    for file, document in documents.items():
        texts.append(f"## {title(document)}\n")
        texts.append(f"From [results/{file}](results/{file}).\n")
        texts += [machine(document), versions(document), limits(document)]
        for name in TITLES:
            if name in document["parts"]:
                texts += [f"### {TITLES[name]}\n", *part_texts(name, document["parts"][name])]
    return "\n".join(texts)
