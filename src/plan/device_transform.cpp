#include "plan/device_transform.h"

#include <algorithm>
#include <optional>

#include "device/block.h"
#include "plan/device_copy.h"
#include "shape/strides.h"

namespace fastnp::plan {

using device::LinesAt;
using device::Transform;
using eager::View;

namespace {

std::int64_t size_of(const View& view) { return static_cast<std::int64_t>(itemsize_of(view.dtype)); }

Transform::Kind kind_of(ops::Op op, const ir::Attributes& attributes) {
    if (op == ops::Op::rfft) return Transform::Kind::real;
    if (op == ops::Op::irfft) return Transform::Kind::to_real;
    return attributes.ints[0] != 0 ? Transform::Kind::forward : Transform::Kind::backward;
}

// Lines along the last axis; the axes before it are one where both views step through them as one.
struct Stack {
    Shape lengths;
    Strides from, to;

    Stack(const View& x, const View& out) : lengths(x.shape.begin(), x.shape.end() - 1) {
        Strides strides[] = {Strides(x.strides.begin(), x.strides.end() - 1), Strides(out.strides.begin(), out.strides.end() - 1)};
        shape::collapse(lengths, strides);
        from = strides[0];
        to = strides[1];
    }
    std::int64_t count() const { return lengths.empty() ? 1 : lengths[0]; }
};

// Lines as a library takes them; nothing where it can't walk them. Distances that do not count are as if the lines lay one behind the other.
std::optional<LinesAt> lines_at(const View& view, const Strides& steps) {
    constexpr std::uintptr_t aligned = 16;
    const std::int64_t size = size_of(view), length = view.shape.back(), stride = length == 1 ? size : view.strides.back();
    if (steps.size() > 1) return std::nullopt;
    const std::int64_t step = steps.empty() ? length * stride : steps[0];
    const bool is_walkable = stride >= size && step >= size && stride % size == 0 && step % size == 0;
    if (!is_walkable || reinterpret_cast<std::uintptr_t>(view.data) % aligned != 0) return std::nullopt;
    return LinesAt{view.data, stride / size, step / size};
}

// The operand in memory of its own, in C order, with zeros behind lines that are too short.
View copied(device::Backend& backend, const View& x, std::int64_t length, std::optional<device::Block>& held) {
    View whole = x;
    whole.shape.back() = length;
    whole.strides = shape::c_strides(whole.shape, itemsize_of(x.dtype));
    const std::size_t bytes = shape::byte_count(whole.shape, itemsize_of(x.dtype));
    held.emplace(backend, bytes);
    whole.data = held->get();
    if (x.shape.back() < length) backend.clear(whole.data, bytes);
    View part = whole;
    part.shape = x.shape;
    copy_on_device(backend, x, part);
    return whole;
}

// Of lines in C order that real points are made of: the first element, and the middle one of an even number of points, are real, whatever was given.
// NumPy does not look at another part; libraries do as they like with it.
void make_ends_real(device::Backend& backend, const View& x, std::int64_t points) {
    const device::Block zero(backend, itemsize_of(x.dtype));
    backend.clear(zero.get(), itemsize_of(x.dtype));
    View ends{static_cast<char*>(x.data) + itemsize_of(x.dtype) / 2, real_of(x.dtype), {1}, {x.shape.back() * size_of(x)}};
    for (std::size_t i = 0; i + 1 < x.shape.size(); ++i) ends.shape[0] *= x.shape[i];
    const View zeros{zero.get(), ends.dtype, ends.shape, {0}};
    copy_on_device(backend, zeros, ends);
    if (points % 2 != 0) return;
    ends.data = static_cast<char*>(ends.data) + points / 2 * size_of(x);
    copy_on_device(backend, zeros, ends);
}

}  // namespace

bool transform_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const std::int64_t scale = attributes.ints[attributes.ints.size() - 2], points = attributes.dims[0].value();
    if (scale != 0 || points < 2 || !backend.lacks_transforms().empty()) return false;
    const std::int64_t needed = op == ops::Op::irfft ? points / 2 + 1 : points;
    View from = x;
    from.shape.back() = std::min(x.shape.back(), needed);
    std::optional<device::Block> held;
    const bool is_kept = op != ops::Op::irfft && from.shape.back() == needed && lines_at(from, Stack(from, out).from);
    if (!is_kept) from = copied(backend, from, needed, held);
    if (op == ops::Op::irfft) make_ends_real(backend, from, points);
    const Stack stack(from, out);
    const std::optional<LinesAt> source = lines_at(from, stack.from), target = lines_at(out, stack.to);
    if (!source || !target) return false;
    return backend.transform({kind_of(op, attributes), real_of(out.dtype) == Dtype::float64, points, stack.count(), *source, *target});
}

}  // namespace fastnp::plan
