#include "plan/repeated_launch.h"
#include "fastnp/detail/timeline.h"

#include <algorithm>

#include "fastnp/error.h"

namespace fastnp::plan {

// In the place of what came first of those that came last, if it is new.
RepeatedLaunch::Known& RepeatedLaunch::known(const device::Module& module, std::int64_t blocks, std::span<const std::int64_t> given) {
    const auto found = std::ranges::find_if(
        known_, [&](const Known& each) { return each.module == &module && each.blocks == blocks && std::ranges::equal(each.given, given); });
    if (found != known_.end()) return *found;
    Known& made = known_[next_];
    next_ = (next_ + 1) % known_.size();
    made.graph = nullptr;
    made.module = &module;
    made.blocks = blocks;
    made.given.assign(given.begin(), given.end());
    made.times = 0;
    return made;
}

void RepeatedLaunch::launch(device::Backend& backend, const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads,
                            std::span<const std::int64_t> given, std::span<void* const> addresses) {
    const detail::TimelineSpan span("launch", "launch");
    if (!has_graphs_ || (blocks > backend.blocks_at_once(threads) && backend.may_overlap()))
        return backend.launch(module, kernel, blocks, threads, addresses);
    Known& same = known(module, blocks, given);
    if (same.graph == nullptr && ++same.times == worth_a_graph) {
        const device::Work work = device::Launch{&module, kernel, blocks, threads, addresses};
        try {
            same.graph = backend.graph({&work, 1});
        } catch (const DeviceError&) {
            same.graph = nullptr;  // there is no room for it, say
        }
        has_graphs_ = same.graph != nullptr;
    }
    if (same.graph != nullptr) same.graph->launch();
    else backend.launch(module, kernel, blocks, threads, addresses);
}

}  // namespace fastnp::plan
