// The memory of a program's arrays in generated code: of those that are handed in, and of those that it makes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "codegen/value.h"
#include "ir/program.h"

namespace fastnp::codegen {

class ProgramMemory {
public:
    ProgramMemory(Builder& builder, const ir::Program& program) : b_(builder), program_(program) {}

    /// Where the function begins. `bases`: its arguments' addresses; `blocks`: what memory is taken from.
    void begin(llvm::Value* bases, llvm::Value* blocks);

    llvm::Value* base_of(std::int32_t array);
    /// Where a load or a store goes, and `more` bytes further on. `values`: those of the steps so far.
    llvm::Value* address(const ir::Step& step, std::span<const Value> values, std::int64_t more = 0);
    /// Tells LLVM what an access to an array can't touch.
    void mark(llvm::Instruction* access, std::int32_t array) const;

    /// New memory for an array; whether there was any.
    llvm::Value* allocate(std::int32_t array, llvm::Value* bytes);
    void point(std::int32_t array, std::int32_t other);
    void collect();

private:
    struct Place {
        llvm::Value* offset = nullptr;  // in bytes; null: none
        llvm::Value* index = nullptr;   // in elements; null: none
    };
    Place place_of(std::int32_t offset, std::uint64_t size, std::span<const Value> values) const;
    std::vector<int> classes() const;
    void name_scopes();
    llvm::Value* slot(std::int32_t array) const { return slots_[static_cast<std::size_t>(array - program_.arrays)]; }

    Builder& b_;
    const ir::Program& program_;
    llvm::Value* blocks_ = nullptr;
    std::vector<llvm::Value*> bases_;  // of arrays that are handed in
    std::vector<llvm::Value*> slots_;  // where the others' addresses lie
    llvm::Value* roots_ = nullptr;     // where they are put for `collect`
    llvm::Value* has_new_ = nullptr;   // whether any was made since the last `collect`
    struct Scope {
        llvm::MDNode* own = nullptr;
        llvm::MDNode* others = nullptr;
    };
    std::vector<Scope> scopes_;  // of each array; none where nothing is known
};

}  // namespace fastnp::codegen
