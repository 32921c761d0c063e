// Elementwise algebra as rows: a value that is one of its operands, whatever the elements of the others.
#pragma once

#include <span>
#include <string_view>

#include "ir/graph.h"

namespace fastnp::pass {

/// `op` with what `holds` says of its operands is operand number `kept`, to the bit: zeros of both signs, infinities, NaN and extremes of every dtype.
/// Both have one dtype, or the row does not apply.
struct Rewrite {
    std::string_view text;
    ir::Op op;
    std::size_t kept;
    bool (*holds)(const ir::Node& value);
};

std::span<const Rewrite> rewrites();

/// The operand that an elementwise value is, by the first row that applies; null where none does.
ir::Value rewritten(const ir::Node& value);

}  // namespace fastnp::pass
