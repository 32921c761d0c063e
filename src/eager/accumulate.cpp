// Running results by any op of two operands that gives their dtype. Where whole runs of elements lie beside each other across the axis, they are joined by
// the op's own kernel; else lines are run over one by one.
#include "eager/accumulate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/thread_pool.h"
#include "eager/iterate.h"
#include "eager/kernels.h"
#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t least_run = 16;  // elements beside each other that are worth a call for each step
constexpr std::int64_t most_of_run = 4096;  // that stay near while an axis is run over

// Ops that tell of zero divisors do so in their kernel alone.
bool needs_kernel(ops::Op joins) { return joins == ops::Op::floor_divide || joins == ops::Op::remainder || joins == ops::Op::fmod; }

class Accumulation {
public:
    Accumulation(ops::Op joins, std::size_t axis, const View& x, const View& out)
        : itemsize_(static_cast<std::int64_t>(itemsize_of(x.dtype))),
          count_(x.shape[axis]),
          stride_(x.strides[axis]),
          out_stride_(out.shape[axis] == count_ ? out.strides[axis] : 0),
          x_(static_cast<const char*>(x.data)),
          out_(static_cast<char*>(out.data)),
          kernel_(span_kernel(joins, x.dtype)) {
        if (!needs_kernel(joins)) {
            line_ = is_complex(x.dtype)    ? complex_line(joins, x.dtype)
                    : is_floating(x.dtype) ? floating_line(joins, x.dtype)
                                           : integer_line(joins, x.dtype);
        }
        if (kernel_ == nullptr) throw InternalError("no kernel for " + std::string(ops::info(joins).name));
        set_axes(axis, x, out);
    }

    void run() {
        const std::int64_t chunks = (run_ + most_of_run - 1) / most_of_run, tasks = others_ * chunks;
        const std::int64_t elements = others_ * run_ * count_;
        if (elements == 0) return;
        const std::int64_t a_task = std::max<std::int64_t>(1, parallel_elements / std::max<std::int64_t>(elements / tasks, 1));
        const auto body = [&](std::int64_t task) {
            for (std::int64_t i = task * a_task; i < std::min(tasks, (task + 1) * a_task); ++i) run_part(i / chunks, i % chunks * most_of_run);
        };
        const std::int64_t groups = (tasks + a_task - 1) / a_task;
        if (groups == 1) body(0);
        else
            base::parallel_for(
                groups, [](void* context, std::int64_t task, int) { (*static_cast<decltype(body)*>(context))(task); },
                const_cast<void*>(static_cast<const void*>(&body)));
    }

private:
    struct Axis {
        std::int64_t extent, in, out;
    };

    // The axes but the one that is run over, those that lie beside each other in both as one run.
    void set_axes(std::size_t axis, const View& x, const View& out) {
        for (std::size_t i = 0; i < x.shape.size(); ++i) {
            if (i != axis && x.shape[i] != 1) axes_.push_back({x.shape[i], x.strides[i], out.strides[i]});
        }
        std::stable_sort(axes_.begin(), axes_.end(), [](const Axis& a, const Axis& b) { return std::abs(a.out) > std::abs(b.out); });
        while (!axes_.empty() && axes_.back().in == run_ * itemsize_ && axes_.back().out == run_ * itemsize_) {
            run_ *= axes_.back().extent;
            axes_.pop_back();
        }
        if (run_ < least_run && run_ > 1) {
            axes_.push_back({run_, itemsize_, itemsize_});
            run_ = 1;
        }
        for (const Axis& each : axes_) others_ *= each.extent;
    }

    // Of the run at a place along the other axes, the elements from `begin` on.
    void run_part(std::int64_t place, std::int64_t begin) const {
        const char* from = x_ + begin * itemsize_;
        char* to = out_ + begin * itemsize_;
        for (std::size_t i = axes_.size(); i-- > 0; place /= axes_[i].extent) {
            from += place % axes_[i].extent * axes_[i].in;
            to += place % axes_[i].extent * axes_[i].out;
        }
        if (run_ == 1 && line_ != nullptr) line_(from, stride_, count_, to, out_stride_);
        else join_runs(from, to, std::min(run_ - begin, most_of_run));
    }

    void join_runs(const char* from, char* to, std::int64_t width) const {
        std::memcpy(to, from, static_cast<std::size_t>(width * itemsize_));
        for (std::int64_t i = 1; i < count_; ++i) {
            from += stride_;
            const void* both[] = {to, from};
            to += out_stride_;
            kernel_(both, to, width);
        }
    }

    std::int64_t itemsize_, count_, stride_, out_stride_;
    const char* x_;
    char* out_;
    SpanKernel kernel_;
    LineKernel line_ = nullptr;
    SmallVector<Axis> axes_;
    std::int64_t run_ = 1, others_ = 1;
};

}  // namespace

void run_accumulate(ops::Op joins, std::size_t axis, const View& x, const View& out) {
    if (joins == ops::Op::power && x.shape[axis] > 1) {
        View exponents = x;
        exponents.data = static_cast<char*>(x.data) + x.strides[axis];
        --exponents.shape[axis];
        check_exponents(exponents);
    }
    Accumulation(joins, axis, x, out).run();
}

}  // namespace fastnp::eager
