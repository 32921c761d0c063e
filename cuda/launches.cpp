#include "launches.h"

#include <algorithm>
#include <vector>

namespace fastnp::cuda {

const std::string* Launches::name(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    return &*known_.insert(text).first;
}

void Launches::add(std::span<const std::string* const> names) {
    const std::size_t skipped = names.size() > kept ? names.size() - kept : 0;  // which nothing would remember
    std::uint64_t next = count_.fetch_add(names.size(), std::memory_order_relaxed) + skipped;
    for (const std::string* name : names.subspan(skipped)) note(next++, name);
}

void Launches::ended(std::uint64_t count) {
    std::uint64_t before = ended_.load(std::memory_order_relaxed);
    while (before < count && !ended_.compare_exchange_weak(before, count, std::memory_order_relaxed)) {
    }
}

std::string Launches::names() const {
    const std::uint64_t count = this->count(), ended = ended_.load(std::memory_order_relaxed);
    const std::uint64_t first = std::max(ended, count > kept ? count - kept : 0);
    std::vector<const std::string*> names;
    for (std::uint64_t i = first; i < count; ++i) {
        const std::string* const name = last_[i % kept].load(std::memory_order_acquire);
        if (name != nullptr && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::string text;
    for (const std::string* name : names) text += (text.empty() ? "" : ", ") + *name;
    if (first > ended) text += " (and " + std::to_string(first - ended) + " launches before them)";
    return text;
}

}  // namespace fastnp::cuda
