#include "dist/transport.h"

#include <atomic>
#include <cstdlib>

namespace fastnp::dist {

namespace {

double seconds_at_first() {
    const char* const given = std::getenv("FASTNP_DIST_TIMEOUT");
    char* end = nullptr;
    const double seconds = given == nullptr ? 0 : std::strtod(given, &end);
    return seconds > 0 && *end == '\0' ? seconds : 300;
}

std::atomic<double>& limit() {
    static std::atomic<double> seconds = seconds_at_first();
    return seconds;
}

AroundWaiting& around() {
    static AroundWaiting functions;
    return functions;
}

}  // namespace

Transport::~Transport() = default;
World::~World() = default;

std::chrono::duration<double> time_limit() { return std::chrono::duration<double>(limit().load()); }
void set_time_limit(std::chrono::duration<double> given) { limit() = given.count(); }

void set_around_waiting(const AroundWaiting& functions) { around() = functions; }

Waiting::Waiting() {
    if (around().begin != nullptr) begun_ = around().begin();
}

Waiting::~Waiting() {
    if (around().end != nullptr) around().end(begun_);
}

}  // namespace fastnp::dist
