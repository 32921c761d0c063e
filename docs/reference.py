"""Pages of the reference: a section for each function, of the docstrings that list_functions.py wrote. conf.py has them made before each build."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.ext.napoleon import Config, NumpyDocstring

TITLES = {
    "fastnp": "Functions",
    "fastnp.linalg": "Linear algebra",
    "fastnp.fft": "Fourier transforms",
    "fastnp.random": "Random numbers",
    "fastnp.compiler": "The compiler",
    "fastnp.cuda": "CUDA",
    "fastnp.debug": "Safety nets",
    "fastnp.dist": "Several ranks",
    "fastnp.onnx": "ONNX models",
    "fastnp.ndarray": "Methods of arrays",
}
_CONFIG = Config(napoleon_use_param=False, napoleon_use_rtype=False, napoleon_use_ivar=True)
Row = dict[str, str]


def escaped(text: str) -> str:
    """The text with stars that stay stars; examples and what stands in backticks as it is."""
    lines, in_example = [], False
    for line in text.splitlines():
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        lines.append(line if in_example else re.sub(r"(`+[^`]*`+)|\*", lambda found: found[1] or r"\*", line))
    return "\n".join(lines)


def section(row: Row) -> str:
    text = str(NumpyDocstring(escaped(row["text"]), _CONFIG))
    body = "\n".join(f"   {line}" if line.strip() else "" for line in text.splitlines())
    kind = "method" if row["name"].startswith("fastnp.ndarray.") else "function"
    return f"```{{eval-rst}}\n.. py:{kind}:: {row['name']}{row['signature']}\n\n{body}\n```\n"


def page(title: str, rows: list[Row]) -> str:
    return f"# {title}\n\n" + "\n".join(map(section, rows))


def pages(functions: dict[str, list[Row]]) -> Iterator[tuple[str, str]]:
    for module, rows in functions.items():
        if module != "fastnp":
            yield module.rpartition(".")[2], page(f"{TITLES[module]}: `{module}`", rows)
            continue
        for first, last in ("ab", "cd", "eg", "hl", "mo", "pr", "sz"):
            letters = set(string.ascii_lowercase[ord(first) - 97 : ord(last) - 96])
            yield f"functions-{first}-{last}", page(f"Functions, {first} to {last}", [row for row in rows if row["name"][7].lower() in letters])


def write(listed: Path, folder: Path) -> None:
    """Pages and their index; without a list, an index that says so."""
    folder.mkdir(exist_ok=True)
    made = dict(pages(json.loads(listed.read_text()))) if listed.exists() else {}
    names = "\n".join(made)
    how = "" if made else "\n(The package was not built: `cmake --build --preset release`, then `bash docs/build.sh`.)\n"
    made["index"] = f"# Reference\n\nEvery function of the Python package.\n{how}\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    for path in folder.glob("*.md"):
        if path.stem not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def make(app: Any) -> None:
    write(Path(app.srcdir).parent / "build" / "docs" / "functions.json", Path(app.srcdir) / "reference")
