// Everything public.
#pragma once

#include "fastnp/export.h"  // first: it says which C++ is needed

#include "fastnp/array.h"
#include "fastnp/compile.h"
#include "fastnp/device.h"
#include "fastnp/dtype.h"
#include "fastnp/error.h"
#include "fastnp/fft.h"
#include "fastnp/interop.h"
#include "fastnp/item.h"
#include "fastnp/linalg.h"
#include "fastnp/loop.h"
#include "fastnp/numpy_compat.h"
#include "fastnp/ops.h"
#include "fastnp/random.h"
#include "fastnp/ref.h"
#include "fastnp/tape.h"
#include "fastnp/transform.h"
#include "fastnp/version.h"
