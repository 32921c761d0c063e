// Functions of float32 on GPUs that have cases for rare operands, without these: divisions and square roots by the instructions that the assembler itself
// has for operands of usual size, logarithms and sines as they are for usual arguments (usual.def). Whether all were usual is known at the end, for all of
// a thread's elements at once; where one was not, all are computed again, exactly.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "codegen/llvm.h"
#include "ops/usual.h"

namespace fastnp::codegen {

/// Where what was assumed is so, results are those of the exact instructions and of the whole functions, to the bit; worthless otherwise.
class Speculation {
public:
    explicit Speculation(llvm::IRBuilder<>& ir) : ir_(ir) {}

    llvm::Value* divide(llvm::Value* x, llvm::Value* y);
    llvm::Value* square_root(llvm::Value* x);
    /// What a function gives for its usual arguments: `call` writes the call of its code for these.
    llvm::Value* usual(const ops::Usual& function, llvm::Value* x, llvm::function_ref<llvm::Value*()> call);

    bool has_assumptions() const { return !assumed_.empty(); }
    /// Whether some of them may also be wrong because numerators are +0, whose quotients are right all the same.
    bool has_quotients_of_zero() const;
    enum class Zeros : std::uint8_t { unusual, fine };
    /// Writes, at the end, whether all that was assumed is so (i1), but for such quotients if they are fine.
    llvm::Value* holds(Zeros zeros);

private:
    // 2^least <= |x| < 2^most; `unknown` below: it may be zero or subnormal; above: it may be infinite or NaN.
    struct Range {
        int least, most;
        bool is_positive = false;  // or zero
        friend bool operator==(const Range&, const Range&) = default;
    };
    struct Known {
        Range range;  // with what is assumed of it
        Range proven;  // without
        llvm::Value* numerator = nullptr;  // of a quotient that may be zero; null: it may not
    };
    static constexpr int unknown = 10000;
    static constexpr int deepest = 12;  // instructions that are looked through

    Range range_of(llvm::Value* x, int depth = 0);
    Range range_of_instruction(llvm::Instruction* x, int depth);
    Range product(const Range& x, const Range& y, bool is_square) const;
    static Range sum(const Range& x, const Range& y);
    Range assume(llvm::Value* x, const Range& range);
    void know(llvm::Value* x, const Range& range) { known_.insert_or_assign(x, Known{range, range}); }
    llvm::Value* holds(llvm::Value* x, const Known& known);
    llvm::Value* multiply_add(llvm::Value* x, llvm::Value* y, llvm::Value* z);
    llvm::Value* inverse(llvm::Value* y);

    llvm::IRBuilder<>& ir_;
    std::vector<llvm::Value*> assumed_;  // of which something is, in order
    std::map<llvm::Value*, Known> known_;
};

}  // namespace fastnp::codegen
