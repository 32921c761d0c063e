// Work for a device that is held back, to be asked for together: where the same comes again and again, as a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/forwarding.h"

namespace fastnp::plan {

/// A device to its user. Launches, copies on the device, products and transforms are held back until flush(), or until the host waits for something or
/// gives the device something. Whoever asks the device itself for work that comes after what is held back calls flush() before. Memory that is allocated
/// here may be freed at once; other memory that is used must be kept until flush().
class DeviceBatch final : public device::Forwarding {
public:
    /// Less is asked for piece by piece: a graph of it would be no faster.
    static constexpr std::size_t least = 8;
    /// At so much it is asked for in any case, so that the device does not wait for long.
    static constexpr std::size_t most = 128;

    /// `repeats`: what is asked for comes again and again without drop(), as the turns of a loop do. Else each flush() between two of these has graphs of
    /// its own: it would be given the same memory the next time.
    DeviceBatch(device::Backend& backend, bool repeats) : Forwarding(backend), repeats_(repeats) {}
    ~DeviceBatch() override { drop(); }

    void flush();
    /// Forgets what is held back; what comes next is what came first.
    void drop() noexcept;
    /// How much is held back.
    std::size_t size() const { return items_.size(); }

    void* allocate(std::size_t bytes) override;
    void free(void* memory, std::size_t bytes) noexcept override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    bool copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;
    void launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) override;
    std::unique_ptr<device::Moment> moment() override;
    void wait_for(Stream stream) override;
    void let_wait(Stream stream) override;
    bool contract(const device::Contraction& contraction) override;
    bool transform(const device::Transform& transform) override;
    bool factorise(const device::Factorisation& factorisation) override;
    void synchronize() override;

private:
    // Work without what may differ from time to time: what a kernel is given, and other work's addresses, which lie among given_.
    struct Item {
        device::Work work{};
        std::size_t first = 0, count = 0;
        bool operator==(const Item& other) const;
    };
    // What was asked for before, and what it was given.
    struct Known {
        std::vector<Item> items;
        std::vector<std::int64_t> given;
        std::size_t place = 0;
        int times = 1;
        std::unique_ptr<device::Graph> graph{};
    };
    static constexpr std::size_t most_known = 64;
    static constexpr std::size_t most_alike = 4;  // that differ in the addresses of library work alone
    static constexpr std::size_t few = 8;  // at other addresses is as much as one in so many pieces
    static constexpr int worth_a_graph = 3;  // at this time it is made

    // Memory of the steps' own, in the order in which it was allocated.
    struct Own {
        void* memory;
        std::size_t bytes;
        bool is_free;
    };

    void* allocate_more(std::size_t bytes);
    void hold(device::Work work);
    Known& known();
    bool differs(const Known& known, const Item& item) const;
    std::size_t moved(const Known& known) const;
    device::Work work_of(const Item& item);
    void ask_for(const device::Work& work);
    void make_graph(Known& known);
    bool launch_graph(Known& known);
    Known& new_known();
    void ask_one_by_one();
    void clear_held() noexcept;

    const bool repeats_;
    std::size_t place_ = 0;  // flushes since drop()
    std::vector<Item> items_;
    std::vector<std::int64_t> given_;
    std::vector<void*> addresses_;  // of what one launch is given
    std::vector<std::unique_ptr<Known>> known_;  // the last used first
    std::vector<Own> own_;
    std::vector<device::Contraction> lacking_;  // kinds that the device has no product for
};

}  // namespace fastnp::plan
