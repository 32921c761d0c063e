// A CUDA device as the rest of the library sees it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "capture.h"
#include "code.h"
#include "context.h"
#include "device/backend.h"
#include "factorisations.h"
#include "fences.h"
#include "pool.h"
#include "products.h"
#include "ranges.h"
#include "staging.h"
#include "transforms.h"

namespace fastnp::cuda {

class Device final : public device::Backend {
public:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    /// How libraries are found, when they are first needed.
    struct Libraries {
        Products::FindBlas find_blas = &Blas::get;
        Transforms::FindFft find_fft = &Fft::get;
        Factorisations::FindSolver find_solver = &Solver::get;
        Factorisations::FindCublas find_cublas = &Cublas::get;
    };

    /// `memory_limit`: bytes that it takes at most. DeviceError if the device can't be used.
    Device(const Driver& driver, int ordinal, std::size_t memory_limit = no_limit) : Device(driver, ordinal, memory_limit, Libraries()) {}
    Device(const Driver& driver, int ordinal, std::size_t memory_limit, const Libraries& libraries);

    std::string name() const override { return context_->name(); }
    int number() const override { return number_; }
    Code code() const override { return Code::ptx; }
    int capability() const override { return capability_; }
    std::int64_t blocks_at_once(int threads) const override;

    bool enter() override { return context_->enter(); }
    void leave() noexcept override { Context::leave(); }

    void* allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
    void free(void* memory, std::size_t bytes) noexcept override { pool_.free(memory, bytes); }
    void trim() override { pool_.trim(); }

    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    bool copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) override;
    void clear(void* memory, std::size_t bytes) override;

    std::string assemble(const std::string& code) override { return cuda::assemble(*context_, code); }
    std::string version() const override { return version_; }
    std::shared_ptr<device::Module> load(const std::string& image, const std::vector<std::string>& symbols) override;
    bool may_overlap() const override;
    void launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) override;
    std::unique_ptr<device::Graph> graph(std::span<const device::Work> work) override;

    std::unique_ptr<device::Moment> moment() override;
    double milliseconds(const device::Moment& from, const device::Moment& to) override;

    Stream stream() const override { return reinterpret_cast<Stream>(context_->stream()); }
    void wait_for(Stream stream) override { fences_.wait_for(stream); }
    void let_wait(Stream stream) override { fences_.let_wait(stream); }
    bool names_ranges() const override { return ranges_.are_seen(); }
    void begin_range(const std::string& name) override { ranges_.begin(name); }
    void end_range() noexcept override { ranges_.end(); }

    std::string lacks_products(Dtype dtype) override { return products_.lacks(dtype); }
    bool contract(const device::Contraction& contraction) override { return products_.contract(contraction); }
    bool knows(const device::Contraction& contraction) override { return products_.knows(contraction); }

    std::string lacks_transforms() override { return transforms_.lacks(); }
    bool transform(const device::Transform& transform) override { return transforms_.transform(transform); }
    bool knows(const device::Transform& transform) override { return transforms_.knows(transform); }

    std::string lacks_factorisations() override { return factorisations_.lacks(); }
    bool factorise(const device::Factorisation& factorisation) override { return factorisations_.factorise(factorisation); }

    void synchronize() override { context_->synchronize(); }
    device::BackendStatistics statistics() const override;

private:
    void reach(Device& other);
    int launch_as(const LaunchSettings& settings, Handle function, std::span<void* const> arguments);

    const std::shared_ptr<Context> context_;  // modules keep it, too
    const int number_;
    Pool pool_;
    Fences fences_;
    const Ranges& ranges_ = Ranges::get();
    Uploads uploads_;
    Downloads downloads_;
    Products products_;
    Transforms transforms_;
    Factorisations factorisations_;
    Capture capture_;
    std::mutex peers_mutex_;
    std::set<const Device*> peers_;  // whose memory this device was told to reach
    std::string version_;
    int capability_ = 0;
    bool launches_overlap_ = false;
    std::int64_t multiprocessors_ = 0, threads_at_once_ = 0, blocks_at_once_ = 0;  // the latter two of a multiprocessor
    std::atomic<std::uint64_t> upload_count_ = 0, uploaded_bytes_ = 0, download_count_ = 0, downloaded_bytes_ = 0;
    std::atomic<std::uint64_t> peer_count_ = 0, peer_bytes_ = 0;
};

/// Bytes from the text of FASTNP_CUDA_MEMORY_LIMIT (mebibytes); what is no positive number sets no limit.
std::size_t memory_limit(const char* text);

}  // namespace fastnp::cuda
