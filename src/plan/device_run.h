// A plan's steps on a device, run again and again: what is worked out for the sizes of one run serves the next one that has the same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/block.h"
#include "device/movable.h"
#include "device/range.h"
#include "eager/eager.h"
#include "fastnp/detail/timeline.h"
#include "plan/device_batch.h"
#include "plan/device_indices.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "plan/repeated_launch.h"
#include "plan/steps.h"

namespace fastnp::plan {

/// Whether a plan has no steps but those that the device itself does.
bool is_done_by_device(const Plan& plan);

class DeviceRun : public Steps<DeviceRun> {
public:
    explicit DeviceRun(const Plan& plan);

    /// Before each run(): gives it memory. `arguments`: the address on the device of each, null for those that are given by value, which lie at `numbers`.
    void start(std::span<char* const> arguments, std::span<void* const> numbers, std::int64_t* values, trace::Caller& caller);
    /// After run(), and before anything else is asked of the device that comes after it: asks for what was held back.
    void flush() { batch_.flush(); }
    /// How much is held back; and the device as a run's work is asked of it.
    std::size_t held_back() const { return batch_.size(); }
    device::Backend& worker() { return holds_back_ && profile_ == nullptr ? batch_ : backend_; }
    /// Waits for what was found out about indices: throws WrongIndex.
    void settle();
    /// Lets go of results, which others keep, before another run; the memory of temporaries is kept for it.
    void end_turn();
    /// Lets go of all memory; what was held back is forgotten.
    void let_go() noexcept;

    /// Has the next run measured; null: not.
    void measure(Profile* profile) { profile_ = profile; }

    /// What an output lies in, after run(): the number of an argument, or memory that the run made.
    struct Output {
        int argument = -1;
        device::There there{};
        char* base = nullptr;  // on the device, in that memory: what the output's offset is from
    };
    Output output(const ViewOf& output) const;
    /// The same, the last one of its slot: what the run made is no longer the run's.
    Output last_output(const ViewOf& output);
    /// Where the next runs put a result, which takes all of it; no address: wherever there is room.
    void put(int result, const device::There& there, char* address);
    /// Memory for what later runs make.
    void reuse(device::There there);

    // As Steps asks.
    struct UnderWay {
        device::Range range;
        StepTimer timer;
        fastnp::detail::TimelineSpan span;
    };
    UnderWay begin(const Step& step);
    void launch(const KernelStep& step);
    void compute(const Step& step);
    Scalar element(const ViewOf& of);
    std::vector<device::Memory> operands(const Step& step);
    void hold(int slot, const device::Memory& memory);
    void allocate(int stage);
    void take_turns(const Step& step);

private:
    // A kernel's launch, but for the addresses.
    struct Prepared {
        std::int64_t units = -1, blocks = 0;  // -1: to be worked out
        std::size_t first = 0, count = 0;  // of what it is given, among given_
    };
    struct Temporaries {
        std::size_t bytes = 0;
        std::optional<device::Block> block{};
    };
    // An array's memory on the host, with what the device has in it.
    struct Copy;

    std::size_t number_of(const Step& step) const { return static_cast<std::size_t>(&step - plan_.steps.data()); }
    const void* number_at(int slot) const { return numbers_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)]; }
    void expect_indices(const EagerStep& step);
    void* address_of(const ViewOf& view) const;
    eager::View view_of(const ViewOf& view) const;
    eager::View operand_of(const ViewOf& view);
    std::span<const eager::View> operands_of(const EagerStep& step);
    bool writes_in_place(const Step& step) const;
    device::There made(std::size_t bytes);
    char* temporaries(int stage, std::size_t bytes);
    void lay_out_given();
    void prepare(const KernelStep& step, Prepared& prepared);
    void finish_checks();
    bool compute_there(const EagerStep& step, const ir::Attributes& attributes);
    Copy copy_of(const ViewOf& view);
    std::vector<Copy> copies_of(const std::vector<ViewOf>& views);
    void upload(const ViewOf& view, const Copy& copy);
    bool hold_in_place(int slot, const device::Memory& memory);

    device::Backend& backend_;
    bool binds_sizes_, holds_back_;
    DeviceBatch batch_;
    IndexChecks own_checks_;
    IndexChecks* checks_ = &own_checks_;  // a loop's body has those of the plan around it
    std::vector<RightIndices> right_;  // arguments that are indices and were looked at, by the step that uses them
    std::size_t step_ = 0;  // that is run
    Profile* profile_ = nullptr;
    std::span<void* const> numbers_;
    std::vector<char*> bases_;  // by slot, on the device
    std::vector<device::There> made_;  // results
    std::vector<device::There> held_;  // what calls and loops gave, by a slot's number
    std::vector<std::shared_ptr<void>> in_place_;  // of that, what was on the device already
    struct Place {
        device::There there;
        char* address = nullptr;
    };
    std::vector<Place> places_;  // of results; empty: of none
    std::vector<device::There> spare_;  // for results
    std::vector<Temporaries> temporaries_;  // by stage
    std::vector<std::size_t> group_places_;  // where those of a stage begin
    std::vector<device::Block> blocks_;  // of numbers
    std::map<std::size_t, std::unique_ptr<DeviceRun>> bodies_;  // of loops, by step
    std::vector<eager::View> operands_;  // of a step
    std::vector<std::int64_t> sizes_;  // for which launches are prepared
    std::vector<Prepared> prepared_;  // by kernel
    std::vector<RepeatedLaunch> repeated_;  // by kernel
    std::vector<std::int64_t> given_;  // to kernels
    std::vector<void*> given_at_;  // where each is
};

}  // namespace fastnp::plan
