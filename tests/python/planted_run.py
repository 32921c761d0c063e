"""In a process in which a fault is planted: triage of a program, and a small one that fails as it does. What was found is printed as JSON."""

from __future__ import annotations

import json
import sys

import planted_programs

import fastnp as np


def main(program: str, check: str, folder: str) -> None:
    function = getattr(planted_programs, program)
    rows = 2 if program == "guarded" else 20 if check == "slowness" else 6
    args = planted_programs.arguments(rows=rows, columns=3000 if np.cuda.is_available() else 200 if check == "slowness" else 9)
    if np.cuda.is_available():
        args = tuple(np.asarray(each).to("cuda") for each in args)
    if program == "gradient":
        function = np.grad(planted_programs.loss)
    if program == "guarded":
        function = np.compile(function, dynamic=True)
        function(*planted_programs.arguments(rows=8))  # an entry that is for no call of two rows
    found = None if check in ("slowness", "compile time") else np.debug.triage(function, *args, seconds=5)
    told = (
        {} if found is None else {"rung": found.rung, "op": found.op, "how": found.how, "place": found.place, "pass": found.pass_name, "text": str(found)}
    )
    if folder:
        made = np.debug.minify(function, *args, folder=folder, check=check or None, seconds=60)
        told |= {"ops": made.ops, "seconds": made.seconds, "python": str(made.python or ""), "cpp": str(made.cpp or ""), "small": str(made)}
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
