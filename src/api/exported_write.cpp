// The files of an exported library: each appears whole, in the place of one that was there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "api/exported.h"
#include "fastnp/error.h"
#include "fastnp/exported.h"

namespace fastnp::detail {

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int why) { throw Error("cannot write " + path.string() + ": " + std::strerror(why)); }

// A file beside the one that it is to be, until it is put in its place.
class NewFile {
public:
    NewFile(std::filesystem::path path, std::string_view bytes) : path_(std::move(path)) {
        static std::atomic<unsigned> made{0};
        name_ = path_.string() + "." + std::to_string(getpid()) + "." + std::to_string(made++) + ".new";
        const int file = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRWXU | S_IRWXG | S_IRWXO);  // less what the user's umask says
        if (file < 0) fail_to_write(path_, errno);
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t wrote = ::write(file, bytes.data() + done, bytes.size() - done);
            if (wrote <= 0) break;
            done += static_cast<std::size_t>(wrote);
        }
        const int why = errno;
        if (close(file) != 0 || done != bytes.size()) {
            unlink(name_.c_str());
            fail_to_write(path_, why);
        }
    }
    ~NewFile() {
        if (!is_placed_) unlink(name_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    const std::string& name() const { return name_; }
    void place() {
        if (std::rename(name_.c_str(), path_.c_str()) != 0) fail_to_write(path_, errno);
        is_placed_ = true;
    }

private:
    std::filesystem::path path_;
    std::string name_;
    bool is_placed_ = false;
};

}  // namespace

const std::vector<std::string>& guards_of(const ExportedPart& part) { return part.guards; }

void write_exported(const std::filesystem::path& path, std::span<const std::shared_ptr<const ExportedPart>> parts) {
    const std::filesystem::path beside = std::filesystem::path(path).replace_extension(".h");
    if (beside == path) throw ValueError(path.string() + ": a library is not to end in .h, which its header does");
    NewFile library(path, library_of(parts));
    NewFile header(beside, header_of_library(library.name()));
    library.place();
    header.place();
}

}  // namespace fastnp::detail
