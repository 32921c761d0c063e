// What a recorder does about memory that others write to, and read, while it records (watched.h).
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::trace {

namespace {

constexpr const char* overwritten =
    "an array that a transform's function had read was written to by others (NumPy) before the function ended: give the function a copy";

// Whether it has a derivative: it was computed from what is differentiated.
bool is_differentiated(ir::Value value) {
    std::vector<ir::Value> open{value};
    std::unordered_set<ir::Value> seen;
    while (!open.empty()) {
        const ir::Value each = open.back();
        open.pop_back();
        if (each->op == ir::Op::mark) return true;
        if (each->op == ir::Op::stop_gradient || !seen.insert(each).second) continue;
        open.insert(open.end(), each->inputs.begin(), each->inputs.end());
    }
    return false;
}

}  // namespace

// One reading of a piece of memory is one parameter, however often it is read so.
ir::Value Recorder::capture_watched(const device::Memory& memory) {
    const bool is_copied = shape::byte_count(memory.shape, itemsize_of(memory.dtype)) <= most_copied;
    for (auto known = watched_.rbegin(); known != watched_.rend(); ++known) {
        if (!same_layout(known->source, memory)) continue;
        if (!known->is_copied || is_as_copied(memory, captured_[known->place])) return captured_values_[known->place];
    }
    watched_.push_back({captured_.size(), memory, is_copied, is_copied ? 0 : checksum_of(memory)});
    const ir::Value value = add_captured(is_copied ? copy_of(memory) : memory);
    if (is_copied) watched_.back().seen = captured_.back();
    return value;
}

int Recorder::number_watched(ir::Value parameter) const {
    const auto found = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return captured_values_[each.place] == parameter; });
    return found == watched_.end() ? -1 : static_cast<int>(found - watched_.begin());
}

void Recorder::refresh(Storage& storage) {
    if (storage.watched < 0) return;
    Watched& watched = watched_[static_cast<std::size_t>(storage.watched)];
    if (!watched.is_copied || storage.is_stored_to || is_as_copied(watched.source, watched.seen)) return;
    watched.seen = copy_of(watched.source);
    storage.whole = is_as_copied(watched.source, captured_[watched.place]) ? captured_values_[watched.place] : add_captured(watched.seen);
}

// What nobody else sees may be written to when the recording is run.
bool Recorder::writes_at_once(const Storage& storage) const {
    if (storage.watched < 0 || storage.is_stored_to || writes_late_) return false;
    return watched_[static_cast<std::size_t>(storage.watched)].source.buffer->is_seen_by_others();
}

// What is written at once has to be known, and what has a derivative would lose it where others read.
void Recorder::check_known(ir::Value value) {
    if (stands_for_many(value)) refuse(TypeError("vmap: the function writes values that differ from part to part into an array from outside"));
    if (is_differentiated(value)) {
        refuse(
            RecordError("writes a value with a derivative into an array of NumPy's from outside of the function: return it, or take stop_gradient of it"));
    }
}

// Arrays that are too large to be copied are copied before something is written to them.
void Recorder::keep_seen(const device::Memory& memory) {
    for (Watched& each : watched_) {
        if (each.is_copied || !shape::may_overlap(layout_of(each.source), layout_of(memory))) continue;
        if (checksum_of(each.source) != each.checksum) refuse(RecordError(overwritten));
        each.seen = captured_[each.place] = copy_of(each.source);
        each.is_copied = true;
        evaluator_.forget();
        evaluator_.set(captured_values_[each.place], each.seen);
    }
}

void Recorder::store_watched(Storage& storage) {
    const auto number = static_cast<std::size_t>(storage.watched);
    keep_seen(watched_[number].source);
    const device::Memory now = evaluate(storage.whole);
    const device::Memory& to = watched_[number].source;
    device::use_on_host(to.data, device::Access::write);
    eager::copy({now.data, now.dtype, now.shape, now.strides}, {to.data, to.dtype, to.shape, to.strides});
    watched_[number].seen = copy_of(to);
}

void Recorder::check_watched() {
    const std::vector<int> numbers = written();
    for (const Watched& each : watched_) {
        const auto number = static_cast<int>(captured_values_[each.place]->attributes.ints[0]);
        const bool is_written = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
        if (each.is_copied && !is_written) continue;
        const bool is_same = each.is_copied ? is_as_copied(each.source, captured_[each.place]) : checksum_of(each.source) == each.checksum;
        if (!is_same) throw RecordError(overwritten);
        captured_[each.place] = each.source;
    }
}

}  // namespace fastnp::trace
