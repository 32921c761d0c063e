#include "fastnp/device.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "api/layout.h"
#include "api/primitives.h"
#include "codegen/jit.h"
#include "device/movable.h"
#include "device/registry.h"
#include "eager/eager.h"
#include "fastnp/array.h"
#include "fastnp/detail/memory.h"
#include "fastnp/error.h"
#include "shape/order.h"
#include "shape/strides.h"

namespace fastnp {

std::vector<DeviceInfo> devices() {
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    std::vector<DeviceInfo> all{{"cpu", codegen::host_text(), pages * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)), 0}};
    for (DeviceInfo& each : device::list_cuda().devices) all.push_back(std::move(each));
    return all;
}

std::string cuda_problem() { return device::list_cuda().problem; }

DeviceStatistics device_statistics(std::string_view name) {
    device::Backend* backend = device::backend_named(name);
    if (backend == nullptr) return {};
    const device::BackendStatistics now = backend->statistics();
    return {now.live_bytes, now.held_bytes,       now.launches, now.uploads,    now.uploaded_bytes,
            now.downloads,  now.downloaded_bytes, now.products, now.transforms, now.factorisations};
}

void synchronize(std::string_view name) {
    if (device::Backend* backend = device::backend_named(name)) backend->synchronize();
}

void trim_device(std::string_view name) {
    if (device::Backend* backend = device::backend_named(name)) backend->trim();
}

bool detail::is_at_device(const array& x) { return device::anything_moves() && !x.is_recorded() && device::home_of(x.body()->memory.data) != nullptr; }

std::shared_ptr<void> detail::lend(const array& x) { return device::lend_to_host(api::memory_of(x, "an address").data); }

array detail::part_of(const array& x, bool imaginary) {
    if (x.is_recorded()) return api::recorded_part(x, imaginary ? ir::Op::imag : ir::Op::real);
    device::Memory part = api::memory_of(x, "a view of its parts");
    part.dtype = real_of(part.dtype);
    if (imaginary && x.size() != 0) part.data = static_cast<char*>(part.data) + itemsize_of(part.dtype);
    return api::wrap(std::move(part), x.writable());
}

bool detail::shares_storage(const array& x, const array& y) {
    trace::Recorder* recorder = trace::Recorder::active();
    if (recorder == nullptr) throw InternalError("outside of a recording memory has addresses");
    return api::storage_of(*recorder, x) == api::storage_of(*recorder, y);
}

void detail::refuse_writes(const array& x) {
    trace::Recorder* recorder = trace::Recorder::active();
    if (recorder != nullptr) api::storage_of(*recorder, x)->has_copies = true;
}

const void* detail::address_of(const array& x) { return api::memory_of(x, "an address").data; }

void detail::read_element(const array& x, void* to) {
    const device::Memory& memory = api::memory_of(x, "reading an element");
    device::read_bytes(to, memory.data, itemsize_of(memory.dtype));
}

std::string array::device() const {
    if (is_recorded()) {
        const trace::Recorder* recorder = trace::Recorder::active();
        return recorder != nullptr && recorder->home() != nullptr ? recorder->home()->name() : current_device();
    }
    device::Backend* home = device::home_of(body_->memory.data);
    return home == nullptr ? "cpu" : home->name();
}

namespace {

bool lies_in_one_piece(const array& x) {
    const device::Memory& memory = x.body()->memory;
    return memory.strides == shape::strides_in(memory.shape, api::order_of(x), itemsize_of(memory.dtype));
}

// From one device to another; nothing where there is no way but through the host. What does not lie in one piece is copied where it is first.
std::optional<array> between_devices(const array& x, const device::Backend& home, device::Backend& to) {
    array whole = x;
    if (!lies_in_one_piece(x)) {
        const device_scope there(home.name());
        whole = x.copy(Order::keep);
    }
    device::Memory made = whole.body()->memory;
    if (whole.size() == 0 || device::home_of(made.data) != &home || !lies_in_one_piece(whole)) return std::nullopt;
    device::BufferPtr copy = device::copy_to(to, made.data, shape::byte_count(made.shape, itemsize_of(made.dtype)));
    if (copy == nullptr) return std::nullopt;
    made.data = copy->data();
    made.buffer = std::move(copy);
    return api::wrap(std::move(made));
}

}  // namespace

array array::to(std::string_view name) const {
    device::Backend* backend = device::backend_named(name);
    if (is_recorded() || trace::Recorder::active() != nullptr) return *this;
    const device::Memory& memory = body_->memory;
    const device::Backend* home = device::home_of(memory.data);
    if (home == backend) return *this;
    if (home != nullptr && backend != nullptr) {
        if (std::optional<array> made = between_devices(*this, *home, *backend)) return std::move(*made);
    }
    const shape::AxisOrder order = api::order_of(*this);
    const device::Memory out =
        backend == nullptr ? device::allocate(memory.dtype, memory.shape, order) : device::allocate_movable(memory.dtype, memory.shape, order);
    eager::copy(api::view_of(memory), api::view_of(out));
    if (backend != nullptr) device::use_on_device(*backend, out.data, device::Access::read);
    return api::wrap(out);
}

}  // namespace fastnp
