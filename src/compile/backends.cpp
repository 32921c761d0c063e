#include "compile/backends.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "fastnp/backends.h"
#include "fastnp/error.h"

namespace fastnp::compiler {

namespace {

using enum BuiltIn::Steps;
using plan::KernelsBy;

// A ladder: each does one thing more than the one before.
constexpr BuiltIn table[] = {
    {"eager", "", false, nodes, KernelsBy::llvm, false, "The ops as recorded, one by one, on precompiled kernels."},
    {"aot_eager", "", true, nodes, KernelsBy::llvm, false,
     "The ops that the passes leave, those of derivatives included, one by one, on precompiled kernels."},
    {"interpreter", "", true, fused_kernels, KernelsBy::interpreter, false, "Fused loop kernels, interpreted: slow, and exact."},
    {"llvm-O0", "", true, fused_kernels, KernelsBy::llvm_without_passes, false, "Fused loop kernels as machine code, without LLVM's passes."},
    {"llvm-nofuse", "", true, single_kernels, KernelsBy::llvm, false, "A loop kernel for each op, as optimised machine code."},
    {"llvm", "inductor", true, fused_kernels, KernelsBy::llvm, true, "Fused loop kernels as optimised machine code: the default."},
};

// What does the rest of a function whose values are computed by a back end of users.
constexpr BuiltIn around_users = {"", "", true, fused_kernels, KernelsBy::llvm, false, "Registered by users."};
constexpr BuiltIn around_recorded = {"", "", false, fused_kernels, KernelsBy::llvm, false, around_users.doc};

const BuiltIn* find(std::string_view name) {
    const auto found = std::ranges::find_if(table, [&](const BuiltIn& each) { return each.name == name || (!each.alias.empty() && each.alias == name); });
    return found == std::end(table) ? nullptr : &*found;
}

struct Registered {
    std::shared_ptr<const Backend> backend;
    bool recorded = false;  // it is given graphs before the passes
};

// Those of users, by name, in the order of their registration.
class Registry {
public:
    void add(const std::string& name, Backend backend, bool recorded) {
        Registered made{std::make_shared<const Backend>(std::move(backend)), recorded};
        const std::scoped_lock lock(mutex_);
        const auto known = std::ranges::find(all_, name, &Named::first);
        if (known != all_.end()) std::swap(known->second, made);  // the one before ends without the lock
        else all_.emplace_back(name, std::move(made));
    }
    void remove(const std::string& name) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(all_, [&](const Named& each) { return each.first == name; });
    }
    Registered find(std::string_view name) const {
        const std::scoped_lock lock(mutex_);
        const auto known = std::ranges::find(all_, name, &Named::first);
        return known == all_.end() ? Registered{} : known->second;
    }
    std::vector<std::string> names() const {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> found;
        for (const Named& each : all_) found.push_back(each.first);
        return found;
    }

private:
    using Named = std::pair<std::string, Registered>;
    mutable base::ForkSafe<std::mutex> mutex_;
    std::vector<Named> all_;
};

Registry& registry() {
    return base::made_once([] { return std::make_unique<Registry>(); });
}

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const BuiltIn& each : table) names.emplace_back(each.name);
    for (std::string& each : registry().names()) names.push_back(std::move(each));
    return names;
}

[[noreturn]] void throw_unknown(std::string_view name) {
    const std::vector<std::string> names = all_names();
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + ("'" + names[i] + "'");
    throw ValueError("unknown backend '" + std::string(name) + "': the backends are " + text);
}

BackendInfo info_of_users(std::string name, bool simplifies) {
    return {std::move(name), {}, simplifies, false, "a user's", std::string(around_users.doc), false};
}

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
    if (const BuiltIn* found = find(name)) return *found;
    if (const Registered found = registry().find(name); found.backend) return found.recorded ? around_recorded : around_users;
    throw_unknown(name);
}

std::string full_name(std::string_view name) {
    const BuiltIn& found = built_in(name);
    return std::string(found.name.empty() ? name : found.name);
}

std::shared_ptr<const Backend> users_backend(std::string_view name) { return find(name) == nullptr ? registry().find(name).backend : nullptr; }

std::string for_one_run(std::string_view name) { return built_in(name).has_programs ? "eager" : full_name(name); }

}  // namespace fastnp::compiler

namespace fastnp {

std::vector<BackendInfo> list_backends() {
    std::vector<BackendInfo> all;
    for (const compiler::BuiltIn& each : compiler::table) all.push_back(compiler::info_of(each));
    for (std::string& each : compiler::registry().names()) {
        const bool simplifies = compiler::built_in(each).simplifies;
        all.push_back(compiler::info_of_users(std::move(each), simplifies));
    }
    return all;
}

BackendInfo backend_info(std::string_view name) {
    const compiler::BuiltIn& found = compiler::built_in(name);
    return compiler::users_backend(name) ? compiler::info_of_users(std::string(name), found.simplifies) : compiler::info_of(found);
}

void register_backend(const std::string& name, Backend backend, bool recorded) {
    if (name.empty()) throw ValueError("register_backend: a backend without a name");
    if (compiler::find(name) != nullptr) throw ValueError("register_backend: '" + name + "' is a backend of fastnp's");
    if (backend) compiler::registry().add(name, std::move(backend), recorded);
    else compiler::registry().remove(name);
}

namespace detail {

bool has_native_loops(std::string_view backend) { return compiler::built_in(backend).has_programs; }

}  // namespace detail
}  // namespace fastnp
