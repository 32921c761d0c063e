// What the steps of a plan take, in a run that is measured.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "device/backend.h"

namespace fastnp::plan {

struct Plan;

/// Whether runs of this thread are measured (profile_scope). Setting it gives what it was.
bool is_profiling();
bool set_profiling(bool on);

struct StepTime {
    double milliseconds = -1;  // in all; negative: it was not measured
    std::uint64_t count = 0;   // how often it was done
};

class Profile {
public:
    explicit Profile(const Plan& plan);

    StepTime of(std::size_t step) const { return times_[step]; }
    /// Of the loop that a step is; null if its body is not measured.
    const Profile* body(std::size_t step) const;
    Profile* body(std::size_t step) { return const_cast<Profile*>(std::as_const(*this).body(step)); }

    void add(std::size_t step, double milliseconds);
    /// A step that a device does between these; the time is known after drain(), which waits for it.
    void add(std::size_t step, device::Backend& backend, std::unique_ptr<device::Moment> from, std::unique_ptr<device::Moment> to);
    void drain();
    /// The sizes' values, by id.
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    void keep_sizes(std::span<const std::int64_t> sizes) { sizes_.assign(sizes.begin(), sizes.end()); }

private:
    struct Pending {
        std::size_t step;
        device::Backend* backend;
        std::unique_ptr<device::Moment> from, to;
    };
    static constexpr std::size_t most_pending = 512;

    std::vector<StepTime> times_;
    std::vector<std::int64_t> sizes_;
    std::map<std::size_t, Profile> bodies_;  // of loops that the device does
    std::vector<Pending> pending_;
};

/// The last one of a plan. Thread-safe.
class LastProfile {
public:
    std::shared_ptr<const Profile> get() const {
        const std::scoped_lock lock(mutex_);
        return last_;
    }
    void set(std::shared_ptr<const Profile> profile) {
        const std::scoped_lock lock(mutex_);
        last_ = std::move(profile);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Profile> last_;
};

/// Measures a step while it lives: on a device by what is asked for meanwhile, on the host (no backend) by the clock. No profile: nothing is done.
class StepTimer {
public:
    StepTimer(Profile* profile, std::size_t step, device::Backend* backend);
    ~StepTimer() {
        if (profile_ != nullptr) end();
    }
    StepTimer(const StepTimer&) = delete;
    StepTimer& operator=(const StepTimer&) = delete;

private:
    void end() noexcept;

    Profile* profile_;
    std::size_t step_;
    device::Backend* backend_;
    std::unique_ptr<device::Moment> from_;
    std::int64_t nanoseconds_ = 0;
};

}  // namespace fastnp::plan
