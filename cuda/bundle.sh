#!/usr/bin/env bash
# Packs what a machine with a GPU needs to test this tree: the library and the C++ tests without dependencies but the C library, the sources of the Python
# package, its tests, benchmarks. There (x86-64, with this machine's glibc or a newer one): tar xf fastnp-cuda.tar.xz && bash fastnp-cuda/run.sh
#
#   bash cuda/bundle.sh [ARCHIVE]    (build/fastnp-cuda.tar.xz)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
archive=$(realpath -m "${1:-build/fastnp-cuda.tar.xz}")
build=build/bundle
most_bytes=50000000

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFASTNP_BUILD_TESTS=ON -DFASTNP_BUILD_EXAMPLES=OFF -DFASTNP_BUILD_PYTHON=OFF \
    -DFASTNP_STATIC_RUNTIME=ON > /dev/null
ninja -C "$build" libfastnp.so libfastnp_codegen.so fastnp_tests fastnp_fuzz

root="$build/archive/fastnp-cuda"
rm -rf "$build/archive"
mkdir -p "$root"/{lib/spare,bin,include,tests}
for library in libfastnp.so libfastnp_codegen.so; do strip -o "$root/lib/$library" "$build/$library"; done
strip -o "$root/bin/fastnp_tests" "$build/fastnp_tests"
strip -o "$root/bin/fastnp_fuzz" "$build/fastnp_fuzz"
# For machines without them.
ldd "$root"/lib/*.so "$root/bin/fastnp_tests" | awk '$1 ~ /^(libz|libzstd)\.so/ { print $3 }' | sort -u | xargs -r cp -L -t "$root/lib/spare"
# What else is needed must be the C library's, or the compiler's unwinder, of which a process must have one alone.
foreign=$(ldd "$root"/lib/*.so "$root/bin/fastnp_tests" |
    awk '/=>|not found/ && $1 !~ /^(libfastnp|libz|libzstd|libm|libc|libdl|libpthread|libmvec|libgcc_s)\.so/' | sort -u)
[ -z "$foreign" ] || { printf 'stopped: the bundle needs\n%s\n' "$foreign" >&2; exit 1; }

cp cuda/run.sh "$root/run.sh"
cp -r include/fastnp "$root/include/"
cp -r python benchmarks "$root/"
cp -r tests/python tests/fuzz "$root/tests/"
install -D -m 644 -t "$root/tests/cpp" tests/cpp/on_device.txt
find "$root" -name '__pycache__' -prune -exec rm -rf {} +
git log -1 --format='%H %s' > "$root/VERSION"
git diff --quiet HEAD -- . || echo "with changes" >> "$root/VERSION"

tar -C "$build/archive" -c fastnp-cuda | xz -4 -T0 > "$archive.new"
mv "$archive.new" "$archive"
bytes=$(stat -c %s "$archive")
[ "$bytes" -le "$most_bytes" ] || { printf 'stopped: %s has %s bytes, more than %s\n' "$archive" "$bytes" "$most_bytes" >&2; exit 1; }
printf '%s: %s MB\n' "$archive" "$((bytes / 1000000))"
