// Stacks of small matrices, shared out among threads.
#include <algorithm>

#include "base/thread_pool.h"
#include "eager/blas.h"
#include "eager/lapack.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t largest_shared = 128 * 128;                       // elements; the library shares larger ones out itself
constexpr std::int64_t least_work = 1 << 17, task_work = 1 << 15;  // multiplications
constexpr std::int64_t own_work = 500;                                   // what a call costs, whatever the size

View part_of(View view, std::size_t axis, std::int64_t start, std::int64_t length) {
    view.data = static_cast<char*>(view.data) + start * view.strides[axis];
    view.shape[axis] = length;
    return view;
}

}  // namespace

void over_stack(std::span<const View> operands, const View& out, std::int64_t effort, const StackBody& body) {
    const View& x = operands[0];
    const std::size_t rank = x.shape.size() - 2;
    const std::int64_t rows = x.shape[rank], columns = x.shape[rank + 1];
    const auto longest = static_cast<std::size_t>(std::max_element(x.shape.begin(), x.shape.begin() + rank) - x.shape.begin());
    std::int64_t work = effort * rows * columns * std::min(rows, columns) + own_work;
    for (std::size_t i = 0; i < rank; ++i) work *= x.shape[i];
    use_blas();
    const BlasCall call;
    if (rows * columns > largest_shared) {
        const BlasThreads threads;
        return body(operands, out);
    }
    if (rank == 0 || work < least_work || base::thread_count() == 1) return body(operands, out);
    const std::int64_t length = x.shape[longest];
    const std::int64_t tasks = std::clamp<std::int64_t>(work / task_work, 1, std::min<std::int64_t>(length, base::thread_count() * 8));
    auto task = [&](std::int64_t number) {
        const BlasCall own;
        const std::int64_t start = length * number / tasks, count = length * (number + 1) / tasks - start;
        std::vector<View> parts;
        for (const View& operand : operands) parts.push_back(part_of(operand, longest, start, count));
        body(parts, part_of(out, longest, start, count));
    };
    using Task = decltype(task);
    base::parallel_for(tasks, [](void* context, std::int64_t number, int) { (*static_cast<Task*>(context))(number); }, &task);
}

}  // namespace fastnp::eager
