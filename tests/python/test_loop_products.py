"""Products of matrices in native loops, of any layout and size: NumPy's but for the order of sums; those of integers are exact."""

from __future__ import annotations

import numpy
import pytest
from support import SEED
from test_array_loops import agree, every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_layouts import matrix, of_expression
from test_native_loops import programs_of

PRODUCTS = ["A @ B", "A @ C.T", "A @ B[:, ::-1]", "(A + 1) @ (B * 2)", "np.dot(A, B) * 2", "A[:, ::-1] @ B[::-1]", "A[0] @ B", "C @ B[:, 0]", "A @ A.T"]
TOLERANCE = {"f8": 1e-10, "f4": 5e-2, "c16": 1e-10, "i4": 0.0, "u1": 0.0, "i8": 0.0}
SHAPES = ["3 4 5", "7 2 7", "33 40 35", "1 1 1", "2 100 2", "0 3 2", "3 0 2", "2 3 0", "96 96 96", "97 5 6", "64 3 1", "4 8 97"]


@pytest.mark.parametrize("expression", PRODUCTS)
@pytest.mark.parametrize("dtypes", [["f8", "i4"], ["f4", "c16"], ["u1", "i8"]])
def test_products_of_matrices(expression: str, dtypes: list[str]) -> None:
    rng = numpy.random.default_rng(SEED)
    for dtype in dtypes:
        compiled = of_expression(expression, "A, B, C")
        for shape in [*SHAPES, " ".join(map(str, rng.integers(1, 70, 3)))]:
            rows, terms, columns = map(int, shape.split())
            A, B, C = (matrix(rng, *sizes, dtype) for sizes in ((rows, terms), (terms, columns), (columns, terms)))
            first = numpy.zeros((2,) * (1 if "[0] @" in expression or ", 0]" in expression else 2), dtype)
            note = f"FASTNP_TEST_SEED={SEED}: {expression} of {dtype}, {rows} x {terms} x {columns}"
            agree(compiled, (A, B, C, numpy.arange(4), first, 2), note, TOLERANCE[dtype])
        assert programs_of(compiled), f"{expression} of {dtype}"


def test_what_is_not_a_number_stays_in_its_place() -> None:
    compiled = of_expression("A @ B", "A, B")
    rng = numpy.random.default_rng(SEED)
    for size in (2, 5, 7, 40):
        A, B = rng.normal(size=(2, size, size))
        A[rng.integers(size), rng.integers(size)] = numpy.nan
        B[rng.integers(size), rng.integers(size)] = numpy.inf
        agree(compiled, (A, B, numpy.arange(4), A, 2), f"FASTNP_TEST_SEED={SEED}: {size}", 1e-11)
    assert programs_of(compiled)
