#include "codegen/perf_files.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ADT/StringExtras.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

// Whether this process has begun no file yet: a child of fork() has its parent's functions, and files of its own.
bool is_new(int& process) { return std::exchange(process, getpid()) != getpid(); }

// Numbers and texts as they lie in memory.
class Record {
public:
    template <class T>
    Record& add(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Record& text(std::string_view text) {
        bytes_.append(text);
        bytes_ += '\0';
        return *this;
    }
    Record& raw(std::span<const char> bytes) {
        bytes_.append(bytes.data(), bytes.size());
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

// As `perf record -k mono` has it.
std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

enum class Kind : std::uint32_t { load = 0, debug_info = 2 };  // of records

std::string record_of(Kind kind, const std::string& body) {
    constexpr std::uint32_t head_bytes = 16;
    Record whole;
    whole.add(kind).add(static_cast<std::uint32_t>(head_bytes + body.size())).add(now()).raw(body);
    return whole.bytes();
}

// A new folder, which nobody else has; empty if there can be none.
std::string dump_folder() {
    const char* base = std::getenv("JITDUMPDIR");  // NOLINT: nothing here changes the environment
    if (base == nullptr || *base == '\0') base = std::getenv("HOME");  // NOLINT: as above
    const std::filesystem::path folder = std::filesystem::path(base == nullptr ? "." : base) / ".debug" / "jit";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::string name = folder / "fastnp-XXXXXX";
    return mkdtemp(name.data()) == nullptr ? std::string() : name;
}

}  // namespace

ProfilerFile::~ProfilerFile() {
    if (file_ >= 0) close(file_);
}

bool ProfilerFile::open(const std::string& name) {
    if (file_ >= 0) close(file_);
    unlink(name.c_str());
    file_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    return file_ >= 0;
}

void ProfilerFile::write(std::string_view bytes) const {
    while (file_ >= 0 && !bytes.empty()) {
        const ssize_t written = ::write(file_, bytes.data(), bytes.size());
        if (written <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void PerfMap::add(std::span<const LinkedFunction> functions) {
    std::string lines;
    for (const LinkedFunction& each : functions) {
        lines += llvm::utohexstr(each.address, true) + " " + llvm::utohexstr(each.code.size(), true) + " " + each.name + "\n";
    }
    all_ += lines;
    const bool begins = is_new(process_);
    if (begins) file_.open("/tmp/perf-" + std::to_string(process_) + ".map");  // where perf looks for it
    file_.write(begins ? all_ : lines);
}

void JitDump::begin() {
    constexpr std::uint32_t magic = 0x4a695444, version = 1, head_bytes = 40;
    constexpr std::uint64_t flags = 0;
    const std::string folder = dump_folder();
    if (folder.empty() || !file_.open(folder + "/jit-" + std::to_string(process_) + ".dump")) return;
    Record head;
    head.add(magic).add(version).add(head_bytes).add(std::uint32_t{EM_X86_64}).add(std::uint32_t{0}).add(static_cast<std::uint32_t>(process_));
    file_.write(head.add(now()).add(flags).bytes());
    // perf finds the file by this: it notes what is mapped to be run. The mapping stays until the process ends.
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    [[maybe_unused]] void* const seen = mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.get(), 0);
}

std::string JitDump::records_of(const LinkedFunction& function) {
    std::string records;
    if (!function.lines.empty()) {
        Record lines;
        lines.add(function.address).add(std::uint64_t{function.lines.size()});
        for (const LinkedFunction::Line& line : function.lines) {
            constexpr std::uint32_t discriminator = 0;
            lines.add(line.address).add(line.number).add(discriminator).text(line.file);
        }
        records += record_of(Kind::debug_info, lines.bytes());
    }
    Record load;
    load.add(static_cast<std::uint32_t>(process_)).add(static_cast<std::uint32_t>(syscall(SYS_gettid)));
    load.add(function.address).add(function.address).add(std::uint64_t{function.code.size()}).add(count_++);
    load.text(function.name).raw(function.code);
    return records + record_of(Kind::load, load.bytes());
}

void JitDump::add(std::span<const LinkedFunction> functions) {
    if (is_new(process_)) {
        count_ = 0;
        begin();
        for (const LinkedFunction& each : all_) file_.write(records_of(each));
    }
    for (const LinkedFunction& each : functions) {
        file_.write(records_of(each));
        all_.push_back(each);
        all_.back().code = {reinterpret_cast<const char*>(each.address), each.code.size()};  // NOLINT: where it will be found from now on
    }
}

}  // namespace fastnp::codegen
