// Whether a loop kernel is one that code can be made of.
#pragma once

#include <string_view>

#include "nest/kernel.h"

namespace fastnp::nest {

/// InternalError, which names the kernel, the line and `when` ("after schedule"), unless expressions come after their arguments, which are as many as they
/// take and of their dtypes; and the numbers of axes, buffers, folds, scratch rows and sizes are those of some; folds are read in later stages than
/// theirs, and what is stored to is said to be written.
void verify(const Kernel& kernel, const shape::Sizes& sizes, std::string_view when);

}  // namespace fastnp::nest
