// What takes longer than a second is told of on the terminal, on one line, with a bar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether anything is told: where the standard error stream is a terminal. FASTNP_PROGRESS=0: nowhere; 1: anywhere. ValueError for other words.
FASTNP_API bool shows_progress();

/// Its life is what takes a while. Of several the oldest one is shown, once it is a second old; in a terminal its line is gone with it.
class FASTNP_API Progress {
public:
    /// `what`: "compiling loss". `total`: how many steps there are; 0: nobody knows.
    explicit Progress(std::string_view what, std::int64_t total = 0);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// How many steps are done, and what it is at.
    void set(std::int64_t done, std::int64_t total, std::string note);

private:
    std::uint64_t id_ = 0;  // 0: nothing is told
    std::uint64_t outer_ = 0;
};

/// What the innermost one of this thread is at: words that live as long as the process.
FASTNP_API void note_progress(const char* note);

/// A line of it, without what moves the cursor, in at most `width` columns.
FASTNP_API std::string progress_line(std::string_view what, std::int64_t done, std::int64_t total, std::string_view note, double seconds, int width);

}  // namespace fastnp::detail
