// FASTNP_FOR_CODEGEN marks what the library that makes code (libfastnp_codegen) calls of libfastnp. Nobody else may: it changes with each build.
#pragma once

#include "fastnp/export.h"

#define FASTNP_FOR_CODEGEN FASTNP_API
