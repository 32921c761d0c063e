#!/usr/bin/env bash
# Installs the release build beside the tree, builds tests/install against it with find_package(fastnp), and runs it; the installed library shows
# nothing but namespace fastnp and needs no LLVM.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/install
rm -rf "$work"
cmake --install build/release --prefix "$work/prefix" --strip
# From a copy, so that nothing of the source tree can be seen by accident.
mkdir -p "$work/project"
cp tests/install/{CMakeLists.txt,main.cpp,exported.cpp,layer.py} "$work/project"
python=$PWD/build/venv/bin/python
export PYTHONPATH=$PWD/build/release/python
[ -x "$python" ] || python=""
cmake -S "$work/project" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$PWD/$work/prefix" -DCMAKE_BUILD_TYPE=Release -DFASTNP_PYTHON="$python"
cmake --build "$work/build"
"$work/build/consumer"
[ -z "$python" ] || "$work/build/exported"
# With its bundle it generates no code.
logs=$(FASTNP_CACHE_DIR="" FASTNP_CACHE_BUNDLE="$PWD/$work/build/consumer_bundle.bundle" FASTNP_LOGS=cache "$work/build/consumer" 2>&1)
if ! grep -q 'found llvmcache' <<< "$logs" || grep -q 'found no' <<< "$logs"; then
    printf 'with its bundle the program compiles:\n%s\n' "$logs"
    exit 1
fi

# The same by pkg-config, where it is: the library is found by its SONAME.
if command -v pkg-config > /dev/null; then
    folder=$(dirname "$(find "$work/prefix" -name fastnp.pc)")
    read -ra options < <(PKG_CONFIG_PATH="$folder" pkg-config --cflags --libs fastnp)
    "${CXX:-c++}" "$work/project/main.cpp" "${options[@]}" "-Wl,-rpath,$PWD/$folder/.." -o "$work/by_pkgconfig"
    "$work/by_pkgconfig"
fi
[ -n "$(find "$work/prefix" -path '*licenses/LLVM.txt')" ] || { echo "the installed tree lacks the licences"; exit 1; }

library=$(echo "$work"/prefix/lib*/libfastnp.so "$work"/prefix/lib*/*/libfastnp.so | tr ' ' '\n' | grep -v '\*' | head -n 1)
codegen=$(find "$(dirname "$library")" -name 'libfastnp_codegen.so.*.*' -type f | head -n 1)
foreign=$(nm -D --defined-only "$library" | awk '$3 !~ /^(_Z(N[KRO]*|T.N|GVN)6fastnp|fastnp_exported_)/' | head -n 5)
foreign+=$(nm -D --defined-only "$codegen" | awk '$3 !~ /^(fastnp_codegen_door|__jit_debug_(descriptor|register_code))$/' | head -n 5)
[ -z "$foreign" ] || { printf 'exported beside namespace fastnp:\n%s\n' "$foreign"; exit 1; }
for each in "$library" "$codegen"; do
    if ldd "$each" | grep -E 'LLVM|openblas|not found'; then
        echo "$each needs one of these"
        exit 1
    fi
done
# Arrays and exported functions need no compiler: without it the library is found wanting by who compiles alone.
mv "$codegen" "$work/away"
if "$work/build/consumer" > "$work/without" 2>&1 || ! grep -q 'compiling needs libfastnp_codegen' "$work/without"; then
    echo "without libfastnp_codegen:"
    cat "$work/without"
    exit 1
fi
mv "$work/away" "$codegen"
