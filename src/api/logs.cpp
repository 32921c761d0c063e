#include "fastnp/logs.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "api/logs.h"
#include "base/fork.h"
#include "codegen/json_line.h"
#include "fastnp/detail/log.h"
#include "fastnp/error.h"

namespace fastnp {

namespace {

using detail::Channel;
using detail::channel_names;
using detail::LogEvent;

constexpr std::uint32_t all_channels = (1U << std::size(channel_names)) - 1;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::uint32_t bit_of(std::string_view name) {
    if (name.starts_with('+')) return bit_of(name.substr(1)) | detail::log_graphs;
    if (name == "all") return all_channels;
    for (std::size_t i = 0; i < std::size(channel_names); ++i) {
        if (channel_names[i] == name) return 1U << i;
    }
    std::string known;
    for (const std::string_view each : channel_names) known += std::string(each) + ", ";
    throw ValueError("set_logs() has no channel '" + std::string(name) + "': there are " + known + "and all");
}

std::uint32_t bits_of(std::string_view names) {
    std::uint32_t bits = 0;
    while (!names.empty()) {
        const std::string_view name = trimmed(names.substr(0, names.find(',')));
        if (!name.empty()) bits |= bit_of(name);
        names.remove_prefix(std::min(names.size(), names.find(',') == std::string_view::npos ? names.size() : names.find(',') + 1));
    }
    return bits;
}

std::string line_of(const LogEvent& event) {
    std::string line = "fastnp " + std::string(channel_names[static_cast<std::size_t>(event.channel)]) + ": ";
    if (!event.function.empty()) line += std::string(event.function) + ": ";
    return line += event.text;
}

struct Closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

void set_logs(std::string_view channels, const LogOptions& options) {
    const std::uint32_t bits = bits_of(channels);
    if ((bits & all_channels) == 0) return detail::set_log(0, nullptr);
    std::shared_ptr<std::FILE> file;
    if (!options.file.empty()) {
        std::unique_ptr<std::FILE, Closing> opened(std::fopen(options.file.c_str(), "ae"));
        if (opened == nullptr) throw ValueError("set_logs() can't open '" + options.file + "': " + std::strerror(errno));
        file = std::move(opened);
    }
    detail::set_log(bits, [file, json = options.json](const LogEvent& event) {
        const std::string line = (json ? codegen::json_line(event) : line_of(event)) + '\n';
        std::FILE* const stream = file != nullptr ? file.get() : stderr;
        std::fwrite(line.data(), 1, line.size(), stream);
        std::fflush(stream);  // a crash may be what is looked for
    });
}

std::string logs() {
    std::string names;
    for (std::size_t i = 0; i < std::size(channel_names); ++i) {
        if (!detail::tells(static_cast<Channel>(i))) continue;
        names += names.empty() ? "" : ",";
        names += detail::tells_graphs() && static_cast<Channel>(i) == Channel::passes ? "+" : "";
        names += channel_names[i];
    }
    return names;
}

namespace detail {

namespace {

std::string text_of(double milliseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", milliseconds);
    return text;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& each : texts) all += (all.empty() ? "" : "; ") + each;
    return all;
}

void tell_times(const Entry& entry, double milliseconds) {
    std::vector<std::pair<std::string_view, std::string>> values;
    std::string text = "compiled in " + text_of(milliseconds) + " ms";
    for (const auto& [phase, spent] : entry.times) {
        text += (values.empty() ? ": " : ", ") + phase + " " + text_of(spent);
        values.emplace_back(phase, text_of(spent));
    }
    values.emplace_back("milliseconds", text_of(milliseconds));
    tell(Channel::timing, text, values);
}

void tell_kernels(const EntryInfo& info) {
    for (const KernelInfo& kernel : info.kernels) {
        std::string ops;
        for (const std::string& op : kernel.ops) ops += (ops.empty() ? "" : ", ") + op;
        const std::pair<std::string_view, std::string> values[] = {{"kernel", kernel.name}, {"kind", kernel.kind}, {"ops", ops}, {"axes", kernel.axes}};
        const std::string axes = kernel.axes.empty() ? std::string() : " over " + kernel.axes;
        const std::string name = kernel.name == kernel.kind ? kernel.kind : kernel.kind + " " + kernel.name;
        tell(Channel::fusion, name + axes + (ops.empty() ? "" : ": " + ops), values);
    }
}

}  // namespace

void tell_of(const Entry& entry, const MissInfo& miss, double milliseconds, bool tells_break) {
    if (tells(Channel::recompiles) && miss.reason != "first call") {
        const std::pair<std::string_view, std::string> values[] = {{"reason", miss.reason}, {"advice", miss.advice}};
        tell(Channel::recompiles, "compiled again: " + miss.reason + (miss.advice.empty() ? "" : " (" + miss.advice + ")"), values);
    }
    if (!entry.uncompiled.empty()) {
        if (tells_break && tells(Channel::breaks)) tell(Channel::breaks, entry.uncompiled);
        return;
    }
    if (tells(Channel::timing)) tell_times(entry, milliseconds);
    if (!tells(Channel::fusion) && !tells(Channel::guards)) return;
    const EntryInfo info = entry.info(false);
    if (tells(Channel::guards)) tell(Channel::guards, joined(info.guards));
    if (tells(Channel::fusion)) tell_kernels(info);
}

void set_logs_by_environment() {
    (void)base::made_once([] {
        const auto given = [](const char* name) {
            const char* const text = std::getenv(name);  // NOLINT: nothing here changes the environment
            return std::string(text == nullptr ? "" : text);
        };
        if (const std::string channels = given("FASTNP_LOGS"); !channels.empty()) {
            const std::string json = given("FASTNP_LOGS_JSON");
            set_logs(channels, {given("FASTNP_LOGS_FILE"), !json.empty() && json != "0"});
        }
        return std::make_unique<bool>(true);
    });
}

}  // namespace detail

}  // namespace fastnp
