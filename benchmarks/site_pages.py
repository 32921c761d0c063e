"""What docs/benchmarks.md includes: tables and charts of the committed figures (benchmarks/results). docs/conf.py has it made before each build."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import charts
import report
import tables


def section(file: str, document: tables.Document, pictures: str) -> Iterator[str]:
    yield f"## {tables.title(document)}\n"
    yield f"The figures of `benchmarks/results/{file}`.\n"
    yield from (tables.machine(document), tables.versions(document), tables.limits(document))
    drawn = charts.charts(document)
    for name, title in tables.TITLES.items():
        if name in document["parts"]:
            yield f"### {title}\n"
            if name in drawn:
                yield f"![{title}: speeds, relative to a baseline]({pictures}/{Path(file).stem}-{name}.svg)\n"
            yield from tables.part_texts(name, document["parts"][name])


def write(folder: Path, pictures: str) -> None:
    """`pictures`: the folder, as the page that includes the tables names it."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: list[str] = []
    for path in reversed(report.committed()):
        document = json.loads(path.read_text(encoding="utf-8"))
        for name, drawn in charts.charts(document).items():
            (folder / f"{path.stem}-{name}.svg").write_text(drawn, encoding="utf-8")
        texts += section(path.name, document, pictures)
    (folder / "tables.md").write_text("\n".join(texts) or "Nothing is measured yet.\n", encoding="utf-8")


def make(app: Any) -> None:
    write(Path(app.srcdir).parent / "build" / "docs" / "benchmarks", "../build/docs/benchmarks")
