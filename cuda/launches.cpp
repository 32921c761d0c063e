#include "launches.h"

#include <algorithm>
#include <utility>
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
    std::vector<std::pair<const std::string*, const std::string*>> found;
    for (std::uint64_t i = first; i < count; ++i) {
        const Launch& launch = last_[i % kept];
        const std::pair each{launch.name.load(std::memory_order_acquire), launch.caller.load(std::memory_order_acquire)};
        if (each.first != nullptr && std::ranges::find(found, each) == found.end()) found.push_back(each);
    }
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto& [name, caller] = found[i];
        text += (text.empty() ? "" : ", ") + *name;
        if (caller != nullptr && (i + 1 == found.size() || found[i + 1].second != caller)) text += " of " + *caller;
    }
    if (first > ended) text += " (and " + std::to_string(first - ended) + " launches before them)";
    return text;
}

}  // namespace fastnp::cuda
