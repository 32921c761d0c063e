// Calls whose arguments lie as those of the last call did: the entry that served then is run without a look at anything else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fastnp/compile.h"
#include "fastnp/dtype.h"

namespace fastnp::plan {
struct KernelStep;
struct Plan;
}  // namespace fastnp::plan

namespace fastnp::detail {

/// When the call that is kept gives way to another one: at once where it served some calls, else after twice as many others as the last time.
class Renewal {
public:
    /// Notes a call that was not like the kept one, and tells whether to keep it instead. `served`: how many calls that one served.
    bool is_due(std::uint32_t served) {
        constexpr std::uint32_t worth = 4;
        constexpr int longest_wait = 1024;
        if (--until_next_ > 0) return false;
        wait_ = served >= worth ? 1 : wait_ < longest_wait ? wait_ * 2 : longest_wait;
        until_next_ = wait_;
        return true;
    }

private:
    int until_next_ = 1, wait_ = 1;
};

/// How to run an entry, which must outlive it, on arguments of the very layout of a call that it served: kernels alone, on one thread, with results of
/// known sizes.
class FASTNP_API Direct {
public:
    /// A result, new memory in C or Fortran order.
    struct Output {
        Dtype dtype;
        Shape shape;
        Strides strides;
        bool is_fortran = false;  // and not C
    };

    /// That of a call which the entry served; null where more is to be done than kernels do.
    static std::unique_ptr<Direct> of(const Entry& entry, std::span<const Argument> call);
    /// Whether this thread is where nothing but the arguments counts: it records nothing, measures nothing, and uses no device.
    static bool is_possible();

    std::span<const Output> outputs() const { return outputs_; }
    /// Runs it. `arguments`: the first element of each; `results`: the memory of each.
    void run(std::span<void* const> arguments, std::span<void* const> results) const;
    /// The same, with new arrays behind those that `results` has.
    void run(std::span<void* const> arguments, std::vector<array>& results) const;
    /// For counts and for the choice of entries that are dropped.
    const Entry& entry() const { return *entry_; }

private:
    struct Kernel {
        const plan::KernelStep* step;
        std::int64_t units;
        std::size_t first;    // of its pointers
        std::size_t scratch;  // bytes
    };
    struct Pointer {
        std::int32_t base;  // argument, captured array, result, or the block of temporaries, in this order
        std::int64_t offset;
    };
    bool take(const Entry& entry, std::span<const Argument> call);
    bool take_outputs(const plan::Plan& plan, std::span<std::int32_t> output_of);
    std::vector<Pointer> take_memory(const plan::Plan& plan, std::int32_t arguments, std::span<const std::int32_t> output_of);
    bool take_kernels(const plan::Plan& plan, std::span<const Pointer> bases);

    const Entry* entry_ = nullptr;
    std::vector<void*> captured_;
    std::vector<Output> outputs_;
    std::vector<Kernel> kernels_;
    std::vector<Pointer> pointers_;
    std::vector<std::int64_t> values_;
    std::size_t block_ = 0;  // bytes of temporaries
    std::int64_t result_bytes_ = 0;
};

}  // namespace fastnp::detail
