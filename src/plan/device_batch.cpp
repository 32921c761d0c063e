#include "plan/device_batch.h"

#include <algorithm>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::plan {

void DeviceBatch::add(const std::shared_ptr<device::Module>& module, std::size_t kernel, std::int64_t blocks, int threads,
                      std::span<const std::int64_t> given) {
    if (module_ == nullptr) module_ = module;
    launches_.push_back({kernel, blocks, threads, given_.size(), given.size()});
    given_.insert(given_.end(), given.begin(), given.end());
    if (launches_.size() >= most) flush();
}

void DeviceBatch::clear() noexcept {
    launches_.clear();
    given_.clear();
}

void DeviceBatch::drop() noexcept {
    clear();
    place_ = 0;
}

void DeviceBatch::flush() {
    if (launches_.empty()) return;
    if (launches_.size() < least) {
        launch_one_by_one();
    } else {
        Known& before = known();
        if (before.times == worth_a_graph && before.graph == nullptr) make_graph(before);
        if (before.graph != nullptr) launch(before);
        else launch_one_by_one();
        if (!repeats_) ++place_;
    }
    clear();
}

// These launches among those that were asked for before; the one that was not for longest makes room.
DeviceBatch::Known& DeviceBatch::known() {
    const auto found = std::ranges::find_if(known_, [&](const auto& each) { return each->place == place_ && each->launches == launches_; });
    if (found != known_.end()) {
        std::rotate(known_.begin(), found, found + 1);
        known_.front()->times = std::min(known_.front()->times + 1, worth_a_graph + 1);
        return *known_.front();
    }
    if (known_.size() == most_known) known_.pop_back();
    known_.insert(known_.begin(), std::make_unique<Known>(Known{launches_, {}, place_}));
    return *known_.front();
}

std::span<void* const> DeviceBatch::arguments_of(const Launch& launch) {
    addresses_.clear();
    for (std::size_t i = 0; i < launch.count; ++i) addresses_.push_back(&given_[launch.first + i]);
    return addresses_;
}

// A device that has no room for another one, or no graphs, goes on without.
void DeviceBatch::make_graph(Known& known) {
    std::vector<void*> addresses;
    addresses.reserve(given_.size());
    for (std::int64_t& each : given_) addresses.push_back(&each);
    std::vector<device::Launch> launches;
    for (const Launch& each : launches_) {
        launches.push_back({each.kernel, each.blocks, each.threads, {addresses.data() + each.first, each.count}});
    }
    try {
        known.graph = backend_.graph(module_, launches);
        known.given = given_;
    } catch (const DeviceError&) {
        known.graph = nullptr;
    }
}

void DeviceBatch::launch_one_by_one() {
    for (const Launch& each : launches_) backend_.launch(*module_, each.kernel, each.blocks, each.threads, arguments_of(each));
}

void DeviceBatch::launch(Known& known) {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        const auto first = static_cast<std::ptrdiff_t>(launches_[i].first), end = first + static_cast<std::ptrdiff_t>(launches_[i].count);
        if (std::equal(given_.begin() + first, given_.begin() + end, known.given.begin() + first)) continue;
        known.graph->set(i, arguments_of(launches_[i]));
        std::copy(given_.begin() + first, given_.begin() + end, known.given.begin() + first);
    }
    known.graph->launch();
}

}  // namespace fastnp::plan
