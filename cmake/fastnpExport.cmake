# fastnp_add_exported(TARGET SOURCE model.py FUNCTION name [NAME name] [SPECS spec...] [ISA level...] [DEPENDS file...] [PYTHON program])
#
# Has the build write a function of a Python file to a shared library (`python -m fastnp export`), again where the file or one of DEPENDS changed. What links
# TARGET gets fastnp's library, the folder of the function's header, TARGET.h, and the library's path as FASTNP_LIBRARY_TARGET, a string; CMake has the path
# as the target's property FASTNP_LIBRARY. SPECS are what the function takes: "x=float64[n,3]", "rate=0.5"; behind a -- come those of a further
# specialisation. ISA are levels of processors (base, v3, v4), by default the building machine's. PYTHON is a Python that imports fastnp; by default the one that FindPython3 finds (an active virtual environment's, Python3_EXECUTABLE).
function(fastnp_add_exported target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;FUNCTION;NAME;PYTHON" "SPECS;ISA;DEPENDS")
  foreach(needed SOURCE FUNCTION)
    if(NOT arg_${needed})
      message(FATAL_ERROR "fastnp_add_exported(${target}): ${needed} is missing")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fastnp_add_exported(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_PYTHON)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(arg_PYTHON "${Python3_EXECUTABLE}")
  endif()
  execute_process(COMMAND "${arg_PYTHON}" -m fastnp --version RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE why)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "fastnp_add_exported(${target}): ${arg_PYTHON} has no fastnp; PYTHON names one that has:\n${why}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE source)
  set(depends "")
  foreach(each IN LISTS arg_DEPENDS)
    cmake_path(ABSOLUTE_PATH each BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND depends "${each}")
  endforeach()
  set(options "")
  if(arg_NAME)
    set(options --name "${arg_NAME}")
  endif()
  foreach(level IN LISTS arg_ISA)
    list(APPEND options --isa ${level})
  endforeach()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.exported")
  set(library "${folder}/${target}.so")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${library}" "${folder}/${target}.h"
    COMMAND "${arg_PYTHON}" -m fastnp export "${source}" "${arg_FUNCTION}" -o "${library}" ${options} ${arg_SPECS}
    DEPENDS "${source}" ${depends}
    COMMENT "Exporting ${arg_FUNCTION}() of ${arg_SOURCE}"
    VERBATIM)
  add_custom_target(${target}_exported DEPENDS "${library}" "${folder}/${target}.h")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_exported)
  target_link_libraries(${target} INTERFACE fastnp::fastnp)
  target_include_directories(${target} INTERFACE "${folder}")
  target_compile_definitions(${target} INTERFACE "FASTNP_LIBRARY_${target}=\"${library}\"")
  set_target_properties(${target} PROPERTIES FASTNP_LIBRARY "${library}")
endfunction()

# fastnp_cache_bundle(TARGET COMMAND program [argument...] [ISA level...] [DEPENDS target-or-file...])
#
# Has the build run a program and keep what it compiles in a folder, TARGET's property FASTNP_BUNDLE, that is shipped with it: install(DIRECTORY ...).
# Where the program runs, FASTNP_CACHE_BUNDLE names the folder, which has to belong to the user or to root. The program is run once for each level of
# processors (base, v3, v4: FASTNP_ISA), by default for the building machine's; again where one of DEPENDS changed.
function(fastnp_cache_bundle target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;ISA;DEPENDS")
  if(NOT arg_COMMAND)
    message(FATAL_ERROR "fastnp_cache_bundle(${target}): COMMAND is missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fastnp_cache_bundle(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.bundle")
  set(stamp "${folder}.made")
  set(kept "FASTNP_CACHE_DIR=${folder}" "FASTNP_CACHE_BUNDLE=" "FASTNP_CACHE_SIZE=1048576")
  set(commands COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}" COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}")
  if(arg_ISA)
    foreach(level IN LISTS arg_ISA)
      list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E env ${kept} "FASTNP_ISA=${level}" ${arg_COMMAND})
    endforeach()
  else()
    list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E env ${kept} ${arg_COMMAND})
  endif()
  add_custom_command(OUTPUT "${stamp}" ${commands} COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}" DEPENDS ${arg_DEPENDS}
                     COMMENT "Keeping what ${target} compiles" VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${stamp}")
  set_target_properties(${target} PROPERTIES FASTNP_BUNDLE "${folder}")
endfunction()
