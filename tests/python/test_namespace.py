"""How much of NumPy's namespace is fastnp's own (namespace_probe.py): the figures may only rise."""

from __future__ import annotations

import namespace_probe
import namespace_uses
import numpy
import pytest

# Of the uses of each group: how many are done without NumPy eagerly and in compiled code, and have a derivative where there is one.
LEAST = {
    "numpy": (347, 346, 350),
    "numpy.linalg": (35, 35, 35),
    "numpy.fft": (18, 18, 18),
    "ndarray": (125, 117, 116),
    "ufunc methods": (53, 53, 54),
    "options": (117, 117, 112),
    "random.Generator": (46, 45, 44),
    "random, legacy": (24, 24, 25),
}


@pytest.mark.skipif(not numpy.__version__.startswith("2.4."), reason="the figures are of that version's names")
@pytest.mark.parametrize("group", namespace_uses.GROUPS)
def test_what_is_native_stays_so(group: str) -> None:
    found, short = namespace_probe.counts(group)
    least = dict(zip(namespace_probe.WAYS, LEAST[group], strict=True))
    assert all(found[way] >= least[way] for way in least), (found, least, "\n".join(short))
