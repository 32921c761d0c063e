// Regions to loop kernels.
#pragma once

#include <functional>
#include <vector>

#include "nest/kernel.h"
#include "pass/fuse.h"

namespace fastnp::nest {

/// What a kernel's buffer is bound to: a value's memory, or a temporary of the lowering, from `offset` bytes on.
struct Binding {
    ir::Value value = nullptr;
    int temporary = -1;
    std::int64_t offset = 0;
};

struct Lowered {
    Kernel kernel;
    std::vector<Binding> bindings;  // per buffer
};

struct Temporary {
    Dtype dtype;
    shape::Dims shape;
};

/// The kernels of a region, in order: one, or for a split region the blocks' folds and then their results. `stored` says which
/// values must be written to memory. Temporaries are appended. With `keeps_rows`, what several stages share may be kept in scratch rows.
std::vector<Lowered> lower(const pass::Region& region, const pass::Program& program, shape::Sizes& sizes, const std::function<bool(ir::Value)>& stored,
                           std::vector<Temporary>& temporaries, bool keeps_rows = true);

/// The values in memory that a region reads.
std::vector<ir::Value> inputs_of(const pass::Region& region, const pass::Program& program, shape::Sizes& sizes);

}  // namespace fastnp::nest
