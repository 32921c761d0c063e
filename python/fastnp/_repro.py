"""Programs that show a fault by themselves, in Python and in C++: of a graph and its arrays, or of a function and its arguments."""

from __future__ import annotations

from typing import Any

from fastnp import _literals
from fastnp._graph import Graph

_SAME_PYTHON = """
def same(one, other):
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype.kind not in "fc" or one.dtype.itemsize == 2:
        return numpy.array_equal(one.astype(float) if one.dtype.kind == "V" else one, other.astype(float) if one.dtype.kind == "V" else other)
    step = numpy.finfo(one.dtype).eps
    finite = numpy.abs(other[numpy.isfinite(other)])
    return numpy.allclose(one, other, rtol={ulp} * step, atol={ulp} * step * (finite.max() if finite.size else 0), equal_nan=True)

"""

_PYTHON = '''"""{title}

It ends with status 1 while the fault is there.
"""

{imports}
{same}{setup}
graph = np.compiler.Graph.parse("""
{graph}
""")
arrays = [
{arrays}]
wanted = graph.run(*arrays)
{run}'''

_RUN_PYTHON = """[np.full(each.shape, 77, each.dtype) for each in wanted for _ in range(4)]  # what is not written is not right by chance
got = graph.compile({rung!r})(*arrays)
for number, (one, other) in enumerate(zip(got, wanted)):
    if not same(one, other):
        print(f"output {{number}} is\\n{{one}}\\non {rung}, and op by op\\n{{other}}")
        sys.exit(1)
print("the same: the fault is gone")
"""

_TIME_PYTHON = """
def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


"""

_CPP = """// {title}
// It ends with status 1 while the fault is there. c++ -std=c++20 repro.cpp $(pkg-config --cflags --libs fastnp)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include <unistd.h>

#include <fastnp/fastnp.h>
#include <fastnp/graph.h>

using fastnp::array;

namespace {{

// Elements as double: near enough to tell a fault.
std::vector<double> elements(const array& x) {{
    const array wide = fastnp::is_complex(x.dtype()) ? fastnp::absolute(x).astype(fastnp::float64) : x.astype(fastnp::float64);
    std::vector<double> found(static_cast<std::size_t>(wide.size()));
    const array flat = fastnp::ravel(wide);
    std::copy_n(flat.data<double>(), found.size(), found.begin());
    return found;
}}

bool same(const array& one, const array& other) {{
    const std::vector<double> x = elements(one), y = elements(other);
    double largest = 0;
    for (const double each : y) largest = std::isfinite(each) ? std::max(largest, std::abs(each)) : largest;
    const bool exact = {exact};
    for (std::size_t i = 0; i < x.size(); ++i) {{
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
        if (exact || !(std::abs(x[i] - y[i]) <= {ulp} * {epsilon} * largest)) return false;
    }}
    return true;
}}

}}  // namespace

int main() {{
{setup}    const fastnp::Graph graph = fastnp::Graph::parse(R"(
{graph}
)");
{data}    const std::vector<array> arrays = {{
{arrays}    }};
    const std::vector<array> wanted = graph.run(arrays);
{run}}}
"""

_RUN_CPP = """    {{
        std::vector<array> spoilt;  // what is not written is not right by chance
        for (int i = 0; i < 4; ++i) {{
            for (const array& each : wanted) spoilt.push_back(fastnp::full(each.shape(), 77, each.dtype()));
        }}
    }}
    const std::vector<array> got = graph.compile("{rung}")(arrays);
    for (std::size_t i = 0; i < got.size(); ++i) {{
        if (same(got[i], wanted[i])) continue;
        std::cout << "output " << i << " is\\n" << got[i] << "\\non {rung}, and op by op\\n" << wanted[i] << "\\n";
        return 1;
    }}
    std::cout << "the same: the fault is gone\\n";
    return 0;
"""


_HERE = "(*arrays)\nfor number"
_THERE = "(*(np.asarray(each).to('DEVICE') for each in arrays))\ngot = [each.to('cpu') for each in got]\nfor number"
_THERE_CPP = """    std::vector<array> there;
    for (const array& each : arrays) there.push_back(each.to("DEVICE"));
"""


def _epsilon(graph: Graph) -> str:
    widths = [node.dtype.itemsize // (2 if node.dtype.kind == "c" else 1) for node in graph.nodes if node.dtype.kind in "fc"]
    return {2: "0x1p-10", 4: "0x1p-23"}.get(min(widths, default=8), "0x1p-52")


def of_graph(graph: Graph, arrays: list[Any], rung: str, check: str, problem: Any, title: str, limit: float) -> tuple[str, str]:
    """repro.py and repro.cpp."""
    ulp, seconds, device = problem.ulp, problem.seconds, problem.device
    floating = any(node.dtype.kind in "fcV" for node in graph.outputs)
    literals = [_literals.python(each) for each in arrays]
    imports = ["import base64", "import signal", "import sys", "import time", "import zlib", "", "import numpy", "import fastnp as np", ""]
    setup = f"signal.alarm({int(seconds) or 1})\n" if check == "crash" else ""
    if check == "slowness":
        run = _TIME_PYTHON + (
            f"compiled = graph.compile({rung!r})\ncompiled(*arrays)\n"
            "fast, slow = (min(seconds(lambda: each(*arrays)) for _ in range(5)) for each in (graph.run, compiled))\n"
            f'print(f"{{slow / fast:.2f}} times the time op by op")\nsys.exit(slow > {limit!r} * fast)\n'
        )
    elif check == "compile time":
        run = _TIME_PYTHON + f'taken = seconds(lambda: graph.compile({rung!r})(*arrays))\nprint(f"{{taken:.2f}} s")\nsys.exit(taken > {limit!r})\n'
    else:
        run = _RUN_PYTHON.format(rung=rung) if device == "cpu" else _RUN_PYTHON.format(rung=rung).replace(_HERE, _THERE).replace("DEVICE", device)
    same = _SAME_PYTHON.format(ulp=ulp if ulp else 0)
    python = _PYTHON.format(
        title=title, imports="\n".join(imports), same=same, setup=setup, graph=graph, arrays="".join(f"    {each},\n" for each in literals), run=run
    )
    data = [_literals.cpp(each, f"data{number}") for number, each in enumerate(arrays)]
    if check == "slowness":
        cpp_run = _SLOW_CPP.format(rung=rung, limit=limit)
    elif check == "compile time":
        cpp_run = _COMPILE_CPP.format(rung=rung, limit=limit)
    else:
        cpp_run = _RUN_CPP.format(rung=rung)
        if device != "cpu":
            cpp_run = cpp_run.replace(")(arrays);", ")(there);").replace(
                "    const std::vector<array> got", _THERE_CPP.replace("DEVICE", device) + "    const std::vector<array> got"
            )
            cpp_run = cpp_run.replace("same(got[i], ", 'same(got[i].to("cpu"), ')
    cpp = _CPP.format(
        title=title.replace("\n", "\n// "),
        exact="false" if floating and ulp else "true",
        ulp=ulp,
        epsilon=_epsilon(graph),
        setup=f"    alarm({int(seconds) or 1});\n" if check == "crash" else "",
        graph=graph,
        data="".join(each[0] for each in data),
        arrays="".join(f"        {each[1]},\n" for each in data),
        run=cpp_run,
    )
    return python, cpp


_SECONDS_CPP = """    const auto seconds = [](const auto& work) {{
        const auto begin = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }};
"""
_SLOW_CPP = (
    _SECONDS_CPP
    + """    const fastnp::GraphFunction compiled = graph.compile("{rung}");
    (void)compiled(arrays);
    double fast = std::numeric_limits<double>::infinity(), slow = fast;
    for (int i = 0; i < 5; ++i) {{
        fast = std::min(fast, seconds([&] {{ (void)graph.run(arrays); }}));
        slow = std::min(slow, seconds([&] {{ (void)compiled(arrays); }}));
    }}
    std::cout << slow / fast << " times the time op by op\\n";
    return slow > {limit} * fast ? 1 : 0;
"""
)
_COMPILE_CPP = (
    _SECONDS_CPP
    + """    const double taken = seconds([&] {{ (void)graph.compile("{rung}")(arrays); }});
    std::cout << taken << " s\\n";
    return taken > {limit} ? 1 : 0;
"""
)
