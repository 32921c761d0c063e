#include "codegen/store.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/fork.h"
#include "codegen/about.h"
#include "codegen/host.h"
#include "eager/vector_math.h"
#include "fastnp/detail/log.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/SHA256.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

using Digest = std::array<std::uint8_t, 32>;
constexpr std::string_view magic = "fastnp cache 1\n";
constexpr std::size_t largest_file = std::size_t{256} << 20;

Digest digest_of(std::initializer_list<std::string_view> parts) {
    llvm::SHA256 hash;
    for (const std::string_view part : parts) hash.update(llvm::StringRef(part.data(), part.size()));
    return hash.final();
}

std::string_view bytes_of(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

// The build id of the module that an address lies in: the linker's hash of all of it. Empty if it was linked without.
std::string build_id_at(const void* address) {
    struct Search {
        std::uintptr_t here;
        std::string found;
    } search{reinterpret_cast<std::uintptr_t>(address), {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* context) {
            auto& wanted = *static_cast<Search*>(context);
            bool is_here = false;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& header = info->dlpi_phdr[i];
                const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                is_here = is_here || (header.p_type == PT_LOAD && wanted.here >= begin && wanted.here < begin + header.p_memsz);
            }
            for (int i = 0; is_here && i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& header = info->dlpi_phdr[i];
                if (header.p_type != PT_NOTE) continue;
                const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);  // NOLINT: an address of the loader's
                const char* end = at + header.p_memsz;
                while (at + sizeof(ElfW(Nhdr)) <= end) {
                    ElfW(Nhdr) note;
                    std::memcpy(&note, at, sizeof note);
                    const char* name = at + sizeof note;
                    const char* contents = name + (note.n_namesz + 3) / 4 * 4;
                    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
                        wanted.found.assign(contents, note.n_descsz);
                    }
                    at = contents + (note.n_descsz + 3) / 4 * 4;
                }
            }
            return is_here ? 1 : 0;
        },
        &search);
    return search.found;
}

// Of this library and of libfastnp, which may be one.
std::string build_id() {
    const std::string here = build_id_at(reinterpret_cast<const void*>(&digest_of)), there = build_id_at(&detail::log_channels);
    return here.empty() || there.empty() ? std::string() : here + there;
}

// All that what is kept depends on besides its fingerprint.
const std::string& environment() {
    return base::made_once([] {
        const std::string build = build_id();
        return std::make_unique<const std::string>(build.empty() ? build
                                                                 : build + '\n' + target_text() + '\n' + gnu_get_libc_version() + '\n' +
                                                                       std::to_string(static_cast<int>(eager::vector_math())));
    });
}

std::filesystem::path folder_name() {
    const auto set = [](const char* name) { return std::getenv(name); };  // NOLINT: nothing here changes the environment
    if (const char* given = set("FASTNP_CACHE_DIR")) return given;
    if (const char* base = set("XDG_CACHE_HOME"); base != nullptr && base[0] == '/') return std::filesystem::path(base) / "fastnp";
    if (const char* home = set("HOME"); home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache" / "fastnp";
    return {};
}

std::filesystem::path bundle_name() {
    const char* const given = std::getenv("FASTNP_CACHE_BUNDLE");  // NOLINT: as above
    return given == nullptr ? std::filesystem::path() : std::filesystem::path(given);
}

std::uint64_t size_limit() {
    std::uint64_t mebibytes = 256;
    if (const char* given = std::getenv("FASTNP_CACHE_SIZE")) std::from_chars(given, given + std::strlen(given), mebibytes);  // NOLINT: as above
    return mebibytes << 20;
}

// The folder that this process keeps files in, or one that came with an application.
enum class Place : std::uint8_t { own, bundle };

class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int get() const { return descriptor_; }

    /// The user's own, or, of a bundle, the system's, and nobody else can write to it.
    bool is_safe(mode_t kind, Place place, struct stat& status) const {
        if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return false;
        const bool is_own = status.st_uid == geteuid() || (place == Place::bundle && status.st_uid == 0);
        return is_own && (status.st_mode & S_IFMT) == kind && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    }

private:
    int descriptor_;
};

// The folder, open; made if it is not there and `make` says so. -1 if it can't be used.
int open_folder(const std::filesystem::path& name, Place place, bool make) {
    if (name.empty()) return -1;
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int descriptor = open(name.c_str(), flags);
    if (descriptor < 0 && make && errno == ENOENT) {
        std::error_code ignored;
        if (name.has_parent_path()) std::filesystem::create_directories(name.parent_path(), ignored);
        mkdir(name.c_str(), S_IRWXU);
        descriptor = open(name.c_str(), flags);
    }
    struct stat status;
    if (descriptor >= 0 && !File(dup(descriptor)).is_safe(S_IFDIR, place, status)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

std::string file_name(const Digest& key) { return "llvmcache-" + llvm::toHex(key, true); }  // the prefix that pruneCache looks for

std::string read_all(int descriptor, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t at = 0;
    while (at < size) {
        const ssize_t got = read(descriptor, bytes.data() + at, size - at);
        if (got <= 0) return {};
        at += static_cast<std::size_t>(got);
    }
    return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = write(descriptor, bytes.data(), bytes.size());
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

// Lets the least recently used files go: now and then, and whenever this process has written much.
void prune(const std::filesystem::path& folder, std::size_t written) {
    static std::atomic<std::uint64_t> since{0};
    llvm::CachePruningPolicy policy;
    policy.MaxSizeBytes = size_limit();
    policy.MaxSizePercentageOfAvailableSpace = 0;
    policy.Interval = std::chrono::minutes(10);
    if (since.fetch_add(written) + written > policy.MaxSizeBytes / 16) {
        since = 0;
        policy.Interval = std::chrono::seconds(0);
    }
    llvm::pruneCache(folder.string(), policy);
}

std::optional<std::string> read_kept(const Digest& key, const std::filesystem::path& name, Place place) {
    const File folder(open_folder(name, place, false));
    if (folder.get() < 0) return std::nullopt;
    const File file(openat(folder.get(), file_name(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status;
    if (!file.is_safe(S_IFREG, place, status) || static_cast<std::size_t>(status.st_size) > largest_file) return std::nullopt;
    const std::string bytes = read_all(file.get(), static_cast<std::size_t>(status.st_size));
    const std::size_t head = magic.size() + 2 * sizeof(Digest);
    if (bytes.size() < head) return std::nullopt;
    const std::string_view body = std::string_view(bytes).substr(head);
    const Digest sum = digest_of({bytes_of(key), body});
    const std::string expected = std::string(magic) + std::string(bytes_of(key)) + std::string(bytes_of(sum));
    if (bytes.compare(0, head, expected) != 0) return std::nullopt;
    const struct timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    if (place == Place::own) (void)futimens(file.get(), times);  // used now, also where the file system does not note that
    return std::string(body);
}

// Whether it is kept now.
bool write_kept(const Digest& key, std::string_view body) {
    const std::filesystem::path name = folder_name();
    const File folder(open_folder(name, Place::own, true));
    if (folder.get() < 0) return false;
    const Digest sum = digest_of({bytes_of(key), body});
    static std::atomic<std::uint64_t> counter{0};
    const std::string temporary = "llvmcache-writing-" + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
                                  std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
    const File file(openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.get() < 0) return false;
    const bool written =
        write_all(file.get(), magic) && write_all(file.get(), bytes_of(key)) && write_all(file.get(), bytes_of(sum)) && write_all(file.get(), body);
    if (!written || renameat(folder.get(), temporary.c_str(), folder.get(), file_name(key).c_str()) != 0) {
        unlinkat(folder.get(), temporary.c_str(), 0);
        return false;
    }
    prune(name, body.size());
    return true;
}

// What a file is known by in logs.
void tell_file(const char* what, const Digest& key, std::size_t bytes) {
    const std::pair<std::string_view, std::string> values[] = {{"file", file_name(key)}, {"bytes", std::to_string(bytes)}};
    detail::tell(detail::Channel::cache, std::string(what) + " " + file_name(key).substr(0, 22) + " (" + values[1].second + " bytes)", values);
}

}  // namespace

bool keeps_files() { return !environment().empty() && !(folder_name().empty() && bundle_name().empty()); }

std::optional<std::string> load_bytes(std::string_view fingerprint) {
    if (environment().empty()) return std::nullopt;
    const Digest key = digest_of({magic, environment(), fingerprint});
    std::optional<std::string> found = read_kept(key, folder_name(), Place::own);
    if (!found) found = read_kept(key, bundle_name(), Place::bundle);
    if (detail::tells(detail::Channel::cache)) tell_file(found ? "found" : "found no", key, found ? found->size() : 0);
    return found;
}

void store_bytes(std::string_view fingerprint, std::string_view bytes) {
    if (environment().empty()) return;
    const Digest key = digest_of({magic, environment(), fingerprint});
    const bool is_kept = write_kept(key, bytes);
    if (detail::tells(detail::Channel::cache)) tell_file(is_kept ? "kept" : "could not keep", key, bytes.size());
}

std::string cache_folder() { return folder_name().string(); }

}  // namespace fastnp::codegen
