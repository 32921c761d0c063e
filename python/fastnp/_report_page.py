"""A report as a page of its own: nothing is loaded from elsewhere, and all text of the user's is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from fastnp import _pictures
from fastnp._by_line import HEADS, cells_of
from fastnp._report import amount

_CSS = """
.fastnp-report{--ink:#1c2330;--faint:#68718a;--grid:#d8dde8;--paper:#fff;--box:#f4f6fb;--good:#2f9e77;--bad:#c9472f;--warm:#b7791f;--link:#3566c9;
color:var(--ink);background:var(--paper);font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;padding:24px;max-width:1080px;margin:auto}
@media (prefers-color-scheme:dark){.fastnp-report{--ink:#e4e8f1;--faint:#98a2b8;--grid:#343c4d;--paper:#161b25;--box:#202736;--good:#5cc79f;--bad:#f08a72;
--warm:#e6b455;--link:#8cb0f5}body.fastnp-page{background:#161b25}}
body.fastnp-page{margin:0}
.fastnp-report h1{font-size:24px;margin:0}.fastnp-report h2{font-size:17px;margin:28px 0 8px;border-bottom:1px solid var(--grid);padding-bottom:4px}
.fastnp-report h3{font-size:14px;margin:16px 0 6px}.fastnp-report .faint{color:var(--faint)}
.fastnp-report code,.fastnp-report pre{font:12.5px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace}
.fastnp-report pre{background:var(--box);padding:12px;border-radius:8px;overflow:auto;max-height:520px;margin:6px 0}
.fastnp-report table{border-collapse:collapse;width:100%}.fastnp-report th{text-align:left;font-weight:600;color:var(--faint);font-size:12px}
.fastnp-report td,.fastnp-report th{padding:5px 10px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top}
.fastnp-report .num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.fastnp-report .cards{display:flex;flex-wrap:wrap;gap:12px;margin:16px 0}
.fastnp-report .card{background:var(--box);border-radius:10px;padding:10px 16px}
.fastnp-report .card b{display:block;font-size:20px;font-variant-numeric:tabular-nums}
.fastnp-report .source{border-radius:8px;background:var(--box);padding:8px 0;overflow-x:auto}
.fastnp-report .line{display:flex;gap:12px;padding:0 12px}.fastnp-report .line code{white-space:pre;flex:1 0 auto}
.fastnp-report .line .n{color:var(--faint);min-width:34px;text-align:right;font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
.fastnp-report .line.break{box-shadow:inset 3px 0 var(--bad)}.fastnp-report .line.kernel{box-shadow:inset 3px 0 var(--good)}
.fastnp-report .line.loop{box-shadow:inset 3px 0 var(--good)}
.fastnp-report .chip{border-radius:9px;padding:0 8px;font-size:12px;border:1px solid currentColor;
white-space:nowrap;max-width:520px;overflow:hidden;text-overflow:ellipsis}
.fastnp-report .kernel.chip,.fastnp-report .loop.chip{color:var(--good)}.fastnp-report .break.chip{color:var(--bad)}
.fastnp-report .no.chip{color:var(--warm)}

.fastnp-report .bar{display:inline-block;width:70px;height:7px;border-radius:4px;
background:var(--grid);vertical-align:middle;margin-left:6px;overflow:hidden}
.fastnp-report .bar i{display:block;height:100%;background:var(--good)}.fastnp-report .why{color:var(--warm)}.fastnp-report .fix{color:var(--good)}
.fastnp-report a{color:var(--link)}.fastnp-report details{margin:6px 0}.fastnp-report summary{cursor:pointer;color:var(--link)}
.fastnp-report svg{max-width:100%;height:auto}
.fastnp-report ul{margin:4px 0;padding-left:20px}.fastnp-report .part{border-left:3px solid var(--grid);padding-left:16px;margin-top:20px}
""".strip()
STYLE = f"<style>{_CSS}</style>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], numbers: Iterable[int] = ()) -> str:
    """Cells are HTML already; `numbers`: the columns that are set to the right."""
    right = set(numbers)

    def cells(tag: str, row: Iterable[str]) -> str:
        return "".join(f"<{tag}{' class=num' if k in right else ''}>{cell}</{tag}>" for k, cell in enumerate(row))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>" if text else ""


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li><code>{escape(each)}</code></li>" for each in items) + "</ul>"


def _share(share: float | None) -> str:
    if share is None:
        return ""
    return f' {share:.0%}<span class="bar"><i style="width:{min(share, 1):.0%}"></i></span>'


def _cards(data: dict[str, Any]) -> str:
    kernels = [each for entry in data["entries"] for each in entry["kernels"]]
    timed = [each for each in kernels if each["milliseconds"] is not None]
    told = [
        ("hits", str(data["calls"]["hits"])),
        ("compiled", str(data["calls"]["compiles"])),
        ("as written", str(data["calls"]["as_written"])),
        ("kernels", str(len(kernels))),
        ("compile time", f"{sum(sum(entry['milliseconds'].values()) for entry in data['entries']):.1f} ms"),
    ]
    if timed:
        told.append(("in kernels", f"{sum(each['milliseconds'] for each in timed):.3f} ms"))
    if data["breaks"]:
        told.append(("breaks", str(len(data["breaks"]))))
    return '<div class="cards">' + "".join(f'<div class="card"><b>{escape(value)}</b>{escape(name)}</div>' for name, value in told) + "</div>"


def _source(source: dict[str, Any] | None) -> str:
    if source is None:
        return '<p class="faint">There is no source to show.</p>'
    lines = []
    for each in source["lines"]:
        kinds = [note["kind"] for note in each["notes"]]
        mark = next((kind for kind in ("break", "kernel", "loop") if kind in kinds), "")
        shown = {_chip(note): note for note in reversed(each["notes"])}  # entries often have the same kernels
        chips = "".join(
            f'<span class="{escape(note["kind"].split()[0])} chip" title="{escape(note["text"])}">{escape(label)}</span>'
            for label, note in reversed(shown.items())
        )
        lines.append(f'<div class="line {mark}"><span class="n">{each["line"]}</span><code>{escape(each["text"]) or " "}</code>{chips}</div>')
    return f'<div class="faint">{escape(source["file"])}</div><div class="source">{"".join(lines)}</div>'


def _chip(note: dict[str, Any]) -> str:
    """What is said of a line, in a word or two for kernels."""
    return f"{note['kernel']}: {note['text'].partition(' (')[0]}" if note["kind"] == "kernel" else str(note["text"])


def _kernels(entry: dict[str, Any]) -> str:
    rows = []
    spent = sum(each["milliseconds"] or 0 for each in entry["kernels"])
    for number, each in enumerate(entry["kernels"]):
        kind = each["kind"] if each["kind"] == each["name"] else f"{each['name']} ({each['kind']})"
        apart = f'<br><span class="why">apart from {each["apart_from"]}: {escape(each["apart"])}</span>' if each["apart"] else ""
        lines = f'<br><span class="faint">lines {escape(", ".join(map(str, each["lines"])))}</span>' if each.get("lines") else ""
        axes = f'<br><span class="faint">{escape(each["axes"])}</span>' if each["axes"] else ""
        time = "" if each["milliseconds"] is None else f"{each['milliseconds']:.4f} ms{_share(each['milliseconds'] / spent if spent else None)}"
        time += f"<br>for {each['count']} times" if each["count"] > 1 else ""
        moved = "" if each["bytes"] is None else f"{amount(each['bytes_read'], 'B')} in<br>{amount(each['bytes_written'], 'B')} out"
        bandwidth = "" if each["bytes_per_second"] is None else f"{amount(each['bytes_per_second'], 'B')}/s{_share(each['share_of_bandwidth'])}"
        speed = "" if not each["flops_per_second"] else f"{amount(each['flops_per_second'], 'flop')}/s{_share(each['share_of_peak'])}"
        what = f"<b>{escape(kind)}</b>{axes}<br><code>{escape(', '.join(each['ops']))}</code>{apart}{lines}"
        rows.append([str(number), what, time, moved, amount(each["flops"], "flop"), bandwidth, speed])
    return _table(["", "kernel", "time", "bytes", "operations", "of the bandwidth", "of the peak"], rows, (2, 3, 4, 5, 6))


def _entry(number: int, entry: dict[str, Any], machines: list[dict[str, Any]]) -> Iterator[str]:
    yield f"<h2>Entry {number} on {escape(entry['device'])}: {escape(entry['reason'])}</h2>"
    if entry["as_written"]:
        yield f'<p class="why">Runs as written: {escape(entry["as_written"])}</p>'
        return
    if entry["inputs"]:
        yield "<h3>Made for a call with</h3>" + _list(entry["inputs"])
    if entry["guards"]:
        yield "<h3>Serves calls that fit these guards</h3>" + _list(entry["guards"])
    if entry["kernels"]:
        yield "<h3>Kernels, in order</h3>" + _kernels(entry)
        if all(each["milliseconds"] is None for each in entry["kernels"]):
            yield '<p class="faint">No times: calls within <code>np.compiler.profile()</code> are measured.</p>'
    machine = next((each for each in machines if each["device"] == entry["device"]), None)
    if machine is not None and any(each["flops_per_second"] for each in entry["kernels"]):
        labelled = [(str(place), each) for place, each in enumerate(entry["kernels"])]
        yield "<h3>Roofline</h3>" + _pictures.roofline(machine, labelled)
    if entry["memory"]:
        yield "<h3>Memory from kernel to kernel</h3>" + _pictures.memory(entry["memory"], entry["live_bytes"])
    if entry["milliseconds"]:
        spent = sorted(entry["milliseconds"].items(), key=lambda each: -each[1])
        yield "<h3>Compilation</h3>" + _table(["phase", "time"], [[escape(phase), f"{time:.2f} ms"] for phase, time in spent], (1,))
    yield "<h3>Code</h3>"
    if entry["graph"]:
        yield f"<details><summary>picture of the graph</summary>{_pictures.own_layout(entry['graph'])}</details>"
    for each in entry["passes"]:
        title = "graph as recorded" if each["name"] == "recorded" else f"graph after {each['name']}"
        yield _folded(f"{title}: {each['graph'].count(' = ')} operations", each["graph"])
    code = {"graph": "graph", "loops": "loop kernels", "emitted": "LLVM before its passes", "llvm": "LLVM", "code": "assembly"}
    yield from (_folded(title, entry[key]) for key, title in code.items())


def _breaks(breaks: list[dict[str, Any]]) -> str:
    rows = []
    for each in breaks:
        stack = "<br>".join(f"<code>{escape(place)}</code>" for place in each["stack"])
        rows.append([f"{escape(each['reason'])}<br>{stack}", f'<span class="fix">{escape(each["fix"])}</span>', f"{each['milliseconds']:.1f} ms"])
    return "<h2>Breaks</h2>" + _table(["a recording ended, as it", "what helps", "found after"], rows, (2,))


def _sections(data: dict[str, Any], is_part: bool) -> Iterator[str]:
    tag = "h2" if is_part else "h1"
    about = " · ".join([data["place"], f"backend {data['backend']}", f"fastnp {data['fastnp']}"])
    yield f'<{tag}>{escape(data["name"])}</{tag}><div class="faint">{escape(about)}</div>'
    yield _cards(data)
    yield from (f'<p class="why">Runs as written: {escape(each)}</p>' for each in data["as_written"])
    if not is_part:
        yield "<h2>Source</h2>" + _source(data["source"])
    if data.get("by_line"):
        rows = [[escape(cell) for cell in cells_of(each)] for each in data["by_line"]]
        yield "<h2>By line</h2>" + _table(HEADS, [[*row[:-1], f"<code>{row[-1]}</code>"] for row in rows], (1, 2, 3, 4))
    if data["breaks"]:
        yield _breaks(data["breaks"])
    if data["loops"]:
        rows = [
            [escape(each["lines"]), "native" if each["reason"] is None else f'<span class="why">none, as it {escape(each["reason"])}</span>']
            for each in data["loops"]
        ]
        yield "<h2>Loops over numbers</h2>" + _table(["lines", "native code"], rows)
        yield from (_folded(f"steps of lines {each['lines']}", "\n".join(each["programs"])) for each in data["loops"])
    if data["recompilations"]:
        rows = [[escape(each["reason"]), escape(each["advice"]), f"{each['milliseconds']:.1f} ms"] for each in data["recompilations"]]
        yield "<h2>Recompilations</h2>" + _table(["cause", "to avoid it", "took"], rows, (2,))
    if data["reads"]:
        yield "<h2>Guards on what it reads</h2>" + _list(data["reads"])
    if data["transfers"]:
        told = [[escape(what), str(count)] for what, count in data["transfers"].items()]
        yield "<h2>Transfers of the call</h2>" + _table(["", "count"], told, (1,))
    for number, entry in enumerate(data["entries"]):
        yield from _entry(number, entry, data["machines"])
    for part in data["parts"]:
        yield f'<div class="part">{"".join(_sections(part, True))}</div>'


def fragment(data: dict[str, Any]) -> str:
    """For a page of somebody else's, a notebook's."""
    return f'{STYLE}<div class="fastnp-report">{"".join(_sections(data, False))}</div>'


def whole(title: str, inner: str) -> str:
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<title>{escape(title)}</title></head>\n<body class="fastnp-page">{inner}</body></html>\n'


def page(data: dict[str, Any], links: Iterable[tuple[str, str]] = ()) -> str:
    """`links`: (address, text) of files beside it."""
    files = "".join(f'<li><a href="{escape(address)}">{escape(text)}</a></li>' for address, text in links)
    listed = f'<div class="fastnp-report"><h2>Files</h2><ul>{files}</ul></div>' if files else ""
    return whole(data["name"], fragment(data) + listed)


def table(heads: list[str], rows: list[list[str]], numbers: Iterable[int] = ()) -> str:
    """A table of text, for notebooks."""
    cells = [[escape(each) for each in row] for row in rows]
    return f'{STYLE}<div class="fastnp-report">{_table([escape(each) for each in heads], cells, numbers)}</div>'
