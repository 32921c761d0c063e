#!/usr/bin/env bash
# Builds the site into build/docs/html: bash docs/build.sh. The packages that it needs go into build/docs-venv. Warnings are errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stop() { printf 'stopped: %s\n' "$*" >&2; exit 1; }

python=${PYTHON:-}
if [ -z "$python" ]; then
    if [ -x build/venv/bin/python ]; then python=build/venv/bin/python; else python=python3; fi
fi
venv=build/docs-venv
log=build/log/docs-pip.log
mkdir -p build/log

# The stamp names what was installed, and by which Python.
key="$(cksum < docs/requirements.txt) $("$python" -c 'import sys; print(sys.version)')"
if [ "$(cat "$venv/setup.stamp" 2> /dev/null)" != "$key" ] || ! "$venv/bin/python" -c "import sphinx" 2> /dev/null; then
    rm -rf "$venv"
    "$python" -m venv "$venv" || stop "$python can't make an environment (python3-venv?)"
    "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r docs/requirements.txt > "$log" 2>&1 ||
        stop "pip install -r docs/requirements.txt failed (no network?): $(grep -m 1 ERROR "$log" || tail -n 1 "$log")"
    printf '%s\n' "$key" > "$venv/setup.stamp"
fi

# The reference is the built package's own account of itself.
if [ -f build/release/python/fastnp/__init__.py ] && [ -x build/venv/bin/python ]; then
    mkdir -p build/docs
    PYTHONPATH=$PWD/build/release/python build/venv/bin/python -W ignore docs/list_functions.py build/docs/functions.json
fi

# The C++ reference: doxygen's account of the headers. What is wrong or missing in their comments is an error.
command -v doxygen > /dev/null || stop "doxygen is missing: apt-get install doxygen (cmake/setup.sh does)"
"$venv/bin/python" docs/reference-cpp/catalogue.py header
doxygen docs/reference-cpp/Doxyfile || stop "doc comments of the headers (include/fastnp) have errors"
"$venv/bin/python" docs/reference-cpp/catalogue.py tables

# The gallery's pictures are of the results of examples/*.py, which run here; the notebooks run within Sphinx.
gallery=--blank
if PYTHONPATH=$PWD/build/release/python "$venv/bin/python" -c "import fastnp" 2> /dev/null; then
    export PYTHONPATH=$PWD/build/release/python FASTNP_CACHE_DIR=
    gallery=
else
    echo "the package is not built (cmake --build --preset release): no pictures in the gallery, no results in the notebooks"
fi
"$venv/bin/python" docs/gallery/pictures.py $gallery build/docs/gallery

# The kernel of the notebooks warns that it listens on this machine's own address.
"$venv/bin/python" -m sphinx --builder html --jobs 2 --fresh-env -W --keep-going --quiet --doctree-dir build/docs/doctrees docs build/docs/html \
    2> >(grep -v "IPKernelApp.*TCP without encryption" >&2)
echo "the site is build/docs/html/index.html"
