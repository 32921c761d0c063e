# One Boost.Test program over tests/cpp/<room>/<file>_test.cpp and what these share, linked with the rooms themselves so that tests see inside.
set(Boost_USE_STATIC_LIBS ${FASTNP_STATIC_RUNTIME})
find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/*.cpp")
if(FASTNP_SANITIZE STREQUAL "thread")
  # What several threads do at once: the pool, locks and forks, the cache and the engine, memory that moves.
  list(FILTER test_sources INCLUDE REGEX "cpp/(main|allocations|selection|(base|device)/.*|(compile/(cache|captured|threads|effects|outside|reads)|transform/loop)_test)\\.cpp")
endif()
if(test_sources)
  # A device that the host plays. It reads LLVM's text, which the library never does.
  llvm_map_components_to_libnames(simulated_libraries AsmParser)
  file(GLOB simulated_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/simulated/*.cpp")
  set(at_the_door "${PROJECT_SOURCE_DIR}/tests/simulated/at_the_door.cpp")
  list(REMOVE_ITEM simulated_sources "${at_the_door}")
  add_library(fastnp_simulated_objects OBJECT ${simulated_sources})
  set(simulated_includes "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(fastnp_simulated_objects PRIVATE ${simulated_includes})
  target_include_directories(fastnp_simulated_objects SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(fastnp_simulated_objects PRIVATE ${llvm_definitions})
  target_link_libraries(fastnp_simulated_objects PRIVATE fastnp_warnings)
  if(FASTNP_SANITIZE)
    # What is called for each access of a simulated kernel, and runs on its threads' stacks: tools of the tests, whose own memory is little.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/simulated/accesses.cpp" "${PROJECT_SOURCE_DIR}/tests/simulated/grid.cpp"
                                "${PROJECT_SOURCE_DIR}/tests/simulated/memory.cpp" PROPERTIES COMPILE_OPTIONS "-O2;-fno-sanitize=all")
  endif()

  add_executable(fastnp_tests ${test_sources} ${FASTNP_OBJECTS} $<TARGET_OBJECTS:fastnp_simulated_objects>)
  target_include_directories(fastnp_tests PRIVATE "${PROJECT_SOURCE_DIR}/tests/cpp" ${simulated_includes})
  target_link_libraries(fastnp_tests PRIVATE ${simulated_libraries} ${FASTNP_PRIVATE_LIBRARIES} fastnp_warnings Boost::unit_test_framework)
  target_include_directories(fastnp_tests SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  # What checks generated code for GPUs; cmake/setup.sh fetches it.
  find_program(FASTNP_PTXAS ptxas HINTS "${FASTNP_NVCC_PACKAGE}/bin" PATHS /usr/local/cuda/bin REQUIRED)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/codegen/ptx.cpp" PROPERTIES COMPILE_DEFINITIONS
                              "FASTNP_PTXAS=\"${FASTNP_PTXAS}\";FASTNP_GPU_REPORT=\"${CMAKE_BINARY_DIR}/gpu_kernels.txt\"")
  # Tests of cuda see its headers as "cuda/...".
  file(GLOB cuda_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/cuda/*.cpp")
  set_source_files_properties(${cuda_tests} PROPERTIES INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(fastnp_tests PRIVATE $<$<NOT:$<BOOL:${FASTNP_STATIC_RUNTIME}>>:BOOST_TEST_DYN_LINK> ${llvm_definitions})
  if(FASTNP_STATIC_RUNTIME)
    target_link_options(fastnp_tests PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  target_precompile_headers(fastnp_tests PRIVATE <boost/test/unit_test.hpp> <functional> <string> <vector>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # xtensor's templates are ambiguous otherwise, and what is precompiled must agree.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/api/interop_test.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
                                "-fno-relaxed-template-template-args;-Wno-deprecated-no-relaxed-template-template-args")
  endif()
  # main.cpp asks unit_test.hpp for a main() before it includes it.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/main.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(FASTNP_SANITIZE)
    target_compile_options(fastnp_tests PRIVATE -O0)  # checks of tests' own code, optimised, are half of the build
    target_compile_definitions(fastnp_tests PRIVATE FASTNP_SANITIZED)
    # What this test compares with is computed by itself, a thousand turns of it.
    set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/plan/turn_tiles_test.cpp" PROPERTIES COMPILE_OPTIONS -O1)
  endif()
  # add_boost_test(NAME SUITES): a part of the tests as a test of ctest's; each case's time goes to boost_<name>.xml.
  function(add_boost_test name suites)
    set(junit "${CMAKE_BINARY_DIR}/boost_${name}.xml")
    add_test(NAME ${name} COMMAND fastnp_tests --report_level=short --logger=HRF,error,stdout:JUNIT,error,${junit} --run_test=${suites})
  endfunction()
  # In parts, which are run side by side.
  if(FASTNP_SANITIZE STREQUAL "thread")
    add_boost_test(cpp_threads "*")
    # (A child of a process of several threads may start some, and has left others behind, which it can't end; tests ask for more memory than there is.)
    set_tests_properties(cpp_threads PROPERTIES ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:halt_on_error=1:detect_deadlocks=0:report_thread_leaks=0:allocator_may_return_null=1")
    return()
  endif()
  # takes_one_in(COUNT NAME...): tests whose first tier takes a part of their cases, another in each run.
  function(takes_one_in count)
    foreach(name ${ARGN})
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT FASTNP_TEST_ONE_IN=${count})
    endforeach()
  endfunction()
  set(of_code compiled_ops,fusion,random_programs)
  set(of_gpus grid,grid_tile,nvptx,library_kernels,device_factors)  # all that ptxas assembles
  add_boost_test(cpp_gpu_code ${of_gpus})
  add_boost_test(cpp_code ${of_code})
  add_boost_test(cpp !${of_code},${of_gpus})
  takes_one_in(3 cpp)
  # (Sanitizers see no generated code.)
  if(FASTNP_SANITIZE)
    takes_one_in(16 cpp_gpu_code cpp_code)
  else()
    takes_one_in(6 cpp_gpu_code cpp_code)
  endif()
  # With the device set to a simulated one. (All that name none pass; loop_tiles, fusion, compiled_ops and picks take minutes. Under the sanitizers those of
  # loops alone.)
  set(on_device loops)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/on_device.txt")
  if(NOT FASTNP_SANITIZE)
    file(STRINGS "${PROJECT_SOURCE_DIR}/tests/cpp/on_device.txt" more_on_device)
    list(JOIN more_on_device "," more_on_device)
    string(APPEND on_device ",${more_on_device}")
  endif()
  add_boost_test(cpp_on_device ${on_device})
  set_tests_properties(cpp_on_device PROPERTIES ENVIRONMENT "FASTNP_TEST_DEVICE=cuda;FASTNP_SIMULATED_DEVICE=1")
  if(FASTNP_SANITIZE)
    # Every second one of the tests, others in each run: under sanitizers they take three times as long.
    set_property(TEST cpp cpp_on_device APPEND PROPERTY ENVIRONMENT FASTNP_TEST_CASES_ONE_IN=2)
  endif()
  # Generated code and eager kernels for lesser machines than this one (not again under the sanitizers, which see no generated code).
  if(NOT FASTNP_SANITIZE)
    foreach(isa scalar base v3)
      add_boost_test(cpp_${isa} compiled_ops,fusion,random_programs)
      set_tests_properties(cpp_${isa} PROPERTIES ENVIRONMENT FASTNP_ISA=${isa})
      takes_one_in(12 cpp_${isa})
    endforeach()
  endif()
endif()

# The library once more, with simulated devices in the place of CUDA's: <build>/simulated/libfastnp.so. A process that loads it first (Python's tests by
# FASTNP_SIMULATED_DEVICE=1; others by LD_PRELOAD) has it in the place of the real one, since the names are the same. It is not installed.
if(test_sources AND NOT FASTNP_SANITIZE)
  set(simulated_objects ${FASTNP_OBJECTS})
  list(REMOVE_ITEM simulated_objects $<TARGET_OBJECTS:fastnp_cuda>)
  add_library(fastnp_simulated SHARED ${simulated_objects} $<TARGET_OBJECTS:fastnp_simulated_objects> "${at_the_door}")
  target_include_directories(fastnp_simulated PRIVATE ${simulated_includes})
  target_link_libraries(fastnp_simulated PRIVATE ${simulated_libraries} ${FASTNP_PRIVATE_LIBRARIES} fastnp_warnings)
  target_link_options(fastnp_simulated PRIVATE ${FASTNP_LINK_OPTIONS})
  set_target_properties(fastnp_simulated PROPERTIES OUTPUT_NAME fastnp LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/simulated")
  get_target_property(version fastnp SOVERSION)
  if(version)
    set_target_properties(fastnp_simulated PROPERTIES SOVERSION ${version})
  endif()
endif()

# Random programs in C++, over the public headers; a selection is a test, with a new seed each time.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/cpp/*.cpp")
add_executable(fastnp_fuzz ${fuzz_sources})
target_link_libraries(fastnp_fuzz PRIVATE fastnp::fastnp fastnp_warnings)
add_test(NAME fuzz COMMAND fastnp_fuzz --programs 600)
add_test(NAME fuzz_long COMMAND fastnp_fuzz --programs 20000)
set_tests_properties(fuzz_long PROPERTIES LABELS long)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME layering COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/layering/check_includes.py")
