#include <algorithm>

#include "fastnp/error.h"
#include "transform/values.h"

namespace fastnp::transform {

trace::Recorder& recorder() {
    trace::Recorder* active = trace::Recorder::active();
    if (active == nullptr) throw InternalError("a transform outside of a recording");
    return *active;
}

array array_of(Value value) { return api::wrap(value, recorder().shared_from_this()); }

Value value_of(const array& x) { return api::value_of(recorder(), x); }

// Inputs precede what depends on them: nothing older than the first of `from` can.
Segment::Segment(std::span<const Value> from, std::span<const Value> to, Of of, std::span<const Value> also) {
    if (from.empty() && also.empty()) return;
    const auto inputs_of = [of](Value value) {
        const std::span<const Value> all(value->inputs.data(), value->inputs.size());
        if (of == Of::derivatives && value->op == Op::stop_gradient) return all.first(0);
        return of == Of::derivatives && value->op == Op::custom ? all.subspan(1) : all;
    };
    starts_.insert(from.begin(), from.end());
    std::uint32_t oldest = UINT32_MAX;
    for (const std::span<const Value> values : {from, also}) {
        for (const Value value : values) oldest = std::min(oldest, value->id);
    }
    std::vector<Value> needed, open(to.begin(), to.end());
    std::unordered_set<Value> seen;
    while (!open.empty()) {
        const Value value = open.back();
        open.pop_back();
        if (value->id < oldest || !seen.insert(value).second) continue;
        needed.push_back(value);
        if (starts_at(value)) continue;
        const auto inputs = inputs_of(value);
        open.insert(open.end(), inputs.begin(), inputs.end());
    }
    std::sort(needed.begin(), needed.end(), [](Value a, Value b) { return a->id < b->id; });
    for (const Value value : needed) {
        const bool starts = starts_at(value) || std::find(also.begin(), also.end(), value) != also.end();
        const auto inputs = inputs_of(value);
        if (!starts && std::none_of(inputs.begin(), inputs.end(), [&](Value input) { return inside_.contains(input); })) continue;
        inside_.insert(value);
        values_.push_back(value);
    }
}

}  // namespace fastnp::transform
