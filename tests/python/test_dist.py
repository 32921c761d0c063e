"""Collectives among threads: what NumPy makes of all ranks' arrays, with derivatives and batching, and with ranks that are late, lost or at odds."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path
from typing import Any

import dist_cases
import numpy
import pytest
from dist_cases import Case, drawn
from support import SEED

import fastnp as np
from fastnp.dist import RankError, _ranks

LONG = bool(os.environ.get("FASTNP_LONG_TESTS"))


@pytest.fixture(autouse=True)
def limit() -> Any:
    np.dist.set_time_limit(60)
    yield
    np.dist.set_time_limit(300)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_collectives_at_random(ranks: int) -> None:
    for seed in range(SEED, SEED + (400 if LONG else 25)):
        wrong = sum(np.dist.run(dist_cases.check, ranks, seed, ranks), [])
        assert not wrong, "\n".join(wrong)


def differentiable(seed: int, ranks: int) -> Case:
    """A case of floats without special values, whose collective has derivatives."""
    random = numpy.random.default_rng(seed)
    while True:
        case = drawn(int(random.integers(1 << 30)), ranks, ("float64",))
        if case.name != "reduce_scatter" or case.options["op"] in ("sum", "mean"):
            case.operands = [random.integers(1, 9, x.shape) / 4 + 1 for x in case.operands]
            return case


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_both_modes_are_transposes(ranks: int) -> None:
    """The tangents of all ranks' results, by cotangents: the tangents of their operands, by theirs. Both by differences, too."""
    for seed in range(SEED, SEED + (300 if LONG else 20)):
        case = differentiable(seed, ranks)
        random = numpy.random.default_rng(seed)
        changes = [random.standard_normal(x.shape) for x in case.operands]
        weights = [random.standard_normal(numpy.shape(case.expected(r))) for r in range(ranks)]
        is_extreme = case.options.get("op") in ("min", "max")

        def program(case: Case = case, changes: list[Any] = changes, weights: list[Any] = weights) -> tuple[float, float]:
            own = np.dist.rank()
            x = case.operands[own]
            tangent = np.jvp(case.call, (x,), (changes[own],))[1]
            gradient = np.grad(np.compile(lambda x: np.sum(case.call(x) * weights[own])))(x)
            return float(np.sum(tangent * weights[own])), float(np.sum(gradient * changes[own]))

        found = np.dist.run(program, ranks)
        forward, backward = (sum(each[i] for each in found) for i in (0, 1))
        assert forward == pytest.approx(backward, rel=1e-9, abs=1e-9), f"seed {seed}: {case}"
        if is_extreme:
            continue  # (several ranks may have the extreme)

        def moved(step: float, case: Case = case, changes: list[Any] = changes, weights: list[Any] = weights) -> float:
            at = Case(case.name, case.options, [x + step * d for x, d in zip(case.operands, changes, strict=True)])
            return sum(float(numpy.sum(at.expected(r) * weights[r])) for r in range(ranks))

        assert forward == pytest.approx((moved(1e-5) - moved(-1e-5)) / 2e-5, rel=1e-4, abs=1e-5), f"seed {seed}: {case}"


def test_batches_are_loops() -> None:
    for seed in range(SEED, SEED + (200 if LONG else 20)):
        case = drawn(seed, 2, ("float64", "int32"))

        def program(case: Case = case) -> list[Any]:
            x = case.operands[np.dist.rank()]
            parts = numpy.stack([x, x + 1, x])
            with np.errstate(all="ignore"):
                mapped = np.vmap(case.call)(parts)
                return [numpy.asarray(mapped), numpy.stack([numpy.asarray(case.call(np.asarray(part))) for part in parts])]

        for mapped, looped in np.dist.run(program, 2):
            assert mapped.dtype == looped.dtype and numpy.array_equal(mapped, looped, equal_nan=mapped.dtype.kind == "f"), f"seed {seed}: {case}"


def test_index_and_meshes() -> None:
    @np.compile
    def numbered(x: Any, group: Any) -> Any:
        return x + group.index()

    def program() -> tuple[Any, ...]:
        mesh = np.dist.mesh((2, 3), ("row", "column"))
        sums = [int(mesh[name].all_reduce(np.array(np.dist.rank()))) for name in ("row", "column", ("row", "column"), ("column", "row"))]
        order = np.dist.all_gather(np.array(np.dist.rank()), group=mesh["column", "row"])
        return mesh.coordinates, sums, list(order), int(numbered(np.zeros(()), np.dist.world())), int(numbered(np.zeros(()), mesh["column"]))

    for rank, (coordinates, sums, order, own, in_row) in enumerate(np.dist.run(program, 6)):
        row, column = divmod(rank, 3)
        assert coordinates == (row, column)
        assert sums == [column * 2 + 3, row * 9 + 3, 15, 15]
        assert order == [0, 3, 1, 4, 2, 5]
        assert (own, in_row) == (rank, column)


@pytest.mark.parametrize("compiled", [False, True])
def test_values_that_are_equal_on_one_rank_alone(compiled: bool) -> None:
    """There two collectives have the same operand, which is no reason to make one of them."""

    def both(x: Any, t: Any) -> Any:
        return np.jvp(lambda v: np.dist.all_reduce(v, "mean"), (x,), (t,))

    def program() -> Any:
        own = np.dist.rank()
        given = [numpy.float64(2.0), numpy.float64(2.0)] if own == 0 else [numpy.float64(3.0), numpy.float64(50.0)]
        function = np.compile(both) if compiled else both
        constant = np.compile(lambda: both(*given)) if compiled else lambda: both(*given)
        return [tuple(map(float, function(*given))) for _ in range(3)] + [tuple(map(float, constant())) for _ in range(3)]

    for found in np.dist.run(program, 2):
        assert found == [(2.5, 26.0)] * 6


def test_floating_point_errors_of_one_rank() -> None:
    """A rank that looks for what raised a flag does not ask the others for their part once more."""

    def program() -> Any:
        own = np.dist.rank()
        with np.errstate(all="warn"), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x = np.array([1.0, 0.0 if own == 0 else 2.0])
            f = np.compile(lambda x: np.dist.all_reduce(1 / x) * 0)
            found = [np.asarray(f(x)), np.asarray(f(x)), np.grad(lambda x: np.sum(np.dist.all_reduce(1 / x)))(x)]
        return [numpy.asarray(each).tolist() for each in found[:2]], len(seen) > 0

    for values, _ in np.dist.run(program, 2):
        assert numpy.array_equal(values, [[0.0, numpy.nan]] * 2, equal_nan=True)


def test_what_needs_other_ranks_is_not_exported(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        return np.dist.all_reduce(x * 2)

    with pytest.raises(np.compiler.RecordError, match=r"f\(\) can't be exported: it needs other ranks for all_reduce \(.*test_dist.py:\d+ in f\)"):
        np.export(f, np.ShapeDtype((3,)), tmp_path / "f.so")
    with pytest.raises(np.compiler.RecordError, match="which has nothing for: all_reduce of float64"):
        np.onnx.export(f, np.ShapeDtype((3,)))


def test_in_loops_and_branches() -> None:
    @np.compile
    def power_iteration(rows: Any, v: Any) -> Any:
        def turn(i: Any, v: Any) -> Any:
            w = np.dist.all_gather(rows @ v, tiled=True)
            return w / np.sqrt(np.sum(w * w))

        return np.fori_loop(0, 20, turn, v)

    a = numpy.random.default_rng(1).random((6, 6))
    a = a + a.T

    def program() -> Any:
        own = np.dist.rank()
        return numpy.asarray(power_iteration(a[2 * own : 2 * own + 2], np.ones(6)))

    vector = numpy.linalg.eigh(a)[1][:, -1]
    for found in np.dist.run(program, 3):
        assert numpy.allclose(numpy.abs(found), numpy.abs(vector), atol=1e-6)


def test_sizes_and_worlds_that_vary() -> None:
    f = np.compile(lambda x: np.dist.all_gather(x, tiled=True) * 2)

    def program() -> Any:
        return [numpy.asarray(f(np.arange(n) + np.dist.rank())) for n in (3, 5, 7, 4)]

    for ranks in (2, 3, 2):
        for found in np.dist.run(program, ranks):
            for n, made in zip((3, 5, 7, 4), found, strict=True):
                assert made.tolist() == [2 * (i + rank) for rank in range(ranks) for i in range(n)]


def test_arguments_that_are_wrong() -> None:
    x = np.ones(3)
    for wrong, error in [
        (lambda: np.dist.all_reduce(x, "median"), "op must be 'sum', 'prod', 'min', 'max' or 'mean', not 'median'"),
        (lambda: np.dist.broadcast(x, 1), "broadcast: there is no rank 1 among 1"),
        (lambda: np.dist.permute(x, [(0, 0), (0, 0)]), "permute: rank 0 sends twice"),
        (lambda: np.dist.reduce_scatter(x), "reduce_scatter: the axis that is shared out has 3 elements, and there are 1 ranks"),
        (lambda: np.dist.mesh((2,), ("x",)), "a mesh of 2 ranks, where there are 1"),
        (lambda: np.dist.mesh((1,), ("x", "y")), "a mesh of 1 axes has 2 names"),
        (lambda: np.dist.mesh((1, 1), ("x", "x")), "two axes of a mesh are called 'x'"),
        (lambda: np.dist.mesh((1,), ("x",))["y"], "a mesh has no axis 'y'"),
        (lambda: np.dist.set_time_limit(0), "a time limit must be positive"),
        (lambda: np.dist.run(lambda: None, 0), "there must be at least one rank, not 0"),
        (lambda: np.dist.init("pigeons"), "backend must be 'mpi' or 'one', not 'pigeons'"),
        (lambda: np.dist.data_parallel(lambda: None, bucket_bytes=0), "bucket_bytes must be positive, not 0"),
    ]:
        with pytest.raises(ValueError) as raised:
            wrong()
        assert str(raised.value) == error
    with pytest.raises(ValueError, match="axis 0 of size 3 can't be cut into 2 equal parts"):
        np.dist.run(lambda: np.dist.reduce_scatter(x, tiled=True), 2)
    with pytest.raises(np.exceptions.AxisError):
        np.dist.all_gather(x, 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_ranks_at_odds(compiled: bool) -> None:
    """Other collectives, shapes, dtypes, roots: an error on each rank that tells what each of them asks for."""
    ways = [
        (lambda x: np.dist.all_reduce(x), "all_reduce of 3 elements of float64 by add"),
        (lambda x: np.dist.all_reduce(x, "max"), "all_reduce of 3 elements of float64 by maximum"),
        (lambda x: np.dist.all_gather(x), "all_gather of 3 elements of float64"),
        (lambda x: np.dist.broadcast(x, 1), "broadcast of 3 elements of float64 from rank 1"),
        (lambda x: np.dist.all_reduce(x[:2]), "all_reduce of 2 elements of float64 by add"),
        (lambda x: np.dist.all_reduce(x.astype("float32")), "all_reduce of 3 elements of float32 by add"),
    ]
    for i, (first, told) in enumerate(ways):
        other, told_other = ways[(i + 1) % len(ways)]
        errors: dict[int, str] = {}

        def program(first: Any = first, other: Any = other, errors: dict[int, str] = errors) -> None:
            way = first if np.dist.rank() == 0 else other
            try:
                (np.compile(way) if compiled else way)(np.ones(3))
            except RankError as error:
                errors[np.dist.rank()] = str(error)

        np.dist.run(program, 2)
        for rank in (0, 1):
            assert errors[rank].startswith(f"the ranks do not ask for the same: rank 0 for {told}; rank 1 for {told_other}"), errors


def test_a_rank_that_raises() -> None:
    seen: dict[int, str] = {}

    def program() -> None:
        if np.dist.rank() == 2:
            raise KeyError("planted")
        try:
            np.dist.all_reduce(np.ones(3))
        except RankError as error:
            seen[np.dist.rank()] = str(error)
            raise

    with pytest.raises(KeyError) as raised:
        np.dist.run(program, 4)
    assert raised.value.__notes__ == ["(on rank 2 of 4)"]
    assert set(seen.values()) == {"rank 2 ended with an error: KeyError: 'planted'"}


def test_a_rank_that_does_not_come() -> None:
    np.dist.set_time_limit(0.2)
    start = time.perf_counter()

    def program() -> None:
        if np.dist.rank() != 1:
            np.dist.all_reduce(np.ones(3))

    with pytest.raises(RankError, match="rank 1 did not come within 0.2"):
        np.dist.run(program, 3)
    assert time.perf_counter() - start < 20


def test_planted_faults() -> None:
    """Delays and lost ranks: results are right, or each rank has an error that names the lost one."""
    runs = 1000 if LONG else 60
    random = numpy.random.default_rng(SEED)
    step = np.compile(lambda x: np.dist.all_gather(np.dist.all_reduce(x * 2), tiled=True))
    for _ in range(runs):
        ranks = int(random.integers(2, 5))
        lost = int(random.integers(-1, ranks))
        faults = {"seed": int(random.integers(1 << 30)), "longest_delay": 1e-4, "lost_rank": lost, "lost_after": int(random.integers(12))}
        total, errors = ranks * (ranks - 1) + 2 * ranks, []

        def program(total: int = total, ranks: int = ranks, errors: list[str] = errors) -> None:
            x = np.ones(2) + np.dist.rank()
            kept = numpy.array(x)
            try:
                for _ in range(3):
                    assert numpy.asarray(step(x)).tolist() == [total] * (2 * ranks)
            except RankError as error:
                errors.append(str(error))
                raise
            finally:
                assert (numpy.asarray(x) == kept).all()

        if lost < 0:
            _ranks._run(program, ranks, (), faults)
            continue
        try:
            _ranks._run(program, ranks, (), faults)
        except RankError:
            assert len(errors) == ranks and all("lost" in text for text in errors), (faults, errors)


def loss(w: Any, x: Any, y: Any) -> Any:
    return np.mean((np.tanh(x @ w["a"]) @ w["b"] - y) ** 2)


def test_data_parallel_is_the_gradient_of_all_data() -> None:
    random = numpy.random.default_rng(2)
    w = {"a": random.random((3, 4)), "b": random.random(4)}
    x, y = random.random((8, 3)), random.random(8)
    whole = np.grad(loss)(w, x, y)

    @np.compile(fullgraph=True)
    def step(w: Any, x: Any, y: Any) -> Any:
        gradient = np.grad(loss)(w, x, y)
        return {name: w[name] - 0.1 * gradient[name] for name in w}

    def program() -> Any:
        own = slice(2 * np.dist.rank(), 2 * np.dist.rank() + 2)
        gradients = [
            np.dist.data_parallel(np.grad(loss))(w, x[own], y[own]),
            np.dist.data_parallel(np.compile(np.grad(loss)), bucket_bytes=8)(w, x[own], y[own]),
            np.dist.data_parallel(np.value_and_grad(loss))(w, x[own], y[own])[1],
        ]
        return gradients, np.dist.data_parallel(step)(w, x[own], y[own]), step(w, x[own], y[own])

    for gradients, stepped, alone in np.dist.run(program, 4):
        for gradient in gradients:
            for name in w:
                assert numpy.allclose(gradient[name], whole[name], rtol=1e-12)
        for name in w:
            assert numpy.allclose(stepped[name], w[name] - 0.1 * whole[name], rtol=1e-12)
            assert not numpy.allclose(alone[name], stepped[name], rtol=1e-6)


def test_second_derivatives_are_of_one_rank() -> None:
    """Only what a step takes is averaged, not what a differentiated function takes itself."""

    def program() -> Any:
        scale = 1.0 + np.dist.rank()
        curvature = np.dist.data_parallel(np.grad(lambda w: np.sum(np.grad(lambda v: np.sum(scale * v**3))(w))))
        return numpy.asarray(curvature(np.ones(2)))

    for found in np.dist.run(program, 2):
        assert found.tolist() == [9.0, 9.0]  # the mean of 6 and 12
