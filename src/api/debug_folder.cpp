#include "api/debug_folder.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "api/explain_text.h"
#include "base/thread_pool.h"
#include "codegen/jit.h"
#include "fastnp/error.h"
#include "fastnp/explain.h"
#include "fastnp/version.h"

extern "C" char** environ;  // NOLINT: of the C library

namespace fastnp::detail {

namespace fs = std::filesystem;

namespace {

struct Setting {
    base::ForkSafe<std::mutex> mutex;
    std::string folder;
};

Setting& setting() {
    return base::made_once([] { return std::make_unique<Setting>(); });
}

constinit std::atomic<bool> debugging{false};
thread_local bool explains = false;

std::string current() {
    Setting& there = setting();
    const std::scoped_lock lock(there.mutex);
    return there.folder;
}

// A name for files: letters, digits, dots, dashes; not too long.
std::string safe(std::string_view name) {
    constexpr std::size_t longest = 60;
    std::string made;
    for (const char each : name.substr(0, longest)) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '-' || each == '.' || each == '_';
        made += is_plain && static_cast<unsigned char>(each) < 128 ? each : '_';
    }
    const std::size_t first = made.find_first_not_of("_."), last = made.find_last_not_of("_.");
    return first == std::string::npos ? "function" : made.substr(first, last - first + 1);
}

// A folder of this name, or with a number: one that nobody has made before. Empty: none can be made.
std::string claim(const fs::path& within, const std::string& name, bool numbered) {
    constexpr int most = 100'000;
    for (int i = 0; i < most; ++i) {
        const fs::path path = within / (numbered || i > 0 ? name + "-" + std::to_string(i) : name);
        std::error_code error;
        if (fs::create_directory(path, error)) return path.string();
        if (error) return {};
    }
    return {};
}

std::string environment_text() {
    std::string text = "fastnp " + std::string(version()) + "\nprocessor: " + codegen::host_text() + "\nthreads: " + std::to_string(base::thread_count()) +
                       "\nprocess: " + std::to_string(getpid()) + "\n";
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        if (std::strncmp(*each, "FASTNP_", 7) == 0) text += std::string(*each) + "\n";
    }
    return text;
}

std::string lines_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

void write_entry(const fs::path& folder, const EntryInfo& entry) {
    const auto write = [&](const std::string& name, const std::string& text) {
        if (!text.empty()) (void)write_whole((folder / name).string(), text);
    };
    write("inputs.txt", lines_of(entry.inputs));
    write("guards.txt", lines_of(entry.guards));
    for (std::size_t i = 0; i < entry.passes.size(); ++i) {
        const std::string number = std::to_string(i);
        write("graph-" + std::string(number.size() < 2 ? "0" : "") + number + "-" + safe(entry.passes[i].name) + ".txt", entry.passes[i].text);
    }
    write("graph.txt", entry.ir);
    write("kernels.txt", kernels_text(entry.kernels) + (entry.loops.empty() ? "" : "\n" + entry.loops));
    write("memory.txt", memory_text(entry.memory));
    write("times.txt", times_text(entry.milliseconds));
    write("llvm-emitted.ll", entry.emitted);
    write("llvm.ll", entry.llvm);
    write(entry.device == "cpu" ? "code.s" : "code.ptx", entry.assembly);
    write("about.txt", "reason: " + entry.reason + "\ndevice: " + entry.device + "\n" +
                           (entry.uncompiled.empty() ? "" : "runs as written: " + entry.uncompiled + "\n"));
}

}  // namespace

bool keeps_passes() { return explains || is_debugging(); }
bool is_debugging() { return debugging.load(std::memory_order_relaxed); }

bool write_whole(const std::string& file, std::string_view text) {
    static std::atomic<std::uint64_t> count{0};
    const std::string temporary = file + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".part";
    std::ofstream out(temporary, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    std::error_code error;
    if (out) fs::rename(temporary, file, error);
    if (out && !error) return true;
    fs::remove(temporary, error);
    return false;
}

std::string claim_debug_folder(std::string_view name) {
    const std::string within = current();
    const std::string path = within.empty() ? std::string() : claim(within, safe(name), false);
    if (!path.empty()) (void)write_whole((fs::path(path) / "environment.txt").string(), environment_text());
    return path;
}

std::string FunctionFolder::path() const {
    const std::scoped_lock lock(mutex_);
    return path_;
}

std::string FunctionFolder::write(const EntryInfo& entry, const CompileOptions& options, const std::string& into) {
    std::string path;
    {
        const std::string within = current();
        if (within.empty()) return {};
        const std::scoped_lock lock(mutex_);
        if (within_ != within) {
            path_ = claim_debug_folder(options.name);
            within_ = within;
            if (!path_.empty()) (void)write_whole((fs::path(path_) / "function.txt").string(), options.name + "\n" + options.place + "\n");
        }
        path = path_;
    }
    const bool is_there = !into.empty() && into.starts_with(path);
    const std::string own = path.empty() || is_there ? into : claim(path, "entry", true);
    if (!own.empty()) write_entry(own, entry);
    return own;
}

void set_debug_folder_by_environment() {
    (void)base::made_once([] {
        const char* const text = std::getenv("FASTNP_DEBUG");  // NOLINT: nothing here changes the environment
        if (text != nullptr && *text != 0) (void)set_debug_folder(text);
        return std::make_unique<bool>(true);
    });
}

}  // namespace fastnp::detail

namespace fastnp {

std::string set_debug_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    std::string next = folder;
    if (!folder.empty()) {
        std::error_code error;
        fs::create_directories(folder, error);
        next = fs::absolute(folder, error).string();
        if (error || access(next.c_str(), W_OK | X_OK) != 0 || !fs::is_directory(next, error)) {
            const std::string why = error ? error.message() : std::strerror(errno);
            throw ValueError("set_debug_folder() can't write to '" + folder + "': " + why);
        }
    }
    detail::Setting& there = detail::setting();
    const std::scoped_lock lock(there.mutex);
    detail::debugging.store(!next.empty(), std::memory_order_relaxed);
    return std::exchange(there.folder, std::move(next));
}

explain_scope::explain_scope() : before_(std::exchange(detail::explains, true)) {}
explain_scope::~explain_scope() { detail::explains = before_; }

}  // namespace fastnp
