"""What NumPy's docstrings lack where fastnp calls its functions: how they are compiled, and whether they have derivatives."""

from __future__ import annotations

import re

# Those that are made of fastnp's own functions (`_compositions.COMPOSED`) besides linalg's and fft's.
COMPOSED = frozenset("argpartition einsum fill_diagonal histogram matvec partition piecewise place put putmask vecdot vecmat".split())
# Those of them that are so for arrays on CUDA devices alone, and with derivatives.
ORDERED = frozenset("argpartition histogram partition".split())

_COMPOSED = """fastnp: in compiled functions, in transforms (`grad`, `vmap`) and on CUDA devices it is made of
fastnp's own functions: it is compiled and mapped with the rest, and has derivatives of both
modes. For other arrays NumPy's own function is called, on views of them."""
_ORDERED = """fastnp: for arrays on CUDA devices, and for those that are differentiated or mapped over, it is made
of fastnp's own functions. For others NumPy's own is called, on views of them; in a compiled function
that is a call between compiled parts. Histograms have no derivative: TypeError."""
_CALLED = """fastnp: NumPy's own function is called, on views of the arrays. In a compiled function that is a
call between compiled parts, and the elements of an array on a CUDA device are copied to the host
for it. It has no derivative: one that is asked for raises TypeError."""


def under(text: str, note: str) -> str:
    """A note with the margin of a docstring, which depends on who compiled it."""
    found = re.search(r"\n( *)--", text)
    margin = "" if found is None else found[1]
    return margin + note.replace("\n", f"\n{margin}")


def noted(name: str, text: str | None) -> str | None:
    """NumPy's docstring with a first paragraph of its notes on fastnp."""
    if text is None or "." in name:
        return text
    note = under(text, _ORDERED if name in ORDERED else _COMPOSED if name in COMPOSED else _CALLED)
    heading = under(text, "Notes\n-----\n").rstrip(" ")
    before, found, after = text.partition(heading)
    if found:
        return f"{before}{heading}{note}\n\n{after}"
    before, found, after = text.partition(under(text, "Examples\n--------\n").rstrip(" "))
    return f"{before}{heading}{note}\n\n{found}{after}"
