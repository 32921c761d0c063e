#include "plan/profile.h"

#include <chrono>
#include <exception>

#include "fastnp/compile.h"
#include "plan/plan.h"

namespace fastnp::plan {

namespace {

thread_local bool profiling = false;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

bool is_profiling() { return profiling; }
bool set_profiling(bool on) { return std::exchange(profiling, on); }

Profile::Profile(const Plan& plan) : times_(plan.steps.size()) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (plan.steps[i].is_loop() && plan.steps[i].loop.body->on_device.backend != nullptr) bodies_.try_emplace(i, *plan.steps[i].loop.body);
    }
}

const Profile* Profile::body(std::size_t step) const {
    const auto found = bodies_.find(step);
    return found == bodies_.end() ? nullptr : &found->second;
}

void Profile::add(std::size_t step, double milliseconds) {
    StepTime& time = times_[step];
    time.milliseconds = (time.count == 0 ? 0 : time.milliseconds) + milliseconds;
    ++time.count;
}

void Profile::add(std::size_t step, device::Backend& backend, std::unique_ptr<device::Moment> from, std::unique_ptr<device::Moment> to) {
    pending_.push_back({step, &backend, std::move(from), std::move(to)});
    if (pending_.size() >= most_pending) drain();
}

void Profile::drain() {
    for (const Pending& each : pending_) add(each.step, each.backend->milliseconds(*each.from, *each.to));
    pending_.clear();
    for (auto& [step, body] : bodies_) body.drain();
}

StepTimer::StepTimer(Profile* profile, std::size_t step, device::Backend* backend) : profile_(profile), step_(step), backend_(backend) {
    if (profile == nullptr) return;
    if (backend != nullptr) from_ = backend->moment();
    else nanoseconds_ = now();
}

void StepTimer::end() noexcept {
    if (backend_ == nullptr) {
        constexpr double nanoseconds_of_one = 1e6;
        profile_->add(step_, static_cast<double>(now() - nanoseconds_) / nanoseconds_of_one);
        return;
    }
    try {
        profile_->add(step_, *backend_, std::move(from_), backend_->moment());
    } catch (const std::exception&) {  // NOLINT: the device can't be used any more, which the next step says
    }
}

}  // namespace fastnp::plan

namespace fastnp {

profile_scope::profile_scope() : before_(plan::set_profiling(true)) {}
profile_scope::~profile_scope() { plan::set_profiling(before_); }

}  // namespace fastnp
