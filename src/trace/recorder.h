// A recording in progress: ops on recorded arrays become nodes of its graph. One per thread at a time (the innermost).
#pragma once

#include <memory>
#include <vector>

#include "device/memory.h"
#include "ir/graph.h"
#include "shape/order.h"

namespace fastnp::trace {

/// The memory that recorded arrays stand for: an op's result has its own, a view shares its operand's. Known by its address.
struct Storage {
    int parameter = -1;            // of an argument or captured memory: its parameter's number
    ir::Value whole = nullptr;     // all of what lies there
    shape::AxisOrder order{};      // of its axes, where an op made it
};
using StoragePtr = std::shared_ptr<const Storage>;

class Recorder : public std::enable_shared_from_this<Recorder> {
public:
    ir::Graph& graph() { return graph_; }

    /// A value for memory met while recording that is no argument: an extra parameter, read anew at each call. The same memory and
    /// layout gives the same value.
    ir::Value capture(const device::Memory& memory);
    /// The memory of a parameter, the same at each call.
    StoragePtr storage_of(ir::Value parameter);
    /// Notes a value whose computation may raise an error, so that it is computed whether needed or not.
    void check(ir::Value value) { checks_.push_back(value); }
    const std::vector<ir::Value>& checks() const { return checks_; }
    /// The captured memories, in the order of their parameters, which come after the arguments'.
    const std::vector<device::Memory>& captured() const { return captured_; }

    /// The recording that this thread is in, or null.
    static Recorder* active();

    /// Makes a recording the active one of this thread while it lives; null: ops run at once meanwhile.
    class Scope {
    public:
        explicit Scope(std::shared_ptr<Recorder> recorder);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        std::shared_ptr<Recorder> recorder_;
        Recorder* previous_;
    };

private:
    ir::Graph graph_;
    std::vector<device::Memory> captured_;
    std::vector<ir::Value> captured_values_, checks_;
    std::vector<StoragePtr> storages_;  // by parameter
};

}  // namespace fastnp::trace
