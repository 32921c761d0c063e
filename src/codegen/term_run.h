// LLVM IR run on terms: control and addresses are numbers, elements are terms over the elements that memory held before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/external.h"
#include "codegen/llvm.h"
#include "codegen/term_memory.h"

namespace llvm {
class IntrinsicInst;
}

namespace fastnp::codegen {

class TermRun {
public:
    /// `externals`: the functions outside of the module that it calls, by name.
    TermRun(const llvm::Function& function, const std::map<std::string, External>& externals, Terms& terms, TermMemory& memory);

    /// Runs the function, at most `most_steps` instructions; Unproved where control or an address depends on an element, and of what is not known here.
    /// Gives how many they were.
    std::uint64_t run(std::span<const std::uint64_t> arguments, std::uint64_t most_steps);

private:
    using Lanes = llvm::SmallVector<Term, 8>;
    struct Step {
        const llvm::Instruction* instruction;
        int result;
        llvm::SmallVector<int, 4> operands;
        // Of an address: bytes to be added, and numbers with their factors.
        std::int64_t offset = 0;
        llvm::SmallVector<std::pair<int, std::int64_t>, 2> scaled{};
    };
    struct Block {
        std::vector<Step> phis, steps;
    };

    // The function as lists of steps.
    int slot_of(const llvm::Value* value);
    Step step_of(const llvm::Instruction& instruction);
    void read_address(const llvm::GetElementPtrInst& instruction, Step& step);
    Lanes lanes_of(const llvm::Constant& constant);
    Lanes lanes_of_sequence(const llvm::Constant& constant, unsigned count);
    static TermType type_of(const llvm::Type* type);

    // A step.
    const llvm::BasicBlock* run_block(const llvm::BasicBlock* block, const llvm::BasicBlock* before);
    void enter(const Block& block, const llvm::BasicBlock* before);
    const llvm::BasicBlock* leave(const Step& step);
    Lanes compute(const Step& step);
    const Lanes& operand(const Step& step, unsigned number) const { return slots_[static_cast<std::size_t>(step.operands[number])]; }
    Term lane(const Lanes& lanes, std::size_t number) const { return lanes.size() == 1 ? lanes[0] : lanes[number]; }
    std::uint64_t known(Term term, const char* what) const;
    Lanes map(const Step& step, TermOp op, bool swapped = false);
    Lanes negated(Lanes lanes);
    Lanes compare_integers(const Step& step);
    Lanes compare_floats(const Step& step);
    Lanes address(const Step& step);
    Lanes choose(const Step& step);
    Lanes shuffle(const Step& step);
    Lanes load(const Step& step);
    void store(const Step& step);

    // Calls (term_calls.cpp).
    Lanes call(const Step& step);
    Lanes intrinsic(const Step& step, const llvm::IntrinsicInst& call);
    Lanes masked_load(const Step& step, bool gathers);
    void masked_store(const Step& step, bool scatters);
    Lanes reduce(const Step& step, TermOp op);
    Lanes vector_function(const Step& step, const External& external);
    void span_function(const Step& step, const External& external);

    const std::map<std::string, External>& externals_;
    Terms& terms_;
    TermMemory& memory_;
    const llvm::Function& function_;
    const llvm::DataLayout& layout_;
    std::map<const llvm::Value*, int> numbers_;
    std::vector<Lanes> slots_;
    std::map<const llvm::BasicBlock*, Block> blocks_;
    std::uint64_t steps_left_ = 0;
};

}  // namespace fastnp::codegen
