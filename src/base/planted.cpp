#include "base/planted.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "fastnp/error.h"

namespace fastnp::base {

namespace {

#ifdef FASTNP_PLANTED_FAULTS
std::optional<Planted> found() {
    const char* const text = std::getenv("FASTNP_PLANT");  // NOLINT: nothing here changes the environment
    if (text == nullptr || *text == '\0') return std::nullopt;
    const std::string_view all(text);
    const std::size_t first = all.find(' ');
    const std::size_t last = all.rfind(' ');
    if (first == std::string_view::npos || first == last)
        throw ValueError("FASTNP_PLANT is a stage, a kind and an op, and not '" + std::string(all) + "'");
    return Planted{std::string(all.substr(0, first)), std::string(all.substr(first + 1, last - first - 1)), std::string(all.substr(last + 1))};
}
#else
std::optional<Planted> found() { return std::nullopt; }
#endif

}  // namespace

const Planted* planted(std::string_view stage) {
    static const std::optional<Planted> fault = found();
    return fault && fault->stage == stage ? &*fault : nullptr;
}

bool befalls(const Planted& fault) {
    if (fault.kind == "crash") std::abort();
    if (fault.kind == "throw") throw InternalError("planted in " + fault.stage + ", at " + fault.op);
    if (fault.kind != "hang" && fault.kind != "slow") return false;
    std::this_thread::sleep_for(std::chrono::seconds(fault.kind == "slow" ? 1 : 3600));
    return true;
}

}  // namespace fastnp::base
