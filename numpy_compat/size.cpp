#include "size.h"

#include <string>
#include <vector>

#include "fastnp/error.h"
#include "fastnp/ops.h"

namespace fastnp::compat {

int axis_of(std::int64_t axis, int rank, const char* name) {
    if (axis < -rank || axis >= rank) {
        const std::string before = name == nullptr ? "" : std::string(name) + ": ";
        throw AxisError(before + "axis " + std::to_string(axis) + " is out of bounds for array of dimension " + std::to_string(rank));
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int axis_of(const array& x, int axis) { return axis_of(axis, x.ndim()); }

Size size_of(const array& x, int axis) { return detail::symbolic_shape(x)[static_cast<std::size_t>(axis_of(x, axis))]; }

Size count_of(const array& x) {
    Size count = 1;
    for (int axis = 0; axis < x.ndim(); ++axis) count = count * size_of(x, axis);
    return count;
}

array along(const array& x, int axis, const Index& subscript) {
    std::vector<Index> subscripts(static_cast<std::size_t>(axis), Slice{});
    subscripts.push_back(subscript);
    return x.index(subscripts);
}

array line_of(const array& x) { return reshape(x, {-1}); }

array own(const array& made, const array& x) { return detail::is_beside(made, x) ? made.copy() : made; }

bool is_recorded(const array& x) { return x.is_recorded() || detail::recording_of_sizes() != nullptr; }

}  // namespace fastnp::compat
