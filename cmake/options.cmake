# Options and the flags that every target shares.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
option(FASTNP_BUILD_TESTS "Build the C++ tests" ${PROJECT_IS_TOP_LEVEL})
option(FASTNP_BUILD_EXAMPLES "Build the C++ examples" ${PROJECT_IS_TOP_LEVEL})
set(FASTNP_BUILD_PYTHON OFF CACHE STRING "Build the Python module: ON, OFF, or AUTO (where Python, NumPy and pybind11 are found)")
set_property(CACHE FASTNP_BUILD_PYTHON PROPERTY STRINGS ON OFF AUTO)
set(FASTNP_SANITIZE OFF CACHE STRING "Sanitizers: OFF, ON (addresses and undefined behaviour), or thread")
set_property(CACHE FASTNP_SANITIZE PROPERTY STRINGS OFF ON thread)
option(FASTNP_PLANTED_FAULTS "FASTNP_PLANT plants faults, for tests of what finds them" ${FASTNP_BUILD_TESTS})
option(FASTNP_STATIC_RUNTIME "For other machines: nothing beside glibc 2.34 and libgcc is needed (libstdc++, zstd and zlib are inside)" OFF)
option(FASTNP_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} is too old: fastnp needs g++ 12 or clang 16")
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  message(FATAL_ERROR "clang ${CMAKE_CXX_COMPILER_VERSION} is too old: fastnp needs g++ 12 or clang 16")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")  # CMake's default; the kernels ask for -O3 themselves
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

# Paths relative to the source folder let ccache serve one build folder (a wheel's, say) with what another one compiled. (Not clang's with precompiled headers,
# which it names by whole paths: the preset asan has none.)
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
add_link_options("LINKER:--build-id=sha1")  # names the build that code kept on disk is for (src/codegen/store.h)
# LLVM's linker, of the LLVM that is linked. (mold 1.10, Debian 12's, never ends on some object files.)
find_program(LLD ld.lld HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
find_program(LLD ld.lld)
if(LLD)
  cmake_path(GET LLD PARENT_PATH LLD_FOLDER)
  add_link_options(-fuse-ld=lld "-B${LLD_FOLDER}")
endif()

# NumPy's arithmetic: no contraction, no reassociation; errno is not looked at.
add_compile_options(-fno-math-errno -ffp-contract=off -ffunction-sections -fdata-sections)
if(FASTNP_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(FASTNP_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # Generated functions have no types written before them, which that check would read.
  add_compile_options($<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  add_link_options(-fsanitize=address,undefined)
endif()

add_library(fastnp_warnings INTERFACE)
target_compile_options(fastnp_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-restrict -Wno-array-bounds>
                       # (What libstdc++ itself uses is deprecated; loops that ask for vectors have none in unoptimised code.)
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical -Wno-deprecated-declarations -Wno-pass-failed -Wno-unknown-warning-option>
                       $<$<BOOL:${FASTNP_WERROR}>:-Werror>)
