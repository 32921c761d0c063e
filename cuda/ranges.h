// Names of stretches of work for profilers (Nsight Systems and others that know NVTX), found when first asked for.
#pragma once

#include <string>

namespace fastnp::cuda {

/// Thread-safe; ranges are of a thread, and nest.
class Ranges {
public:
    /// Those of this process. Without a profiler, which says so by the environment (NVTX_INJECTION64_PATH), no library is loaded and nothing is done.
    static const Ranges& get();

    bool are_seen() const { return push_ != nullptr; }
    void begin(const std::string& name) const {
        if (push_ != nullptr) push_(name.c_str());
    }
    void end() const noexcept {
        if (pop_ != nullptr) pop_();
    }

private:
    Ranges();

    int (*push_)(const char* name) = nullptr;
    int (*pop_)() = nullptr;
};

}  // namespace fastnp::cuda
