// What an array handle points to: memory, or a value of a recording.
#pragma once

#include <memory>

#include "device/memory.h"
#include "fastnp/array.h"
#include "ir/graph.h"
#include "trace/recorder.h"

namespace fastnp::detail {

struct ArrayBody {
    device::Memory memory;  // concrete: all of it; recorded: only the dtype
    bool writable = true;
    bool stays_read_only = false;                // recorded: what a call returns of it may not be written to either (as numpy.broadcast_to's)
    ir::Value value = nullptr;                   // recorded: a chain of moves from `whole`
    ir::Value whole = nullptr;                   // recorded: what lay in the storage when the value was taken
    std::shared_ptr<trace::Recorder> recorder;   // recorded: whose value it is
    trace::StoragePtr storage;                   // recorded: the memory that it will lie in
    shape::Dims strides;                         // recorded: in bytes, there
};

}  // namespace fastnp::detail

namespace fastnp::api {

array wrap(device::Memory memory, bool writable = true);
/// A recorded array in memory of its own, its axes in an order.
array wrap(ir::Value value, std::shared_ptr<trace::Recorder> recorder, const shape::AxisOrder& order = {});
/// A recorded array that is a view of what lies in `storage`.
array wrap(ir::Value value, std::shared_ptr<trace::Recorder> recorder, trace::StoragePtr storage, shape::Dims strides);

/// Runs or records one op of the catalogue on operands that are as eager::run wants them; moves give views of concrete operands where
/// NumPy does. Every function of ops.h ends here.
array apply(ir::Op op, const ir::Attributes& attributes, std::span<const array> operands);

/// The value of an array in the recording: what lies in its memory now.
ir::Value value_of(trace::Recorder& recorder, const array& x);
/// The memory that an array lies in while recording.
trace::StoragePtr storage_of(trace::Recorder& recorder, const array& x);
/// Writes a value of the array's dtype and shape into it, while recording.
void record_write(trace::Recorder& recorder, const array& out, const array& value);

/// Sizes that may be symbolic (plain numbers for a concrete array).
shape::Dims dims_of(const array& x);
/// The table they live in, null outside recordings.
shape::Sizes* active_sizes();

}  // namespace fastnp::api
