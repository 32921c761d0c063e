# What the library is made of. LLVM and OpenBLAS are linked statically: users need neither. What is missing is told in one line, all of it.
set(FASTNP_MISSING "")
macro(fastnp_needs variable package)
  if(NOT ${variable})
    list(APPEND FASTNP_MISSING "${package}")
  endif()
endmacro()

set(llvm_folder /usr/lib/llvm-19)
find_file(FASTNP_LLVM_CONFIG LLVMConfig.cmake HINTS "${LLVM_DIR}" "${llvm_folder}/lib/cmake/llvm" PATH_SUFFIXES lib/cmake/llvm)
fastnp_needs(FASTNP_LLVM_CONFIG llvm-19-dev)
find_library(FASTNP_LLD_ELF lldELF HINTS "${LLVM_DIR}/../.." "${llvm_folder}/lib")
find_library(FASTNP_LLD_COMMON lldCommon HINTS "${LLVM_DIR}/../.." "${llvm_folder}/lib")
fastnp_needs(FASTNP_LLD_ELF liblld-19-dev)
# What Debian's LLVMConfig.cmake insists on, in many lines of its own.
find_library(FASTNP_ZSTD zstd)
fastnp_needs(FASTNP_ZSTD libzstd-dev)
find_library(FASTNP_ZLIB z)
fastnp_needs(FASTNP_ZLIB zlib1g-dev)
cmake_path(IS_PREFIX llvm_folder "${FASTNP_LLVM_CONFIG}" from_debian)
if(from_debian)
  find_library(FASTNP_POLLY Polly HINTS "${llvm_folder}/lib")
  fastnp_needs(FASTNP_POLLY libpolly-19-dev)
endif()

find_library(OPENBLAS_STATIC NAMES libopenblas.a PATH_SUFFIXES x86_64-linux-gnu/openblas-pthread openblas-pthread)
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES x86_64-linux-gnu/openblas-pthread openblas-pthread)
if(NOT OPENBLAS_INCLUDE_DIR)
  set(OPENBLAS_STATIC OPENBLAS_STATIC-NOTFOUND)
endif()
fastnp_needs(OPENBLAS_STATIC libopenblas-pthread-dev)
find_path(XTENSOR_INCLUDE_DIR xtensor/xarray.hpp)
fastnp_needs(XTENSOR_INCLUDE_DIR libxtensor-dev)
find_path(XSIMD_INCLUDE_DIR xsimd/xsimd.hpp)
fastnp_needs(XSIMD_INCLUDE_DIR libxsimd-dev)

# Clang makes the functions for GPUs, whatever compiler makes the rest.
find_program(FASTNP_CLANG NAMES clang++-19 clang++ HINTS "${llvm_folder}/bin")
fastnp_needs(FASTNP_CLANG clang-19)
find_file(FASTNP_LIBDEVICE libdevice.10.bc HINTS "${FASTNP_NVCC_PACKAGE}/nvvm/libdevice" PATHS /usr/local/cuda/nvvm/libdevice)
# NumPy's own Fourier transforms and sorts, headers that no package of Debian has.
find_path(FASTNP_POCKETFFT pocketfft_hdronly.h HINTS "${PROJECT_SOURCE_DIR}/build/numpy_sources/pocketfft")
find_path(FASTNP_X86_SIMD_SORT x86simdsort-static-incl.h HINTS "${PROJECT_SOURCE_DIR}/build/numpy_sources/x86-simd-sort")

# NumPy's distributions of random numbers, which its package has for others.
if(FASTNP_PYTHON)
  execute_process(COMMAND "${FASTNP_PYTHON}" -c "import importlib.util as u, pathlib as p; print(p.Path(u.find_spec('numpy').origin).parent)"
                  OUTPUT_VARIABLE numpy_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_library(FASTNP_NPYRANDOM NAMES libnpyrandom.a HINTS "${numpy_package}/random/lib")

set(stops "")
if(FASTNP_MISSING)
  list(JOIN FASTNP_MISSING " " names)
  list(APPEND stops "apt-get install ${names}")
endif()
if(NOT FASTNP_LIBDEVICE)
  list(APPEND stops "pip install nvidia-cuda-nvcc-cu12")
endif()
if(NOT FASTNP_NPYRANDOM)
  list(APPEND stops "pip install numpy")
endif()
if(NOT FASTNP_POCKETFFT OR NOT FASTNP_X86_SIMD_SORT)
  list(APPEND stops "python3 cmake/fetch_numpy_sources.py")
endif()
if(stops)
  list(JOIN stops "; " stops)
  message(FATAL_ERROR "fastnp needs more than this machine has: ${stops} (or all of it: bash cmake/setup.sh)")
endif()

find_package(Threads REQUIRED)
cmake_path(GET FASTNP_LLVM_CONFIG PARENT_PATH LLVM_DIR)
find_package(LLVM 19.1 REQUIRED CONFIG)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}")
llvm_map_components_to_libnames(FASTNP_LLVM_LIBRARIES X86 NVPTX OrcJIT OrcDebugging Passes BitReader Linker Symbolize Option TargetParser)
list(PREPEND FASTNP_LLVM_LIBRARIES "${FASTNP_LLD_ELF}" "${FASTNP_LLD_COMMON}")  # for exported functions
find_program(FASTNP_LLVM_LINK NAMES llvm-link PATHS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
find_program(FASTNP_LLVM_OPT NAMES opt PATHS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
if(FASTNP_STATIC_RUNTIME)
  # Compression, too: LLVM's targets name the shared libraries.
  find_library(FASTNP_ZSTD_STATIC libzstd.a REQUIRED)
  find_library(FASTNP_ZLIB_STATIC libz.a REQUIRED)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION "${FASTNP_ZSTD_STATIC}" IMPORTED_SONAME "")
  set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION "${FASTNP_ZLIB_STATIC}" IMPORTED_LOCATION_RELEASE "${FASTNP_ZLIB_STATIC}")
endif()

# OpenBLAS starts its threads when they are asked for, not when the library is loaded: eager/blas.cpp has what it calls instead.
set(FASTNP_RUNTIME_LIBRARIES ${OPENBLAS_STATIC} ${FASTNP_NPYRANDOM} -Wl,--wrap=blas_thread_init
    -Wl,--wrap=blas_memory_alloc -Wl,--wrap=blas_memory_free -Wl,--wrap=gotoblas_dynamic_init -Wl,--wrap=getenv Threads::Threads ${CMAKE_DL_LIBS} m)
set(FASTNP_PRIVATE_LIBRARIES ${FASTNP_LLVM_LIBRARIES} ${FASTNP_RUNTIME_LIBRARIES})  # of what has all rooms in one
