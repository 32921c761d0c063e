#!/usr/bin/env bash
# Tests of the package by the newest Python that it is for and by the newest NumPy, in an environment of its own: of its wheel, which python/wheels.sh
# made. Arguments are pytest's. A part of the tests, another one in each run; all of them with FASTNP_LONG_TESTS=1.
set -euo pipefail
cd "$(dirname "$0")/../.."
environment=build/newest-venv
wheel=$(echo build/wheels/fastnp-*-cp313-*.whl)
if [ ! -f "$wheel" ]; then
    echo "there is no wheel for Python 3.13: this machine has none"
    printf '<testsuites><testsuite name="newest" tests="0"/></testsuites>\n' > "$(sed 's/.*--junitxml=//' <<< "$*")"
    exit 0
fi
"build/wheels/environment-cp313/bin/python" -m venv --clear "$environment"
"$environment/bin/python" -m pip install --disable-pip-version-check --quiet -r tests/install/newest_requirements.txt "$wheel"
"$environment/bin/python" -c 'import sys, numpy; print("Python", sys.version.split()[0], "with NumPy", numpy.__version__)'
exec "$environment/bin/python" -m pytest -q -o junit_logging=no -o cache_dir=build/newest-venv/cache --parts --one-in 10 -n "$(nproc)" --dist worksteal \
    -m "not alone" tests/python "$@"
