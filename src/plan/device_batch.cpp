#include "plan/device_batch.h"
#include "fastnp/detail/timeline.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::plan {

using device::Clear;
using device::Contraction;
using device::Copy;
using device::Launch;
using device::Transform;
using device::Work;

namespace {

std::int64_t number_of(const void* address) { return reinterpret_cast<std::intptr_t>(address); }
void* address_of(std::int64_t number) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(number)); }

// Calls a function with each place for an address in some work; what a launch is given is no such place.
template <class F>
void for_addresses(Work& work, F each) {
    std::visit(
        [&](auto& one) {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, Copy>) {
                each(one.to);
                each(one.from);
            } else if constexpr (std::is_same_v<T, Clear>) {
                each(one.memory);
            } else if constexpr (std::is_same_v<T, Contraction>) {
                for (device::Matrices* matrices : {&one.x, &one.y, &one.out, &one.c}) each(matrices->data);
            } else if constexpr (std::is_same_v<T, Transform>) {
                each(one.from.data);
                each(one.to.data);
            }
        },
        work);
}

// What a graph takes again as a whole to give it other addresses.
bool is_of_library(const Work& work) { return std::holds_alternative<Contraction>(work) || std::holds_alternative<Transform>(work); }

}  // namespace

bool DeviceBatch::Item::operator==(const Item& other) const {
    if (first != other.first || count != other.count || work.index() != other.work.index()) return false;
    return std::visit(
        [&](const auto& one) {
            using T = std::decay_t<decltype(one)>;
            const T& two = std::get<T>(other.work);
            if constexpr (std::is_same_v<T, Launch>) {
                return one.module == two.module && one.kernel == two.kernel && one.blocks == two.blocks && one.threads == two.threads;
            } else {
                return one == two;
            }
        },
        work);
}

// Memory. What steps free is used by what is held back, and so may serve what comes after that, but nobody else.
void* DeviceBatch::allocate(std::size_t bytes) {
    const auto found = std::ranges::find_if(own_, [bytes](const Own& own) { return own.is_free && own.bytes == bytes; });
    if (found != own_.end()) {
        found->is_free = false;
        return found->memory;
    }
    own_.reserve(own_.size() + 1);
    own_.push_back({allocate_more(bytes), bytes, false});
    return own_.back().memory;
}

void* DeviceBatch::allocate_more(std::size_t bytes) {
    try {
        return to_.allocate(bytes);
    } catch (const MemoryError&) {
        if (items_.empty()) throw;
    }
    flush();
    return to_.allocate(bytes);
}

void DeviceBatch::free(void* memory, std::size_t bytes) noexcept {
    const auto found = std::ranges::find_if(own_, [memory](const Own& own) { return own.memory == memory; });
    if (found == own_.end()) return to_.free(memory, bytes);
    if (!items_.empty()) {
        found->is_free = true;
        return;
    }
    own_.erase(found);
    to_.free(memory, bytes);
}

void DeviceBatch::clear_held() noexcept {
    items_.clear();
    given_.clear();
    // Backwards, so that a pool that hands out first what it got last does so in the same order the next time.
    for (auto own = own_.rbegin(); own != own_.rend(); ++own) {
        if (own->is_free) to_.free(own->memory, own->bytes);
    }
    std::erase_if(own_, [](const Own& own) { return own.is_free; });
}

void DeviceBatch::drop() noexcept {
    clear_held();
    place_ = 0;
}

// What is held back.
void DeviceBatch::hold(Work work) {
    const std::size_t first = given_.size();
    for_addresses(work, [&](auto& place) { given_.push_back(number_of(std::exchange(place, nullptr))); });
    items_.push_back({work, first, given_.size() - first});
    if (items_.size() >= most) flush();
}

void DeviceBatch::launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) {
    if (blocks < 1) return;
    items_.push_back({Launch{&module, kernel, blocks, threads, {}}, given_.size(), arguments.size()});
    for (const void* each : arguments) std::memcpy(&given_.emplace_back(), each, sizeof(std::int64_t));
    if (items_.size() >= most) flush();
}

void DeviceBatch::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) hold(Copy{to, from, bytes});
}

void DeviceBatch::clear(void* memory, std::size_t bytes) {
    if (bytes != 0) hold(Clear{memory, bytes});
}

// A library says what it has none of only when it is asked, so the first of each kind is not held back.
bool DeviceBatch::contract(const Contraction& contraction) {
    if (to_.knows(contraction)) {
        hold(contraction);
        return true;
    }
    Contraction kind = contraction;
    for (device::Matrices* matrices : {&kind.x, &kind.y, &kind.out, &kind.c}) matrices->data = nullptr;
    if (std::ranges::find(lacking_, kind) != lacking_.end()) return false;
    flush();
    const bool is_done = to_.contract(contraction);
    if (!is_done && lacking_.size() < most_known) lacking_.push_back(kind);
    return is_done;
}

bool DeviceBatch::transform(const Transform& transform) {
    if (to_.knows(transform)) {
        hold(transform);
        return true;
    }
    flush();
    return to_.transform(transform);
}

// What comes after what is held back.
void DeviceBatch::upload(void* to, const void* from, std::size_t bytes) {
    flush();
    to_.upload(to, from, bytes);
}

void DeviceBatch::download(void* to, const void* from, std::size_t bytes) {
    flush();
    to_.download(to, from, bytes);
}

bool DeviceBatch::copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) {
    flush();
    return to_.copy_from(other, to, from, bytes);
}

bool DeviceBatch::factorise(const device::Factorisation& factorisation) {
    flush();
    return to_.factorise(factorisation);
}

std::unique_ptr<device::Moment> DeviceBatch::moment() {
    flush();
    return to_.moment();
}

void DeviceBatch::wait_for(Stream stream) {
    flush();
    to_.wait_for(stream);
}

void DeviceBatch::let_wait(Stream stream) {
    flush();
    to_.let_wait(stream);
}

void DeviceBatch::synchronize() {
    flush();
    to_.synchronize();
}

// Asking for it.
void DeviceBatch::flush() {
    if (items_.empty()) return;
    if (items_.size() < least) {
        ask_one_by_one();
    } else {
        Known& before = known();
        if (before.times == worth_a_graph && before.graph == nullptr) make_graph(before);
        if (before.graph == nullptr || !launch_graph(before)) ask_one_by_one();
        if (!repeats_) ++place_;
    }
    clear_held();
}

bool DeviceBatch::differs(const Known& known, const Item& item) const {
    const auto first = static_cast<std::ptrdiff_t>(item.first), end = first + static_cast<std::ptrdiff_t>(item.count);
    return !std::equal(given_.begin() + first, given_.begin() + end, known.given.begin() + first);
}

// How much of the library work is at other addresses now.
std::size_t DeviceBatch::moved(const Known& known) const {
    return static_cast<std::size_t>(std::ranges::count_if(items_, [&](const Item& item) { return is_of_library(item.work) && differs(known, item); }));
}

// This work among what was asked for before: with library work at the same addresses, or few at others, which a graph is given. Else it is a kind of its
// own; of too many that are alike the one that was not asked for longest is forgotten.
DeviceBatch::Known& DeviceBatch::known() {
    std::size_t alike = 0;
    auto same = known_.end(), near = known_.end(), last = known_.end();
    for (auto each = known_.begin(); each != known_.end() && same == known_.end(); ++each) {
        if ((*each)->place != place_ || (*each)->items != items_) continue;
        const std::size_t moved = this->moved(**each);
        if (moved == 0) same = each;
        else if (moved * few <= items_.size() && near == known_.end()) near = each;
        last = each;
        ++alike;
    }
    const auto found = same != known_.end() ? same : near;
    if (found == known_.end()) {
        if (alike >= most_alike) known_.erase(last);
        return new_known();
    }
    std::rotate(known_.begin(), found, found + 1);
    known_.front()->times = std::min(known_.front()->times + 1, worth_a_graph + 1);
    return *known_.front();
}

DeviceBatch::Known& DeviceBatch::new_known() {
    if (known_.size() == most_known) known_.pop_back();
    known_.insert(known_.begin(), std::make_unique<Known>(Known{items_, given_, place_}));
    return *known_.front();
}

// With its addresses; a launch's arguments stay where they are until the next one.
Work DeviceBatch::work_of(const Item& item) {
    Work work = item.work;
    if (auto* launched = std::get_if<Launch>(&work)) {
        addresses_.clear();
        for (std::size_t i = 0; i < item.count; ++i) addresses_.push_back(&given_[item.first + i]);
        launched->arguments = addresses_;
        return work;
    }
    std::size_t at = item.first;
    for_addresses(work, [&](auto& place) { place = address_of(given_[at++]); });
    return work;
}

void DeviceBatch::ask_for(const Work& work) {
    const auto must = [](bool is_done) {
        if (!is_done) throw DeviceError("a device's library has no such product or transform any more");
    };
    std::visit(
        [&](const auto& one) {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, Launch>) to_.launch(*one.module, one.kernel, one.blocks, one.threads, one.arguments);
            else if constexpr (std::is_same_v<T, Copy>) to_.copy(one.to, one.from, one.bytes);
            else if constexpr (std::is_same_v<T, Clear>) to_.clear(one.memory, one.bytes);
            else if constexpr (std::is_same_v<T, Contraction>) must(to_.contract(one));
            else must(to_.transform(one));
        },
        work);
}

void DeviceBatch::ask_one_by_one() {
    for (const Item& item : items_) ask_for(work_of(item));
}

// A device that has no room for another one, or no graphs, goes on without.
void DeviceBatch::make_graph(Known& known) {
    std::vector<void*> addresses;
    addresses.reserve(given_.size());
    for (std::int64_t& each : given_) addresses.push_back(&each);
    std::vector<Work> all;
    for (const Item& item : items_) {
        Work& work = all.emplace_back(work_of(item));
        if (auto* launched = std::get_if<Launch>(&work)) launched->arguments = {addresses.data() + item.first, item.count};
    }
    try {
        known.graph = to_.graph(all);
        known.given = given_;
    } catch (const DeviceError&) {
        known.graph = nullptr;
    }
}

// False if the graph does not take these addresses.
bool DeviceBatch::launch_graph(Known& known) {
    try {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const Item& item = items_[i];
            if (!differs(known, item)) continue;
            known.graph->set(i, work_of(item));
            std::copy_n(given_.begin() + static_cast<std::ptrdiff_t>(item.first), item.count,
                        known.given.begin() + static_cast<std::ptrdiff_t>(item.first));
        }
    } catch (const DeviceError&) {
        known.graph = nullptr;
        return false;
    }
    const fastnp::detail::TimelineSpan span("launch", "launch of a graph");
    known.graph->launch();
    return true;
}

}  // namespace fastnp::plan
