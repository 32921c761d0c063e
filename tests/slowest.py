"""Prints the ten slowest tests of JUnit files. For a Boost.Test program of ctest's its own file is read, which lies beside ctest's."""

from __future__ import annotations

import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator


def cases(path: pathlib.Path) -> Iterator[tuple[float, str]]:
    """Seconds and names of a file's tests."""
    try:
        tree = ElementTree.parse(path)
    except (OSError, ElementTree.ParseError):
        return
    for case in tree.iter("testcase"):
        name = case.get("name", "")
        own = path.parent / f"boost_{name}.xml"
        if path.name == "ctest.xml" and own.exists():
            yield from ((seconds, f"{name}: {of}") for seconds, of in cases(own))
        else:
            yield float(case.get("time") or 0), "/".join(part for part in (case.get("classname", "").replace(".", "/"), name) if part)


def main() -> None:
    found = sorted((case for path in sys.argv[1:] for case in cases(pathlib.Path(path))), reverse=True)
    print("the ten slowest tests:")
    for seconds, name in found[:10]:
        print(f"  {seconds:.1f} s {name}")


if __name__ == "__main__":
    main()
