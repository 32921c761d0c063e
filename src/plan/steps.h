// A plan's steps in order, wherever they are run.
#pragma once

#include <exception>
#include <utility>
#include <vector>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "plan/plan.h"
#include "plan/turns.h"

namespace fastnp::plan {

/// D says how: begin(Step), which gives what is kept until the step is done, launch(KernelStep), compute(Step) by a precompiled kernel, element(ViewOf)
/// read, operands(Step) as memory that the host can read, hold(slot, memory) of what a call or a loop gave, allocate(stage), take_turns(Step).
template <class D>
class Steps {
public:
    Outcome run();

protected:
    /// A loop, by the host.
    void take_turns_on_host(const Step& step);

    const Plan& plan_;
    std::int64_t* values_;
    trace::Caller* caller_;
    std::vector<trace::CalledPtr> called_;  // by the number of the call

private:
    friend D;  // nothing but D derives from Steps<D>, which casts itself to D
    Steps(const Plan& plan, std::int64_t* values, trace::Caller& caller) : plan_(plan), values_(values), caller_(&caller) {}
    explicit Steps(const Plan& plan) : plan_(plan), values_(nullptr), caller_(nullptr) {}  // D gives them before each run

    D& self() { return static_cast<D&>(*this); }
    Outcome read(const Step& step);
    Outcome call(const Step& step);
};

template <class D>
Outcome Steps<D>::call(const Step& step) {
    const std::vector<device::Memory> operands = self().operands(step);
    trace::CalledPtr called = caller_->call(step.read.call, operands, step.read.is_last);
    if (!called) return {Outcome::Kind::raised};
    called_.push_back(called);
    if (!trace::fits(plan_.calls[static_cast<std::size_t>(step.read.call)], *called, values_)) {
        return {Outcome::Kind::unexpected, step.read.number, {}, called_};
    }
    for (std::size_t i = 0; i < step.read.given.size(); ++i) {
        if (step.read.given[i] >= 0) self().hold(step.read.given[i], called->arrays[i]);
    }
    return {};
}

template <class D>
void Steps<D>::take_turns_on_host(const Step& step) {
    const std::vector<device::Memory> given = run_turns(step.loop, self().operands(step), values_, *caller_);
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (step.loop.given[i] >= 0) self().hold(step.loop.given[i], given[i]);
    }
}

template <class D>
Outcome Steps<D>::read(const Step& step) {
    if (step.read.call >= 0) return call(step);
    const Scalar found = self().element(step.eager.operands[0]);
    bool holds = step.read.bound != 0 || found == step.read.scalar;
    if (step.read.bound != 0) {
        plan_.sizes.bind(step.read.bound, found.as_int64(), values_);
        holds = plan_.sizes.holds(step.read.bound, values_);
        if (holds) self().allocate(step.read.bound);
    }
    return holds ? Outcome{} : Outcome{Outcome::Kind::unexpected, step.read.number, found, called_};
}

template <class D>
Outcome Steps<D>::run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        const Step& step = plan_.steps[i];
        [[maybe_unused]] const auto under_way = self().begin(step);
        if (step.is_kernel) {
            self().launch(step.kernel);
            continue;
        }
        if (ops::is_read(step.eager.op)) {
            Outcome outcome = read(step);
            if (outcome.kind != Outcome::Kind::done) return outcome;
            continue;
        }
        try {
            if (step.is_loop()) self().take_turns(step);
            else self().compute(step);
        } catch (const MemoryError&) {
            throw;
        } catch (const Error&) {
            if (i < plan_.first_write) return {Outcome::Kind::raised, -1, {}, {}, std::current_exception()};
            throw;
        }
    }
    return {};
}

}  // namespace fastnp::plan
