// A device that the host plays, with what is dangerous about real ones: memory that the host can't touch, and work that is done later.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/registry.h"
#include "fastnp/device.h"
#include "simulated/memory.h"

namespace fastnp::simulated {

/// Work is done when a result is downloaded, by synchronize(), or when much is waiting; memory that an operation names can be touched only then, and only
/// by it. Memory comes filled with one pattern, and is filled with another one once the work before it was freed is done. What a program must not do is an
/// InternalError at once (a copy beyond an allocation's end, a kernel's arguments that are too few, or freed; memory that is freed twice ends the
/// process), or a DeviceError when the work is done (threads that wait for each other for ever, or touch the same memory without having met, stores beyond
/// the end of an allocation).
///
/// Other libraries are played by tests (foreign.h): each of their streams does its work when one of them reads, or when this one waits for it.
class Backend : public device::Backend {
public:
    explicit Backend(int number = 0, std::size_t memory_bytes = std::size_t{4} << 30);
    ~Backend() override;

    std::string name() const override { return "cuda:" + std::to_string(number_); }
    int number() const override { return number_; }
    Code code() const override { return Code::llvm; }
    int capability() const override { return 80; }
    std::int64_t blocks_at_once(int /*threads*/) const override { return 3; }
    bool enter() override { return false; }
    void leave() noexcept override {}
    void* allocate(std::size_t bytes) override;
    void free(void* memory, std::size_t bytes) noexcept override;
    void trim() override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    bool copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;
    std::string assemble(const std::string& code) override { return code; }
    std::string version() const override { return "simulated"; }
    std::shared_ptr<device::Module> load(const std::string& image, const std::vector<std::string>& symbols) override;
    void launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) override;
    /// A millisecond is an operation.
    std::unique_ptr<device::Moment> moment() override;
    double milliseconds(const device::Moment& from, const device::Moment& to) override;
    bool may_overlap() const override { return false; }
    /// Counts as its work does, and in graphs().
    std::unique_ptr<device::Graph> graph(std::span<const device::Work> work) override;
    Stream stream() const override { return ours; }
    void wait_for(Stream stream) override;
    void let_wait(Stream stream) override;
    bool names_ranges() const override { return true; }
    void begin_range(const std::string& name) override;
    void end_range() noexcept override;
    std::string lacks_products(Dtype dtype) override;
    bool contract(const device::Contraction& contraction) override;
    bool knows(const device::Contraction& contraction) override;
    std::string lacks_transforms() override;
    bool transform(const device::Transform& transform) override;
    bool knows(const device::Transform& transform) override;
    std::string lacks_factorisations() override { return lacks_transforms(); }
    bool factorise(const device::Factorisation& factorisation) override;
    void synchronize() override;
    device::BackendStatistics statistics() const override;

    /// Memory that there is, from now on.
    void limit_memory(std::size_t bytes);
    /// Whether it has products of matrices (of the dtypes that cuBLAS has) and Fourier transforms, by the host's kernels, from now on.
    void set_libraries(bool has_libraries) { has_libraries_ = has_libraries; }
    /// Operations that were asked for and not done yet.
    std::size_t waiting() const;
    bool owns(const void* address) const { return memory_.owns(address); }

    /// What another library does in a stream of its own: copies from the host, later; copies to the host and frees, now, when what the stream waits for is
    /// done. What was freed is filled with a pattern at once.
    void foreign_write(Stream stream, void* to, const void* from, std::size_t bytes);
    void foreign_read(Stream stream, void* to, const void* from, std::size_t bytes);
    void foreign_free(Stream stream, void* memory, std::size_t bytes);
    /// What was done by wait_for() and let_wait() since this was last asked for: "waits for 1", "7 waits", "waits for all", "all wait", by commas.
    std::string fences();
    /// Graphs that were made, arguments that were set in them, and their launches, so far.
    struct Graphs {
        std::atomic<std::uint64_t> made = 0, set = 0, launched = 0;
        std::atomic<std::uint64_t> library_set = 0;  // of those that were set: products and transforms
    };
    const Graphs& graphs() const { return graphs_; }
    /// Ranges since this was last asked for: "f(multiply()sum())".
    std::string ranges();

private:
    struct Work {
        std::vector<Block*> blocks;  // that it touches
        std::function<void()> run;
    };
    struct Queue {
        std::deque<Work> waiting;
        std::size_t asked = 0, done = 0;
    };
    static constexpr Stream ours = 0x5151;

    Block& block_of(const void* memory, std::size_t bytes, const char* what);
    void refuse(const void* host, const char* what) const;
    void ask(Work work, std::size_t bytes = 0);
    void put(Stream stream, Work work);
    Queue& queue_of(Stream stream);
    void run(Stream stream, std::size_t until);
    void finish(Stream stream);
    void work_off() { finish(ours); }
    void fill_new(Block& block);

    int number_;
    mutable std::mutex mutex_;
    Memory memory_;
    std::size_t memory_bytes_;
    std::map<Stream, Queue> queues_;
    std::size_t all_wait_ = 0;  // for so much of our work
    std::vector<Block*> open_;  // while work is done
    std::exception_ptr problem_;
    std::string fences_, ranges_;
    Graphs graphs_;
    std::atomic<bool> has_libraries_ = true;
    std::vector<device::Contraction> known_products_;  // without addresses, as the transforms
    std::vector<device::Transform> known_transforms_;
    std::size_t waiting_bytes_ = 0;  // of the host's memory that are kept for uploads
    device::BackendStatistics statistics_;
};

/// Simulated devices to be registered: as many as FASTNP_SIMULATED_DEVICE says, each with the memory that FASTNP_SIMULATED_MEMORY says in mebibytes (else
/// 4096). With FASTNP_SIMULATED_LIBRARIES=0 they are without libraries.
device::Door door();

/// While it lives, simulated devices are this process's CUDA devices. What names none of them is the host's, whatever device tests are run on.
class AtTheDoor {
public:
    AtTheDoor() : before_(device::register_cuda(door())) {}
    ~AtTheDoor() { device::register_cuda(before_); }
    AtTheDoor(const AtTheDoor&) = delete;
    AtTheDoor& operator=(const AtTheDoor&) = delete;

private:
    device::Door before_;
    device_scope host_{"cpu"};
};

}  // namespace fastnp::simulated
