#include "api/explain_text.h"

#include <cstdio>
#include <ostream>
#include <string_view>

#include "fastnp/explain.h"

namespace fastnp {

namespace detail {

namespace {

std::string number_text(const char* format, double number) {
    char text[48];
    std::snprintf(text, sizeof text, format, number);
    return text;
}

// "1.5 MB": a number with the largest unit that it has one of.
std::string with_unit(double number, std::string_view unit) {
    constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T"};
    std::size_t prefix = 0;
    for (; number >= 1000 && prefix + 1 < std::size(prefixes); ++prefix) number /= 1000;
    return number_text(prefix == 0 ? "%.0f " : "%.1f ", number) + std::string(prefixes[prefix]) + std::string(unit);
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& each : texts) all += (all.empty() ? "" : ", ") + each;
    return all;
}

std::string line_of(const KernelInfo& kernel, std::size_t number) {
    std::string line = std::to_string(number) + ": " + (kernel.name == kernel.kind ? kernel.kind : kernel.kind + " " + kernel.name);
    if (!kernel.axes.empty()) line += " over " + kernel.axes;
    if (!kernel.ops.empty()) line += ": " + joined(kernel.ops);
    if (kernel.bytes_read >= 0) line += "; reads " + with_unit(kernel.bytes_read, "B") + ", writes " + with_unit(kernel.bytes_written, "B");
    if (kernel.flops >= 0) line += ", " + with_unit(kernel.flops, "flop");
    if (kernel.milliseconds >= 0) line += "; " + number_text("%.4f ms", kernel.milliseconds);
    if (kernel.milliseconds >= 0 && kernel.count > 1) line += " for " + std::to_string(kernel.count) + " times";
    if (kernel.apart_from >= 0) line += "; apart from " + std::to_string(kernel.apart_from) + ": " + kernel.apart;
    if (!kernel.lines.empty()) line += "; of " + joined(kernel.lines);
    return line;
}

}  // namespace

std::string kernels_text(const std::vector<KernelInfo>& kernels) {
    std::string text;
    for (std::size_t i = 0; i < kernels.size(); ++i) text += line_of(kernels[i], i) + "\n";
    return text;
}

std::string memory_text(const std::vector<MemoryInfo>& memory) {
    std::string text;
    for (const MemoryInfo& each : memory) {
        text += each.kind + " " + std::to_string(each.number);
        if (!each.size.empty()) text += ": " + each.size + " bytes";
        if (each.bytes >= 0 && std::to_string(each.bytes) != each.size) text += " (" + std::to_string(each.bytes) + ")";
        if (each.place >= 0) text += ", place " + std::to_string(each.place);
        if (each.first >= 0) text += ", kernels " + std::to_string(each.first) + " to " + std::to_string(each.last);
        text += "\n";
    }
    return text;
}

std::string times_text(const std::vector<std::pair<std::string, double>>& milliseconds) {
    std::string text;
    for (const auto& [phase, spent] : milliseconds) text += phase + ": " + number_text("%.3f ms", spent) + "\n";
    return text;
}

namespace {

void append_lines(std::string& text, const std::string& before, std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        text += before + std::string(lines.substr(0, end)) + "\n";
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
}

}  // namespace

}  // namespace detail

std::string Explanation::text() const {
    std::string text = name + ": " + std::to_string(cache.compiles) + " compiled, " + std::to_string(cache.hits) + " hits, " +
                       std::to_string(cache.misses) + " misses, " + std::to_string(cache.uncompiled) + " as written\n";
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const EntryInfo& entry = entries[i];
        text += "  entry " + std::to_string(i) + " on " + (entry.device.empty() ? "cpu" : entry.device) + ": " + entry.reason + "\n";
        if (!entry.uncompiled.empty()) text += "    runs as written: " + entry.uncompiled + "\n";
        for (const std::string& guard : entry.guards) text += "    guard: " + guard + "\n";
        detail::append_lines(text, "    kernel ", detail::kernels_text(entry.kernels));
        detail::append_lines(text, "    memory: ", detail::memory_text(entry.memory));
        detail::append_lines(text, "    time: ", detail::times_text(entry.milliseconds));
    }
    for (const MissInfo& miss : misses) {
        if (miss.reason == "first call") continue;
        text += "  recompiled in " + detail::number_text("%.2f ms", miss.milliseconds) + ": " + miss.reason;
        text += miss.advice.empty() ? "\n" : " (to avoid it: " + miss.advice + ")\n";
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text(); }

}  // namespace fastnp
