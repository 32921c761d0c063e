#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/fork.h"
#include "device/registry.h"
#include "dist/device_group.h"
#include "fastnp/error.h"

namespace fastnp::dist {

DeviceGroup::~DeviceGroup() = default;

namespace {

// nccl.h's types and numbers.
struct UniqueId {
    std::array<char, 128> bytes;
};
using Comm = void*;
using StreamHandle = void*;
constexpr int nccl_sum = 0, nccl_prod = 1, nccl_max = 2, nccl_min = 3;
constexpr int nccl_int8 = 0, nccl_uint8 = 1;

struct Functions {
    const char* (*ncclGetErrorString)(int);
    int (*ncclGetUniqueId)(UniqueId*);
    int (*ncclCommInitRank)(Comm*, int, UniqueId, int);
    int (*ncclCommDestroy)(Comm);
    int (*ncclAllReduce)(const void*, void*, std::size_t, int, int, Comm, StreamHandle);
    int (*ncclReduceScatter)(const void*, void*, std::size_t, int, int, Comm, StreamHandle);
    int (*ncclAllGather)(const void*, void*, std::size_t, int, Comm, StreamHandle);
    int (*ncclBroadcast)(const void*, void*, std::size_t, int, int, Comm, StreamHandle);
    int (*ncclSend)(const void*, std::size_t, int, int, Comm, StreamHandle);
    int (*ncclRecv)(void*, std::size_t, int, int, Comm, StreamHandle);
    int (*ncclGroupStart)();
    int (*ncclGroupEnd)();
};

// The library, which is never closed.
class Library {
public:
    static const Library& get() {
        return base::made_once([] { return std::unique_ptr<const Library>(new Library); });
    }

    Functions nccl{};
    std::string problem;

    void check(int code, const char* what) const {
        if (code != 0) throw RankError(std::string(what) + ": " + nccl.ncclGetErrorString(code));
    }

private:
    Library() {
        constexpr const char* file = "libnccl.so.2";
        const char* const given = std::getenv("FASTNP_NCCL_LIBRARY");
        std::vector<std::string> files{given != nullptr && *given != '\0' ? given : file};
        for (const std::string& folder : device::library_folders()) files.push_back(folder + "/nvidia/nccl/lib/" + file);
        void* handle = nullptr;
        for (const std::string& each : files) {
            if (handle = dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) break;
        }
        if (handle == nullptr) {
            problem = std::string("NCCL was not found: there is no ") + file + " that can be loaded";
            return;
        }
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
            if (function == nullptr) problem = std::string("NCCL is too old: it has no ") + name;
        };
#define FASTNP_NCCL(name) find(nccl.name, #name)
        FASTNP_NCCL(ncclGetErrorString);
        FASTNP_NCCL(ncclGetUniqueId);
        FASTNP_NCCL(ncclCommInitRank);
        FASTNP_NCCL(ncclCommDestroy);
        FASTNP_NCCL(ncclAllReduce);
        FASTNP_NCCL(ncclReduceScatter);
        FASTNP_NCCL(ncclAllGather);
        FASTNP_NCCL(ncclBroadcast);
        FASTNP_NCCL(ncclSend);
        FASTNP_NCCL(ncclRecv);
        FASTNP_NCCL(ncclGroupStart);
        FASTNP_NCCL(ncclGroupEnd);
#undef FASTNP_NCCL
    }
};

// How elements are joined: by which dtype and op of NCCL's, so many for each of ours. Others than these are not NumPy's: NaN are lost by extremes, float16
// is added in other steps.
struct Joining {
    int dtype = -1, op = -1, times = 1;
};

int dtype_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::int8: return nccl_int8;
        case Dtype::bool_:
        case Dtype::uint8: return nccl_uint8;
        case Dtype::int32: return 2;
        case Dtype::uint32: return 3;
        case Dtype::int64: return 4;
        case Dtype::uint64: return 5;
        case Dtype::float16: return 6;
        case Dtype::float32:
        case Dtype::complex64: return 7;
        case Dtype::float64:
        case Dtype::complex128: return 8;
        case Dtype::bfloat16: return 9;
        default: return -1;
    }
}

Joining joining_of(ops::Op joins, Dtype dtype) {
    const int number = dtype_of(dtype);
    const bool is_truth = dtype == Dtype::bool_, is_complex_number = is_complex(dtype);
    switch (joins) {
        case ops::Op::add: return {number, is_truth ? nccl_max : nccl_sum, is_complex_number ? 2 : 1};
        case ops::Op::multiply:
            if (is_complex_number) return {};
            return {number, is_truth ? nccl_min : nccl_prod};
        case ops::Op::maximum: return is_inexact(dtype) ? Joining{} : Joining{number, nccl_max};
        case ops::Op::minimum: return is_inexact(dtype) ? Joining{} : Joining{number, nccl_min};
        default: return {};
    }
}

class Nccl final : public DeviceGroup {
public:
    Nccl(device::Backend& backend, Transport& group) : backend_(backend), rank_(group.rank()), size_(group.size()) {
        UniqueId id{};
        if (rank_ == 0) library_.check(library_.nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
        group.broadcast(&id, sizeof id, 0);
        const Within here(backend_);
        const Waiting waiting;
        library_.check(library_.nccl.ncclCommInitRank(&comm_, size_, id, rank_), "ncclCommInitRank");
    }

    ~Nccl() override {
        const Within here(backend_);
        library_.nccl.ncclCommDestroy(comm_);  // waits for what it was asked for
    }

    void run(ops::Op op, const ops::Collective& asked, Dtype dtype, const void* in, void* out, std::int64_t elements) override {
        const Within here(backend_);
        const Functions& nccl = library_.nccl;
        auto* const stream = reinterpret_cast<StreamHandle>(backend_.stream());
        const auto count = static_cast<std::size_t>(elements), bytes = count * itemsize_of(dtype), ranks = static_cast<std::size_t>(size_);
        switch (op) {
            case ops::Op::all_reduce: {
                const Joining by = joining_of(asked.joins(), dtype);
                const std::size_t numbers = count * static_cast<std::size_t>(by.times);
                return library_.check(nccl.ncclAllReduce(in, out, numbers, by.dtype, by.op, comm_, stream), "ncclAllReduce");
            }
            case ops::Op::reduce_scatter: {
                const Joining by = joining_of(asked.joins(), dtype);
                const std::size_t numbers = count / ranks * static_cast<std::size_t>(by.times);
                return library_.check(nccl.ncclReduceScatter(in, out, numbers, by.dtype, by.op, comm_, stream), "ncclReduceScatter");
            }
            case ops::Op::all_gather: return library_.check(nccl.ncclAllGather(in, out, bytes, nccl_int8, comm_, stream), "ncclAllGather");
            case ops::Op::broadcast: {
                const int root = static_cast<int>(asked.option(0));
                return library_.check(nccl.ncclBroadcast(in, out, bytes, nccl_int8, root, comm_, stream), "ncclBroadcast");
            }
            case ops::Op::all_to_all:
                return together([&] {
                    for (int each = 0; each < size_; ++each) {
                        const std::size_t at = bytes / ranks * static_cast<std::size_t>(each);
                        send(static_cast<const char*>(in) + at, bytes / ranks, each, stream);
                        receive(static_cast<char*>(out) + at, bytes / ranks, each, stream);
                    }
                });
            case ops::Op::permute: return permute(asked, in, out, bytes, stream);
            default: throw InternalError("no collective of devices: " + std::string(ops::info(op).name));
        }
    }

private:
    // The device is the thread's while it lives.
    class Within {
    public:
        explicit Within(device::Backend& backend) : backend_(backend), entered_(backend.enter()) {}
        ~Within() {
            if (entered_) backend_.leave();
        }
        Within(const Within&) = delete;
        Within& operator=(const Within&) = delete;

    private:
        device::Backend& backend_;
        bool entered_;
    };

    void permute(const ops::Collective& asked, const void* in, void* out, std::size_t bytes, StreamHandle stream) {
        const int to = asked.target_of(rank_), from = asked.source_of(rank_);
        if (from < 0) backend_.clear(out, bytes);
        together([&] {
            if (to >= 0) send(in, bytes, to, stream);
            if (from >= 0) receive(out, bytes, from, stream);
        });
    }

    template <class Body>
    void together(const Body& body) {
        library_.check(library_.nccl.ncclGroupStart(), "ncclGroupStart");
        body();
        library_.check(library_.nccl.ncclGroupEnd(), "ncclGroupEnd");
    }

    void send(const void* from, std::size_t bytes, int rank, StreamHandle stream) {
        library_.check(library_.nccl.ncclSend(from, bytes, nccl_int8, rank, comm_, stream), "ncclSend");
    }

    void receive(void* to, std::size_t bytes, int rank, StreamHandle stream) {
        library_.check(library_.nccl.ncclRecv(to, bytes, nccl_int8, rank, comm_, stream), "ncclRecv");
    }

    const Library& library_ = Library::get();
    device::Backend& backend_;
    int rank_, size_;
    Comm comm_ = nullptr;
};

// Which device it is, among all machines'.
std::size_t identity_of(device::Backend& backend) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return std::hash<std::string>()(std::string(host.data()) + "\n" + (visible == nullptr ? "" : visible) + "\n" + std::to_string(backend.number()));
}

}  // namespace

std::string lacks_collectives() { return Library::get().problem; }

bool devices_do(ops::Op op, const ops::Collective& asked, Dtype dtype) {
    if (op == ops::Op::rank) return false;
    const bool joins = op == ops::Op::all_reduce || op == ops::Op::reduce_scatter;
    return !joins || joining_of(asked.joins(), dtype).dtype >= 0;
}

std::unique_ptr<DeviceGroup> make_device_group(device::Backend& backend, Transport& group) {
    // What each rank has: its device, or 0 where it can't.
    const std::size_t own = lacks_collectives().empty() && backend.code() == device::Backend::Code::ptx ? identity_of(backend) : 0;
    std::vector<std::size_t> all(static_cast<std::size_t>(group.size()));
    group.all_gather(&own, all.data(), sizeof own);
    std::ranges::sort(all);
    if (all.front() == 0 || std::ranges::adjacent_find(all) != all.end()) return nullptr;
    return std::make_unique<Nccl>(backend, group);
}

}  // namespace fastnp::dist
