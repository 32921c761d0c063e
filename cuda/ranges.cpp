#include "ranges.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

namespace fastnp::cuda {

Ranges::Ranges() {
    if (std::getenv("NVTX_INJECTION64_PATH") == nullptr) return;  // NOLINT: as it is at the first use
    // Of CUDA 12.2 and newer, and of older ones: whichever the loader finds.
    constexpr std::array names{"libnvtx3interop.so.1", "libnvtx3interop.so", "libnvToolsExt.so.1"};
    for (const char* name : names) {
        void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        push_ = reinterpret_cast<int (*)(const char*)>(dlsym(library, "nvtxRangePushA"));
        pop_ = reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop"));
        if (push_ != nullptr && pop_ != nullptr) return;
        push_ = nullptr;
        pop_ = nullptr;
    }
}

const Ranges& Ranges::get() {
    static const Ranges* const found = new Ranges;  // never destroyed: devices are not, either
    return *found;
}

}  // namespace fastnp::cuda
