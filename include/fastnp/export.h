// FASTNP_API marks what libfastnp exports; everything else is hidden.
#pragma once

#if __cplusplus < 202002L
#error "fastnp needs C++20: compile with -std=c++20 (CMake: target_compile_features(program PRIVATE cxx_std_20))"
#include "fastnp/needs_cpp20.h"  // which is not there: compilers stop here instead of telling hundreds of errors more
#endif

#if defined(__GNUC__)
#define FASTNP_API __attribute__((visibility("default")))
#else
#define FASTNP_API
#endif
