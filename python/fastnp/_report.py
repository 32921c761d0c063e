"""What an explanation tells, as data, and as text. The page is made of the same (_report_page.py)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from fastnp import _core

_PLACE = re.compile(r"(?:(?P<file>.*):)?(?P<line>\d+)(?:, in (?P<function>.*))?")

# What helps where a recording ended, by a piece of the reason; the first that is found.
_FIXES = (
    ("which can't be guarded", "declare the function np.compiler.pure if it depends on its arguments alone, or call it before, and pass what it gives"),
    ("is disabled", "take back np.compiler.disable, if the function can be compiled by now"),
    ("disallowed", "take back np.compiler.disallow_in_graph"),
    ("graph_break", "take out np.compiler.graph_break"),
    ("reads more than", "write the loop over numbers, so that it becomes native, or with scan, fori_loop or while_loop"),
    ("takes more than", "write the loop over numbers, so that it becomes native, or with scan, fori_loop or while_loop"),
    ("differ from call to call", "choose by np.where or np.cond, and pass numbers that vary as arrays"),
    ("in a 'try' or a 'with'", "take the statement out of the 'try' or the 'with'"),
    ("inside of a 'try' or a 'with'", "take the statement out of the 'try' or the 'with'"),
    ("generator of random numbers", "make the generator outside, and pass it"),
    ("random numbers", "draw by a generator (np.random.default_rng) that is passed to the function"),
    ("mask, a list or an array picks", "choose by np.where in the place of the assignment"),
    ("uses numpy.", "use a function that fastnp has of its own; NumPy does this one between compiled parts"),
    ("imports ", "import it at the top of the module"),
    ("calls ", "hand it to np.effect, if it does more than compute, or declare it np.compiler.pure; else it stays between compiled parts"),
)
_NO_FIX = "move the line out of the function; or leave it: what is around it is compiled"


def fix_of(reason: str) -> str:
    """What helps against a break."""
    return next((fix for piece, fix in _FIXES if piece in reason), _NO_FIX)


def amount(number: float | None, unit: str) -> str:
    """``"1.5 MB"``: with the largest prefix that it has one of; empty if it is not known."""
    if number is None:
        return ""
    for prefix in ("", "k", "M", "G"):
        if number < 1000:
            return f"{number:.0f} {unit}" if not prefix else f"{number:.1f} {prefix}{unit}"
        number /= 1000
    return f"{number:.1f} T{unit}"


def place_of(text: Any) -> tuple[str | None, int] | None:
    """(file or None, line) of what tells a place: a line, "file:line, in function", or (file, line, ...)."""
    if isinstance(text, int):
        return None, text
    if isinstance(text, (tuple, list)) and len(text) >= 2:
        return str(text[0]), int(text[1])
    found = _PLACE.match(str(text))
    return (found["file"], int(found["line"])) if found else None


def _peak_of(machine: dict[str, Any], entry: dict[str, Any]) -> float:
    """Of the dtype that an entry computes in."""
    wide = any(name in entry["ir"] for name in ("float64", "complex128")) or "float32" not in entry["ir"]
    return float(machine["peak"]["float64" if wide else "float32"])


def _kernel(kernel: dict[str, Any], entry: dict[str, Any], machine: dict[str, Any] | None) -> dict[str, Any]:
    """With its speed: bytes and operations a second, and their shares of the machine's."""
    told = dict(kernel)
    times = max(kernel["count"], 1)
    moved = None if kernel["bytes_read"] is None else kernel["bytes_read"] + kernel["bytes_written"]
    seconds = kernel["milliseconds"] / 1e3 if kernel["milliseconds"] else None
    told["bytes"] = moved
    told["bytes_per_second"] = moved * times / seconds if seconds and moved is not None else None
    told["flops_per_second"] = kernel["flops"] * times / seconds if seconds and kernel["flops"] is not None else None
    told["share_of_bandwidth"] = told["share_of_peak"] = None
    if machine is not None and told["bytes_per_second"] is not None:
        told["share_of_bandwidth"] = told["bytes_per_second"] / machine["bandwidth"]
    if machine is not None and told["flops_per_second"] is not None:
        told["share_of_peak"] = told["flops_per_second"] / _peak_of(machine, entry)
    return told


def live_bytes(memory: list[dict[str, Any]], kernels: int) -> list[int]:
    """Bytes that are in use while each kernel runs."""
    used = [each for each in memory if each["bytes"] is not None and each["first"] is not None]
    return [sum(each["bytes"] for each in used if each["first"] <= k <= each["last"]) for k in range(kernels)]


def _entry(entry: dict[str, Any], machine: dict[str, Any] | None) -> dict[str, Any]:
    kernels = [_kernel(each, entry, machine) for each in entry["kernels"]]
    return {
        "reason": entry["reason"],
        "as_written": entry["uncompiled"],
        "device": entry["device"],
        "inputs": entry["inputs"],
        "guards": entry["guards"],
        "kernels": kernels,
        "memory": entry["memory"],
        "live_bytes": live_bytes(entry["memory"], len(kernels)),
        "milliseconds": entry["milliseconds"],
        "graph": entry["ir"],
        "passes": [{"name": name, "graph": text} for name, text in entry["passes"]],
        "loops": entry["loops"],
        "emitted": entry["emitted"],
        "llvm": entry["llvm"],
        "code": entry["asm"],
    }


def _source_of(told: Any) -> dict[str, Any] | None:
    """The function's lines, with what is to be said of each."""
    if told.code is None or told.code.co_filename == "<string>":  # of whichever text: Python 3.13 knows one of `python -c`
        return None
    try:
        lines, first = inspect.getsourcelines(told.code)
    except (OSError, TypeError, IndexError, SyntaxError):
        return None
    first = max(first, 1)
    notes: dict[int, list[dict[str, Any]]] = {first + i: [] for i in range(len(lines))}
    for line, note in _notes(told):
        if line in notes and note not in notes[line]:
            notes[line].append(note)
    return {
        "file": told.code.co_filename,
        "first_line": first,
        "lines": [{"line": first + i, "text": text.rstrip("\n"), "notes": notes[first + i]} for i, text in enumerate(lines)],
    }


def _is_here(told: Any, place: tuple[str | None, int]) -> bool:
    file: str = told.code.co_filename
    return place[0] is None or file == place[0] or file.endswith("/" + place[0])


def _notes(told: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, what is said of it): kernels, breaks and loops."""
    for part in [told, *told.all_parts()]:
        for number, entry in enumerate(part.entries):
            for place, kernel in enumerate(entry["kernels"]):
                for line in kernel.get("lines") or ():
                    found = place_of(line)
                    if found is not None and _is_here(told, found):
                        text = f"{kernel['name']} ({', '.join(kernel['ops'])})"
                        yield found[1], {"kind": "kernel", "text": text, "entry": number, "kernel": place}
        for each in part.breaks:
            found = place_of(each.stack[-1]) if each.stack else None
            for at in (found, place_of(each.stack[0]) if each.stack else None):
                if at is not None and _is_here(told, at):
                    yield at[1], {"kind": "break", "text": each.reason}
                    break
        for loop in part.native:
            first = int(loop.lines.partition("-")[0])
            text = "native loop" if loop.reason is None else f"no native loop, as it {loop.reason}"
            yield first, {"kind": "loop" if loop.reason is None else "no loop", "text": text}


def described(told: Any, machines: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """An explanation as dicts, lists, text and numbers. `machines`: how fast devices are, as far as that is known."""
    info = told.cache_info
    return {
        "fastnp": _core.__version__,
        "name": told.name,
        "place": told.place,
        "backend": told.backend,
        "calls": {"hits": info.hits, "misses": info.misses, "compiles": info.compiles, "as_written": info.uncompiled, "entries": info.currsize},
        "as_written": list(told.uncompiled),
        "reads": list(told.reads),
        "source": _source_of(told),
        "entries": [_entry(each, machines.get(each["device"])) for each in told.entries],
        "recompilations": [{"reason": reason, "advice": advice, "milliseconds": spent} for reason, advice, spent in told.misses if reason != "first call"],
        "breaks": [{"reason": each.reason, "stack": each.stack, "milliseconds": each.milliseconds, "fix": fix_of(each.reason)} for each in told.breaks],
        "loops": [{"lines": each.lines, "reason": each.reason, "programs": each.programs, "milliseconds": each.milliseconds} for each in told.native],
        "transfers": told.transfers,
        "machines": list(machines.values()),
        "parts": [described(part, machines) for part in told.parts],
    }


def speed_of(kernel: dict[str, Any]) -> str:
    """A kernel's time, and what of the machine it makes use of."""
    if kernel["milliseconds"] is None:
        return ""
    text = f"{kernel['milliseconds']:.4f} ms" + (f" for {kernel['count']} times" if kernel["count"] > 1 else "")
    if kernel["bytes_per_second"] is not None:
        text += f", {amount(kernel['bytes_per_second'], 'B')}/s" + _share(kernel["share_of_bandwidth"])
    if kernel["flops_per_second"]:
        text += f", {amount(kernel['flops_per_second'], 'flop')}/s" + _share(kernel["share_of_peak"])
    return text


def _share(share: float | None) -> str:
    return "" if share is None else f" ({share:.0%})"


def _kernel_text(number: int, kernel: dict[str, Any]) -> str:
    name = kernel["kind"] if kernel["kind"] == kernel["name"] else f"{kernel['name']}, {kernel['kind']}"
    axes = f" over {kernel['axes']}" if kernel["axes"] else ""
    text = f"{number} {name}{axes}: {', '.join(kernel['ops'])}"
    if kernel["bytes"] is not None:
        text += f"; {amount(kernel['bytes_read'], 'B')} read, {amount(kernel['bytes_written'], 'B')} written"
    if kernel["flops"] is not None:
        text += f", {amount(kernel['flops'], 'flop')}"
    text += f"; {speed_of(kernel)}" if kernel["milliseconds"] is not None else ""
    return text + (f"; apart from {kernel['apart_from']}: {kernel['apart']}" if kernel["apart"] else "")


def _entry_text(number: int, entry: dict[str, Any]) -> Iterator[str]:
    yield f"entry {number} on {entry['device']}: {entry['reason']}"
    if entry["as_written"]:
        yield f"  runs as written: {entry['as_written']}"
    yield from (f"  input: {each}" for each in entry["inputs"])
    yield from (f"  guard: {each}" for each in entry["guards"])
    yield from (f"  kernel {_kernel_text(place, each)}" for place, each in enumerate(entry["kernels"]))
    for each in entry["memory"]:
        size = f"{each['bytes']} bytes" if each["bytes"] is not None else "size found on the way"
        place = f", place {each['place']}" if each["place"] is not None else ""
        span = f", kernels {each['first']} to {each['last']}" if each["first"] is not None else ""
        yield f"  memory: {each['kind']} {each['number']}: {size}{place}{span}"
    if entry["live_bytes"]:
        yield f"  memory in use: {amount(max(entry['live_bytes']), 'B')} at most"
    if entry["milliseconds"]:
        yield "  " + ", ".join(f"{phase} {spent:.2f} ms" for phase, spent in entry["milliseconds"].items())
    if entry["passes"]:
        yield "  passes that changed the graph: " + ", ".join(each["name"] for each in entry["passes"][1:])


def text_of(data: dict[str, Any]) -> str:
    """The data as text."""
    from fastnp._by_line import cells_of  # which is made of this one

    calls = data["calls"]
    counts = ", ".join(f"{calls[key]} {words}" for key, words in _COUNTS.items())
    lines = [f"{data['name']} ({data['place'] or 'no source'}; backend {data['backend']!r}): {counts}"]
    lines += [f"  runs as written: {each}" for each in data["as_written"]]
    for number, entry in enumerate(data["entries"]):
        lines += [f"  {line}" for line in _entry_text(number, entry)]
    lines += [f"  reads: {each}" for each in data["reads"]]
    for each in data["recompilations"]:
        lines.append(f"  recompiled in {each['milliseconds']:.2f} ms: {each['reason']}" + (f" (to avoid it: {each['advice']})" if each["advice"] else ""))
    for each in data["breaks"]:
        lines += [f"  break: {each['reason']}", *(f"    at {place}" for place in each["stack"]), f"    fix: {each['fix']}"]
    for each in data["loops"]:
        lines.append(f"  lines {each['lines']}: " + ("a native loop" if each["reason"] is None else f"no native loop, as it {each['reason']}"))
    for each in data.get("by_line", ()):
        place, nodes, kernels, spent, moved, _ = cells_of(each)
        lines.append(f"  {place}: {nodes} nodes in {kernels} kernels" + (f", {spent} ms" if spent else "") + (f", {moved}" if moved else ""))
    if data["transfers"]:
        lines.append("  transfers: " + ", ".join(f"{count} {what}" for what, count in data["transfers"].items()))
    for each in data["machines"]:
        peaks = ", ".join(f"{amount(speed, 'flop')}/s in {dtype}" for dtype, speed in each["peak"].items())
        lines.append(f"  {each['device']}: {amount(each['bandwidth'], 'B')}/s, {peaks}")
    for part in data["parts"]:
        lines += [f"  {line}" for line in text_of(part).splitlines()]
    return "\n".join(lines)


_COUNTS = {"compiles": "compiled", "hits": "hits", "misses": "misses", "as_written": "as written"}
