# What the library is made of. LLVM and OpenBLAS are linked statically: users need neither.
find_package(Threads REQUIRED)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}")
llvm_map_components_to_libnames(FASTNP_LLVM_LIBRARIES X86 NVPTX OrcJIT Passes BitReader Linker)

find_library(OPENBLAS_STATIC NAMES libopenblas.a PATH_SUFFIXES x86_64-linux-gnu/openblas-pthread openblas-pthread)
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES x86_64-linux-gnu/openblas-pthread openblas-pthread)
if(NOT OPENBLAS_STATIC OR NOT OPENBLAS_INCLUDE_DIR)
  message(FATAL_ERROR "OpenBLAS is missing: apt-get install libopenblas-pthread-dev")
endif()

# NumPy's own Fourier transforms, a header that no package of Debian has.
find_path(POCKETFFT_INCLUDE_DIR pocketfft_hdronly.h HINTS "${PROJECT_SOURCE_DIR}/build/venv/include")
if(NOT POCKETFFT_INCLUDE_DIR)
  message(FATAL_ERROR "pocketfft_hdronly.h is missing: bash cmake/setup.sh")
endif()

# OpenBLAS starts its threads when they are asked for, not when the library is loaded: eager/blas.cpp has what it calls instead.
set(FASTNP_PRIVATE_LIBRARIES ${FASTNP_LLVM_LIBRARIES} ${OPENBLAS_STATIC} -Wl,--wrap=blas_thread_init
    -Wl,--wrap=blas_memory_alloc -Wl,--wrap=blas_memory_free Threads::Threads ${CMAKE_DL_LIBS} m)
