#include "fastnp/detail/deterministic.h"

#include <cstdlib>
#include <string_view>

namespace fastnp::detail {

namespace {

std::atomic<bool>& chosen() {
    static constinit std::atomic<bool> now{false};
    static const bool is_set = [] {
        const char* set = std::getenv("FASTNP_DETERMINISTIC");  // NOLINT: nothing here changes the environment
        const bool given = set != nullptr && set[0] != 0 && std::string_view(set) != "0";
        if (given) now.store(true, std::memory_order_relaxed);
        return given;
    }();
    (void)is_set;
    return now;
}

}  // namespace

bool is_deterministic() { return chosen().load(std::memory_order_relaxed); }
bool set_deterministic(bool now) { return chosen().exchange(now, std::memory_order_relaxed); }

}  // namespace fastnp::detail
