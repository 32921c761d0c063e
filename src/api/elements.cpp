#include "fastnp/detail/elements.h"

#include "api/at_device.h"

namespace fastnp::detail {

bool find_on_host(const array& x, HostElements& found) {
    const ArrayBody& body = *x.body();
    if (body.value != nullptr || trace::Recorder::active() != nullptr || device::anything_moves()) return false;
    const device::Memory& memory = body.memory;
    found = {static_cast<char*>(memory.data), &memory.shape, &memory.strides, memory.dtype, body.writable};
    return true;
}

bool may_use_devices() { return api::may_be_on_device(); }

array view_at(const array& x, char* data, const Shape& shape, const Strides& strides) {
    const ArrayBody& body = *x.body();
    return api::wrap(device::Memory{body.memory.buffer, data, body.memory.dtype, shape, strides}, body.writable);
}

array view_as(const array& x, Dtype dtype, char* data, const Shape& shape, const Strides& strides) {
    const ArrayBody& body = *x.body();
    return api::wrap(device::Memory{body.memory.buffer, data, dtype, shape, strides}, body.writable);
}

}  // namespace fastnp::detail
