#!/usr/bin/env bash
# Sets up, builds, and runs the examples in C++ and in Python, the reference program first.
set -euo pipefail
source "$(dirname "$0")/../cmake/setup.sh"

setup
build_preset release
for name in reference $(cd examples && ls *.cpp *.py | sed 's/\..*//' | sort -u | grep -vx -e reference -e timing); do
    for language in C++ Python; do
        case $language in
            C++) source=examples/$name.cpp command=(build/release/examples/"$name") ;;
            Python) source=examples/$name.py command=("$venv/bin/python" "examples/$name.py") ;;
        esac
        [ -f "$source" ] || continue
        say "$name in $language"
        "${command[@]}" || stop "$source failed"
    done
done
say "all examples gave the right results"
