"""The machine that figures are of, and the versions of all that was measured on it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Packages on the index, the first that is there, by the name that the tables give them.
PACKAGES = {
    "NumPy": ("numpy",),
    "Numba": ("numba",),
    "JAX": ("jax",),
    "torch": ("torch",),
    "CuPy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    "SciPy": ("scipy",),
}


def line_of(path: str, pattern: str) -> str:
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip().strip('"') if found else ""


def said(*command: str) -> str:
    """What a program prints; nothing where it is missing or fails."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()


def version_of(packages: tuple[str, ...]) -> str | None:
    for package in packages:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def commit() -> str:
    """The tree's, or the one that a bundle (cuda/bundle.sh) was made of."""
    bundled = ROOT / "VERSION"
    found = bundled.read_text(encoding="utf-8") if bundled.exists() else said("git", "log", "-1", "--format=%H")
    return found[:10]


def own_version() -> str:
    # A bundle has no CMakeLists.txt.
    try:
        import fastnp
    except ImportError:
        return line_of(str(ROOT / "CMakeLists.txt"), r"project\(fastnp\s+VERSION\s+([\d.]+)")
    return str(fastnp.__version__)


def versions() -> dict[str, str | None]:
    """None: it is not there."""
    found: dict[str, str | None] = {"fastnp": f"{own_version()} ({commit()})", "Python": platform.python_version()}
    found |= {name: version_of(packages) for name, packages in PACKAGES.items()}
    found["g++"] = said("g++", "-dumpfullversion") or None
    return found


def description() -> dict[str, Any]:
    kibibytes = int(line_of("/proc/meminfo", r"^MemTotal:\s+(\d+)") or 0)
    driver = said("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader").splitlines()
    processor = line_of("/proc/cpuinfo", r"^model name\s*:(.*)$") or platform.machine()
    model = line_of("/proc/cpuinfo", r"^model\s*:(.*)$")  # names of virtual machines say little
    return {
        "processor": f"{processor}, model {model}" if model else processor,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(kibibytes / (1 << 20)),
        "system": f"{line_of('/etc/os-release', r'^PRETTY_NAME=(.*)$')}, Linux {platform.release().partition('-')[0]}",
        "device": driver[0] if driver else None,
    }


def slug(machine: dict[str, Any]) -> str:
    """A name for files: of the processor and the device."""
    processor = re.sub(r"\((R|TM)\)|CPU|Processor|Intel|AMD|@.*|, model.*", "", machine["processor"])
    words = [processor, f"{machine['cores']} cores", (machine["device"] or "").partition(",")[0].replace("NVIDIA", "")]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
