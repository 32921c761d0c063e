#include "fastnp/detail/configuration.h"

#include "base/thread_pool.h"
#include "codegen/about.h"
#include "codegen/jit.h"
#include "eager/isa_names.h"
#include "fastnp/version.h"

namespace fastnp::detail {

std::vector<std::pair<std::string, std::string>> configuration() {
    return {{"version", std::string(version())},
            {"llvm", codegen::llvm_version()},
            {"processor", codegen::host_text()},
            {"instruction set", std::string(name_of(eager::host_isa()))},
            {"threads", std::to_string(base::thread_count())},
            {"cache folder", codegen::cache_folder()}};
}

}  // namespace fastnp::detail
