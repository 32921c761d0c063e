#!/usr/bin/env bash
# pip install . into an empty virtual environment, then a compiled function from another folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
env=$PWD/build/wheel-venv
build/venv/bin/python -m venv --clear "$env"
# The compiler by the name that CMake found it under, and headers by the release build's paths (those of pip's own environment are others each time), so
# that ccache knows the release build's objects again.
export CXX="${CXX:-c++}" CC="${CC:-cc}"
pybind11=$(build/venv/bin/python -m pybind11 --cmakedir)
numpy=$(build/venv/bin/python -c 'import numpy; print(numpy.get_include())')
"$env/bin/python" -m pip install --disable-pip-version-check . "-Ccmake.define.pybind11_DIR=$pybind11" "-Ccmake.define.Python_NumPy_INCLUDE_DIR=$numpy"
cd "$env"
"$env/bin/python" - << 'PYTHON'
import pathlib
import sys

import fastnp as np

home = pathlib.Path(np.__file__).parent
assert home.is_relative_to(sys.prefix), home
for name in ("py.typed", "libfastnp.so"):
    assert (home / name).exists(), name
assert list(home.glob("*.pyi")), "no type stubs"


@np.compile
def dot(x, y):
    return np.sum(x * y)


assert float(dot(np.arange(4.0), np.arange(4.0))) == 14.0
assert dot.cache_info().compiles == 1
print("14.0 from", home)
PYTHON
