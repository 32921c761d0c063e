// A CUDA driver without a GPU, for tests: device memory is the host's, and what goes through a stream is done as late as the driver's interface allows,
// when it is waited for. So memory that is reused, changed or freed too early always gives wrong values (or a report of the sanitizer), not now and then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/driver.h"

namespace fastnp::cuda {

/// One at a time: the driver's functions know the newest one. Each notes when it is called without what it needs (a current context, memory that lives,
/// page-locked memory to copy from). It knows the kernels "fill" (address, count, value: of 8 bytes each), "illegal" and ones that do nothing.
class FakeDriver {
public:
    static constexpr int illegal_address = 700;

    /// A device of so many bytes.
    explicit FakeDriver(std::size_t memory = std::size_t{1} << 30);
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    const Driver& driver() const { return driver_; }

    /// Calls of a function (by the driver's name for it) so far.
    int calls(const std::string& function) const;
    /// The functions called since clear_log(), in order, but for those that look at or change the current context.
    std::vector<std::string> log() const;
    void clear_log();
    /// The next calls of a function give an error.
    void fail(const std::string& function, int error, int times = 1);

    /// For a library over the driver: what every function of the driver does first (it is counted and fails on request, and needs the context), then work
    /// for a stream, which gives an error or 0.
    static int call(const char* function, std::function<int()> work = {}, Handle stream = nullptr);
    /// Whether all of a range is device memory that was handed out.
    static bool owns(const void* memory, std::size_t bytes);

    /// Bytes of device memory, and of page-locked memory, that are taken; streams, events, modules, links and contexts that were not given back.
    std::size_t device_bytes() const;
    std::size_t host_bytes() const;
    int handles() const;
    /// Copies and launches that were asked for and not done yet.
    std::size_t pending() const;
    /// What was called against the driver's contract.
    std::vector<std::string> misuses() const;

    struct State;

private:
    std::unique_ptr<State> state_;
    Driver driver_;
};

}  // namespace fastnp::cuda
