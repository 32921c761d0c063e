# The library of device functions: the catalogue's meanings as LLVM bitcode for GPUs (cuda/device_functions), and kernels that are written in C++ (its folder
# kernels), linked with CUDA's libdevice and optimised, inside the library as bytes. codegen/nvptx reads of it what code calls.

# The target has no C++ library: its headers are the host's, the functions behind them are c_library.cpp and complex_library.cpp.
execute_process(COMMAND "${FASTNP_CLANG}" -E -x c++ -v /dev/null OUTPUT_QUIET ERROR_VARIABLE search_list COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "<\\.\\.\\.> search starts here:\n([^E]*)End of search list" search_list "${search_list}")
string(REGEX REPLACE "[ \n]+" ";" header_folders "${CMAKE_MATCH_1}")
set(header_options -nostdinc)
foreach(folder IN LISTS header_folders)
  if(folder)
    list(APPEND header_options -isystem "${folder}")
  endif()
endforeach()
set(device_options
    --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_80 -Xclang -target-feature -Xclang +ptx80 -D_GNU_SOURCE -D__x86_64__ ${header_options}
    -std=c++20 -O2 -Wall -Wextra -Wno-unused-function -Wno-bitwise-instead-of-logical -fno-exceptions -fno-rtti
    -ffp-contract=off -fmath-errno)  # errno: functions are then called by name instead of being instructions that the target lacks

# device_bitcode(NAME SOURCE OPTIONS...)
set(bitcode_folder "${CMAKE_BINARY_DIR}/device_functions")
file(MAKE_DIRECTORY "${bitcode_folder}")
set(bitcode_files "")
function(device_bitcode name source)
  set(output "${bitcode_folder}/${name}.bc")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${FASTNP_CLANG}" ${device_options} ${ARGN} "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/src"
            -MD -MF "${output}.d" -MT "${output}" -emit-llvm -c "${PROJECT_SOURCE_DIR}/cuda/device_functions/${source}" -o "${output}"
    DEPENDS "${PROJECT_SOURCE_DIR}/cuda/device_functions/${source}"
    DEPFILE "${output}.d"
    COMMENT "Device functions: ${name}"
    VERBATIM)
  set(bitcode_files ${bitcode_files} "${output}" PARENT_SCOPE)
endfunction()

# Kernels: loops stay loops, since devices have no functions that copy or fill memory.
set(kernel_options -fno-builtin)

set(dtype_table "${PROJECT_SOURCE_DIR}/include/fastnp/ops/dtype.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${dtype_table}")
file(STRINGS "${dtype_table}" rows REGEX "^DTYPE\\(")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^DTYPE\\(([a-z0-9_]+),.*\"([a-z0-9]+)\"\\)" row "${row}")
  set(dtype ${CMAKE_MATCH_1})
  set(of_dtype -DFASTNP_DTYPE=${dtype} "-DFASTNP_DTYPE_TEXT=\"${CMAKE_MATCH_2}\"")
  device_bitcode(${dtype} functions.cpp ${of_dtype})
  set(kernels_of_dtype argfold scan scatter search sort)
  if(dtype MATCHES "^(float32|float64|complex64|complex128)$")
    list(APPEND kernels_of_dtype reflect)  # what LAPACK has
  endif()
  if(dtype MATCHES "^(b?float|complex)")
    list(APPEND kernels_of_dtype sums)
  endif()
  if(NOT dtype MATCHES "^complex")
    list(APPEND kernels_of_dtype radix select)
  endif()
  if(dtype MATCHES "^u?int(32|64)$")
    list(APPEND kernels_of_dtype join)
  endif()
  foreach(kernels IN LISTS kernels_of_dtype)
    device_bitcode(${kernels}_${dtype} kernels/${kernels}.cpp ${of_dtype} ${kernel_options})
  endforeach()
endforeach()
foreach(kernels gather left mask put radix_routes select_bits)
  device_bitcode(${kernels} kernels/${kernels}.cpp ${kernel_options})
endforeach()
foreach(generator Pcg64 Pcg64Dxsm Philox)  # of random numbers: the types in device/raw_stream.h
  string(TOLOWER ${generator} text)
  foreach(kernels bounded draws ziggurat)
    device_bitcode(${kernels}_${text} kernels/${kernels}.cpp -DFASTNP_GENERATOR=${generator} "-DFASTNP_GENERATOR_TEXT=\"${text}\"" ${kernel_options})
  endforeach()
endforeach()
device_bitcode(c_library c_library.cpp -fno-builtin)
device_bitcode(complex_library complex_library.cpp)
device_bitcode(usual usual.cpp -fno-builtin)

# Only our symbols stay visible; what nothing calls goes.
set(device_functions "${bitcode_folder}/device_functions.bc")
add_custom_command(
  OUTPUT "${device_functions}"
  COMMAND "${FASTNP_LLVM_LINK}" ${bitcode_files} -o "${bitcode_folder}/ours.bc"
  COMMAND "${FASTNP_LLVM_LINK}" --suppress-warnings --only-needed "${bitcode_folder}/ours.bc" "${FASTNP_LIBDEVICE}" -o "${bitcode_folder}/linked.bc"
  COMMAND "${FASTNP_LLVM_OPT}" -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 -mattr=+ptx80 "--internalize-public-api-list=fastnp_span_*,fastnp_usual_*,fastnp_kernel_*"
          "-passes=internalize,globaldce,default<O2>,globaldce,strip,strip-dead-prototypes" "${bitcode_folder}/linked.bc" -o "${device_functions}"
  DEPENDS ${bitcode_files} "${FASTNP_LIBDEVICE}"
  COMMENT "Device functions: linking"
  VERBATIM)

# Compressed: a third of 2 MB, half of what a wheel's own compression makes of it.
set(compressed "${bitcode_folder}/device_functions.zst")
add_executable(fastnp_compress "${PROJECT_SOURCE_DIR}/cmake/compress.cpp")
target_link_libraries(fastnp_compress PRIVATE "${FASTNP_ZSTD}")
add_custom_command(
  OUTPUT "${compressed}"
  COMMAND fastnp_compress "${device_functions}" "${compressed}"
  DEPENDS "${device_functions}"
  COMMENT "Device functions: compressing"
  VERBATIM)

set(embedding "${PROJECT_SOURCE_DIR}/cuda/device_functions/library.S")
add_library(fastnp_device_functions OBJECT "${embedding}")
set_source_files_properties("${embedding}" PROPERTIES OBJECT_DEPENDS "${compressed}" COMPILE_DEFINITIONS "FASTNP_LIBRARY=\"${compressed}\"")
list(APPEND FASTNP_OBJECTS $<TARGET_OBJECTS:fastnp_device_functions>)
