// Ops and dtypes as bytes by their names, for what other versions read: numbers change when one is added.
#pragma once

#include "base/bytes.h"
#include "base/for_codegen.h"
#include "ops/catalogue.h"

namespace fastnp::ops {

FASTNP_FOR_CODEGEN void pack(Op op, base::Writer& out);
/// What is none fails the reader.
FASTNP_FOR_CODEGEN Op unpack_op(base::Reader& in);

FASTNP_FOR_CODEGEN void pack(Dtype dtype, base::Writer& out);
/// What is none fails the reader.
FASTNP_FOR_CODEGEN Dtype unpack_dtype(base::Reader& in);

}  // namespace fastnp::ops
