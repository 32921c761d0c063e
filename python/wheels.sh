#!/usr/bin/env bash
# Makes wheels that others can install: a source distribution, of it a wheel for each Python, repaired (auditwheel), checked (check_wheel.py), and tried in
# a fresh environment, by a Python program and by a C++ program that finds the library through it. All of it lies in build/wheels afterwards.
#
#   bash python/wheels.sh                      for python3
#   bash python/wheels.sh python3.12 /opt/python/cp313/bin/python ...
#   bash python/wheels.sh --all                for each CPython from 3.11 on that this machine has
#   bash python/wheels.sh --which              which these are, a line each
#
# It needs the system packages (bash cmake/setup.sh names and installs them) and the Python index. Where build/venv is, pybind11 and NumPy's headers are taken
# of it, so that ccache knows objects again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$PWD/build/wheels
platform=manylinux_2_34_x86_64

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
stop() { printf 'stopped: %s\n' "$*" >&2; exit 1; }
logged() { # NAME COMMAND...: its output in a log, shown where it fails
    local log="$work/log/$1.log"
    shift
    "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2; stop "$1 failed ($log)"; }
}

every_python() { # the newest of each minor version, by how they are called
    local candidate minor
    for minor in 11 12 13; do
        for candidate in "python3.$minor" "$HOME"/.pyenv/versions/3."$minor".*/bin/python; do
            if "$candidate" -c "import sys, ensurepip; sys.exit(sys.version_info[:2] != (3, $minor))" 2> /dev/null; then
                echo "$candidate"
                continue 2
            fi
        done
        say "there is no Python 3.$minor here" >&2
    done
}

prepare() {
    rm -rf "$work"
    mkdir -p "$work/log"
    logged tools-environment "$1" -m venv "$work/tools"
    logged tools "$work/tools/bin/python" -m pip install --disable-pip-version-check -r python/wheel_requirements.txt
}

sources() {
    say "the source distribution"
    logged sources "$work/tools/bin/python" -m build --sdist --outdir "$work" .
    # Unpacked, since pip would do it in another folder each time.
    tar -C "$work" -xf "$work"/fastnp-*.tar.gz
    unpacked=$(echo "$work"/fastnp-*/)
}

known_headers() { # what build/venv has already, as if it lay within the unpacked sources, as it does in a clone: ccache compares paths from there
    [ -x build/venv/bin/python ] || return 0
    ln -sfn "$PWD/build/venv" "$unpacked/build/venv"
    local pybind11 numpy
    pybind11=$(build/venv/bin/python -m pybind11 --cmakedir)
    numpy=$(build/venv/bin/python -c 'import numpy; print(numpy.get_include())')
    printf -- '-Ccmake.define.pybind11_DIR=%s\n' "${pybind11/#"$PWD"/"${unpacked%/}"}"
    printf -- '-Ccmake.define.Python_NumPy_INCLUDE_DIR=%s\n' "${numpy/#"$PWD"/"${unpacked%/}"}"
}

wheel_for() { # PYTHON: sets `wheel`
    local python=$1 tag options
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    say "a wheel for $("$python" --version) ($tag)"
    mapfile -t options < <(known_headers)
    logged "environment-$tag" "$python" -m venv --clear "$work/environment-$tag"
    # The compiler by the name that CMake found it under: ccache.
    logged "wheel-$tag" env CXX="${CXX:-c++}" CC="${CC:-cc}" "$work/environment-$tag/bin/python" -m pip wheel --disable-pip-version-check --no-deps \
        "$unpacked" -w "$work/raw-$tag" -Ccmake.define.FASTNP_STATIC_RUNTIME=ON -Cbuild-dir="build/$tag" "${options[@]}"
    logged "repair-$tag" env PATH="$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" repair --zip-compression-level 9 --plat "$platform" -w "$work" "$work/raw-$tag"/*.whl
    wheel=$(echo "$work"/fastnp-*-"$tag"-*.whl)
    "$work/tools/bin/auditwheel" show "$wheel" | tee "$work/log/show-$tag.log" | grep -E 'is consistent|manylinux' | head -n 3
    "$work/tools/bin/python" python/check_wheel.py "$wheel"
}

try_wheel() { # PYTHON WHEEL
    local environment=$work/fresh
    logged fresh "$1" -m venv --clear "$environment"
    logged install "$environment/bin/python" -m pip install --disable-pip-version-check "$2"
    (cd "$environment" && bin/python ../../../tests/install/try_wheel.py)
    logged consumer-configure cmake -S tests/install -B "$work/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release --fresh \
        -Dfastnp_DIR="$("$environment/bin/python" -m fastnp --cmakedir)" -DFASTNP_PYTHON="$environment/bin/python"
    logged consumer-build cmake --build "$work/consumer"
    "$work/consumer/consumer"
    "$work/consumer/exported"
}

if [ "${1:-}" = --which ]; then
    every_python
    exit
fi
pythons=("$@")
[ "${1:-}" != --all ] || mapfile -t pythons < <(every_python)
[ ${#pythons[@]} -gt 0 ] || pythons=(python3)
prepare "${pythons[0]}"
sources
for python in "${pythons[@]}"; do
    wheel_for "$python"
    try_wheel "$python" "$wheel"
done
say "in $work: $(cd "$work" && echo *.tar.gz *.whl)"
