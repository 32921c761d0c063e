// Divisions and square roots of float32 on GPUs, without branches: by the instructions that the assembler itself has for operands of usual size, as long
// as all are. Whether they were is known at the end, for all of a thread's elements at once; where one was not, all are computed again, exactly.
#pragma once

#include <map>

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// Rounded as IEEE 754 says where holds() does; worthless otherwise.
class Speculation {
public:
    explicit Speculation(llvm::IRBuilder<>& ir) : ir_(ir) {}

    llvm::Value* divide(llvm::Value* x, llvm::Value* y);
    llvm::Value* square_root(llvm::Value* x);

    /// Whether all that was assumed is so (i1); null: nothing was.
    llvm::Value* holds() const { return holds_; }

private:
    // 2^least <= |x| < 2^most; `unknown` below: it may be zero or subnormal; above: it may be infinite or NaN.
    struct Range {
        int least, most;
        bool is_positive = false;  // or zero
    };
    static constexpr int unknown = 10000;
    static constexpr int deepest = 12;  // instructions that are looked through

    Range range_of(llvm::Value* x, int depth = 0);
    Range range_of_instruction(llvm::Instruction* x, int depth);
    Range product(const Range& x, const Range& y, bool is_square) const;
    static Range sum(const Range& x, const Range& y);
    Range assume(llvm::Value* x, int least, int most);
    void note(llvm::Value* condition);
    llvm::Value* multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z);
    llvm::Value* inverse(llvm::Value* y);

    llvm::IRBuilder<>& ir_;
    llvm::Value* holds_ = nullptr;
    std::map<llvm::Value*, Range> known_;
};

}  // namespace fastnp::codegen
