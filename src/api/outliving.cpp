// Arrays of a recording that its function stored outside of itself.
#include <algorithm>

#include "api/body.h"
#include "fastnp/compile.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

using BodyPtr = std::shared_ptr<ArrayBody>;

// Whether a body has more holders than are known: those of `given`, and `others`.
bool is_held_elsewhere(const BodyPtr& body, std::span<const array> given, long others) {
    const auto known = std::count_if(given.begin(), given.end(), [&](const array& each) { return each.body() == body; });
    return body.use_count() > known + others;
}

}  // namespace

void watch_arrays() {
    if (trace::Recorder* const recorder = trace::Recorder::active()) recorder->watch_handles();
}

std::vector<array> outliving(std::span<const array> parameters, std::span<const array> given) {
    trace::Recorder* const recorder = trace::Recorder::active();
    if (recorder == nullptr) throw InternalError("outside of a recording no array outlives it");
    recorder->forget_kept();  // by transforms, which are done
    std::vector<array> found;
    for (const array& each : parameters) {
        if (is_held_elsewhere(each.body(), given, 1)) found.push_back(each);
    }
    for (const std::weak_ptr<void>& handle : recorder->handles()) {
        const BodyPtr body = std::static_pointer_cast<ArrayBody>(handle.lock());
        if (body != nullptr && is_held_elsewhere(body, given, 1)) found.emplace_back(body);
    }
    return found;
}

void become(const array& recorded, const array& computed) { *recorded.body() = *computed.body(); }

}  // namespace fastnp::detail
