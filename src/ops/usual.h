// Functions of float32 whose code for GPUs has cases for rare arguments.
#pragma once

#include "ir/op.h"

namespace fastnp::ops {

/// Such a function, and the arguments that are usual: |x| < 2^most, for some functions normal and positive, too. 2^most_result is above all results for
/// these (0: nothing is known).
struct Usual {
    ir::Op op;
    int most;
    bool is_positive;
    int most_result;
};

#define USUAL(name, most, is_positive, most_result, assume) {ir::Op::name, most, is_positive, most_result},
inline constexpr Usual usual_functions[] = {
#include "ops/usual.def"
};

/// Null for functions without.
inline const Usual* usual_of(ir::Op op) {
    for (const Usual& each : usual_functions) {
        if (each.op == op) return &each;
    }
    return nullptr;
}

}  // namespace fastnp::ops
