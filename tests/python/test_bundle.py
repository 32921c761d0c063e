"""What a program compiles, shipped with it: found in a folder that is only read, if it is safe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_disk_cache import PROGRAM, kept


def run(program: Path, cache: Path | str, bundle: Path | str, **more: str) -> tuple[float, float]:
    """Milliseconds in which code was generated, and the largest difference."""
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(cache), "FASTNP_CACHE_BUNDLE": str(bundle), "PYTHONPATH": os.pathsep.join(sys.path), **more}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True, timeout=120)
    _, generated, worst, _ = json.loads(done.stdout)
    return generated, worst


def bundled(folder: Path, *words: str) -> tuple[Path, Path, str]:
    """The program, its bundle, and what was said."""
    program, bundle = folder / "program.py", folder / "app.bundle"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "fastnp", "bundle", "-o", str(bundle), *words, str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=240)
    return program, bundle, done.stdout.splitlines()[-1]


def test_a_program_with_its_bundle_generates_no_code(tmp_path: Path) -> None:
    program, bundle, said = bundled(tmp_path)
    files = kept(bundle)
    assert said == f"{bundle}: {len(files)} files, {sum(path.stat().st_size for path in files)} bytes" and files
    assert sorted(bundle.iterdir()) == files and all(path.stat().st_mode & 0o777 == 0o444 for path in files)
    bundle.chmod(0o555)
    before = {path: path.stat().st_mtime_ns for path in files}
    assert run(program, "", bundle) == (0, pytest.approx(0, abs=1e-3))
    assert run(program, tmp_path / "cache", bundle)[0] == 0  # what is kept besides goes to the user's own
    assert {path: path.stat().st_mtime_ns for path in kept(bundle)} == before
    assert run(program, "", "")[0] > 0
    bundle.chmod(0o755)


def test_what_others_may_write_to_is_not_read(tmp_path: Path) -> None:
    program, bundle, _ = bundled(tmp_path)
    bundle.chmod(0o775)
    assert run(program, "", bundle)[0] > 0
    bundle.chmod(0o755)
    for path in kept(bundle):
        path.chmod(0o666)
    assert run(program, "", bundle)[0] > 0
    for path in kept(bundle):
        path.chmod(0o644)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    generated, worst = run(program, "", bundle)
    assert generated > 0 and worst < 1e-3


def test_levels_of_processors(tmp_path: Path) -> None:
    program, bundle, _ = bundled(tmp_path, "--isa", "base", "--isa", "v3", "--")
    assert run(program, "", bundle, FASTNP_ISA="base")[0] == 0
    assert run(program, "", bundle, FASTNP_ISA="v3")[0] == 0


def test_programs_that_fail(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("raise SystemExit(3)")
    command = [sys.executable, "-m", "fastnp", "bundle", "-o", str(tmp_path / "b")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([*command, str(tmp_path / "program.py")], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "program.py ended with status 3" in done.stderr
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "there is no program to run" in done.stderr
