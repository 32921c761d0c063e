// Whether two terms are equal for all numbers, asked of an SMT solver: Z3, which is loaded when it is first needed, and not there on every machine.
#pragma once

#include <memory>

#include "codegen/terms.h"

namespace fastnp::codegen {

class Solver {
public:
    enum class Answer : std::uint8_t { equal, different, unknown };

    /// Null where libz3 is missing.
    static std::unique_ptr<Solver> make();
    virtual ~Solver() = default;

    /// Floating-point operations are uninterpreted functions, but for signs; integers are bit vectors.
    virtual Answer compare(const Terms& terms, Term x, Term y) = 0;
};

}  // namespace fastnp::codegen
