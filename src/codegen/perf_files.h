// The two ways in which perf is told of code that is made at run time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/linked_functions.h"

namespace fastnp::codegen {

/// A file that is written to as long as the process runs. What can't be written is not there: that is no reason for code not to run.
class ProfilerFile {
public:
    ProfilerFile() = default;
    ~ProfilerFile();
    ProfilerFile(const ProfilerFile&) = delete;
    ProfilerFile& operator=(const ProfilerFile&) = delete;

    /// Begins a new file in the place of the one so far.
    bool open(const std::string& name);
    int get() const { return file_; }
    void write(std::string_view bytes) const;

private:
    int file_ = -1;
};

/// /tmp/perf-<pid>.map: a line for each function. perf reads it as it reports.
class PerfMap {
public:
    void add(std::span<const LinkedFunction> functions);

private:
    int process_ = 0;
    std::string all_;
    ProfilerFile file_;
};

/// A jitdump, jit-<pid>.dump in a folder below $JITDUMPDIR or $HOME: code, names and lines, for `perf inject --jit`.
/// https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/jitdump-specification.txt
class JitDump {
public:
    void add(std::span<const LinkedFunction> functions);

private:
    void begin();
    std::string records_of(const LinkedFunction& function);

    int process_ = 0;
    std::uint64_t count_ = 0;
    std::vector<LinkedFunction> all_;
    ProfilerFile file_;
};

}  // namespace fastnp::codegen
