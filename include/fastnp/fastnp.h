// Everything public.
/// \namespace fastnp
/// Arrays, functions over them, and the compiler.
/// \namespace fastnp::dist
/// Programs of several ranks, and the collectives between them.
/// \namespace fastnp::fft
/// numpy.fft: discrete Fourier transforms.
/// \namespace fastnp::linalg
/// numpy.linalg: linear algebra over stacks of matrices.
/// \namespace fastnp::random
/// numpy.random: numbers of a Generator.
//
/// \defgroup arrays Arrays
/// \defgroup indexing Subscripts
/// \defgroup dtypes Dtypes and numbers
/// \defgroup making Making arrays
/// \defgroup elementwise Elementwise functions
/// \defgroup operators Operators
/// \defgroup reductions Reductions and scans
/// \defgroup rearranging Rearranging
/// \defgroup picking Picking and putting elements
/// \defgroup sorting Sorting, searching, sets
/// \defgroup products Products
/// \defgroup linalg Linear algebra
/// \defgroup fft Fourier transforms
/// \defgroup random Random numbers
/// \defgroup compile Compiling
/// \defgroup transforms Derivatives and batching
/// \defgroup loops Loops and branches
/// \defgroup tape The tape
/// \defgroup devices Devices
/// \defgroup dist Several ranks
/// \defgroup interop Sharing memory
/// \defgroup errors Errors
#pragma once

#include "fastnp/export.h"  // first: it says which C++ is needed

#include "fastnp/array.h"
#include "fastnp/backends.h"
#include "fastnp/compile.h"
#include "fastnp/device.h"
#include "fastnp/dist.h"
#include "fastnp/dtype.h"
#include "fastnp/error.h"
#include "fastnp/explain.h"
#include "fastnp/exported.h"
#include "fastnp/fft.h"
#include "fastnp/interop.h"
#include "fastnp/item.h"
#include "fastnp/linalg.h"
#include "fastnp/logs.h"
#include "fastnp/loop.h"
#include "fastnp/numpy_compat.h"
#include "fastnp/ops.h"
#include "fastnp/random.h"
#include "fastnp/ref.h"
#include "fastnp/tape.h"
#include "fastnp/transform.h"
#include "fastnp/ufunc.h"
#include "fastnp/version.h"
