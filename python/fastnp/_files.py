"""Files that are written as a whole: others see none, the old one or the new one."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

_count = itertools.count()


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """OSError where it can't be written."""
    file = Path(path)
    temporary = file.with_name(f".{file.name}.{os.getpid()}-{next(_count)}.part")
    try:
        temporary.write_bytes(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
        temporary.replace(file)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
