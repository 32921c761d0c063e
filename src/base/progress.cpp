#include "fastnp/detail/progress.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(1);          // before anything is told
constexpr auto frame = std::chrono::milliseconds(100);      // from picture to picture, in a terminal
constexpr auto line_after_line = std::chrono::seconds(10);  // elsewhere
constexpr const char* erased = "\r\x1b[K";

// A terminal that this process may write to now: one in the background would be stopped.
bool is_ours() {
    const pid_t group = tcgetpgrp(STDERR_FILENO);
    return group < 0 || group == getpgrp();
}

bool is_terminal() {
    static const bool found = [] {
        const char* const kind = std::getenv("TERM");  // NOLINT: nothing here changes the environment
        return isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
    }();
    return found;
}

int columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Nobody waits for a reader that does not read.
void write_all(std::string_view text) {
    while (!text.empty()) {
        pollfd there{STDERR_FILENO, POLLOUT, 0};
        if (poll(&there, 1, 0) != 1 || (there.revents & POLLOUT) == 0) return;
        const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string seconds_text(double seconds) {
    char text[32];
    if (seconds < 60) std::snprintf(text, sizeof text, "%.1f s", seconds);
    else std::snprintf(text, sizeof text, "%d:%02d min", static_cast<int>(seconds) / 60, static_cast<int>(seconds) % 60);
    return text;
}

// With the bar of a known end, or of none.
std::string bar_text(std::int64_t done, std::int64_t total, double seconds) {
    constexpr int cells = 20, runner = 4;
    std::string bar(cells, ' ');
    if (total > 0) {
        const auto full = static_cast<std::size_t>(cells * std::clamp(done, std::int64_t{0}, total) / total);
        std::fill_n(bar.begin(), full, '=');
        if (full < bar.size()) bar[full] = '>';
    } else {
        constexpr int span = cells - runner;
        const int step = static_cast<int>(std::fmod(seconds * 10, 2 * span));
        std::fill_n(bar.begin() + (step < span ? step : 2 * span - step), runner, '=');
    }
    return "[" + bar + "]";
}

// The first columns of a text in UTF-8, with nothing in it that moves the cursor.
std::string shown(std::string_view text, int width) {
    std::string result;
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        const bool is_first = (byte & 0xC0U) != 0x80U;
        if (is_first && width-- == 0) break;
        result += byte < 0x20 || byte == 0x7f ? '?' : each;
    }
    return result;
}

thread_local constinit std::uint64_t innermost = 0;

class Teller {
public:
    std::uint64_t begin(std::string_view what, std::int64_t total) {
        const std::scoped_lock lock(mutex_);
        if (!is_at_work_ || forks_ != base::fork_count()) start();
        items_.push_back({++last_, std::string(what), {}, 0, total, Clock::now()});
        if (is_idle_) {
            is_idle_ = false;
            ++called_;
            called_.notify_one();
        }
        return last_;
    }

    void end(std::uint64_t id) {
        const std::scoped_lock lock(mutex_);
        const auto found = std::ranges::find(items_, id, &Item::id);
        if (found == items_.end()) return;  // of the process that this one was forked from
        if (told_ == id) {
            const double seconds = age(*found);
            write_all(is_terminal() ? std::string(erased) : "fastnp: " + shown(found->what, -1) + ": done after " + seconds_text(seconds) + "\n");
            told_ = 0;
        }
        items_.erase(found);
    }

    template <class Change>
    void change(std::uint64_t id, const Change& change) {
        const std::scoped_lock lock(mutex_);
        const auto found = std::ranges::find(items_, id, &Item::id);
        if (found != items_.end()) change(*found);
    }

    struct Item {
        std::uint64_t id;
        std::string what, note;
        std::int64_t done, total;
        Clock::time_point begin;
    };

private:
    static double age(const Item& item) { return std::chrono::duration<double>(Clock::now() - item.begin).count(); }

    // Of this process. The thread is never joined: it waits until the process ends.
    void start() {
        forks_ = base::fork_count();
        items_.clear();
        told_ = 0;
        is_idle_ = false;
        try {
            std::thread([this] { run(); }).detach();
            is_at_work_ = true;
        } catch (const std::system_error&) {
            is_at_work_ = false;
        }
    }

    void run() {
        while (true) {
            const std::uint32_t seen = called_.load();
            Clock::time_point next;
            if (!tell(next)) called_.wait(seen);
            else std::this_thread::sleep_until(next);
        }
    }

    // The oldest one, if it is old enough; and when to look again. False: there is none.
    bool tell(Clock::time_point& next) {
        const std::scoped_lock lock(mutex_);
        is_idle_ = items_.empty();
        if (is_idle_) return false;
        const Item& item = items_.front();
        next = item.begin + patience;
        const Clock::time_point now = Clock::now();
        if (now < next) return true;
        next = now + frame;
        if (is_terminal()) {
            if (is_ours()) write_all("\r" + progress_line(item.what, item.done, item.total, item.note, age(item), columns() - 1) + "\x1b[K");
        } else if (told_ != item.id || now >= again_) {
            again_ = now + line_after_line;
            const std::string at = item.total > 0 ? ", " + std::to_string(item.done) + "/" + std::to_string(item.total) : std::string();
            write_all("fastnp: " + shown(item.what, -1) + ": " + seconds_text(age(item)) + at + (item.note.empty() ? "" : ", " + shown(item.note, -1)) +
                      "\n");
        }
        told_ = item.id;
        return true;
    }

    base::ForkSafe<std::mutex> mutex_;
    std::vector<Item> items_;  // by age
    std::uint64_t last_ = 0, told_ = 0;
    Clock::time_point again_;
    bool is_at_work_ = false, is_idle_ = false;
    std::uint32_t forks_ = 0;
    std::atomic<std::uint32_t> called_{0};
};

Teller& teller() {
    return base::made_once([] { return std::make_unique<Teller>(); });
}

bool asked_for() {
    const char* const set = std::getenv("FASTNP_PROGRESS");  // NOLINT: nothing here changes the environment
    const std::string_view word = set == nullptr ? "" : set;
    if (word == "0" || word == "1") return word == "1";
    if (!word.empty()) throw ValueError("FASTNP_PROGRESS must be '0' or '1', not '" + std::string(word) + "'");
    return is_terminal();
}

}  // namespace

bool shows_progress() {
    static const bool shows = asked_for();
    return shows;
}

Progress::Progress(std::string_view what, std::int64_t total) {
    if (!shows_progress()) [[likely]]
        return;
    id_ = teller().begin(what, total);
    outer_ = std::exchange(innermost, id_);
}

Progress::~Progress() {
    if (id_ == 0) [[likely]]
        return;
    teller().end(id_);
    if (innermost == id_) innermost = outer_;
}

void Progress::set(std::int64_t done, std::int64_t total, std::string note) {
    if (id_ == 0) return;
    teller().change(id_, [&](auto& item) {
        item.done = done;
        item.total = total;
        item.note = std::move(note);
    });
}

void note_progress(const char* note) {
    if (innermost == 0) [[likely]]
        return;
    teller().change(innermost, [&](auto& item) { item.note = note; });
}

std::string progress_line(std::string_view what, std::int64_t done, std::int64_t total, std::string_view note, double seconds, int width) {
    std::string line = "fastnp: " + std::string(what) + " " + bar_text(done, total, seconds) + " ";
    if (total > 0) line += std::to_string(done) + "/" + std::to_string(total) + ", ";
    line += seconds_text(seconds);
    if (!note.empty()) line += ", " + std::string(note);
    return shown(line, width);
}

}  // namespace fastnp::detail
