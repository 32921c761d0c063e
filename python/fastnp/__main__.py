"""``python -m fastnp``: what builds of C++ programs ask for."""

import argparse

from fastnp import __version__
from fastnp._installed import get_cmake_dir, get_include


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fastnp", description="Where C++ programs find fastnp.")
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--version", action="version", version=__version__)
    asked.add_argument("--include", action="store_true", help="the folder of the headers")
    asked.add_argument("--cmakedir", action="store_true", help="the folder of fastnpConfig.cmake")
    print(get_include() if parser.parse_args().include else get_cmake_dir())


if __name__ == "__main__":
    main()
