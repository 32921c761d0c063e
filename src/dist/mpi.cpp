#include "dist/mpi.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "fastnp/error.h"

namespace fastnp::dist {

namespace {

// MPI's handles are pointers in Open MPI, and ints in MPICH and those that have its ABI (Intel MPI, MVAPICH, Cray): both fit into this, and what is handed
// over in a register, or written through a pointer to a zero, is right for both.
using Handle = std::intptr_t;
static_assert(sizeof(Handle) == 8, "MPI's handles are handed over as 64 bits");

// The functions that are called, by their names.
struct Functions {
    int (*MPI_Initialized)(int*);
    int (*MPI_Finalized)(int*);
    int (*MPI_Init_thread)(int*, char***, int, int*);
    int (*MPI_Query_thread)(int*);
    int (*MPI_Finalize)();
    int (*MPI_Abort)(Handle, int);
    int (*MPI_Comm_rank)(Handle, int*);
    int (*MPI_Comm_size)(Handle, int*);
    int (*MPI_Comm_dup)(Handle, Handle*);
    int (*MPI_Comm_free)(Handle*);
    int (*MPI_Comm_group)(Handle, Handle*);
    int (*MPI_Group_incl)(Handle, int, const int*, Handle*);
    int (*MPI_Group_free)(Handle*);
    int (*MPI_Comm_create_group)(Handle, Handle, int, Handle*);
    int (*MPI_Comm_set_errhandler)(Handle, Handle);
    int (*MPI_Error_string)(int, char*, int*);
    int (*MPI_Iallgather)(const void*, int, Handle, void*, int, Handle, Handle, Handle*);
    int (*MPI_Ialltoall)(const void*, int, Handle, void*, int, Handle, Handle, Handle*);
    int (*MPI_Ibcast)(void*, int, Handle, int, Handle, Handle*);
    int (*MPI_Isend)(const void*, int, Handle, int, int, Handle, Handle*);
    int (*MPI_Irecv)(void*, int, Handle, int, int, Handle, Handle*);
    int (*MPI_Ibarrier)(Handle, Handle*);
    int (*MPI_Test)(Handle*, int*, void*);
};

class Library {
public:
    explicit Library(const std::string& file) {
        const char* const given = file.empty() ? std::getenv("FASTNP_MPI_LIBRARY") : file.c_str();
        std::vector<std::string> names{"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so"};
        if (given != nullptr && *given != '\0') names = {given};
        for (const std::string& name : names) {
            // (Open MPI's parts look for its names among those of the process.)
            if (handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL); handle_ != nullptr) break;
        }
        if (handle_ == nullptr) throw RankError("no MPI library (" + list(names) + "): " + dlerror());
#define FASTNP_MPI(name) find(mpi.name, #name)
        FASTNP_MPI(MPI_Initialized), FASTNP_MPI(MPI_Finalized), FASTNP_MPI(MPI_Init_thread), FASTNP_MPI(MPI_Query_thread), FASTNP_MPI(MPI_Finalize);
        FASTNP_MPI(MPI_Abort);
        FASTNP_MPI(MPI_Comm_rank), FASTNP_MPI(MPI_Comm_size), FASTNP_MPI(MPI_Comm_dup), FASTNP_MPI(MPI_Comm_free), FASTNP_MPI(MPI_Comm_group);
        FASTNP_MPI(MPI_Group_incl), FASTNP_MPI(MPI_Group_free), FASTNP_MPI(MPI_Comm_create_group), FASTNP_MPI(MPI_Comm_set_errhandler);
        FASTNP_MPI(MPI_Error_string), FASTNP_MPI(MPI_Iallgather), FASTNP_MPI(MPI_Ialltoall), FASTNP_MPI(MPI_Ibcast), FASTNP_MPI(MPI_Isend);
        FASTNP_MPI(MPI_Irecv), FASTNP_MPI(MPI_Ibarrier), FASTNP_MPI(MPI_Test);
#undef FASTNP_MPI
        if (const void* const own = dlsym(handle_, "ompi_mpi_comm_world"); own != nullptr) {
            comm_world = reinterpret_cast<Handle>(own);
            byte = reinterpret_cast<Handle>(symbol("ompi_mpi_byte"));
            errors_return = reinterpret_cast<Handle>(symbol("ompi_mpi_errors_return"));
            status_ignore = nullptr;
        } else {  // the numbers of MPICH's ABI
            comm_world = 0x44000000;
            byte = 0x4c00010d;
            errors_return = 0x54000001;
            status_ignore = reinterpret_cast<void*>(1);
        }
    }

    void check(int code, const char* what) const {
        if (code == 0) return;
        std::array<char, 4096> text{};
        int length = 0;
        mpi.MPI_Error_string(code, text.data(), &length);
        throw RankError(std::string(what) + ": " + text.data());
    }

    Functions mpi{};
    Handle comm_world = 0, byte = 0, errors_return = 0;
    void* status_ignore = nullptr;

private:
    static std::string list(const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
        return text;
    }

    void* symbol(const char* name) const {
        void* const found = dlsym(handle_, name);
        if (found == nullptr) throw RankError(std::string("the MPI library lacks ") + name);
        return found;
    }

    template <class Function>
    void find(Function& function, const char* name) const {
        function = reinterpret_cast<Function>(symbol(name));
    }

    void* handle_ = nullptr;  // never closed: MPI can't be begun twice in a process
};

// Whether a rank was waited for in vain.
std::atomic<bool>& has_failed() {
    static std::atomic<bool> failed = false;
    return failed;
}

// A request is waited for in turns, so that a rank that does not come is an error, and not a hang.
class Requests {
public:
    explicit Requests(const Library& library) : library_(library) {}

    Handle& next() { return open_.emplace_back(0); }

    // What is still open after the time limit stays so, and with it MPI: no more calls, in which it would write to buffers that are gone.
    void wait(const char* what) {
        if (has_failed()) throw RankError("other ranks did not come to an earlier collective");
        const Waiting waiting;
        const auto start = std::chrono::steady_clock::now();
        int turns = 0;
        for (Handle& each : open_) {
            while (true) {
                int done = 0;
                library_.check(library_.mpi.MPI_Test(&each, &done, library_.status_ignore), what);
                if (done != 0) break;
                if (++turns < spins) continue;
                std::this_thread::yield();
                if (std::chrono::steady_clock::now() - start > time_limit()) {
                    has_failed() = true;
                    throw RankError("other ranks did not come within " + std::to_string(time_limit().count()) + " s");
                }
            }
        }
    }

private:
    static constexpr int spins = 64;
    const Library& library_;
    std::vector<Handle> open_;
};

// In pieces of so many bytes: MPI counts in ints.
constexpr std::size_t piece = std::size_t{1} << 28;

class Processes final : public Transport {
public:
    Processes(const Library& library, Handle comm) : library_(library), comm_(comm) {
        library_.check(library_.mpi.MPI_Comm_set_errhandler(comm_, library_.errors_return), "MPI_Comm_set_errhandler");
        library_.check(library_.mpi.MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
        library_.check(library_.mpi.MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void all_gather(const void* in, void* out, std::size_t bytes) override {
        in_pieces(in, out, bytes, false, true, [&](const void* from, void* to, int count) {
            Requests requests(library_);
            const int code = library_.mpi.MPI_Iallgather(from, count, library_.byte, to, count, library_.byte, comm_, &requests.next());
            library_.check(code, "MPI_Iallgather");
            requests.wait("MPI_Iallgather");
        });
    }

    void all_to_all(const void* in, void* out, std::size_t bytes) override {
        in_pieces(in, out, bytes, true, true, [&](const void* from, void* to, int count) {
            Requests requests(library_);
            const int code = library_.mpi.MPI_Ialltoall(from, count, library_.byte, to, count, library_.byte, comm_, &requests.next());
            library_.check(code, "MPI_Ialltoall");
            requests.wait("MPI_Ialltoall");
        });
    }

    void broadcast(void* data, std::size_t bytes, int root) override {
        for (std::size_t at = 0; at < bytes; at += piece) {
            Requests requests(library_);
            const int count = static_cast<int>(std::min(piece, bytes - at));
            library_.check(library_.mpi.MPI_Ibcast(static_cast<char*>(data) + at, count, library_.byte, root, comm_, &requests.next()), "MPI_Ibcast");
            requests.wait("MPI_Ibcast");
        }
    }

    void permute(const void* in, void* out, std::size_t bytes, int to, int from) override {
        constexpr int tag = 1;
        for (std::size_t at = 0; at < bytes; at += piece) {
            Requests requests(library_);
            const int count = static_cast<int>(std::min(piece, bytes - at));
            if (from >= 0) {
                library_.check(library_.mpi.MPI_Irecv(static_cast<char*>(out) + at, count, library_.byte, from, tag, comm_, &requests.next()),
                               "MPI_Irecv");
            }
            if (to >= 0) {
                library_.check(library_.mpi.MPI_Isend(static_cast<const char*>(in) + at, count, library_.byte, to, tag, comm_, &requests.next()),
                               "MPI_Isend");
            }
            requests.wait("MPI_Irecv");
        }
    }

    void barrier() override {
        Requests requests(library_);
        library_.check(library_.mpi.MPI_Ibarrier(comm_, &requests.next()), "MPI_Ibarrier");
        requests.wait("MPI_Ibarrier");
    }

private:
    // Rows of `bytes` bytes, of which so many at a time are handed over that all of them are few; those of several pieces by way of buffers.
    template <class Exchange>
    void in_pieces(const void* in, void* out, std::size_t bytes, bool of_rows, bool to_rows, const Exchange& exchange) {
        const auto size = static_cast<std::size_t>(size_);
        if (bytes <= piece) return exchange(in, out, static_cast<int>(bytes));
        std::vector<char> from((of_rows ? size : 1) * piece), to((to_rows ? size : 1) * piece);
        for (std::size_t at = 0; at < bytes; at += piece) {
            const std::size_t count = std::min(piece, bytes - at);
            for (std::size_t i = 0; i < (of_rows ? size : 1); ++i) std::memcpy(&from[i * count], static_cast<const char*>(in) + i * bytes + at, count);
            exchange(from.data(), to.data(), static_cast<int>(count));
            for (std::size_t i = 0; i < (to_rows ? size : 1); ++i) std::memcpy(static_cast<char*>(out) + i * bytes + at, &to[i * count], count);
        }
    }

    const Library& library_;
    Handle comm_;
    int rank_ = 0, size_ = 0;
};

class MpiWorld final : public World {
public:
    explicit MpiWorld(const std::string& file) : library_(library(file)) {
        int is_begun = 0, given = 0;
        library_.check(library_.mpi.MPI_Initialized(&is_begun), "MPI_Initialized");
        if (is_begun == 0) {
            library_.check(library_.mpi.MPI_Init_thread(nullptr, nullptr, any_thread, &given), "MPI_Init_thread");
            std::atexit([] { finish(); });
        } else {
            library_.check(library_.mpi.MPI_Query_thread(&given), "MPI_Query_thread");
        }
        if (given < one_at_a_time) throw RankError("MPI was begun for one thread alone; MPI_THREAD_SERIALIZED is needed");
        library_.check(library_.mpi.MPI_Comm_dup(library_.comm_world, &comm_), "MPI_Comm_dup");
        library_.check(library_.mpi.MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
        library_.check(library_.mpi.MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    std::unique_ptr<Transport> group(std::span<const int> ranks) override {
        Handle all = 0, some = 0, comm = 0;
        library_.check(library_.mpi.MPI_Comm_group(comm_, &all), "MPI_Comm_group");
        library_.check(library_.mpi.MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
        constexpr int tag = 2;
        library_.check(library_.mpi.MPI_Comm_create_group(comm_, some, tag, &comm), "MPI_Comm_create_group");
        library_.mpi.MPI_Group_free(&some);
        library_.mpi.MPI_Group_free(&all);
        return std::make_unique<Processes>(library_, comm);
    }

    void abort() override { library_.mpi.MPI_Abort(comm_, 1); }

private:
    static constexpr int one_at_a_time = 2, any_thread = 3;  // MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE

    static const Library& library(const std::string& file) {
        static const Library found(file);
        return found;
    }

    // At the end of a process that began it.
    static void finish() {
        if (has_failed()) return;
        int is_over = 0;
        const Library& own = library({});
        if (own.mpi.MPI_Finalized(&is_over) == 0 && is_over == 0) own.mpi.MPI_Finalize();
    }

    const Library& library_;
    Handle comm_ = 0;
    int rank_ = 0, size_ = 0;
};

}  // namespace

std::unique_ptr<World> mpi_world(const std::string& library) { return std::make_unique<MpiWorld>(library); }

}  // namespace fastnp::dist
