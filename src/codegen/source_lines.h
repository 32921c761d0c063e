// The user's functions and lines in generated code: debug information, by which debuggers and profilers name what runs. Off, unless
// FASTNP_DEBUG_INFO or FASTNP_PROFILER asks for it: then code and the keys that it is found by hold nothing of the user's names and files.
#pragma once

#include <optional>
#include <string>

#include "codegen/llvm.h"
#include "codegen/tells_lines.h"
#include "ir/location.h"
#include "ir/program.h"
#include "nest/kernel.h"

namespace fastnp::codegen {

/// What code says besides what it does, as a part of the key that it is found by. Empty where it tells nothing.
std::string told_by(const nest::Kernel& kernel);
std::string told_by(const ir::Program& program);

/// "fastnp_softmax_0" after the user's function; "fastnp_rows_0" after the kind of kernel where nothing is told.
std::string kernel_symbol(const nest::Kernel& kernel, std::size_t number);
/// "fastnp_simulate_line_12" or "fastnp_program".
std::string program_symbol(const ir::Program& program);

/// The line that a function begins with: the first one in the user's order of a kernel's; none if none is told.
ir::Location first_line(const nest::Kernel& kernel);
ir::Location first_line(const ir::Program& program);

/// The debug information of one function.
class SourceLines {
public:
    /// `first`: the line that it begins at, which must be known.
    SourceLines(llvm::Function& function, ir::Location first);
    /// What an instruction of this line carries.
    llvm::DebugLoc at(ir::Location line) const;

private:
    llvm::DISubprogram* scope_;
};

/// As long as it lives, what is written is of a line; where that is not known, of the one so far.
class AtLine {
public:
    AtLine(llvm::IRBuilderBase& ir, const std::optional<SourceLines>& lines, ir::Location line) : ir_(lines && line ? &ir : nullptr) {
        if (ir_ == nullptr) return;
        before_ = ir.getCurrentDebugLocation();
        ir.SetCurrentDebugLocation(lines->at(line));
    }
    ~AtLine() {
        if (ir_ != nullptr) ir_->SetCurrentDebugLocation(before_);
    }
    AtLine(const AtLine&) = delete;
    AtLine& operator=(const AtLine&) = delete;

private:
    llvm::IRBuilderBase* ir_;
    llvm::DebugLoc before_;
};

}  // namespace fastnp::codegen
