// Loop kernels, interpreted: expression by expression, a point after the other, by the precompiled kernels' meanings of ops. Slow, and exact: what it
// gives has the bits of the code that codegen makes of the same kernel and schedule, as folds combine in the same order (nest/order.h).
#pragma once

#include <cstdint>
#include <memory>

#include "nest/kernel.h"

namespace fastnp::interpret {

class Expressions;

class Kernel {
public:
    Kernel(nest::Kernel kernel, nest::Schedule schedule);
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    /// Units [begin, end), as codegen::KernelFunction does them. Thread-safe.
    void run(void* const* pointers, const std::int64_t* sizes, std::int64_t begin, std::int64_t end, void* scratch) const;

private:
    nest::Kernel kernel_;
    nest::Schedule schedule_;
    std::unique_ptr<const Expressions> expressions_;
};

}  // namespace fastnp::interpret
