"""The first statement of a function after which its variables are not what they are as written."""

from __future__ import annotations

import ast
from typing import Any

from fastnp._values import line_of
from fastnp._variants import Variants, stored


def found(problem: Any, rung: str) -> str:
    """The place of it, where no operation of a graph is to blame for what a rung gives; empty: it could not be found."""
    from fastnp._triage import Problem

    try:
        variants = Variants(problem.plain)
    except ValueError:
        return ""
    for number, statement in enumerate(variants.body):
        body = list(variants.body[: number + 1])
        ends: list[list[ast.stmt]] = [[]]
        if not isinstance(statement, ast.Return):
            names = dict.fromkeys(stored(statement))
            ends = [[ast.Return(ast.Name(name, ast.Load()))] for name in names] or [[]]  # one by one: several may be another program
        for end in ends:
            part = Problem(variants.made([*body, *end]), problem.args, problem.kwargs, problem.ulp, problem.seconds)
            if part.on_rung(rung)[0]:
                return line_of(problem.plain.__code__, statement.lineno)
    return ""
