#include "api/in_blocks.h"

#include <algorithm>

#include "api/at_device.h"
#include "api/layout.h"
#include "base/thread_pool.h"
#include "trace/recorder.h"

namespace fastnp::api {

namespace {

constexpr std::int64_t block_bytes = 32768;

// An operand's elements in memory order, or a number that is repeated.
eager::View line_of(const array& x, std::int64_t begin, std::int64_t count) {
    eager::View view = view_of(x.body()->memory);
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(x.dtype()));
    const bool is_number = view.shape.empty();
    if (!is_number) view.data = static_cast<char*>(view.data) + begin * itemsize;
    view.shape = {count};
    view.strides = {is_number ? 0 : itemsize};
    return view;
}

struct Blocks {
    const array &x, &out;
    std::initializer_list<BlockStep> steps;
    std::int64_t length;

    void run(std::int64_t number) const {
        const std::int64_t begin = number * length, count = std::min(length, x.size() - begin);
        const eager::View to = line_of(out, begin, count);
        eager::View made = line_of(x, begin, count);
        for (const BlockStep& step : steps) {
            eager::View operands[2] = {made, made};
            if (step.number != nullptr) operands[step.number_first ? 0 : 1] = line_of(*step.number, begin, count);
            eager::run(step.op, {}, {operands, static_cast<std::size_t>(step.number != nullptr ? 2 : 1)}, to);
            made = to;
        }
    }
};

}  // namespace

std::optional<array> in_blocks(const array& x, std::initializer_list<BlockStep> steps) {
    const bool is_here = trace::Recorder::active() == nullptr && !x.is_recorded() && !may_be_on_device();
    if (!is_here || x.ndim() == 0 || x.size() == 0 || (!x.is_c_contiguous() && !x.is_f_contiguous())) return std::nullopt;
    check_alive(x);
    const array out = wrap(allocate(x.dtype(), x.shape(), order_of(x, Order::keep)));
    const Blocks blocks{x, out, steps, block_bytes / static_cast<std::int64_t>(itemsize_of(x.dtype()))};
    base::parallel_for((x.size() + blocks.length - 1) / blocks.length,
                       [](void* context, std::int64_t task, int) { static_cast<const Blocks*>(context)->run(task); }, const_cast<Blocks*>(&blocks));
    return out;
}

}  // namespace fastnp::api
