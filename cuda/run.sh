#!/usr/bin/env bash
# What a bundle does on a machine with a GPU (cuda/bundle.sh makes it). Needed there: the NVIDIA driver; for Python, g++ 12 or newer and a Python (PYTHON,
# else python3) with headers, NumPy and pybind11 3. Nothing is fetched, nothing is written outside of this folder.
#
#   bash run.sh                      the C++ tests of CUDA, the binding, the Python tests of devices
#   bash run.sh cpp [ARGUMENT...]    the C++ tests; arguments as Boost.Test takes them, in place of --run_test=cuda_* and those of loops, there
#   bash run.sh build                the binding alone
#   bash run.sh python ARGUMENT...   Python with the package: run.sh python benchmarks/run.py
#   bash run.sh test [FILE...]       the Python tests of devices, or those named
#   bash run.sh whole [FOLDER]       all that can be tested there, side by side: those, and with the device set all tests that name none; what they
#                                    print goes to files in FOLDER (build/log)
#   bash run.sh fuzz PROGRAMS [SEED] random programs in C++ (tests/fuzz/cpp) on all processors; Python's: run.sh python tests/fuzz/run.py
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
python=${PYTHON:-python3}
package=$PWD/python/fastnp

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
stop() { printf 'stopped: %s\n' "$*" >&2; exit 1; }

# Libraries that every distribution has, as a rule.
if ldd lib/*.so bin/fastnp_tests | grep -q 'not found'; then
    export LD_LIBRARY_PATH="$PWD/lib/spare${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

cpp() {
    if [ $# -gt 0 ]; then
        say "C++ tests: $*"
        bin/fastnp_tests --log_level=message --report_level=short --color_output=no "$@"
        return
    fi
    local status=0
    cpp '--run_test=cuda_*' || status=1
    if command -v nvidia-smi > /dev/null; then FASTNP_TEST_DEVICE=cuda cpp --run_test=loops,while_loops,number_loops || status=1; fi
    return $status
}

# Flags for the binding's sources, one a line: where the headers of Python, NumPy and pybind11 are.
flags() {
    "$python" - << 'PYTHON'
import os, sys, sysconfig
try:
    import numpy, pybind11
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}")
if pybind11.version_info[0] < 3:
    sys.exit(f"pybind11 {pybind11.__version__} is too old: 3.0 is needed")
include = sysconfig.get_path("include")
if not os.path.exists(os.path.join(include, "Python.h")):
    sys.exit(f"there is no {include}/Python.h")
for folder in (include, numpy.get_include(), pybind11.get_include()):
    print(f"-isystem{folder}")
PYTHON
}

binding() {
    local suffix objects=build/objects flags source
    suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))') || stop "there is no $python"
    local module="$package/_core$suffix"
    # As it was made of this bundle by this compiler for this Python: not again.
    local key
    key=$(
        "$python" -c 'import sys, numpy; print(sys.executable, sys.version, numpy.__version__)'
        "${CXX:-g++}" --version | head -n 1
        cksum lib/*.so python/*.*
    )
    if [ -f "$module" ] && [ "$(cat build/key 2> /dev/null)" = "$key" ]; then return; fi
    mapfile -t flags < <(flags)
    [ ${#flags[@]} = 3 ] || stop "the binding can't be built for $python"
    say "building the binding for $("$python" --version), NumPy $("$python" -c 'import numpy; print(numpy.__version__)')"
    rm -rf build
    mkdir -p "$objects"
    cp lib/*.so "$package/"
    # shellcheck disable=SC2016  # the inner shell expands them
    for source in python/*.cpp; do printf '%s\0' "$source"; done |
        xargs -0 -P "$(nproc)" -I '{}' sh -c 'o=$1/$(basename "$2" .cpp).o; shift; s=$1; shift; exec "$@" -c "$s" -o "$o"' \
            sh "$objects" '{}' "${CXX:-g++}" -std=c++20 -O2 -DNDEBUG -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-math-errno \
            -ffp-contract=off -Iinclude -Ipython "${flags[@]}" || stop "the binding does not compile"
    # shellcheck disable=SC2016  # the loader expands it
    "${CXX:-g++}" -shared -o "$module" "$objects"/*.o -L"$package" -lfastnp '-Wl,-rpath,$ORIGIN' || stop "the binding does not link"
    printf '%s\n' "$key" > build/key
    say "built"
}

with_package() {
    binding
    PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}" "$python" "$@"
}

# What a Python without pytest can show: a program on the GPU, if there is one, beside NumPy.
smoke() {
    with_package - << 'PYTHON'
import numpy, fastnp as np
print([tuple(each) for each in np.cuda.devices()], np.cuda.problem())
x = numpy.linspace(0.0, 1.0, 1001)
with np.device("cuda" if np.cuda.is_available() else "cpu"):
    y = numpy.asarray(np.compile(lambda x: np.sin(x) * x + 1.0)(x))
assert numpy.allclose(y, numpy.sin(x) * x + 1.0, rtol=1e-14)
print("right")
PYTHON
}

python_tests() {
    binding
    if ! "$python" -c 'import pytest, hypothesis' 2> /dev/null; then
        say "this Python has no pytest or no hypothesis: one program instead"
        smoke
        return
    fi
    if [ $# = 0 ]; then
        mapfile -t < <(ls tests/python/test_device*.py tests/python/test_cuda*.py tests/python/test_joined.py tests/python/test_dist_devices.py 2> /dev/null)
        set -- "${MAPFILE[@]}"
    fi
    say "Python tests: $*"
    with_package -m pytest -q -p no:cacheprovider "$@"
}

# C++ suites that name no device: those of tests/cpp/on_device.txt, and what takes minutes on a simulated one or would show nothing there.
suites_on_device=(
    "$(paste -sd, tests/cpp/on_device.txt)"
    'loops,loop_tiles,draws,random_numbers,linalg_derivatives,folds_of_arrays,layouts_of_maps,layouts_of_moves,profiles,picks'
    'fusion,random_programs'
    'compiled_ops'
)

whole() {
    binding
    local folder=${1:-build/log} suites
    mkdir -p "$folder"
    local -a jobs=() names=()
    # begin NAME COMMAND...
    begin() {
        local name=$1
        shift
        "$@" > "$folder/$name.txt" 2>&1 &
        jobs+=($!)
        names+=("$name")
    }
    local -a pytest=(with_package -m pytest -q -p no:cacheprovider)
    if "$python" -c 'import xdist' 2> /dev/null; then pytest+=(-n "$(($(nproc) / 2))" --dist worksteal); fi
    mapfile -t < <(ls tests/python/test_device*.py tests/python/test_cuda*.py tests/python/test_joined.py tests/python/test_dist_devices.py)
    begin python-devices "${pytest[@]}" "${MAPFILE[@]}"
    mapfile -t < <(sed 's|^|tests/python/|' tests/python/on_device.txt)
    FASTNP_TEST_DEVICE=cuda begin python-on-device "${pytest[@]}" "${MAPFILE[@]}"
    begin cpp-cuda cpp '--run_test=cuda_*,device_*'
    for suites in "${suites_on_device[@]}"; do FASTNP_TEST_DEVICE=cuda begin "cpp-on-device-${suites%%,*}" cpp "--run_test=$suites"; done
    local status=0 i
    for i in "${!jobs[@]}"; do
        if wait "${jobs[$i]}"; then say "ok      ${names[$i]}: $(tail -n 1 "$folder/${names[$i]}.txt")"
        else
            status=1
            say "FAILED  ${names[$i]} ($folder/${names[$i]}.txt): $(tail -n 1 "$folder/${names[$i]}.txt")"
        fi
    done
    return $status
}

# fuzz PROGRAMS [SEED]: a process for each processor, with seeds of its own; what failed goes to build/log/fuzz.txt.
fuzz() {
    local programs=$1 seed=${2:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')} workers share
    workers=$(nproc)
    share=$(((programs + workers - 1) / workers))
    mkdir -p build/log
    export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    say "$((share * workers)) random programs in $workers processes, from seed $seed on"
    local failed=0
    # shellcheck disable=SC2016  # the inner shell expands it
    seq 0 $((workers - 1)) | FASTNP_NUM_THREADS=1 xargs -P "$workers" -I '{}' \
        sh -c 'bin/fastnp_fuzz --programs "$2" --seed "$(($1 + $3 * $2))" > "build/log/fuzz-$3.txt" 2>&1' sh "$seed" "$share" '{}' || failed=1
    cat build/log/fuzz-*.txt > build/log/fuzz.txt
    say "$(grep -c '^FAILED' build/log/fuzz.txt || true) failed, $(grep -c 'died in' build/log/fuzz.txt || true) processes died"
    return $failed
}

cat VERSION
if command -v nvidia-smi > /dev/null; then nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true; fi
what=${1:-all}
[ $# = 0 ] || shift
case $what in
    all)
        failed=0
        cpp || failed=1
        python_tests || failed=1
        [ $failed = 0 ] || stop "tests failed"
        say "all passed"
        ;;
    cpp) cpp "$@" ;;
    build) binding ;;
    python) with_package "$@" ;;
    test) python_tests "$@" ;;
    whole) whole "$@" ;;
    fuzz) fuzz "$@" ;;
    *) stop "what is '$what'? See the beginning of run.sh" ;;
esac
