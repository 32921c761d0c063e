#include "fastnp/detail/references.h"

#include <algorithm>
#include <utility>

namespace fastnp::detail {

namespace {

thread_local ReferenceScope* current = nullptr;

bool has(const References::List& list, const void* variable) {
    return std::any_of(list.begin(), list.end(), [&](const Referenced& each) { return each.variable == variable; });
}

}  // namespace

References::References() = default;
References::~References() = default;

// The lists before stay: calls may be going through them.
void References::add(const List& more) {
    const std::scoped_lock lock(mutex_);
    auto list = std::make_unique<List>(lists_.empty() ? List() : *lists_.back());
    for (const Referenced& each : more) {
        if (!has(*list, each.variable)) list->push_back(each);
    }
    known_.store(list.get(), std::memory_order_release);
    lists_.push_back(std::move(list));
}

ReferenceScope::ReferenceScope(const References::List* known, std::span<const array> arrays) : before_(std::exchange(current, this)) {
    if (known == nullptr) return;
    for (const Referenced& each : *known) stand_ins_[each.variable] = each.stand_in(each.variable, arrays);
}
ReferenceScope::~ReferenceScope() { current = before_; }

const void* ReferenceScope::find(const void* variable) const {
    const auto found = stand_ins_.find(variable);
    return found == stand_ins_.end() ? nullptr : found->second.get();
}

void ReferenceScope::put(const void* variable, std::shared_ptr<void> stand_in) { stand_ins_[variable] = std::move(stand_in); }

void ReferenceScope::note_missed(Referenced variable) {
    if (!has(missed_, variable.variable)) missed_.push_back(variable);
}

ReferenceScope* reference_scope() { return current; }

}  // namespace fastnp::detail
