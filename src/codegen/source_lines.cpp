#include "codegen/source_lines.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "codegen/profilers.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/TargetParser/Triple.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

constexpr unsigned dwarf_version = 4;  // which all debuggers and profilers of today read

bool is_asked_for() {
    const char* set = std::getenv("FASTNP_DEBUG_INFO");  // NOLINT: nothing here changes the environment
    return set != nullptr && *set != '\0' && std::string_view(set) != "0";
}

std::atomic<bool>& told() {
    static std::atomic<bool> now{is_asked_for() || has_profilers()};
    return now;
}

std::vector<ir::Location> lines_of(const ir::Program& program) {
    std::vector<ir::Location> lines;
    for (const ir::Step& step : program.steps) lines.push_back(step.where);
    return lines;
}

// A line after the other, those in a row that are the same once.
std::string text_of(const std::vector<ir::Location>& lines) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0 && lines[i] == lines[i - 1]) text += '=';
        else text += ir::text_of(lines[i]) + '\n';
    }
    return text;
}

// The least line of the function that most of the lines are of.
ir::Location first_of(const std::vector<ir::Location>& lines, std::string_view function) {
    ir::Location first;
    bool is_own = false;
    for (const ir::Location each : lines) {
        if (!each) continue;
        const ir::Line& line = ir::line_of(each);
        const bool is_function = line.function == function;
        const bool is_before = first && is_own == is_function && line.file == ir::line_of(first).file && line.number < ir::line_of(first).number;
        if (!first || is_before || (is_function && !is_own)) {
            first = each;
            is_own = is_function;
        }
    }
    return first;
}

// What is left of a name in a symbol: "<lambda>" is "lambda".
std::string in_symbol(std::string_view name) {
    std::string text;
    for (const char each : name) {
        if (std::isalnum(static_cast<unsigned char>(each)) != 0) text += each;
        else if (!text.empty() && text.back() != '_') text += '_';
    }
    while (!text.empty() && text.back() == '_') text.pop_back();
    return text;
}

llvm::DIFile* file_of(llvm::DIBuilder& builder, const std::string& name) {
    const std::filesystem::path path(name);
    return builder.createFile(path.filename().string(), path.parent_path().string());
}

// A module has one. On GPUs lines are directives among the instructions, as compilers write them for `-lineinfo`.
llvm::DICompileUnit* unit_of(llvm::Module& module, const std::string& file) {
    for (llvm::DICompileUnit* unit : module.debug_compile_units()) return unit;
    const bool is_device = llvm::Triple(module.getTargetTriple()).isNVPTX();
    llvm::DIBuilder builder(module);
    const auto kind = is_device ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::LineTablesOnly;
    llvm::DICompileUnit* unit = builder.createCompileUnit(llvm::dwarf::DW_LANG_C, file_of(builder, file), "fastnp", true, "", 0, "", kind);
    builder.finalize();
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Max, "Dwarf Version", dwarf_version);
    return unit;
}

}  // namespace

bool tells_lines() { return told().load(std::memory_order_relaxed); }
bool tell_lines(bool now) { return told().exchange(now, std::memory_order_relaxed); }

std::string told_by(const nest::Kernel& kernel) { return tells_lines() ? "told as " + kernel.function + "\n" + text_of(kernel.lines) : std::string(); }

std::string told_by(const ir::Program& program) { return tells_lines() ? "told as\n" + text_of(lines_of(program)) : std::string(); }

ir::Location first_line(const nest::Kernel& kernel) { return tells_lines() ? first_of(kernel.lines, kernel.function) : ir::Location(); }

ir::Location first_line(const ir::Program& program) {
    if (!tells_lines()) return {};
    const std::vector<ir::Location> lines = lines_of(program);
    const auto known = std::ranges::find_if(lines, [](ir::Location line) { return static_cast<bool>(line); });
    return known == lines.end() ? ir::Location() : first_of(lines, ir::line_of(*known).function);
}

std::string kernel_symbol(const nest::Kernel& kernel, std::size_t number) {
    std::string name;
    if (tells_lines()) name = in_symbol(kernel.function.empty() ? ir::line_of(first_line(kernel)).function : kernel.function);
    return "fastnp_" + (name.empty() ? kernel.name : name) + "_" + std::to_string(number);
}

std::string program_symbol(const ir::Program& program) {
    const ir::Location first = first_line(program);
    if (!first) return "fastnp_program";
    const ir::Line& line = ir::line_of(first);
    return "fastnp_" + in_symbol(line.function) + "_line_" + std::to_string(line.number);
}

SourceLines::SourceLines(llvm::Function& function, ir::Location first) {
    llvm::Module& module = *function.getParent();
    const ir::Line& line = ir::line_of(first);
    llvm::DICompileUnit* unit = unit_of(module, line.file);
    llvm::DIBuilder builder(module, true, unit);
    llvm::DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    const auto number = static_cast<unsigned>(line.number);
    scope_ = builder.createFunction(unit, function.getName(), {}, file_of(builder, line.file), number, type, number, llvm::DINode::FlagZero,
                                    llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
    function.setSubprogram(scope_);
    builder.finalizeSubprogram(scope_);
    builder.finalize();
}

llvm::DebugLoc SourceLines::at(ir::Location line) const {
    const ir::Line& told = ir::line_of(line);
    llvm::DIScope* scope = scope_;
    const std::filesystem::path path(told.file);
    if (path.filename().string() != scope_->getFilename() || path.parent_path().string() != scope_->getDirectory()) {
        auto* file = llvm::DIFile::get(scope_->getContext(), path.filename().string(), path.parent_path().string());
        scope = llvm::DILexicalBlockFile::get(scope_->getContext(), scope_, file, 0);
    }
    return llvm::DILocation::get(scope_->getContext(), static_cast<unsigned>(told.number), 0, scope);
}

}  // namespace fastnp::codegen
