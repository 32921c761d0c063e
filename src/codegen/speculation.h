// Functions of float32 on GPUs that have cases for rare operands, without these: divisions and square roots by the instructions that the assembler itself
// has for operands of usual size, logarithms and sines as they are for usual arguments (usual.def). Whether all were usual is known at the end, for all of
// a thread's elements at once; where one was not, all are computed again, exactly.
#pragma once

#include <map>
#include <vector>

#include "codegen/llvm.h"
#include "codegen/usual.h"

namespace fastnp::codegen {

/// Where what was assumed is so, results are those of the exact instructions and of the whole functions, to the bit; worthless otherwise.
class Speculation {
public:
    explicit Speculation(llvm::IRBuilder<>& ir) : ir_(ir) {}

    llvm::Value* divide(llvm::Value* x, llvm::Value* y);
    llvm::Value* square_root(llvm::Value* x);
    /// What a function gives for its usual arguments: `call` writes the call of its code for these.
    llvm::Value* usual(const Usual& function, llvm::Value* x, llvm::function_ref<llvm::Value*()> call);

    /// Writes, once and at the end, whether all that was assumed is so (i1); null: nothing was.
    llvm::Value* holds();
    /// Whether some of it may also be wrong because numerators are +0, whose quotients are right all the same; writes whether all is so but for these, for
    /// where the rest is not: such numbers are frequent where they occur.
    bool has_quotients_of_zero() const;
    llvm::Value* holds_but_for_zeros();

private:
    // 2^least <= |x| < 2^most; `unknown` below: it may be zero or subnormal; above: it may be infinite or NaN.
    struct Range {
        int least, most;
        bool is_positive = false;  // or zero
    };
    struct Assumption {
        llvm::Value* value;
        Range proven;  // without it
        llvm::Value* numerator = nullptr;  // of a quotient that may be zero; null: it may not
    };
    static constexpr int unknown = 10000;
    static constexpr int deepest = 12;  // instructions that are looked through

    Range range_of(llvm::Value* x, int depth = 0);
    Range range_of_instruction(llvm::Instruction* x, int depth);
    Range product(const Range& x, const Range& y, bool is_square) const;
    static Range sum(const Range& x, const Range& y);
    Range assume(llvm::Value* x, const Range& range);
    llvm::Value* holds(const Assumption& assumption);
    llvm::Value* multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z);
    llvm::Value* inverse(llvm::Value* y);

    llvm::IRBuilder<>& ir_;
    std::vector<Assumption> assumptions_;  // of each value one
    std::map<llvm::Value*, Range> known_;
};

}  // namespace fastnp::codegen
