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

Transforms::Plan::~Plan() {
    if (!context_.is_usable()) return;
    try {
        context_.synchronize();  // what runs may need its tables
        const Current current(context_);
        fft_.destroy(number_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and what the library had there
    }
}

Transforms::~Transforms() = default;

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

std::shared_ptr<const Transforms::Plan> Transforms::made(const Transform& transform) {
    int number = -1;
    check(fft_->create(&number), "cufftCreate");
    const auto plan = std::make_shared<Plan>(context_, *fft_, number);
    check(fft_->set_allocation(number, 0), "cufftSetAutoAllocation");
    check(fft_->set_stream(number, context_.stream()), "cufftSetStream");
    long long points = transform.points;
    // With the sizes of both sides the library heeds the distances.
    long long from = points;
    long long to = points;
    const int status = fft_->make(number, 1, &points, &from, transform.from.stride, transform.from.step, &to, transform.to.stride, transform.to.step,
                                  type_of(transform), transform.count, &plan->workspace_bytes_);
    if (has_none(status)) return nullptr;
    check(status, "cufftMakePlanMany64");
    return plan;
}

Transforms::Key Transforms::key_of(const Transform& transform) {
    return {type_of(transform), transform.points, transform.count, transform.from.stride, transform.from.step, transform.to.stride, transform.to.step, 0};
}

std::shared_ptr<const Transforms::Plan> Transforms::plan_for(const Transform& transform) {
    const Key key = key_of(transform);
    if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    if (plans_.size() >= most_plans) plans_.clear();
    try {
        return plans_[key] = made(transform);
    } catch (const DeviceError&) {  // for want of memory, it may be, which the pool keeps
        context_.make_room();
    }
    return plans_[key] = made(transform);
}

std::shared_ptr<const Transforms::Plan> Transforms::plan(const Transform& transform) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<const Plan> found = plan_for(transform);
    if (found == nullptr) throw InternalError("a transform that the library has no plan for");
    return found;
}

bool Transforms::knows(const Transform& transform) {
    const std::scoped_lock lock(mutex_);
    const auto found = plans_.find(key_of(transform));
    return found != plans_.end() && found->second != nullptr;
}

void Transforms::ask(const Plan& plan, const Transform& transform, Handle stream, void* workspace) {
    const std::scoped_lock lock(mutex_);
    if (plan.workspace_bytes() != 0) check(fft_->set_workspace(plan.number(), workspace), "cufftSetWorkArea");
    check(fft_->set_stream(plan.number(), stream), "cufftSetStream");
    const int status = run(*fft_, plan.number(), transform);
    check(fft_->set_stream(plan.number(), context_.stream()), "cufftSetStream");
    check(status, "cufftExec");
}

bool Transforms::transform(const Transform& transform) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (transform.points > most || transform.count > most || !fft().problem.empty()) return false;
    const Current current(context_);
    const std::scoped_lock lock(mutex_);
    const std::shared_ptr<const Plan> plan = plan_for(transform);
    if (plan == nullptr) return false;
    const Workspace workspace(pool_, plan->workspace_bytes());
    if (workspace.get() != nullptr) check(fft_->set_workspace(plan->number(), workspace.get()), "cufftSetWorkArea");
    check(run(*fft_, plan->number(), transform), "cufftExec");
    count_more(1);
    return true;
}

}  // namespace fastnp::cuda
