"""Where C++ programs find fastnp's headers and CMake files: ``get_include()``, ``get_cmake_dir()``."""

from __future__ import annotations

from pathlib import Path

_HOME = Path(__file__).parent


def _folder(name: str) -> str:
    found = _HOME / name
    if not found.is_dir():
        raise FileNotFoundError(f"this installation of fastnp has no {found}")
    return str(found)


def get_include() -> str:
    """The folder of fastnp's C++ headers, for compilers: ``-I``.

    The library that programs link lies two folders above :func:`get_cmake_dir`; CMake finds both
    by itself. NumPy's function of that name gives the headers of NumPy.

    Returns
    -------
    str
        A path. ``python -m fastnp --include`` prints it.

    Raises
    ------
    FileNotFoundError
        Where an installation was made without headers.

    Examples
    --------
    >>> import fastnp as np
    >>> import pathlib
    >>> (pathlib.Path(np.get_include()) / "fastnp" / "fastnp.h").exists()
    True
    """
    return _folder("include")


def get_cmake_dir() -> str:
    """The folder of ``fastnpConfig.cmake``, for ``cmake -Dfastnp_DIR=...``.

    With it ``find_package(fastnp)`` finds the headers and the library of this installation, the
    target ``fastnp::fastnp``.

    Returns
    -------
    str
        A path. ``python -m fastnp --cmakedir`` prints it.

    Raises
    ------
    FileNotFoundError
        Where an installation was made without CMake files.

    Examples
    --------
    >>> import fastnp as np
    >>> import pathlib
    >>> (pathlib.Path(np.get_cmake_dir()) / "fastnpConfig.cmake").exists()
    True
    """
    return _folder("share/cmake/fastnp")
