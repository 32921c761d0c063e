#include "api/direct_calls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "fastnp/detail/direct.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::detail {

namespace {

constexpr std::size_t functions_known = 16;  // that a thread alternates between
constexpr std::size_t most_pointers = 32;

// Of one function: its last call, and how to make it again.
struct Known {
    std::uint64_t function = 0;
    std::string key{};
    std::vector<std::pair<Dtype, std::int8_t>> types{};
    std::vector<std::int64_t> layouts{};  // sizes and steps of each argument
    std::weak_ptr<const Entry> entry{};   // which goes when its function goes
    std::unique_ptr<Direct> direct{};
    std::uint32_t hits = 0;
    Renewal renewal{};

    bool may_serve(std::uint64_t other) const { return function == other && direct != nullptr; }

    bool is_like(std::span<const Argument> call, std::string_view call_key) const {
        if (call.size() != types.size() || call_key != key) return false;
        const std::int64_t* layout = layouts.data();
        for (std::size_t i = 0; i < call.size(); ++i) {
            const Argument& argument = call[i];
            const auto rank = static_cast<std::size_t>(argument.rank);
            if (types[i] != std::pair(argument.dtype, argument.rank)) return false;
            if (!std::equal(argument.shape, argument.shape + rank, layout) || !std::equal(argument.strides, argument.strides + rank, layout + rank))
                return false;
            layout += 2 * rank;
        }
        return true;
    }

    void become(std::span<const Argument> call, std::string_view call_key) {
        key = call_key;
        types.clear();
        layouts.clear();
        for (const Argument& argument : call) {
            types.emplace_back(argument.dtype, argument.rank);
            layouts.insert(layouts.end(), argument.shape, argument.shape + argument.rank);
            layouts.insert(layouts.end(), argument.strides, argument.strides + argument.rank);
        }
    }
};

struct Own {
    std::array<Known, functions_known> all;
    ~Own();
};
thread_local constinit bool is_over = false;  // the thread is at its end: destructors of statics may still call
Own::~Own() { is_over = true; }

Known* known_of(std::uint64_t function) {
    if (is_over) return nullptr;
    thread_local Own own;
    return &own.all[function % functions_known];
}

}  // namespace

bool is_known(std::uint64_t function) {
    const Known* const known = known_of(function);
    return known != nullptr && known->may_serve(function);
}

EntryPtr serve_directly(std::uint64_t function, std::span<const Argument> call, std::string_view key, std::vector<array>& results) {
    Known* const known = known_of(function);
    if (known == nullptr || !known->may_serve(function) || !known->is_like(call, key) || !Direct::is_possible()) return nullptr;
    EntryPtr entry = known->entry.lock();
    if (!entry) return nullptr;
    std::array<void*, most_pointers> data;
    for (std::size_t i = 0; i < call.size(); ++i) data[i] = call[i].data;
    clear_float_flags();
    known->direct->run({data.data(), call.size()}, results);
    ++known->hits;
    return entry;
}

void note_served(std::uint64_t function, std::span<const Argument> call, std::string_view key, const EntryPtr& entry) {
    Known* const known = known_of(function);
    if (known == nullptr) return;
    if (known->function != function) *known = Known{.function = function};
    if (!known->renewal.is_due(known->direct ? known->hits : 0)) return;
    known->hits = 0;
    known->entry = entry;
    known->direct = call.size() > most_pointers ? nullptr : Direct::of(*entry, call);
    if (known->direct) known->become(call, key);
}

std::uint64_t next_function() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace fastnp::detail
