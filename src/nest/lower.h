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
    std::vector<ir::Location> lines;  // the user's, of each of the kernel's ops
};

struct Temporary {
    Dtype dtype;
    shape::Dims shape;
};

/// Where what several stages share of an outer point's inner ones may be kept, in scratch rows: costly values in memory, or, on a chip with little of
/// that, also what is loaded, if all of the rows are known to fit.
enum class Scratch : std::uint8_t { none, memory, on_chip };
/// Bytes of all rows of a kernel on a chip.
inline constexpr std::int64_t most_on_chip = 40 * 1024;

/// The kernels of a region, in order: one, or for a split region the blocks' folds and then their results. `stored` says which
/// values must be written to memory. Temporaries are appended.
std::vector<Lowered> lower(const pass::Region& region, const pass::Program& program, shape::Sizes& sizes, const std::function<bool(ir::Value)>& stored,
                           std::vector<Temporary>& temporaries, Scratch scratch = Scratch::memory);

/// The same for a GPU: rows are kept on the chip where a team of threads does an outer point (Grid).
std::vector<Lowered> lower_for_gpu(const pass::Region& region, const pass::Program& program, shape::Sizes& sizes,
                                   const std::function<bool(ir::Value)>& stored, std::vector<Temporary>& temporaries);

/// The values in memory that a region reads.
std::vector<ir::Value> inputs_of(const pass::Region& region, const pass::Program& program, shape::Sizes& sizes);

}  // namespace fastnp::nest
