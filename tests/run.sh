#!/usr/bin/env bash
# Sets up, builds, and passes all tests and checks, C++ and Python; the last line counts them. Again, it compiles only what changed.
#
#   bash tests/run.sh          the first tier, which CI runs
#   bash tests/run.sh --all    the second one, too: every instruction set, long random runs, ThreadSanitizer
set -euo pipefail
all=${1:-}
# shellcheck source=cmake/setup.sh
source "$(dirname "$0")/../cmake/setup.sh"

export FASTNP_CACHE_DIR="$PWD/build/cache"  # of what runs as users run it: the examples
passed=0
failed=0
declare -a broken=() times=() reports=()
[ "$all" != --all ] || export FASTNP_LONG_TESTS=1

# check NAME COMMAND...: one test, whose output is shown if it fails.
check() {
    local name=$1 start=$SECONDS status=0
    shift
    logged "${name// /-}" "$@" || status=$?
    tell "$name" "$status" "$start"
}

# begin NAME COMMAND...: one that goes on beside those that follow, until finish NAME.
declare -A running=() began=()
begin() {
    local name=$1
    shift
    began[$name]=$SECONDS
    logged "${name// /-}" "$@" &
    running[$name]=$!
}
finish() {
    local status=0
    wait "${running[$1]}" || status=$?
    tell "$1" "$status" "${began[$1]}"
}

# tell NAME STATUS START: how a test ended that began at START.
tell() {
    local name=$1
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        say "ok      $name"
    else
        failed=$((failed + 1))
        broken+=("$name")
        tail -n 60 "build/log/${name// /-}.log"
        say "FAILED  $name (build/log/${name// /-}.log)"
    fi
    times+=("$((SECONDS - $3)) s $name")
}

# suite NAME JUNIT COMMAND...: many tests, counted from the JUnit file that the command writes.
suite() {
    local name=$1 junit=$2 status=0 good bad start=$SECONDS
    shift 2
    reports+=("$junit")
    rm -f "$junit"
    say "        $name ..."
    logged "${name// /-}" "$@" || status=1
    read -r good bad < <(python3 tests/count.py "$junit")
    [ $status = 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" = 0 ]; then
        say "ok      $name: $good passed"
    else
        broken+=("$name")
        tail -n 120 "build/log/${name// /-}.log"
        say "FAILED  $name: $good passed, $bad failed (build/log/${name// /-}.log)"
    fi
    times+=("$((SECONDS - start)) s $name")
}

# built PRESET: its build, timed as well.
built() {
    local start=$SECONDS
    build_preset "$1"
    times+=("$((SECONDS - start)) s build of $1")
}

# The functions below are called where bash does not heed set -e: each step says itself what follows from its failure.
sources() {
    local folder
    for folder in include src numpy_compat python cuda tests examples; do
        [ ! -d "$folder" ] || find "$folder" -name '*.cpp' -o -name '*.h'
    done | sort
}

format_is_right() { sources | xargs clang-format-19 --dry-run --Werror; }

# clang-tidy reads every source file that it has not read before.
tidy() {
    cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DFASTNP_BUILD_PYTHON=OFF -DFASTNP_WERROR=OFF -DFASTNP_UNITS=OFF &&
        python3 tests/tidy.py build/lint
}

# Each source file includes what it uses: units of several (cmake/units.cmake) would not show it.
by_themselves() {
    cmake --preset release -B build/apart -DFASTNP_UNITS=OFF > /dev/null && python3 tests/by_themselves.py build/apart
}

# Those that have no page in the gallery: test_gallery.py runs these.
examples_in_python() {
    local example
    for example in examples/*.py; do
        [ "$example" = examples/timing.py ] || [ -f "docs/gallery/$(basename "$example" .py).md" ] || "$venv/bin/python" "$example" || return
    done
}

# The package and the examples are typed, and the stubs say what the module has.
types_are_right() {
    MYPYPATH=python "$venv/bin/mypy" --cache-dir build/mypy -p fastnp &&
        MYPYPATH=python "$venv/bin/mypy" --cache-dir build/mypy examples/*.py &&
        "$venv/bin/stubtest" fastnp --allowlist tests/python/stubtest_allow.txt
}

setup
built release
# What is labelled "long" is of the second tier.
tier=(-LE long)
[ "$all" != --all ] || tier=()
suite "C++ tests" build/release/ctest.xml ctest --preset release "${tier[@]}" --output-junit "$PWD/build/release/ctest.xml"
[ ! -f build/release/gpu_kernels.txt ] || say "        $(tail -n 1 build/release/gpu_kernels.txt)"
# pytest in a process for each processor, which take tests from each other's ends; what measures time comes after them.
python_tests=("$venv/bin/python" -m pytest -q -o junit_logging=no --parts)
side_by_side=(-n "$(nproc)" --dist worksteal -m "not alone")
simulated=(env FASTNP_SIMULATED_DEVICE=2)
mapfile -t on_device < <(sed 's|^|tests/python/|' tests/python/on_device.txt)
suite "Python tests" build/release/pytest.xml "${python_tests[@]}" "${side_by_side[@]}" tests/python --junitxml=build/release/pytest.xml
suite "Python tests of times" build/release/times.xml "${python_tests[@]}" -m alone tests/python --junitxml=build/release/times.xml
suite "Python tests of devices, simulated" build/release/devices.xml "${simulated[@]}" "${python_tests[@]}" "${side_by_side[@]}" \
    tests/python/test_{device,device_eager,devices,cuda,cuda_arithmetic,cuda_pick,cuda_order,cuda_products,cuda_fft,cuda_linalg,cuda_moves}.py \
    tests/python/test_{cuda_draws,cuda_gathers,device_programs,dist_devices,exchange_simulated,joined}.py \
    --junitxml=build/release/devices.xml
suite "Python tests that name no device, on a simulated one" build/release/on_device.xml env FASTNP_TEST_DEVICE=cuda "${simulated[@]}" "${python_tests[@]}" \
    "${side_by_side[@]}" "${on_device[@]}" --junitxml=build/release/on_device.xml
# For the Python of build/venv and the newest one; the second tier has those between.
mapfile -t pythons < <(bash python/wheels.sh --which)
[ "$all" = --all ] || [ ${#pythons[@]} -le 2 ] || pythons=("${pythons[0]}" "${pythons[@]: -1}")
begin "wheels" bash python/wheels.sh "${pythons[@]}"  # mostly on one processor, as what follows
check "Python examples" examples_in_python
check "clang-format" format_is_right
check "clang-tidy" tidy
check "ruff check" "$venv/bin/ruff" check .
check "ruff format" "$venv/bin/ruff" format --check .
check "mypy and stubtest" types_are_right
check "site of the docs" bash docs/build.sh
check "find_package from outside" bash tests/install/consumer.sh
finish "wheels"
suite "Python tests of the wheel, by the newest Python and NumPy" build/release/newest.xml bash tests/install/newest.sh --junitxml=build/release/newest.xml
# sanitized PRESET NAME: its build and its tests.
sanitized() {
    local start=$SECONDS
    if (build_preset "$1"); then
        times+=("$((SECONDS - start)) s build of $1")
        suite "C++ tests under $2" "build/$1/ctest.xml" ctest --preset "$1" "${tier[@]}" --output-junit "$PWD/build/$1/ctest.xml"
    else
        failed=$((failed + 1))
        broken+=("the $1 build")
    fi
}
sanitized asan sanitizers
if [ "$all" = --all ]; then
    sanitized tsan ThreadSanitizer
    check "each source file by itself" by_themselves
    check "Random programs" "$venv/bin/python" tests/fuzz/run.py --programs "${FASTNP_FUZZ_PROGRAMS:-20000}"
fi

printf '\nseconds of each suite and build:\n'
printf '  %s\n' "${times[@]}" | sort -rn
python3 tests/slowest.py "${reports[@]}"
[ ${#broken[@]} = 0 ] || say "failed: ${broken[*]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
