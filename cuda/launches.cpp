#include "launches.h"

#include <algorithm>

namespace fastnp::cuda {

void Launches::add(const Symbols& symbols, std::span<const std::size_t> kernels) {
    const std::scoped_lock lock(mutex_);
    const std::size_t skipped = kernels.size() > kept ? kernels.size() - kept : 0;  // which nothing would remember
    count_ += skipped;
    for (const std::size_t kernel : kernels.subspan(skipped)) last_[count_++ % kept] = {symbols, kernel};
}

std::uint64_t Launches::count() const {
    const std::scoped_lock lock(mutex_);
    return count_;
}

void Launches::ended(std::uint64_t count) {
    const std::scoped_lock lock(mutex_);
    ended_ = std::max(ended_, count);
}

std::string Launches::names() const {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t first = std::max(ended_, count_ > kept ? count_ - kept : 0);
    std::vector<std::string> names;
    for (std::uint64_t i = first; i < count_; ++i) {
        const Launch& launch = last_[i % kept];
        const std::string& name = (*launch.symbols)[launch.kernel];
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    if (first > ended_) text += " (and " + std::to_string(first - ended_) + " launches before them)";
    return text;
}

}  // namespace fastnp::cuda
