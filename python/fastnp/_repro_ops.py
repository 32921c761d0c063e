"""Programs that show a fault of operations by themselves: where what was recorded, or a rule of derivatives, is to blame."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp import _core, _literals
from fastnp._graph import Graph, Node

_FOLDS = frozenset(name for name, kind, *_ in _core._catalogue() if kind == "fold" and hasattr(_core, name))

_OPS = """// {title}
// It ends with status 1 while the fault is there. c++ -std=c++20 repro.cpp $(pkg-config --cflags --libs fastnp)
#include <cstdint>
#include <iostream>
#include <vector>

#include <fastnp/fastnp.h>

using fastnp::array;

int main() {{
    const auto f = []({parameters}) {{
{body}        return {result};
    }};
{data}    const array got = fastnp::compile(f)({arrays}), wanted = f({arrays});
    const array apart = fastnp::absolute(fastnp::subtract(got.astype(fastnp::float64), wanted.astype(fastnp::float64)));
    const double far = fastnp::max(apart).item<double>(), largest = fastnp::max(fastnp::absolute(wanted.astype(fastnp::float64))).item<double>();
    std::cout << "compiled\\n" << got << "\\nand as written\\n" << wanted << "\\n";
    return far <= 1e-6 * largest ? 0 : 1;
}}
"""


def _expression(node: Node, names: dict[int, str]) -> str | None:
    operands = [names[each.number] for each in node.inputs]
    dtype = _literals.cpp_dtype(node.dtype)
    if node.op == "constant":
        value = node.attributes["scalar"]
        return (
            None
            if isinstance(value, complex) or value != value
            else f"fastnp::full({{{', '.join(map(str, node.shape))}}}, {value!r}, {dtype})".replace("True", "true").replace("False", "false")
        )
    if node.op == "cast":
        return f"{operands[0]}.astype({dtype})"
    if node.op == "broadcast_to":
        return f"fastnp::broadcast_to({operands[0]}, {{{', '.join(map(str, node.shape))}}})"
    if node.op in _FOLDS:
        return f"fastnp::{node.op}({operands[0]}, {{.axis = {{{', '.join(map(str, node.attributes.get('ints', ())))}}}}})"
    if hasattr(_core, node.op) and 1 <= len(operands) <= 2 and "ints" not in node.attributes and "dims" not in node.attributes:
        return f"fastnp::{node.op}({', '.join(operands)})"
    return None


def _by_ops(graph: Graph, arrays: tuple[Any, ...]) -> Any:
    """The first output by the functions that have the names of the operations."""
    import fastnp

    values = dict(zip((node.number for node in graph.inputs), arrays, strict=True))
    for node in graph.nodes:
        operands = [values[each.number] for each in node.inputs]
        if node.number in values:
            continue
        if node.op == "constant":
            values[node.number] = fastnp.full(node.shape, node.attributes["scalar"], node.dtype)
        elif node.op == "cast":
            values[node.number] = operands[0].astype(node.dtype)
        elif node.op == "broadcast_to":
            values[node.number] = fastnp.broadcast_to(operands[0], node.shape)
        elif node.op in _FOLDS:
            values[node.number] = getattr(fastnp, node.op)(operands[0], axis=node.attributes.get("ints", ()))
        else:
            values[node.number] = getattr(fastnp, node.op)(*operands)
    return values[graph.outputs[0].number]


def differs(graph: Graph, arrays: list[Any], problem: Any) -> bool:
    """Whether the operations, compiled anew, differ from what they are one by one."""
    from fastnp._triage import Problem

    try:
        again = Problem(lambda *given: _by_ops(graph, given), tuple(map(_core.asarray, arrays)), {}, problem.ulp, problem.seconds)
        return bool(again.on_rung("llvm")[0])
    except Exception:  # noqa: BLE001  # an operation that has no such function
        return False


def of_ops(graph: Graph, arrays: list[Any], title: str) -> str:
    """repro.cpp: the operations as C++ has them, compiled and as they are; empty where one has no such form."""
    if any(each.dtype.kind not in "fiu" for each in graph.outputs):
        return ""
    names = {node.number: f"x{number}" for number, node in enumerate(graph.inputs)}
    body = ""
    for node in graph.nodes:
        if node.number in names:
            continue
        made = _expression(node, names)
        if made is None:
            return ""
        names[node.number] = f"v{node.number}"
        body += f"        const array v{node.number} = {made};\n"
    data = [_literals.cpp(each, f"data{number}") for number, each in enumerate(arrays)]
    defined = "".join(f"{each[0]}    const array a{number} = {each[1]};\n" for number, each in enumerate(data))
    return _OPS.format(
        title=title.replace("\n", "\n// "),
        parameters=", ".join(f"const array& {names[node.number]}" for node in graph.inputs),
        body=body,
        result=names[graph.outputs[0].number],
        data=defined,
        arrays=", ".join(f"a{number}" for number in range(len(arrays))),
    )


_SLOPE_PYTHON = '''"""{title}

It ends with status 1 while the fault is there.
"""

import base64
import sys
import zlib

import numpy
import fastnp as np

graph = np.compiler.Graph.parse("""
{graph}
""")
arrays = [
{arrays}]
weights = {weights}


def f(x):
    return np.sum(graph.run(*arrays[:{place}], x, *arrays[{after}:])[0] * weights)


x, along = arrays[{place}], {along}
width = 1e-5 * max(1.0, float(numpy.abs(x).max()))
slope = (float(f(x + width * along)) - float(f(x - width * along))) / (2 * width)
told = float(numpy.sum(numpy.asarray(np.grad(f)(x)) * along))
print(f"the slope is {{told}} by the derivative and {{slope}} by differences")
sys.exit(not abs(slope - told) <= 1e-3 * max(abs(slope), abs(told), 1e-6))
'''

_SLOPE_CPP = """// {title}
// It ends with status 1 while the fault is there. c++ -std=c++20 repro.cpp $(pkg-config --cflags --libs fastnp)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include <fastnp/fastnp.h>
#include <fastnp/graph.h>

using fastnp::array;

int main() {{
    const fastnp::Graph graph = fastnp::Graph::parse(R"(
{graph}
)");
{data}    const std::vector<array> arrays = {{
{arrays}    }};
    const array weights = {weights};
    const array along = {along};
    const auto f = [&](const array& x) {{
        std::vector<array> given = arrays;
        given[{place}] = x;
        return array(fastnp::sum(fastnp::multiply(graph.run(given)[0], weights)));
    }};
    const array x = arrays[{place}];
    const double width = 1e-5 * std::max(1.0, fastnp::max(fastnp::absolute(x)).item<double>());
    const array step = fastnp::multiply(along, width);
    const double slope = (f(fastnp::add(x, step)).item<double>() - f(fastnp::subtract(x, step)).item<double>()) / (2 * width);
    const double told = fastnp::sum(fastnp::multiply(fastnp::grad(f)(x), along)).item<double>();
    std::cout << "the slope is " << told << " by the derivative and " << slope << " by differences\\n";
    return std::abs(slope - told) <= 1e-3 * std::max({{std::abs(slope), std::abs(told), 1e-6}}) ? 0 : 1;
}}
"""


def of_derivative(first: Any, title: str) -> tuple[str, str]:
    """repro.py and repro.cpp of an operation (see _first_op.FirstOp) whose rule gives another slope than differences do."""
    arrays = [numpy.ascontiguousarray(each) for each in first.inputs]
    place = first.operand
    shape = first.graph.outputs[0].shape
    weights = numpy.round(numpy.random.default_rng(1).standard_normal(shape), 2) + 0.5
    along = numpy.round(numpy.random.default_rng(0).standard_normal(arrays[place].shape), 2) + 0.5
    literal = "".join(f"    {_literals.python(each)},\n" for each in arrays)
    python = _SLOPE_PYTHON.format(
        title=title, graph=first.graph, arrays=literal, weights=_literals.python(weights), along=_literals.python(along), place=place, after=place + 1
    )
    made = [_literals.cpp(each, f"data{number}") for number, each in enumerate([*arrays, weights, along])]
    cpp = _SLOPE_CPP.format(
        title=title.replace("\n", "\n// "),
        graph=first.graph,
        data="".join(each[0] for each in made),
        arrays="".join(f"        {each[1]},\n" for each in made[:-2]),
        weights=made[-2][1],
        along=made[-1][1],
        place=place,
    )
    return python, cpp
