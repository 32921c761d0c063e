"""Collectives among processes that mpirun starts: the same bits as among threads, and what becomes of ranks that fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import dist_cases
import pytest
from support import SEED

import fastnp as np

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun is not installed")


def mpirun(ranks: int, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), sys.executable, *command]
    path = os.pathsep.join([str(Path(np.__file__).parent.parent), str(HERE)])
    given = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(start, capture_output=True, text=True, check=False, env=given, timeout=300)


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_the_bits_of_threads(ranks: int) -> None:
    count = 12
    done = mpirun(ranks, str(HERE / "dist_cases.py"), str(SEED), str(count))
    assert done.returncode == 0, done.stderr

    def program() -> int:
        seen = 0
        for seed in range(SEED, SEED + count):
            case = dist_cases.drawn(seed, ranks)
            seen = zlib.crc32(repr(dist_cases.bits(case.call(np.asarray(case.operands[np.dist.rank()])))).encode(), seen)
        return seen

    told = [f"rank {rank} of {ranks}: {seen}" for rank, seen in enumerate(np.dist.run(program, ranks))]
    assert sorted(re.findall(r"rank \d+ of \d+: \d+", done.stdout)) == told  # (mpirun may join lines)


PROGRAM = """
import sys
import numpy
import fastnp as np

np.dist.init()
own, ranks = np.dist.rank(), np.dist.size()

@np.compile
def numbered(x):
    return x + np.dist.rank()

assert float(numbered(np.zeros(()))) == own

@np.compile
def f(x):
    return np.dist.all_gather(np.dist.all_reduce(x), tiled=True)

mesh = np.dist.mesh((ranks,), ("all",))
assert numpy.asarray(f(np.ones(2))).tolist() == [ranks] * (2 * ranks)
assert int(mesh["all"].all_reduce(np.array(own))) == ranks * (ranks - 1) // 2
large = numpy.arange(1_000_003) % 1000 + own
assert (numpy.asarray(np.dist.all_reduce(large)) == numpy.arange(1_000_003) % 1000 * ranks + ranks * (ranks - 1) // 2).all()
for _ in range(2):
    try:
        np.dist.all_reduce(np.ones(3)) if own == 0 else np.dist.all_gather(np.ones(3))
        raise AssertionError
    except np.dist.RankError as error:
        assert "rank 0 for all_reduce" in str(error), error
np.dist.barrier()
print("done", flush=True)
if sys.argv[1] == "raise" and own == 1:
    raise KeyError("planted")
if sys.argv[1] == "late" and own == 1:
    import time
    time.sleep(6)
    sys.exit(0)
np.dist.barrier()
"""


def test_one_cache_for_any_number_of_ranks(tmp_path: Path) -> None:
    """What is recorded for two ranks is not what three of them run."""
    (tmp_path / "program.py").write_text(PROGRAM)
    for ranks in (2, 3, 2):
        done = mpirun(ranks, str(tmp_path / "program.py"), "well", FASTNP_CACHE_DIR=str(tmp_path / "cache"))
        assert (done.returncode, done.stdout.count("done")) == (0, ranks), done.stderr


def test_a_rank_that_raises_ends_all(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = mpirun(2, str(tmp_path / "program.py"), "raise")
    assert done.returncode != 0 and "KeyError: 'planted'" in done.stderr


def test_a_rank_that_does_not_come(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = mpirun(2, str(tmp_path / "program.py"), "late", FASTNP_DIST_TIMEOUT="1")
    assert done.returncode != 0 and "RankError: other ranks did not come within 1" in done.stderr


@pytest.mark.parametrize("name", ["data_parallel", "heat_mesh"])
def test_examples(name: str) -> None:
    done = mpirun(4, str(HERE.parent.parent / "examples" / f"{name}.py"))
    assert done.returncode == 0 and done.stdout.startswith("4 ranks: "), done.stderr


def test_no_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import fastnp as np; np.dist.init('mpi', library='libnone.so')"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(np.__file__).parent.parent)},
    )
    assert "RankError: no MPI library (libnone.so)" in done.stderr
