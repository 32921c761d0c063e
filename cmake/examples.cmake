# Every examples/*.cpp is a program that also runs as a test.
file(GLOB example_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/examples/*.cpp")
foreach(source IN LISTS example_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(example_${name} "${source}")
  target_link_libraries(example_${name} PRIVATE fastnp::fastnp fastnp_warnings)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/examples" OUTPUT_NAME ${name})
  if(FASTNP_BUILD_TESTS)
    add_test(NAME example_${name} COMMAND example_${name})
  endif()
endforeach()

# What benchmarks/gradients.py runs beside JAX.
add_executable(benchmark_loop "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/loop.cpp")
target_link_libraries(benchmark_loop PRIVATE fastnp::fastnp fastnp_warnings)
set_target_properties(benchmark_loop PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/benchmarks" OUTPUT_NAME loop)
if(FASTNP_BUILD_TESTS)
  add_test(NAME benchmark_loop COMMAND benchmark_loop 64 30 1)
endif()
