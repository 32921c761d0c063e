// Collectives over the host's memory: what lies in another way than in C's order is copied first.
#include "dist/collective.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "dist/groups.h"
#include "eager/eager.h"
#include "eager/kernels.h"
#include "fastnp/error.h"
#include "ops/collective.h"
#include "shape/strides.h"

namespace fastnp::eager {

namespace {

std::int64_t count_of(const View& view) { return shape::count(view.shape); }

View in_line(void* data, Dtype dtype, std::int64_t count) { return {data, dtype, {count}, {static_cast<std::int64_t>(itemsize_of(dtype))}}; }

void join(ops::Op joins, Dtype dtype, const void* from, void* into, std::int64_t count) {
    const View both[] = {in_line(into, dtype, count), in_line(const_cast<void*>(from), dtype, count)};
    run_elementwise(joins, both, both[0]);
}

// The elements of a view in C's order: its own memory, or a copy, which is copied back to what is written to.
class Dense {
public:
    enum class Use : std::uint8_t { read, write };

    Dense(const View& view, Use use) : view_(view), use_(use) {
        const std::size_t item = itemsize_of(view.dtype);
        if (shape::is_c_contiguous(view.shape, view.strides, item)) return;
        copy_.resize(static_cast<std::size_t>(count_of(view)) * item);
        if (use == Use::read) copy(view_, dense());
    }

    void* data() { return copy_.empty() ? view_.data : copy_.data(); }

    void done() {
        if (!copy_.empty() && use_ == Use::write) copy(dense(), view_);
    }

private:
    View dense() { return {copy_.data(), view_.dtype, view_.shape, shape::c_strides(view_.shape, itemsize_of(view_.dtype))}; }

    const View& view_;
    Use use_;
    std::vector<char> copy_;
};

}  // namespace

void run_collective(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const ops::Collective asked(attributes);
    dist::Transport& group = dist::group(asked.group());
    if (group.size() != asked.ranks()) {
        throw RankError("a collective of " + std::to_string(asked.ranks()) + " ranks, where there are " + std::to_string(group.size()));
    }
    if (op == ops::Op::rank) {
        *static_cast<std::int64_t*>(out.data) = group.rank();
        return;
    }
    const View& x = operands[0];
    dist::agree(group, dist::request_of(op, asked, x.dtype, count_of(x), false));
    if (count_of(out) == 0) return;
    Dense given(x, Dense::Use::read), made(out, Dense::Use::write);
    const std::size_t bytes = static_cast<std::size_t>(count_of(x)) * itemsize_of(x.dtype);
    switch (op) {
        case ops::Op::all_reduce: dist::all_reduce(group, asked.joins(), x.dtype, given.data(), made.data(), count_of(x), &join); break;
        case ops::Op::reduce_scatter: dist::reduce_scatter(group, asked.joins(), x.dtype, given.data(), made.data(), count_of(out), &join); break;
        case ops::Op::all_gather: group.all_gather(given.data(), made.data(), bytes); break;
        case ops::Op::all_to_all: group.all_to_all(given.data(), made.data(), bytes / static_cast<std::size_t>(group.size())); break;
        case ops::Op::broadcast:
            if (group.rank() == asked.option(0)) std::memcpy(made.data(), given.data(), bytes);
            group.broadcast(made.data(), bytes, static_cast<int>(asked.option(0)));
            break;
        case ops::Op::permute: {
            const int to = asked.target_of(group.rank()), from = asked.source_of(group.rank());
            if (from < 0) std::memset(made.data(), 0, bytes);
            group.permute(given.data(), made.data(), bytes, to, from);
            break;
        }
        default: throw InternalError("no kernel for " + std::string(ops::info(op).name));
    }
    made.done();
}

}  // namespace fastnp::eager
