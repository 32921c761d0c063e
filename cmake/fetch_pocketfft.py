"""Puts pocketfft's header, of NumPy's sources, into build/pocketfft: Fourier transforms by it are NumPy's to the bit.

pip's own client fetches the sources, by name, version and hash. Run alone (`python3 cmake/fetch_pocketfft.py`), by the set-up, and by builds of wheels
and of source distributions (build_backend.py); a header that is there already is kept.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

NUMPY = "2.4.6"
SHA256 = "f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda"
HEADER = Path(__file__).resolve().parent.parent / "build" / "pocketfft" / "pocketfft_hdronly.h"

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
    """The header's path; fetches it where it is missing."""
    if HEADER.is_file():
        return HEADER
    HEADER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, tarfile.open(download(Path(folder))) as files:
        source = files.extractfile(f"numpy-{NUMPY}/numpy/fft/pocketfft/pocketfft_hdronly.h")
        assert source is not None
        content = source.read()
    new = HEADER.with_suffix(f".{os.getpid()}")
    new.write_bytes(content)
    new.rename(HEADER)
    return HEADER


if __name__ == "__main__":
    print(fetch())
