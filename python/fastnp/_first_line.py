"""The first statement of a function after which its variables are not what they are as written."""

from __future__ import annotations

import ast
from typing import Any

from fastnp._values import line_of
from fastnp._variants import Variants, stored


def found(problem: Any) -> str:
    """The place of it, for the rung "eager"; empty: it could not be found."""
    from fastnp._triage import Problem

    try:
        variants = Variants(problem.plain)
    except ValueError:
        return ""
    for number, statement in enumerate(variants.body):
        body = list(variants.body[: number + 1])
        if not isinstance(statement, ast.Return):
            names = list(dict.fromkeys(stored(statement)))
            body.append(ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())))
        part = Problem(variants.made(body), problem.args, problem.kwargs, problem.ulp, problem.seconds)
        if part.on_rung("eager")[0]:
            return line_of(problem.plain.__code__, statement.lineno)
    return ""
