// Which memory of arrays is there, and who asked for it, while somebody wants to know.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/detail/line.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Who asked for memory.
struct MemorySite {
    std::uint32_t line = 0;    // of the user's, by its number (detail/line.h); 0: it is not known
    std::string compiled = {};  // the compiled function that was called there; empty: none was
    int result = -1;           // which of its results it is; negative: none of them
    friend auto operator<=>(const MemorySite&, const MemorySite&) = default;
};

/// What one of them has asked for since the watch began.
struct MemoryRow {
    MemorySite site;
    std::string file = {}, function = {};  // of the line
    int number = 0;
    std::int64_t bytes = 0, arrays = 0;  // there now
    std::int64_t most = 0;               // bytes that were there at a time
    std::int64_t made = 0, count = 0;    // bytes and arrays in all
    std::vector<std::pair<std::string, std::int64_t>> homes = {};  // bytes that are there now, by device
};

struct MemorySnapshot {
    std::vector<MemoryRow> rows;
    std::int64_t bytes = 0, most = 0;        // of all of them
    std::int64_t earlier = 0;                // bytes of the host's allocator that were handed out before the watch began, and still are
    std::int64_t handed_out = 0, held = 0;   // by the host's allocator: with what rounding adds; kept for reuse
};

/// From now on the memory of arrays is noted as it is made, with the line that `ask` gives. There is one watch for the process.
FASTNP_API void start_memory_watch(AskLine ask);
FASTNP_API MemorySnapshot memory_snapshot();
FASTNP_API void stop_memory_watch();

/// While it lives, memory that this thread asks for is made in a call of this compiled function, on a line.
class FASTNP_API MemoryScope {
public:
    MemoryScope(std::string compiled, std::uint32_t line);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

private:
    MemorySite before_;
};

/// The memory that an array lies in, if it was made in a call of a compiled function, is one of its results.
FASTNP_API void note_result(const array& x, int result);
/// The same of the memory at an address.
FASTNP_API void note_result(const void* address, int result);

}  // namespace fastnp::detail
