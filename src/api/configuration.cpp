#include "fastnp/detail/configuration.h"

#include "base/thread_pool.h"
#include "codegen/about.h"
#include "codegen/jit.h"
#include "eager/isa.h"
#include "fastnp/version.h"

namespace fastnp::detail {

namespace {

const char* name_of(eager::Isa isa) {
    switch (isa) {
        case eager::Isa::scalar: return "scalar";
        case eager::Isa::base: return "base";
        case eager::Isa::v3: return "v3";
        case eager::Isa::v4: return "v4";
    }
    return "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> configuration() {
    return {{"version", std::string(version())},
            {"llvm", codegen::llvm_version()},
            {"processor", codegen::host_text()},
            {"instruction set", name_of(eager::host_isa())},
            {"threads", std::to_string(base::thread_count())},
            {"cache folder", codegen::cache_folder()}};
}

}  // namespace fastnp::detail
