// The lines of an operand along one axis, each beside its result, shared among threads.
#pragma once

#include <algorithm>

#include "base/thread_pool.h"
#include "eager/iterate.h"

namespace fastnp::eager {

/// Lines of x along an axis: `length` elements, `step` bytes apart. A result has the axis too (`to_step` apart), or not.
class Lines {
public:
    std::int64_t count = 1, length, step, to_step = 0;

    Lines(const View& x, std::size_t axis, const View& out, bool out_has_axis)
        : length(x.shape[axis]), step(x.strides[axis]), from_(static_cast<char*>(x.data)), to_(static_cast<char*>(out.data)) {
        if (out_has_axis) to_step = out.strides[axis];
        for (std::size_t i = 0; i < x.shape.size(); ++i) {
            if (i == axis) continue;
            shape_.push_back(x.shape[i]);
            from_strides_.push_back(x.strides[i]);
            to_strides_.push_back(out.strides[i > axis && !out_has_axis ? i - 1 : i]);
            count *= x.shape[i];
        }
    }
    char* from(std::int64_t line) const { return at(from_, from_strides_, line); }
    char* to(std::int64_t line) const { return at(to_, to_strides_, line); }
    /// Bytes between the elements of neighbouring lines; 0 where these are no neighbours of one axis.
    std::int64_t next_step() const { return shape_.size() == 1 ? from_strides_[0] : 0; }
    std::int64_t next_to_step() const { return shape_.size() == 1 ? to_strides_[0] : 0; }

private:
    char* at(char* data, const SmallVector<std::int64_t>& strides, std::int64_t line) const {
        for (std::size_t i = shape_.size(); i-- > 0;) {
            data += line % shape_[i] * strides[i];
            line /= shape_[i];
        }
        return data;
    }

    char *from_, *to_;
    SmallVector<std::int64_t> shape_, from_strides_, to_strides_;
};

/// each(begin, end) for all lines, in tasks of neighbouring ones where there is enough to do.
template <class Each>
void share_lines(const Lines& lines, const Each& each) {
    if (lines.count * lines.length < parallel_elements || lines.count == 1) return each(0, lines.count);
    struct Shared {
        const Lines* lines;
        const Each* each;
        std::int64_t tasks;
    };
    Shared shared{&lines, &each, std::min<std::int64_t>(lines.count, std::int64_t{8} * base::thread_count())};
    base::parallel_for(
        shared.tasks,
        [](void* context, std::int64_t task, int) {
            const Shared& s = *static_cast<Shared*>(context);
            (*s.each)(s.lines->count* task / s.tasks, s.lines->count * (task + 1) / s.tasks);
        },
        &shared);
}

}  // namespace fastnp::eager
