// What happens while functions are compiled, told as it happens (fastnp/logs.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fastnp/export.h"

namespace fastnp::detail {

/// What a log tells of, in the order of `channel_names`.
enum class Channel : std::uint8_t { recompiles, guards, breaks, fusion, passes, code, ptx, cache, timing };
constexpr std::string_view channel_names[] = {"recompiles", "guards", "breaks", "fusion", "passes", "code", "ptx", "cache", "timing"};

/// An event: a line, or several of code. `values`: what it has in numbers and names, for programs that read it.
struct LogEvent {
    using Values = std::span<const std::pair<std::string_view, std::string>>;
    Channel channel;
    std::string_view function;  // that is compiled, by its name; or empty
    std::string_view text;
    Values values;
};

/// A bit for each channel that is on. Nothing else is looked at where none is.
FASTNP_API extern std::atomic<std::uint32_t> log_channels;
/// One more for whether passes are told of with the graph that they leave.
constexpr std::uint32_t log_graphs = 1U << 31U;
inline bool tells_graphs() { return (log_channels.load(std::memory_order_relaxed) & log_graphs) != 0; }
inline bool tells(Channel channel) { return (log_channels.load(std::memory_order_relaxed) >> static_cast<unsigned>(channel) & 1U) != 0; }

/// Tells whoever listens, in this thread. What that one throws is let go.
FASTNP_API void tell(Channel channel, std::string_view text, LogEvent::Values values = {});
/// From now on `sink` listens to the channels whose bits are set.
FASTNP_API void set_log(std::uint32_t channels, std::function<void(const LogEvent&)> sink);

/// While it lives this thread compiles the function of this name, which must outlive it.
class FASTNP_API LogScope {
public:
    explicit LogScope(std::string_view function);
    ~LogScope();
    LogScope(const LogScope&) = delete;
    LogScope& operator=(const LogScope&) = delete;

private:
    std::string_view before_;
};

}  // namespace fastnp::detail
