# Sets a machine up: system packages by apt, Python packages in build/venv. Sourced by tests/run.sh and examples/run.sh, or run alone
# (bash cmake/setup.sh). Done once, it takes no time again; where something is missing it stops with one line.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

apt_packages=(g++ cmake ninja-build ccache lld-19 git ca-certificates
              llvm-19-dev liblld-19-dev clang-19 libclang-rt-19-dev libpolly-19-dev libzstd-dev zlib1g-dev
              libxtensor-dev libxsimd-dev libboost-dev libboost-test-dev libopenblas-dev libopenblas-pthread-dev openmpi-bin
              clang-format-19 clang-tidy-19 doxygen)
venv=build/venv

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
stop() { printf 'stopped: %s\n' "$*" >&2; exit 1; }

# Runs a command with its output in build/log/<name>.log.
logged() {
    local log="build/log/$1.log"
    shift
    mkdir -p build/log
    "$@" > "$log" 2>&1
}
# ... and what that log says went wrong, on one line.
reason() { { grep -E '^(E:|ERROR|.*[Ee]rror)' "build/log/$1.log" || tail -n 1 "build/log/$1.log"; } | head -n 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

install_system_packages() {
    command -v dpkg-query > /dev/null || stop "this is no Debian system: install the equivalents of: ${apt_packages[*]}"
    local missing=() package
    for package in "${apt_packages[@]}"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2> /dev/null; then
        stop "not root, and these packages are missing: apt-get install ${missing[*]}"
    fi
    say "installing ${#missing[@]} system packages: ${missing[*]}"
    logged apt-update as_root apt-get -o DPkg::Lock::Timeout=600 update -qq || stop "apt-get update failed (no network?): $(reason apt-update)"
    logged apt-install as_root apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "${missing[@]}" ||
        stop "apt-get install failed (no network, or not Debian 12?): $(reason apt-install)"
}

# A Python 3.11 or newer that has its headers and can make virtual environments; Debian's own is completed by apt.
find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 /usr/bin/python3; do
        [ -n "$candidate" ] && command -v "$candidate" > /dev/null && python_is_complete "$candidate" && { python=$candidate; return; }
    done
    apt_packages=(python3 python3-dev python3-venv)
    install_system_packages
    python_is_complete /usr/bin/python3 || stop "Python 3.11 or newer with headers and venv is missing; name one: PYTHON=/path/to/python3 bash $0"
    python=/usr/bin/python3
}

python_is_complete() {
    "$1" - 2> /dev/null << 'PYTHON'
import ensurepip, os, sys, sysconfig, venv
sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))))
PYTHON
}

make_venv() {
    local python
    find_python
    say "Python packages into $venv ($("$python" --version))"
    [ -x "$venv/bin/python" ] && "$venv/bin/python" -c "" 2> /dev/null || { rm -rf "$venv"; "$python" -m venv "$venv"; }
    logged pip "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r tests/requirements.txt ||
        stop "pip install failed (no network?): $(reason pip)"
    # import fastnp in this environment is the release build's package.
    "$venv/bin/python" - << 'PYTHON'
import pathlib, sysconfig
build = pathlib.Path.cwd() / "build"
pathlib.Path(sysconfig.get_path("purelib"), "fastnp-build.pth").write_text(f"{build / 'release' / 'python'}\n")
PYTHON
}

# pocketfft's and x86-simd-sort's headers.
numpy_sources=build/numpy_sources

fetch_numpy_sources() {
    say "headers of NumPy's sources into $numpy_sources"
    logged numpy-sources "$venv/bin/python" cmake/fetch_numpy_sources.py || stop "$(tail -n 1 build/log/numpy-sources.log) (no network?)"
}

check_compiler() {
    local version
    version=$("${CXX:-g++}" -dumpversion 2> /dev/null) || stop "there is no C++ compiler (${CXX:-g++})"
    case "$("${CXX:-g++}" --version | head -n 1)" in
        *clang*) [ "${version%%.*}" -ge 16 ] || stop "clang $version is too old: clang 16 or g++ 12 is needed" ;;
        *) [ "${version%%.*}" -ge 12 ] || stop "g++ $version is too old: g++ 12 or clang 16 is needed" ;;
    esac
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    [ "$(printf '%s\n3.25\n' "$version" | sort -V | head -n 1)" = 3.25 ] || stop "CMake $version is too old: 3.25 is needed"
}

setup() {
    [ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || stop "fastnp is for Linux on x86-64; this is $(uname -s) $(uname -m)"
    # The stamp names what was installed, where, and with what Python: anything else is set up anew.
    local stamp=build/venv/setup.stamp key gpu
    key="$(cat cmake/setup.sh cmake/fetch_numpy_sources.py tests/requirements.txt | cksum) $PWD ${PYTHON:-}"
    if [ "$(cat "$stamp" 2> /dev/null)" != "$key" ] || ! "$venv/bin/python" -c "import numpy, pybind11" 2> /dev/null ||
        [ ! -d "$numpy_sources" ]; then
        say "setting up"
        mkdir -p build
        install_system_packages
        check_compiler
        make_venv
        fetch_numpy_sources
        printf '%s\n' "$key" > "$stamp"
    fi
    if grep -q 'libcuda\.so' <<< "$(/sbin/ldconfig -p)"; then gpu="a CUDA driver is present"; else gpu="no CUDA driver: everything but the GPU works"; fi
    say "set up ($gpu)"
}

build_preset() {
    local preset=$1
    [ -f "build/$preset/CMakeCache.txt" ] || say "configuring $preset"
    logged "configure-$preset" cmake --preset "$preset" || stop "cmake --preset $preset failed: $(reason "configure-$preset") (build/log/configure-$preset.log)"
    say "building $preset (build/log/build-$preset.log)"
    mkdir -p build/log
    # One line every few seconds, whatever the terminal; compiler messages as they are.
    if ! NINJA_STATUS='@%f/%t ' cmake --build --preset "$preset" 2>&1 | tee "build/log/build-$preset.log" |
        awk -v name="$preset" '/^@/ { split(substr($1, 2), n, "/"); if (int(10 * n[1] / n[2]) > tenth) { tenth = int(10 * n[1] / n[2]); print "         " name " " substr($1, 2); fflush() } next }
                               /^ninja: no work/ { next } { print; fflush() }'; then
        stop "the $preset build failed; see build/log/build-$preset.log"
    fi
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    setup
fi
