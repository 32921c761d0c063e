"""Puts the libraries of headers that NumPy's sources hold into build/numpy_sources: pocketfft, by which Fourier transforms are NumPy's to the bit, and
x86-simd-sort.

pip's own client fetches the sources, by name, version and hash. Run alone (`python3 cmake/fetch_numpy_sources.py`), by the set-up, and by builds of wheels
and of source distributions (build_backend.py); headers that are there already are kept.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

NUMPY = "2.4.6"
SHA256 = "f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda"
FOLDER = Path(__file__).resolve().parent.parent / "build" / "numpy_sources"
# By library: where its headers lie among the sources.
LIBRARIES = {"pocketfft": "numpy/fft/pocketfft", "x86-simd-sort": "numpy/_core/src/npysort/x86-simd-sort/src"}

# pip asks an archive's build backend for the package's name before it keeps the archive. NumPy's own would configure all of NumPy.
BACKEND = f"""
import pathlib
def prepare_metadata_for_build_wheel(folder, settings=None):
    info = pathlib.Path(folder, "numpy-{NUMPY}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: numpy\\nVersion: {NUMPY}\\n")
    return info.name
"""


def download(folder: Path) -> Path:
    """The archive of NumPy's sources, in that folder."""
    (folder / "mesonpy.py").write_text(BACKEND)
    (folder / "sources.txt").write_text(f"numpy=={NUMPY} --hash=sha256:{SHA256}\n")
    options = "--disable-pip-version-check --quiet --no-deps --no-binary numpy --no-build-isolation --require-hashes".split()
    command = [sys.executable, "-m", "pip", "download", *options, "-r", str(folder / "sources.txt"), "-d", str(folder)]
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, capture_output=True, text=True)
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise SystemExit(f"fetching the sources of NumPy {NUMPY} by pip failed: {words[-1] if words else 'no output'}")
    return next(folder.glob("numpy-*.tar.gz"))


def fetch() -> Path:
    """The folder of the libraries, each with its headers in a folder of its own; fetches them where one is missing."""
    if all((FOLDER / library).is_dir() for library in LIBRARIES):
        return FOLDER
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as folder, tarfile.open(download(Path(folder))) as files:
        members = [member for member in files if member.isfile() and member.name.endswith((".h", ".hpp"))]
        for library, place in LIBRARIES.items():
            new = Path(folder, library)
            new.mkdir()
            for member in members:
                source = files.extractfile(member)
                if os.path.dirname(member.name) == f"numpy-{NUMPY}/{place}" and source is not None:
                    (new / os.path.basename(member.name)).write_bytes(source.read())
            if not (FOLDER / library).is_dir():
                new.rename(FOLDER / library)
    return FOLDER


if __name__ == "__main__":
    print(fetch())
