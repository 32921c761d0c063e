#include "fastnp/detail/log.h"

#include <memory>
#include <mutex>

#include "base/compiled.h"
#include "base/fork.h"

namespace fastnp::detail {

namespace {

using Sink = std::function<void(const LogEvent&)>;

struct Listener {
    base::ForkSafe<std::mutex> mutex;
    std::shared_ptr<const Sink> sink;
};

Listener& listener() {
    return base::made_once([] { return std::make_unique<Listener>(); });
}

thread_local std::string_view compiled;

}  // namespace

constinit std::atomic<std::uint32_t> log_channels{0};

void tell(Channel channel, std::string_view text, LogEvent::Values values) {
    const auto sink = [] {  // which is called without the lock: it may wait for who reads what it writes
        Listener& there = listener();
        const std::scoped_lock lock(there.mutex);
        return there.sink;
    }();
    if (sink == nullptr) return;
    try {
        (*sink)({channel, compiled, text, values});
    } catch (...) {  // NOLINT: a disk that is full, say, is no reason for a compilation to fail
    }
}

void set_log(std::uint32_t channels, std::function<void(const LogEvent&)> sink) {
    auto next = sink ? std::make_shared<const Sink>(std::move(sink)) : nullptr;
    Listener& there = listener();
    const std::scoped_lock lock(there.mutex);
    log_channels.store(next == nullptr ? 0 : channels, std::memory_order_relaxed);
    std::swap(there.sink, next);
}

LogScope::LogScope(std::string_view function) : before_(std::exchange(compiled, function)) {}

LogScope::~LogScope() { compiled = before_; }

}  // namespace fastnp::detail

std::string_view fastnp::base::compiled_function() { return fastnp::detail::compiled; }
