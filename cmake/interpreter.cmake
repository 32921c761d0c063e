# The Python that the module is built for, and where Python packages bring what the build needs.
# It is build/venv's where that exists (cmake/setup.sh makes it), unless Python_EXECUTABLE names another.
if(NOT Python_EXECUTABLE AND NOT SKBUILD AND EXISTS "${PROJECT_SOURCE_DIR}/build/venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/build/venv/bin/python")
endif()
if(Python_EXECUTABLE)
  set(FASTNP_PYTHON "${Python_EXECUTABLE}")
else()
  find_program(FASTNP_PYTHON python3)
endif()

# The folder of the package nvidia-cuda-nvcc, or nothing: CUDA's libdevice is in it, and its assembler.
set(FASTNP_NVCC_PACKAGE "")
if(FASTNP_PYTHON)
  execute_process(
    COMMAND "${FASTNP_PYTHON}" -c "import importlib.util as u, pathlib as p
for folder in u.find_spec('nvidia').submodule_search_locations:
    for name in ('cuda_nvcc', 'cu13', 'cu12'):
        if (p.Path(folder) / name / 'nvvm' / 'libdevice').is_dir(): print(p.Path(folder) / name); raise SystemExit"
    OUTPUT_VARIABLE FASTNP_NVCC_PACKAGE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
