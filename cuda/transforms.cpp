#include "transforms.h"

#include <exception>
#include <limits>

#include "device/transform.h"
#include "fastnp/error.h"
#include "workspace.h"

namespace fastnp::cuda {

using device::Transform;

namespace {

constexpr std::size_t most_plans = 64;  // each has tables on the device

// The library's number for a kind of transform.
int type_of(const Transform& transform) {
    switch (transform.kind) {
        case Transform::Kind::real: return transform.is_double ? 0x6a : 0x2a;
        case Transform::Kind::to_real: return transform.is_double ? 0x6c : 0x2c;
        default: return transform.is_double ? 0x69 : 0x29;
    }
}

int run(const Fft& fft, int plan, const Transform& transform) {
    void* const from = transform.from.data;
    void* const to = transform.to.data;
    switch (transform.kind) {
        case Transform::Kind::real: return (transform.is_double ? fft.real_double : fft.real_single)(plan, from, to);
        case Transform::Kind::to_real: return (transform.is_double ? fft.to_real_double : fft.to_real_single)(plan, from, to);
        default: break;
    }
    const int direction = transform.kind == Transform::Kind::forward ? -1 : 1;
    return (transform.is_double ? fft.complex_double : fft.complex_single)(plan, from, to, direction);
}

bool has_none(int status) { return status == fft_invalid_size || status == fft_not_implemented || status == fft_not_supported; }

}  // namespace

Transforms::~Transforms() {
    if (plans_.empty() || !context_.is_usable()) return;
    try {
        forget_plans();
    } catch (const std::exception&) {  // NOLINT: the context is gone, and what the library had there
    }
}

void Transforms::forget_plans() {
    context_.synchronize();  // what runs may need their tables
    const Current current(context_);
    for (const auto& [key, plan] : plans_) {
        if (plan.number >= 0) fft_->destroy(plan.number);
    }
    plans_.clear();
}

const Fft& Transforms::fft() {
    const std::scoped_lock lock(mutex_);
    if (fft_ == nullptr) fft_ = &find_(context_.driver());
    return *fft_;
}

std::string Transforms::lacks() { return fft().problem; }

void Transforms::check(int status, const char* function) {
    if (status == fft_success) [[likely]]
        return;
    throw DeviceError("device '" + context_.name() + "': " + function + " failed: cuFFT's error " + std::to_string(status));
}

Transforms::Plan Transforms::made(const Transform& transform) {
    Plan plan;
    check(fft_->create(&plan.number), "cufftCreate");
    try {
        check(fft_->set_allocation(plan.number, 0), "cufftSetAutoAllocation");
        check(fft_->set_stream(plan.number, context_.stream()), "cufftSetStream");
        long long points = transform.points;
        // With the sizes of both sides the library heeds the distances.
        long long from = points;
        long long to = points;
        const int status = fft_->make(plan.number, 1, &points, &from, transform.from.stride, transform.from.step, &to, transform.to.stride,
                                      transform.to.step, type_of(transform), transform.count, &plan.workspace_bytes);
        if (!has_none(status)) {
            check(status, "cufftMakePlanMany64");
            return plan;
        }
    } catch (...) {
        fft_->destroy(plan.number);
        throw;
    }
    fft_->destroy(plan.number);
    return {};
}

Transforms::Plan Transforms::plan_for(const Transform& transform) {
    const Key key{type_of(transform),  transform.points,    transform.count,   transform.from.stride,
                  transform.from.step, transform.to.stride, transform.to.step, 0};
    if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    if (plans_.size() >= most_plans) forget_plans();
    return plans_[key] = made(transform);
}

bool Transforms::transform(const Transform& transform) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (transform.points > most || transform.count > most || !fft().problem.empty()) return false;
    const Current current(context_);
    const std::scoped_lock lock(mutex_);
    const Plan plan = plan_for(transform);
    if (plan.number < 0) return false;
    const Workspace workspace(pool_, plan.workspace_bytes);
    if (workspace.get() != nullptr) check(fft_->set_workspace(plan.number, workspace.get()), "cufftSetWorkArea");
    check(run(*fft_, plan.number, transform), "cufftExec");
    count_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

}  // namespace fastnp::cuda
