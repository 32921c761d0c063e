"""What of NumPy's own tests is in numeric scope: folders, and what is left out of them, with a cause each.

A test is left out by its file, or by a pattern that its name and parameters have.
"""

from __future__ import annotations

import re

FOLDERS = ("_core", "lib", "linalg", "fft", "random", "polynomial")

_INSIDES = "tests NumPy's own insides: C helpers, hidden modules"
_TEXT = "text"
_OBJECTS = "objects"
_RECORDS = "structured arrays"
_LONG = "long doubles"
_DATES = "dates and time spans"
_FILES = "files and what is read of text"
_C_API = "the C-API, Cython, ctypes"
_PRINT = "how NumPy's own arrays and scalars are printed"
_DTYPES = "dtype objects, which are NumPy's own in fastnp"

FILES_LEFT_OUT: dict[str, dict[str, str]] = {
    _INSIDES: {
        "_core": "_exceptions argparse arraymethod casting_unittests conversion_utils cpu_dispatcher cpu_features extint128 hashtable mem_policy "
        "nditer overrides simd simd_module umath_accuracy",
        "lib": "_version arrayterator utils",
    },
    _C_API: {"_core": "api array_interface cython limited_api scalarbuffer", "random": "direct extending"},
    _DTYPES: {"_core": "abc custom_dtypes dtype finfo numerictypes"},
    _LONG: {"_core": "longdouble"},
    _DATES: {"_core": "datetime"},
    _TEXT: {"_core": "defchararray stringdtype strings unicode"},
    _RECORDS: {"_core": "records", "lib": "recfunctions"},
    _OBJECTS: {"_core": "array_coercion", "lib": "mixins"},
    _FILES: {"_core": "memmap multiprocessing", "lib": "_datasource _iotools format io loadtxt"},
    _PRINT: {"_core": "arrayprint print scalarprint", "polynomial": "printing symbol"},
    "what NumPy is about to take away": {"_core": "deprecations", "linalg": "deprecations"},
}

# Patterns of a test's name and parameters, behind the name of its file.
TESTS_LEFT_OUT: dict[str, str] = {
    _TEXT: r"string|_str\b|\bstr_|\bstr\b|unicode|bytes_|char_|chararray|_char\b",
    _OBJECTS: r"[oO]bject|'O'|_fraction\b|bitwise_count\[input_dtype_obj15",
    _DATES: r"[dD]ate[tT]ime|[tT]ime[dD]elta|[mM]8|busday|\bNaT\b|_nat\b",
    _RECORDS: r"structured|\bvoid|_void|[rR]ecord|recarray|\bfield|_fields?\b|subarray",
    _LONG: r"longdouble|long_double|float128|complex256|clongdouble",
    "objects, text, dates, records or long doubles as a parameter": r"[\[-][OSUVmMgGaT]\d*[\]-]|np\.object",
    "references are counted by NumPy's own objects": r"refcount|ref_?leak|memory_leak|[lL]eaks?\b",
    "rationals, a dtype of NumPy's tests": r"rational",
    _C_API: r"ctypes|PEP3118|capi|\bcython|TestCAPI|CApiAccess|NeighborhoodIter|AsCArray|WritebackIfCopy|LowlevelAPI|incref_elide|xerbla|blas64_geqrf"
    r"|buffer_info_is_corrupted|huge_list_error",
}

LEFT_OUT = re.compile("|".join(TESTS_LEFT_OUT.values()))


def files_left_out() -> set[str]:
    """As "_core/test_dtype.py"."""
    return {f"{folder}/test_{name}.py" for by_folder in FILES_LEFT_OUT.values() for folder, names in by_folder.items() for name in names.split()}


def is_left_out(test: str) -> bool:
    """Whether a test, by its id behind the file's name, is out of scope."""
    return bool(LEFT_OUT.search(test))
