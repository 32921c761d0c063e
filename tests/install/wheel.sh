#!/usr/bin/env bash
# A source distribution and, of it, a wheel for build/venv's Python, as python/wheels.sh makes them for others: repaired, checked, and tried in a fresh
# environment by Python and by C++. With --all, for each Python that the machine has.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --all ]; then
    exec bash python/wheels.sh --all
fi
# The Python at hand, and the newest, for tests/install/newest.sh.
pythons=(build/venv/bin/python)
newest=$(bash python/wheels.sh --which | tail -n 1)
minor() { "$1" -c 'import sys; print(sys.version_info[:2])'; }
[ "$(minor "$newest")" = "$(minor "${pythons[0]}")" ] || pythons+=("$newest")
exec bash python/wheels.sh "${pythons[@]}"
