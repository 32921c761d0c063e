// The loop kernel: one iteration space, expressions over its points, reductions and stores. It says what is computed, with index
// maps down to memory; a Schedule says in which order and how wide. Targets turn both into code.
//
//   for each point of the outer axes:
//       for each stage:
//           for each point of the inner axes: accumulate the stage's folds, do its stores
//       do the outer stores
//
// An elementwise kernel has outer axes and outer stores alone. sum(x, axis=1) has one outer axis, one inner axis, one stage. Softmax is
// three stages over the same inner axis. Column sums have the leading axis as the inner one.
#pragma once

#include <string>
#include <vector>

#include "base/for_codegen.h"
#include "fastnp/dtype.h"
#include "fastnp/scalar.h"
#include "ir/location.h"
#include "ir/op.h"
#include "shape/dim.h"

namespace fastnp::nest {

using ExprId = std::uint32_t;

/// Elements of a buffer at a point: base + offset + sum of index * stride over the kernel's axes, in bytes.
struct Access {
    int buffer = 0;
    shape::Dim offset = 0;
    shape::Dims strides{};         // one per axis; 0: the axis does not move it
    friend bool operator==(const Access&, const Access&) = default;
};

struct Expr {
    enum class Kind : std::uint8_t {
        load,      // an element of a buffer; with an argument, only where that is true (else any element)
        gather,    // an element of a buffer at an index that is computed: see there
        constant,  // scalar
        index,     // offset + step * (the index along an axis), as int64
        extent,    // a size, as int64
        inside,    // whether an index is one of 0 ... extent - 1, as bool
        map,       // op over args (also cast: from args[0]'s dtype to dtype; select)
        fold,      // the result of a fold of an earlier stage
        scratch,   // a value that an earlier stage kept for each inner point
    };
    Kind kind;
    ir::Op op = ir::Op::count;
    Dtype dtype = Dtype::bool_;    // of the result
    Dtype compute = Dtype::bool_;  // maps: the loop's dtype
    SmallVector<ExprId, 3> args{};
    Access access{};               // load, gather
    Scalar scalar{};               // constant
    shape::Dim offset = 0;         // index, inside: offset; extent: the size
    std::int64_t step = 0;         // index, inside
    shape::Dim extent = 0;         // inside
    int number = 0;  // index, inside: the axis; fold: number among the folds; scratch: number among the scratch rows; gather: numpy.take's mode
    // gather: access + args[0] * offset, with the index (int64) brought into 0 ... extent - 1 as its mode says; with a second argument, only where that is
    // true. Devices alone have it.
    friend bool operator==(const Expr&, const Expr&) = default;
};

struct Fold {
    ir::Op combine;
    Dtype dtype;
    ExprId value;
};

struct Store {
    Access access;
    ExprId value;
};

struct Stage {
    std::vector<int> folds;  // numbers among Kernel::folds
    std::vector<Store> stores;  // at each inner point
    std::vector<std::pair<int, ExprId>> keeps;  // scratch row <- value, at each inner point
};

struct Axis {
    shape::Dim extent;
    bool inner = false;
    std::int64_t hint = 0;  // its length for the sizes at hand
};

struct Buffer {
    Dtype dtype;
    bool written = false;
    bool read = false;
    bool aligned = true;  // to 64 bytes; memory of arguments may lie anywhere
    bool checked = false;  // whoever launches it looks whether it begins `past` bytes after a multiple of 16, and takes another kernel if not
    int past = 0;  // bytes past a multiple of 64 at which it begins, if its memory begins at one
    bool by_value = false;  // a single element, which a device's kernel is given itself, in words of 8 bytes, in the place of its address
};

/// Whether it is known to begin at a multiple of 16 bytes, or `past` bytes after one.
inline bool begins_aligned(const Buffer& buffer) { return buffer.aligned || buffer.checked; }

/// Words of 8 bytes that a device's kernel takes for it.
inline std::size_t words_of(const Buffer& buffer) { return buffer.by_value ? (itemsize_of(buffer.dtype) + 7) / 8 : 1; }

struct Kernel {
    std::string name;
    std::vector<Axis> axes;  // outer ones first
    std::vector<Buffer> buffers;
    std::vector<Expr> exprs;  // arguments before users
    std::vector<Fold> folds;
    std::vector<Stage> stages;
    std::vector<Store> outer_stores;
    std::vector<Dtype> scratch;  // rows of one element per inner point, private to a worker
    /// A leading outer axis counts blocks of `block` steps of the first inner axis, whose whole length is `blocked_extent`.
    std::int64_t block = 0;
    shape::Dim blocked_extent = 0;
    shape::Dim inner_points = 1;  // of one outer point
    std::vector<std::string> ops;  // names of what was fused, for explain
    // What the user calls it, and no part of what it does: the function that it is compiled for, and the line of each expression.
    std::string function;
    std::vector<ir::Location> lines;

    FASTNP_FOR_CODEGEN std::size_t outer_count() const;
    /// Has each buffer begin at the first place that is named in it, where that is a constant: kernels over different parts of an array have one code.
    /// Gives how many bytes later each begins.
    std::vector<std::int64_t> rebase();
    ExprId add(Expr expr);  // the equal one if it is there
    /// What was added since the last time, and has no line, is of this one. It does nothing if that is none.
    void note_line(ir::Location line);
    /// None where it is not known.
    ir::Location line_of(ExprId expr) const { return expr < lines.size() ? lines[expr] : ir::Location(); }
    /// That of the expression which is its result.
    FASTNP_FOR_CODEGEN ir::Location line_of_fold(std::size_t fold) const;
};

/// Steps of a jammed axis (see Schedule).
inline constexpr std::int64_t most_jammed = 8;
/// Whether an axis is short enough, a constant number of steps, and a kernel too, that all its steps may be done side by side.
bool fits_side_by_side(const Kernel& kernel, std::size_t axis);

/// How a kernel is run.
struct Schedule {
    int lane = -1;  // the axis along which vectors run; -1: none (a kernel of rank 0)
    int unroll_axis = -1;  // the axis whose steps are put side by side
    int unroll = 1;
    /// An axis of few steps, a constant number, all of which are done side by side: what does not depend on it is computed once for all, and elements
    /// that lie side by side along it are loaded and stored as whole vectors. If it is an outer one, points are not handed out along it.
    int jam_axis = -1;
    int jam = 1;
    bool tiled = false;  // lanes on an outer axis, accumulators kept in memory, `unroll` inner steps per pass
    bool streaming = false;  // stores bypass the cache
    /// Outer points are handed out by number: all outer axes but the lanes' and the jammed one, the unrolled one in groups of `unroll`, and, where lanes
    /// run along an outer axis, its blocks of `lane_block` steps (fastest).
    std::int64_t lane_block = 0;
    shape::Dim lane_blocks = 1;
    shape::Dim parallel = 1;
    std::int64_t cost = 1;  // rough nanoseconds x 16 an unit of `parallel` takes, for the choice of a grain
};

/// Brings the axes into the best order, merges those that every access walks as one, and chooses vectors and unrolling. `read_soon`: what is stored is
/// read again at once (by the next turn of a loop), so that no store bypasses the cache.
Schedule schedule(Kernel& kernel, shape::Sizes& sizes, bool read_soon = false);

/// The outer axes by whose steps units of `parallel` are numbered, slowest first; the lanes' axis counts in blocks, the unrolled one in groups.
FASTNP_FOR_CODEGEN std::vector<std::size_t> unit_axes(const Kernel& kernel, const Schedule& schedule);

/// Axes that an expression's value depends on, as bits; bit 31: on fold results.
FASTNP_FOR_CODEGEN std::vector<std::uint32_t> dependencies(const Kernel& kernel);

/// Whether it is a function that takes many instructions, as the catalogue says.
bool is_costly(const Expr& expr);
inline constexpr std::uint32_t depends_on_folds = 1U << 31;

/// Everything that the kernel's code depends on, as bytes: equal ones have equal code.
FASTNP_FOR_CODEGEN std::string fingerprint(const Kernel& kernel, const Schedule& schedule);

/// The kernel as text.
std::string to_string(const Kernel& kernel, const Schedule& schedule, const shape::Sizes& sizes);

}  // namespace fastnp::nest
