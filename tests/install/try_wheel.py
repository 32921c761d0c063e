"""What an installed package does, from an environment of its own."""

import importlib.metadata
import pathlib
import sys

import fastnp as np

home = pathlib.Path(np.__file__).parent
assert home.is_relative_to(sys.prefix), home
assert np.__version__ == importlib.metadata.version("fastnp"), np.__version__
for name in ("py.typed", "libfastnp.so", "libfastnp_codegen.so"):
    assert (home / name).exists(), name
assert list(home.glob("*.pyi")), "no type stubs"
assert pathlib.Path(np.get_include(), "fastnp", "fastnp.h").is_file()
assert pathlib.Path(np.get_cmake_dir(), "fastnpConfig.cmake").is_file()


@np.compile
def dot(x, y):
    return np.sum(x * y)


assert float(dot(np.arange(4.0), np.arange(4.0))) == 14.0
assert dot.cache_info().compiles == 1
try:
    dot(np.ones(3), np.ones(4))
except ValueError as error:  # C++'s exceptions come through two libraries
    assert "broadcast" in str(error), error
else:
    raise AssertionError("no error")
print("14.0 from", home)
