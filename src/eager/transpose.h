#pragma once

#include "eager/eager.h"

namespace fastnp::eager {

/// Copies between two matrices of one dtype of which one lies in C order, the other in Fortran's; false for others, and for small ones.
bool copy_transposed(const View& in, const View& out);

}  // namespace fastnp::eager
