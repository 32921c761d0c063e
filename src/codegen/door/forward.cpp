// This room as libfastnp has it: without LLVM. What is called for the first time loads libfastnp_codegen, from the folder that this library lies in.
#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/fork.h"
#include "codegen/door.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw InternalError("compiling needs " FASTNP_CODEGEN_LIBRARY ", which belongs beside " FASTNP_LIBRARY ": " + why);
}

std::string beside_this_one() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&beside_this_one), &info) == 0 || info.dli_fname == nullptr) return FASTNP_CODEGEN_LIBRARY;
    std::error_code ignored;
    return (std::filesystem::absolute(info.dli_fname, ignored).parent_path() / FASTNP_CODEGEN_LIBRARY).string();
}

// As it is when this library is loaded: paths may be relative to a folder that the process leaves.
const std::string codegen_library = beside_this_one();

std::unique_ptr<const Door> opened() {
    void* const library = dlopen(codegen_library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        const std::string why = dlerror();
        if (why.find("failed to map segment") != std::string::npos) throw MemoryError("there is no memory for " FASTNP_CODEGEN_LIBRARY);
        refuse(why);
    }
    const auto door = reinterpret_cast<const Door* (*)()>(dlsym(library, door_symbol));  // NOLINT: as POSIX has it
    if (door == nullptr) refuse("it is another library");
    const Door& found = *door();
    if (std::string_view(found.version) != FASTNP_VERSION) refuse("it is of version " + std::string(found.version) + ", and not of " FASTNP_VERSION);
    return std::make_unique<const Door>(found);
}

const Door& door() {
    const Door& found = base::made_once([] { return opened(); });
    thread_local constinit bool is_entered = false;
    if (!is_entered) found.enter_thread();
    is_entered = true;
    return found;
}

}  // namespace

#define DOOR(name, result, function, parameters, arguments) \
    result function parameters { return door().name arguments; }
#include "codegen/door.def"
#undef DOOR

}  // namespace fastnp::codegen
