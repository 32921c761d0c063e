"""Checks what a wheel has: ``python check_wheel.py WHEEL``. Its symbols' versions, its size, licences, headers and CMake files."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterator

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

MOST_BYTES = 25_000_000
NEWEST = {"GLIBC": (2, 34), "GCC": (12, 0)}  # what manylinux_2_34 has; libstdc++ is inside
NEEDED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libfastnp.so"}
LICENSES = "libdevice libstdc++ LAPACK LLVM NumPy OpenBLAS pocketfft pybind11 xsimd zlib zstd".split()
FILES = [
    "fastnp/include/fastnp/fastnp.h",
    "fastnp/share/cmake/fastnp/fastnpConfig.cmake",
    "fastnp/libfastnp.so",
    "fastnp/libfastnp_codegen.so",
    "fastnp/py.typed",
]


def versions(elf: ELFFile) -> Iterator[tuple[str, str]]:
    """(library, version) of each version that it needs of others' symbols."""
    for section in elf.iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for library, wanted in section.iter_versions():
                yield from ((library.name, version.name) for version in wanted)


def problems_of_library(name: str, elf: ELFFile) -> Iterator[str]:
    for library, version in versions(elf):
        family, _, number = version.partition("_")
        if family not in NEWEST:
            yield f"{name} needs {version} of {library}"
        elif re.fullmatch(r"[0-9.]+", number) and tuple(map(int, number.split("."))) > NEWEST[family]:
            yield f"{name} needs {version} of {library}, newer than {'.'.join(map(str, NEWEST[family]))}"
    dynamic = elf.get_section_by_name(".dynamic")
    for tag in dynamic.iter_tags("DT_NEEDED"):
        if tag.needed not in NEEDED:
            yield f"{name} needs {tag.needed}"


def problems(path: str, bytes_of_wheel: int) -> Iterator[str]:
    if bytes_of_wheel > MOST_BYTES:
        yield f"it has {bytes_of_wheel} bytes, more than {MOST_BYTES}"
    if "manylinux_2_34_x86_64" not in path:
        yield "it is not tagged manylinux_2_34_x86_64"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        for name in names:
            if name.endswith(".so"):
                yield from problems_of_library(name, ELFFile(io.BytesIO(wheel.read(name))))
        yield from (f"it lacks {name}" for name in FILES if name not in names)
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        listed = wheel.read(metadata).decode()
        for license in LICENSES:
            if not any(name.endswith(f"licenses/licenses/{license}.txt") for name in names):
                yield f"it lacks the licence of {license}"
            if f"License-File: licenses/{license}.txt" not in listed:
                yield f"its metadata does not list the licence of {license}"


def main() -> None:
    (path,) = sys.argv[1:]
    with open(path, "rb") as file:
        size = file.seek(0, io.SEEK_END)
    found = list(problems(path, size))
    print(*found, sep="\n", end="\n" if found else "")
    if found:
        sys.exit(f"{path}: {len(found)} problems")
    print(f"{path}: {size / 1e6:.1f} MB, as it should be")


if __name__ == "__main__":
    main()
