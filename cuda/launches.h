// Which kernels were launched last. A kernel that goes wrong is noticed by a later call of the driver, which does not say which one it was.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace fastnp::cuda {

using Symbols = std::shared_ptr<const std::vector<std::string>>;

/// Thread-safe.
class Launches {
public:
    void add(const Symbols& symbols, std::size_t kernel) { add(symbols, {&kernel, 1}); }
    void add(const Symbols& symbols, std::span<const std::size_t> kernels);
    /// Launches so far.
    std::uint64_t count() const;
    /// The first `count` launches have ended well.
    void ended(std::uint64_t count);
    /// The names of those that may not have ended, in order, each once; "" if there are none.
    std::string names() const;

private:
    struct Launch {
        Symbols symbols;
        std::size_t kernel = 0;
    };
    static constexpr std::size_t kept = 32;

    mutable std::mutex mutex_;
    std::array<Launch, kept> last_;
    std::uint64_t count_ = 0, ended_ = 0;
};

}  // namespace fastnp::cuda
