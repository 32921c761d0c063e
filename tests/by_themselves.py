"""Each source file by itself, as its compiler sees it (nothing is made): units of several files would not show what one of them fails to include.

Its one argument is a build folder with compile_commands.json, configured with FASTNP_UNITS=OFF.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


def read(entry: dict[str, str]) -> str:
    """What the compiler says of a file."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    command = [*words[:at], *words[at + 2 :], "-fsyntax-only"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=entry["directory"], env={**os.environ, "CCACHE_DISABLE": "1"})
    return "" if done.returncode == 0 else done.stderr + f"FAILED {entry['file']}\n"


def main() -> int:
    entries = json.loads((Path(sys.argv[1]) / "compile_commands.json").read_text())
    entries = [entry for entry in entries if entry["file"].endswith(".cpp")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(read, entries))
    print("".join(said) + f"{len(entries)} files, {sum(map(bool, said))} of which miss something")
    return int(any(said))


if __name__ == "__main__":
    sys.exit(main())
