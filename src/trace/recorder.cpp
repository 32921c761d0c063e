#include "trace/recorder.h"

#include <utility>

namespace fastnp::trace {

namespace {

thread_local Recorder* current = nullptr;

bool same_layout(const device::Memory& a, const device::Memory& b) {
    return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides && a.buffer == b.buffer;
}

}  // namespace

ir::Value Recorder::capture(const device::Memory& memory) {
    for (std::size_t i = 0; i < captured_.size(); ++i) {
        if (same_layout(captured_[i], memory)) return captured_values_[i];
    }
    const ir::Value value = graph_.parameter(memory.dtype, shape::to_dims(memory.shape));
    captured_.push_back(memory);
    captured_values_.push_back(value);
    return value;
}

StoragePtr Recorder::storage_of(ir::Value parameter) {
    const auto number = static_cast<std::size_t>(parameter->attributes.ints[0]);
    while (storages_.size() <= number)
        storages_.push_back(std::make_shared<Storage>(Storage{static_cast<int>(storages_.size()), graph_.parameters()[storages_.size()]}));
    return storages_[number];
}

Recorder* Recorder::active() { return current; }

Recorder::Scope::Scope(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)), previous_(std::exchange(current, recorder_.get())) {}

Recorder::Scope::~Scope() { current = previous_; }

}  // namespace fastnp::trace
