// Calls of functions of the outside: what one gave.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/memory.h"
#include "ir/graph.h"

namespace fastnp::trace {

/// Arrays in C order, and a text for all that is around them.
struct Called {
    std::string structure;
    std::vector<device::Memory> arrays;
};
using CalledPtr = std::shared_ptr<const Called>;

/// Makes the calls of a plan: by their number, on the operands' memory, which is theirs to read until they return. `is_last`: nothing that comes after may
/// end the run. Null: it raised.
class Caller {
public:
    Caller() = default;
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    virtual CalledPtr call(int number, std::span<const device::Memory> operands, bool is_last) = 0;

protected:
    ~Caller() = default;
};

/// Whether a call gave what a recording takes for granted; `values` are those of the sizes.
bool fits(const ir::Call& expected, const Called& called, const std::int64_t* values);

}  // namespace fastnp::trace
