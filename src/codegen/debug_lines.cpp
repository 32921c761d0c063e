#include "codegen/debug_lines.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "fastnp/detail/log.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ObjectFile.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// A module that the process has loaded, and where.
struct Module {
    std::string path;
    std::uintptr_t address = 0;  // that of which its own addresses are counted
};

constexpr std::string_view this_program = "/proc/self/exe";

Module module_of(const dl_phdr_info& info) {
    const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
    return {is_program ? std::string(this_program) : info.dlpi_name, info.dlpi_addr};
}

bool lies_in(std::uintptr_t address, const dl_phdr_info& info) {
    return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum,
                       [&](const auto& part) { return part.p_type == PT_LOAD && address - (info.dlpi_addr + part.p_vaddr) < part.p_memsz; });
}

// The one that an address lies in.
std::optional<Module> module_at(std::uintptr_t address) {
    struct Search {
        std::uintptr_t address;
        std::optional<Module> found;
    } search{address, std::nullopt};
    const auto look = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        Search& asked = *static_cast<Search*>(data);
        if (lies_in(asked.address, *info)) asked.found = module_of(*info);
        return asked.found ? 1 : 0;
    };
    dl_iterate_phdr(look, &search);
    return search.found;
}

bool has_lines(const std::string& path) {
    auto file = llvm::object::ObjectFile::createObjectFile(path);
    if (!file) return llvm::consumeError(file.takeError()), false;
    return llvm::any_of(file->getBinary()->sections(), [](const llvm::object::SectionRef& section) {
        auto name = section.getName();
        if (!name) return llvm::consumeError(name.takeError()), false;
        return *name == ".debug_line";
    });
}

// In namespace fastnp or std, by its symbol. ("_ZNK6fastnp5arraymlERKS0_")
bool is_library(std::string_view symbol) {
    if (!symbol.starts_with("_Z")) return false;
    symbol.remove_prefix(2);
    if (symbol.starts_with("N")) symbol.remove_prefix(1);
    while (symbol.starts_with("K") || symbol.starts_with("V") || symbol.starts_with("R") || symbol.starts_with("O")) symbol.remove_prefix(1);
    return symbol.starts_with("6fastnp") || symbol.starts_with("St");
}

llvm::symbolize::LLVMSymbolizer& symbolizer() {  // used under the lock of who asks for lines
    static llvm::symbolize::LLVMSymbolizer made([] {
        llvm::symbolize::LLVMSymbolizer::Options options;
        options.Demangle = false;
        return options;
    }());
    return made;
}

// The functions that an address is in, the innermost of those that were inlined first.
std::vector<llvm::DILineInfo> frames_of(std::uintptr_t address) {
    std::vector<llvm::DILineInfo> frames;
    const std::optional<Module> module = module_at(address);
    if (!module) return frames;
    auto found = symbolizer().symbolizeInlinedCode(module->path, {address - module->address, llvm::object::SectionedAddress::UndefSection});
    if (!found) return llvm::consumeError(found.takeError()), frames;
    for (std::uint32_t i = 0; i < found->getNumberOfFrames(); ++i) frames.push_back(found->getFrame(i));
    return frames;
}

std::string plain_path(const llvm::DILineInfo& frame) {
    return frame.FileName == llvm::DILineInfo::BadString ? "" : std::filesystem::path(frame.FileName).lexically_normal().string();
}

// Whether this library is a part of the program, with debug information, as in tests.
bool is_part_of_program() {
    return base::made_once([] {
        const std::vector<llvm::DILineInfo> frames = frames_of(reinterpret_cast<std::uintptr_t>(&debug_line));
        return std::make_unique<const bool>(!frames.empty() && plain_path(frames.back()).ends_with("src/codegen/debug_lines.cpp"));
    });
}

// By where its file is: with few debug information functions that were inlined have no symbol. (The folder of the sources says nothing: objects of a
// compiler's cache tell of the folder that they were made in.)
bool is_librarys_file(const std::string& path) {
    if (path.find("/include/fastnp/") != std::string::npos || path.find("/include/c++/") != std::string::npos) return true;
    return is_part_of_program() && (path.find("/src/") != std::string::npos || path.find("/numpy_compat/") != std::string::npos);
}

// What it is called in its scope; of a lambda the function around it.
std::string name_of(std::string symbol) {
    symbol.resize(std::min(symbol.find('.'), symbol.size()));  // ".constprop.0" and the like: the compiler's variants of it
    llvm::ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction()) return symbol;
    const auto taken = [](char* text) {
        std::string result = text == nullptr ? "" : text;
        std::free(text);  // NOLINT: the demangler's
        return result;
    };
    std::string name = taken(demangler.getFunctionBaseName(nullptr, nullptr));
    if (name != "operator()") return name;
    const std::string around = taken(demangler.getFunctionDeclContextName(nullptr, nullptr));
    const std::size_t end = std::min({around.find("::'lambda"), around.find("::{lambda"), around.find("::$_")});
    if (end == std::string::npos) return name;
    const std::string_view scope = std::string_view(around).substr(0, std::min(end, around.find('(')));
    const std::size_t last = scope.rfind("::");
    return std::string(last == std::string_view::npos ? scope : scope.substr(last + 2));
}

}  // namespace

bool has_debug_lines() {
    return base::made_once([] {
        bool is_any = false;
        const auto look = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
            const Module module = module_of(*info);
            const bool is_own = module.path != this_program && (lies_in(reinterpret_cast<std::uintptr_t>(&has_debug_lines), *info) ||
                                                                lies_in(reinterpret_cast<std::uintptr_t>(&detail::log_channels), *info));
            const bool is_systems = module.path.starts_with("/lib") || module.path.starts_with("/usr/lib");  // a millisecond for all of these
            *static_cast<bool*>(data) = !is_own && !is_systems && has_lines(module.path);
            return *static_cast<bool*>(data) ? 1 : 0;
        };
        dl_iterate_phdr(look, &is_any);
        return std::make_unique<bool>(is_any);
    });
}

ir::Line debug_line(ir::Calls calls) {
    for (const std::uintptr_t call : calls) {
        for (const llvm::DILineInfo& frame : frames_of(call)) {
            const std::string path = plain_path(frame);
            if (is_library(frame.FunctionName) || is_librarys_file(path)) continue;
            if (path.empty() || frame.Line == 0) return {};
            return {path, static_cast<int>(frame.Line), name_of(frame.FunctionName)};
        }
    }
    return {};
}

}  // namespace fastnp::codegen
