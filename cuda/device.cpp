#include "device.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <utility>

#include "fastnp/error.h"
#include "graph.h"

namespace fastnp::cuda {

namespace {

Address address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

Device::Device(const Driver& driver, int ordinal, std::size_t memory_limit, const Libraries& libraries)
    : context_(std::make_shared<Context>(driver, ordinal)),
      number_(ordinal),
      pool_(*context_, memory_limit),
      fences_(*context_),
      uploads_(*context_),
      downloads_(*context_),
      products_(*context_, pool_, libraries.find_blas),
      transforms_(*context_, pool_, libraries.find_fft),
      factorisations_(*context_, pool_, uploads_, libraries.find_solver, libraries.find_cublas),
      capture_(*context_, pool_, products_, transforms_) {
    int version = 0;
    context_->check(driver.driver_get_version(&version), "cuDriverGetVersion");
    version_ = "cuda " + std::to_string(version);
    capability_ = 10 * context_->attribute(capability_major) + context_->attribute(capability_minor);
    multiprocessors_ = context_->attribute(multiprocessors);
    threads_at_once_ = context_->attribute(threads_per_multiprocessor);
    blocks_at_once_ = context_->attribute(blocks_per_multiprocessor);
    launches_overlap_ = capability_ >= device::overlapping_capability && driver.launch_kernel_as != nullptr;
    if (ordinal == 0) context_->let_threads_keep_it();
}

// As many as a multiprocessor has threads for; kernels that need many registers have fewer, and the rest waits.
std::int64_t Device::blocks_at_once(int threads) const {
    return multiprocessors_ * std::clamp<std::int64_t>(threads_at_once_ / std::max(threads, 1), 1, std::max<std::int64_t>(blocks_at_once_, 1));
}

void Device::upload(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    uploads_.copy(address_of(to), static_cast<const std::byte*>(from), bytes);
    upload_count_.fetch_add(1, std::memory_order_relaxed);
    uploaded_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void Device::download(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    downloads_.copy(static_cast<std::byte*>(to), address_of(from), bytes);
    download_count_.fetch_add(1, std::memory_order_relaxed);
    downloaded_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void Device::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const Current current(*context_);
    context_->check(context_->driver().copy_on_device(address_of(to), address_of(from), bytes, context_->stream()), "cuMemcpyDtoDAsync");
}

// Where the devices can reach each other's memory copies go straight there; elsewhere the driver takes them by way of the host's.
void Device::reach(Device& other) {
    const std::scoped_lock lock(peers_mutex_);
    if (!peers_.insert(&other).second) return;
    const Current current(*context_);
    (void)context_->driver().context_enable_peer(other.context_->handle(), 0);  // an error says that it can't, or that another library did it
}

bool Device::copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) {
    auto* const source = dynamic_cast<Device*>(&other.itself());
    if (source == nullptr) return false;
    if (bytes == 0) return true;
    reach(*source);
    fences_.wait_for(source->fences_);
    {
        const Current current(*context_);
        context_->check(
            context_->driver().copy_from_peer(address_of(to), context_->handle(), address_of(from), source->context_->handle(), bytes, context_->stream()),
            "cuMemcpyPeerAsync");
    }
    source->fences_.wait_for(fences_);
    peer_count_.fetch_add(1, std::memory_order_relaxed);
    peer_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
}

void Device::clear(void* memory, std::size_t bytes) {
    if (bytes == 0) return;
    const Current current(*context_);
    context_->check(context_->driver().memory_set(address_of(memory), 0, bytes, context_->stream()), "cuMemsetD8Async");
}

std::shared_ptr<device::Module> Device::load(const std::string& image, const std::vector<std::string>& symbols) {
    return std::make_shared<LoadedModule>(context_, image, symbols);
}

void Device::launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) {
    const auto& loaded = static_cast<const LoadedModule&>(module);
    if (&loaded.context() != context_.get() || kernel >= loaded.count()) throw InternalError("a kernel of another device, or none");
    if (blocks < 1) return;
    if (blocks > std::numeric_limits<std::int32_t>::max()) throw InternalError("a grid of " + std::to_string(blocks) + " blocks");
    const Current current(*context_);
    static constexpr LaunchAttribute may_overlap{LaunchAttribute::may_overlap, {1}};
    LaunchSettings settings;
    settings.blocks_x = static_cast<unsigned>(blocks);
    settings.threads_x = static_cast<unsigned>(threads);
    settings.stream = context_->stream();
    settings.attributes = &may_overlap;
    settings.attribute_count = launches_overlap_ ? 1 : 0;
    const auto launch = [&] { return launch_as(settings, loaded.function(kernel), arguments); };
    context_->check_with_memory(launch, launches_overlap_ ? "cuLaunchKernelEx" : "cuLaunchKernel", [&] { return *loaded.name(kernel); });
    context_->launches().add(loaded.name(kernel));
}

int Device::launch_as(const LaunchSettings& settings, Handle function, std::span<void* const> arguments) {
    void** const values = const_cast<void**>(arguments.data());  // the driver's interface has no const
    const Driver& driver = context_->driver();
    if (settings.attribute_count != 0) return driver.launch_kernel_as(&settings, function, values, nullptr);
    return driver.launch_kernel(function, settings.blocks_x, 1, 1, settings.threads_x, 1, 1, 0, settings.stream, values, nullptr);
}

bool Device::may_overlap() const { return launches_overlap_ && context_->launches().may_run(); }

std::unique_ptr<device::Graph> Device::graph(std::span<const device::Work> work) {
    if (!WorkGraph::is_known_to(context_->driver())) return nullptr;
    return std::make_unique<WorkGraph>(context_, capture_, launches_overlap_, work);
}

namespace {

// An event of the stream's.
class RecordedEvent final : public device::Moment {
public:
    explicit RecordedEvent(std::shared_ptr<Context> context) : context_(std::move(context)) {
        constexpr unsigned with_time = 0;
        const Current current(*context_);
        context_->check(context_->driver().event_create(&event_, with_time), "cuEventCreate");
        const int error = context_->driver().event_record(event_, context_->stream());
        if (error != success) destroy();
        context_->check(error, "cuEventRecord");
    }
    ~RecordedEvent() override {
        if (!context_->is_usable()) return;
        try {
            const Current current(*context_);
            destroy();
        } catch (const std::exception&) {  // NOLINT: the context is gone, and its events with it
        }
    }
    RecordedEvent(const RecordedEvent&) = delete;
    RecordedEvent& operator=(const RecordedEvent&) = delete;
    Handle get() const { return event_; }

private:
    void destroy() noexcept { context_->driver().event_destroy(event_); }

    const std::shared_ptr<Context> context_;
    Handle event_ = nullptr;
};

}  // namespace

std::unique_ptr<device::Moment> Device::moment() { return std::make_unique<RecordedEvent>(context_); }

double Device::milliseconds(const device::Moment& from, const device::Moment& to) {
    const Handle first = static_cast<const RecordedEvent&>(from).get(), last = static_cast<const RecordedEvent&>(to).get();
    const Current current(*context_);
    float milliseconds = 0;
    context_->check(context_->driver().event_synchronize(last), "cuEventSynchronize");
    context_->check(context_->driver().event_elapsed_time(&milliseconds, first, last), "cuEventElapsedTime");
    return milliseconds;
}

device::BackendStatistics Device::statistics() const {
    device::BackendStatistics result;
    result.live_bytes = pool_.live_bytes();
    result.held_bytes = pool_.held_bytes();
    result.launches = context_->launches().count();
    result.uploads = upload_count_.load(std::memory_order_relaxed);
    result.uploaded_bytes = uploaded_bytes_.load(std::memory_order_relaxed);
    result.products = products_.count();
    result.transforms = transforms_.count();
    result.factorisations = factorisations_.count();
    result.downloads = download_count_.load(std::memory_order_relaxed);
    result.peer_copies = peer_count_.load(std::memory_order_relaxed);
    result.peer_bytes = peer_bytes_.load(std::memory_order_relaxed);
    result.downloaded_bytes = downloaded_bytes_.load(std::memory_order_relaxed);
    return result;
}

std::size_t memory_limit(const char* text) {
    if (text == nullptr) return Device::no_limit;
    std::size_t mebibytes = 0;
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, mebibytes);
    const bool is_number = error == std::errc() && stop == end && mebibytes != 0 && mebibytes <= (Device::no_limit >> 20);
    return is_number ? mebibytes << 20 : Device::no_limit;
}

}  // namespace fastnp::cuda
