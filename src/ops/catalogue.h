// The op catalogue as data: every row of include/fastnp/ops/*.def, looked up by id or by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/for_codegen.h"
#include "fastnp/dtype.h"
#include "ir/op.h"

namespace fastnp::ir {
struct Attributes;
struct Node;
}  // namespace fastnp::ir

namespace fastnp::ops {

using ir::Op;

enum class Kind : std::uint8_t { map, fold, argfold, scan, make, move, pick, contract, library, note, collective };

enum Trait : std::uint8_t { none = 0, commutative = 1, associative = 2, idempotent = 4, costly = 8 };

/// What comes out of a map's loop, given the dtype it computes in.
enum class Output : std::uint8_t { same, boolean, real_part, complex, uint8, int32 };

/// The loops of a map op: type characters in NumPy's search order.
struct Rule {
    std::string_view name;
    std::string_view loops;
    Output output = Output::same;
    bool integers_as_float64 = false;  // numpy.divide
    bool integer_second = false;       // numpy.ldexp: the second operand is int32
};

struct Info {
    Op op;
    std::string_view name;
    Kind kind;
    std::int8_t operands;  // -1: a list
    std::uint8_t traits = none;
    const Rule* rule = nullptr;       // maps
    Op combine = Op::count;           // folds, scans
    std::string_view dtype_rule = {}; // folds, scans: sum_dtype, same_dtype, bool_dtype
    std::optional<int> identity = {}; // folds
    std::string_view meaning = {};
    std::string_view doc = {};
};

FASTNP_FOR_CODEGEN const Info& info(Op op);
/// What joins elements in a fold or a scan.
Op joined_by(Op op, const ir::Attributes& attributes);
/// The fold that joins elements of a dtype by an op, if there is one.
std::optional<Op> fold_by(Op combine, Dtype dtype);
/// Whether an op gives the same, but for rounding, whichever of several operands are joined first.
bool is_associative(Op op);
/// What changes nothing where elements are joined by an op; nothing where there is no such number, or none of all dtypes (extremes).
std::optional<double> neutral_of(Op joins);
FASTNP_FOR_CODEGEN std::optional<Op> find(std::string_view name);

/// Whether computing the node may raise an error that depends on values: integers to negative integer powers, indices out of bounds, matrices that
/// have no such factors.
bool may_raise(const ir::Node& node);
/// Whether the op tells of no floating-point error in NumPy (fastnp/detail/quiet.h).
bool is_quiet(Op op);
/// Whether what the node computes may have floating-point errors, division of integers by zero among them.
bool may_have_float_errors(const ir::Node& node);
/// Whether a plan looks at the value at this node, and may go no further.
bool is_read(Op op);
/// Whether it is a Fourier transform, which is linear.
inline bool is_fourier(Op op) { return op == Op::fft || op == Op::rfft || op == Op::irfft; }
/// Whether a node is computed whether needed or not: it writes, it is a read, or it may raise an error.
bool is_effect(const ir::Node& node);

/// Whether it is one of the Fourier transforms over the last axis.
bool is_fft(Op op);

/// Whether the op's result lies in memory as its operands do (NumPy's order "K"); others are in C order.
bool keeps_order(Op op);

}  // namespace fastnp::ops
