#include "compile/backends.h"

#include <algorithm>
#include <string>

#include "fastnp/backends.h"
#include "fastnp/error.h"

namespace fastnp::compiler {

namespace {

using enum BuiltIn::Steps;
using plan::KernelsBy;

// A ladder: each does one thing more than the one before.
constexpr BuiltIn table[] = {
    {"eager", "", false, nodes, KernelsBy::llvm, "The ops as recorded, one by one, on precompiled kernels."},
    {"aot_eager", "", true, nodes, KernelsBy::llvm, "The ops that the passes leave, those of derivatives included, one by one, on precompiled kernels."},
    {"interpreter", "", true, fused_kernels, KernelsBy::interpreter, "Fused loop kernels, interpreted: slow, and exact."},
    {"llvm-O0", "", true, fused_kernels, KernelsBy::llvm_without_passes, "Fused loop kernels as machine code, without LLVM's passes."},
    {"llvm-nofuse", "", true, single_kernels, KernelsBy::llvm, "A loop kernel for each op, as optimised machine code."},
    {"llvm", "inductor", true, fused_kernels, KernelsBy::llvm, "Fused loop kernels as optimised machine code: the default."},
};

std::string_view kernels_of(const BuiltIn& backend) {
    if (!backend.has_kernels()) return "precompiled";
    switch (backend.kernels_by) {
        case KernelsBy::interpreter: return "interpreted";
        case KernelsBy::llvm_without_passes: return "LLVM without passes";
        case KernelsBy::llvm: break;
    }
    return "LLVM";
}

BackendInfo info_of(const BuiltIn& backend) {
    BackendInfo info{std::string(backend.name), {}, backend.simplifies, backend.fuses(), std::string(kernels_of(backend)), std::string(backend.doc)};
    if (!backend.alias.empty()) info.aliases.emplace_back(backend.alias);
    return info;
}

}  // namespace

const BuiltIn& built_in(std::string_view name) {
    const auto found = std::ranges::find_if(table, [&](const BuiltIn& each) { return each.name == name || (!each.alias.empty() && each.alias == name); });
    if (found != std::end(table)) return *found;
    std::string names;
    for (const BuiltIn& each : table) {
        if (!names.empty()) names += &each == std::end(table) - 1 ? " and " : ", ";
        names += "'" + std::string(each.name) + "'";
    }
    throw ValueError("unknown backend '" + std::string(name) + "': the backends are " + names);
}

const BuiltIn& for_one_run(const BuiltIn& backend) { return backend.has_programs() ? built_in("eager") : backend; }

}  // namespace fastnp::compiler

namespace fastnp {

std::vector<BackendInfo> list_backends() {
    std::vector<BackendInfo> all;
    for (const compiler::BuiltIn& each : compiler::table) all.push_back(compiler::info_of(each));
    return all;
}

BackendInfo backend_info(std::string_view name) { return compiler::info_of(compiler::built_in(name)); }

namespace detail {

bool has_native_loops(std::string_view backend) { return compiler::built_in(backend).has_programs(); }

}  // namespace detail
}  // namespace fastnp
