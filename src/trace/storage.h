// The memory that recorded arrays stand for, and what is written into it while recording. Writing is functional: a write makes the next contents of
// the storage, a new value; every array that lies there is a chain of moves from the contents, and is read through the newest ones. Real
// and imaginary parts (the ops `real` and `imag` in such a chain) are views of complex numbers.
#pragma once

#include <memory>

#include "ir/graph.h"
#include "shape/order.h"

namespace fastnp::trace {

/// How many bodies of loops, one in another, this thread is recording.
int& turns_depth();

/// An op's result has a storage of its own, a view shares its operand's. Known by its address.
struct Storage {
    int parameter = -1;         // of an argument or captured memory: its parameter's number
    ir::Value whole = nullptr;  // all of what lies there now
    shape::AxisOrder order{};   // of its axes in memory
    bool held = false;  // whether `whole` is what a certain piece of memory holds (a parameter and what was written into it), or just a value so far
    bool has_copies = false;  // that stand for views of it: they would not show what is written to it
    int depth = turns_depth();  // in how many bodies of loops it was made
    int watched = -1;           // its number among what the recording watches (watched.h)
    bool is_stored_to = false;  // by an effect
};
using StoragePtr = std::shared_ptr<Storage>;

/// The same chain of moves from another value than `whole`.
ir::Value rebase(ir::Graph& graph, ir::Value value, ir::Value whole, ir::Value instead);

/// A copy in memory of its own, the axes in an order; no rewriting looks through it. Equal owners share copies of equal values.
ir::Value placed_copy(ir::Graph& graph, ir::Value value, const shape::AxisOrder& order, std::int64_t owner);

/// What a write made.
struct Write {
    ir::Value whole;  // the storage's next contents
    ir::Value update;  // the op that stores; null where the contents are merely another value
};

/// Writes `value` (of the view's dtype and shape) through `view`, a chain of moves and parts from storage.whole; the storage has the new contents
/// afterwards. RecordError for views that no update can say. `owner` is a number for the copy that a first write may take.
Write write(ir::Graph& graph, Storage& storage, ir::Value view, ir::Value value, std::int64_t owner);

/// Whether an update computes what it stores from other elements of the array than those that it stores to, as a stencil does. Then it takes memory
/// besides, and if it stores most of the array (ops::takes_most), contents_after() in other memory is better.
bool reads_elsewhere(ir::Value update);
/// What is in memory after an update, as a value that is stored nowhere yet: `stored` where its region is, `contents` elsewhere.
ir::Value contents_after(ir::Graph& graph, ir::Value update, ir::Value contents, ir::Value stored);

}  // namespace fastnp::trace
