// A device with memory and threads of its own, as the rest of the library sees it. What knows such devices (cuda/) is included by nothing: it registers
// itself at the door in registry.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device/contraction.h"
#include "device/transform.h"

namespace fastnp::device {

struct Factorisation;

/// From this compute capability on a kernel may be on the device before the one that was launched before it has ended (programmatic dependent launches).
/// Code for such a device, which assemble() and load() are given, waits for that one before it touches memory, each kernel and each thread.
inline constexpr int overlapping_capability = 90;

/// Kernels that a device can run; freed when the last owner lets go.
class Module : public std::enable_shared_from_this<Module> {
public:
    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    virtual ~Module() = default;
};

/// A kernel's launch. `arguments`: the address of each, all of 8 bytes.
struct Launch {
    const Module* module = nullptr;
    std::size_t kernel = 0;  // by its number in its module
    std::int64_t blocks = 1;
    int threads = 1;
    std::span<void* const> arguments{};
};

/// A copy on a device, and bytes that become 0.
struct Copy {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const Copy&, const Copy&) = default;
};
struct Clear {
    void* memory = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const Clear&, const Clear&) = default;
};

/// What a device can be asked for ahead of time.
using Work = std::variant<Launch, Copy, Clear, Contraction, Transform>;

/// Work that a device knows as a whole, one piece after the other, so that it is asked for by one call. To be used by one thread at a time.
class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    virtual ~Graph() = default;

    /// Gives a piece, by its place, other arguments from now on: the same work at other addresses. After an error the graph can't be used any more.
    virtual void set(std::size_t place, const Work& work) = 0;
    virtual void launch() = 0;
};

/// A point in a device's work.
class Moment {
public:
    Moment() = default;
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;
    virtual ~Moment() = default;
};

/// What a backend did so far.
struct BackendStatistics {
    std::size_t live_bytes = 0;         // handed out
    std::size_t held_bytes = 0;         // free, kept for reuse
    std::uint64_t launches = 0;
    std::uint64_t uploads = 0, uploaded_bytes = 0;      // from the host
    std::uint64_t downloads = 0, downloaded_bytes = 0;  // to the host
    std::uint64_t products = 0, transforms = 0;         // calls of contract() and transform() that did something
    std::uint64_t factorisations = 0;                   // the same of factorise()
    std::uint64_t peer_copies = 0, peer_bytes = 0;      // from other devices
};

/// One device. Thread-safe. Work is done in the order in which it is asked for, by whichever thread; launches, copies on the device and uploads only ask
/// for it.
class Backend {
public:
    /// What assemble() takes: PTX, or LLVM IR as text.
    enum class Code : std::uint8_t { ptx, llvm };

    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    /// The device itself, where this one passes on what it is asked for.
    virtual Backend& itself() { return *this; }
    /// "cuda:0", whose number is 0.
    virtual std::string name() const = 0;
    virtual int number() const = 0;
    virtual Code code() const = 0;
    /// Of CUDA devices: 10 times the major number of the compute capability, plus the minor.
    virtual int capability() const = 0;
    /// Blocks of `threads` threads that run at once, so that a grid of more would only wait.
    virtual std::int64_t blocks_at_once(int threads) const = 0;

    /// From here to leave() what this thread asks for costs less; nothing but this library may make another device the thread's current one meanwhile.
    /// False, and nothing is done, where it is so already.
    virtual bool enter() = 0;
    virtual void leave() noexcept = 0;

    /// Memory on the device, aligned to 256 bytes, uninitialised. MemoryError (NumPy's kind and wording, with the device's name) if there is none, after
    /// memory that is kept for reuse has been given back.
    virtual void* allocate(std::size_t bytes) = 0;
    /// Gives it back; it is reused by work that is asked for later.
    virtual void free(void* memory, std::size_t bytes) noexcept = 0;
    /// Gives memory that is kept for reuse back to the system.
    virtual void trim() = 0;

    /// The host's memory may be changed when this returns.
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    /// Waits for the work before it; the host's memory is filled when this returns.
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    /// The same from the memory of another device, after what that one was asked for until now, and before what it is asked for later. False, and nothing
    /// is done, where the two have no way but through the host.
    virtual bool copy_from(Backend& other, void* to, const void* from, std::size_t bytes) = 0;
    /// All bytes become 0.
    virtual void clear(void* memory, std::size_t bytes) = 0;

    /// Code to what load() takes, which may be kept on disk for devices of the same capability and backends of the same version().
    virtual std::string assemble(const std::string& code) = 0;
    virtual std::string version() const = 0;
    /// `symbols`: of the kernels, which launch() knows by their number.
    virtual std::shared_ptr<Module> load(const std::string& image, const std::vector<std::string>& symbols) = 0;
    /// `arguments`: the address of each, all of 8 bytes.
    virtual void launch(const Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) = 0;
    /// Whether a kernel that is launched now may begin while one before it ends, which one that a graph begins with does not: the device is of that kind,
    /// and something was launched that nobody has waited for by way of this library since (it may have ended all the same).
    virtual bool may_overlap() const = 0;
    /// Work as one. Contractions and transforms are such as knows() knows. Null: the device has no such thing.
    virtual std::unique_ptr<Graph> graph(std::span<const Work> work) = 0;

    /// The end of what was asked for so far; and the time on the device from one to a later one, once that is reached, which is waited for.
    virtual std::unique_ptr<Moment> moment() = 0;
    virtual double milliseconds(const Moment& from, const Moment& to) = 0;

    /// A stream of other libraries, in DLPack's numbers: the default one, or a handle of the device's driver.
    using Stream = std::uintptr_t;
    static constexpr Stream every_stream = 0, default_stream = 1;
    /// The stream that this one's work is in.
    virtual Stream stream() const = 0;
    /// What is asked for from now on comes after what that stream (or every one of the device) was asked for until now.
    virtual void wait_for(Stream stream) = 0;
    /// What that stream (or every one) is asked for from now on comes after what was asked for here until now.
    virtual void let_wait(Stream stream) = 0;

    /// Whether a profiler is attached: what a thread asks for from begin_range() to the end_range() that belongs to it has a name there.
    virtual bool names_ranges() const = 0;
    virtual void begin_range(const std::string& name) = 0;
    virtual void end_range() noexcept = 0;

    /// Why contract() never takes matrices of a dtype, in one line; empty where it does. Sums are rounded no more than the dtype asks for: those of
    /// float32 are float32's, those of the 16-bit floats too.
    virtual std::string lacks_products(Dtype dtype) = 0;
    /// Products of matrices. False, and nothing is done, where the device has none for such ones.
    virtual bool contract(const Contraction& contraction) = 0;
    /// Whether contract() did such a product before, at whatever addresses (but for what these are multiples of), and so will do it again.
    virtual bool knows(const Contraction& contraction) = 0;

    /// Why transform() never does anything, in one line; empty where it does.
    virtual std::string lacks_transforms() = 0;
    /// Fourier transforms. False, and nothing is done, where the device has none of such lines.
    virtual bool transform(const Transform& transform) = 0;
    virtual bool knows(const Transform& transform) = 0;

    /// Why factorise() never does anything, in one line; empty where it does.
    virtual std::string lacks_factorisations() = 0;
    /// Factors of matrices, and what is solved with them. False, and nothing is done, where the device has none of such: of stacks, those of one matrix
    /// may be there all the same.
    virtual bool factorise(const Factorisation& factorisation) = 0;

    /// Waits until all is done. An error of a kernel is raised here, or by what comes after it.
    virtual void synchronize() = 0;
    virtual BackendStatistics statistics() const = 0;
};

}  // namespace fastnp::device
