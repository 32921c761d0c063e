# One Boost.Test program over tests/cpp/<room>/<file>_test.cpp and what these share, linked with the rooms themselves so that tests see inside.
find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/*.cpp")
if(test_sources)
  add_executable(fastnp_tests ${test_sources} ${FASTNP_OBJECTS})
  target_include_directories(fastnp_tests PRIVATE "${PROJECT_SOURCE_DIR}/tests/cpp" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(fastnp_tests PRIVATE ${FASTNP_PRIVATE_LIBRARIES} fastnp_warnings Boost::unit_test_framework)
  target_include_directories(fastnp_tests SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  # What checks generated code for GPUs; cmake/setup.sh fetches it.
  find_program(FASTNP_PTXAS ptxas HINTS "${PROJECT_SOURCE_DIR}/build/venv/cuda" PATHS /usr/local/cuda/bin REQUIRED)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/codegen/ptx.cpp" PROPERTIES COMPILE_DEFINITIONS
                              "FASTNP_PTXAS=\"${FASTNP_PTXAS}\";FASTNP_GPU_REPORT=\"${CMAKE_BINARY_DIR}/gpu_kernels.txt\"")
  target_compile_definitions(fastnp_tests PRIVATE BOOST_TEST_DYN_LINK ${llvm_definitions})
  target_precompile_headers(fastnp_tests PRIVATE <boost/test/unit_test.hpp> <functional> <string> <vector>)
  # main.cpp asks unit_test.hpp for a main() before it includes it.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cpp/main.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_test(NAME cpp COMMAND fastnp_tests --report_level=short)
  # Generated code and eager kernels for lesser machines than this one (not again under the sanitizers, which see no generated code).
  if(NOT FASTNP_SANITIZE)
    foreach(isa scalar base v3)
      add_test(NAME cpp_${isa} COMMAND fastnp_tests --report_level=short --run_test=compiled_ops,fusion,random_programs)
      set_tests_properties(cpp_${isa} PROPERTIES ENVIRONMENT FASTNP_ISA=${isa})
    endforeach()
  endif()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME layering COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/layering/check_includes.py")
