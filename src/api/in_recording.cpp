// What the front ends ask of the recording that a thread is in, and hand to the engine.
#include "api/body.h"
#include "fastnp/compile.h"

namespace fastnp::detail {

std::vector<Effect>*& noted_effects() {
    thread_local std::vector<Effect>* effects = nullptr;
    return effects;
}

bool is_recording() { return trace::Recorder::active() != nullptr; }
bool is_recording_for_later() {
    const trace::Recorder* const recorder = trace::Recorder::active();
    return recorder != nullptr && !recorder->is_once();
}

bool borrow(const array& value, Argument& argument) {
    const ArrayBody& body = *value.body();
    if (body.value != nullptr) return false;
    const device::Memory& memory = body.memory;
    argument.data = memory.data;
    argument.shape = memory.shape.data();
    argument.strides = memory.strides.data();
    argument.dtype = memory.dtype;
    argument.rank = static_cast<std::int8_t>(memory.shape.size());
    argument.writable = body.writable;
    argument.hold = [](const Argument& held) { return *static_cast<const array*>(held.context); };
    argument.context = &value;
    argument.buffer = memory.buffer.get();
    return true;
}

void check_allowed(std::string_view name) {
    if (trace::Recorder* recorder = trace::Recorder::active()) recorder->check_allowed(name);
}

}  // namespace fastnp::detail

namespace fastnp {

void disallow_in_graph(const std::vector<std::string>& names) { trace::Recorder::disallow(names); }
void allow_in_graph(const std::vector<std::string>& names) { trace::Recorder::allow(names); }

}  // namespace fastnp
