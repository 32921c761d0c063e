// Making and rearranging: constants, iotas, moves (as copies of a strided view), concatenation, padding, gathers.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "eager/kernels.h"
#include "fastnp/error.h"
#include "ops/number.h"
#include "shape/strides.h"

namespace fastnp::eager {

namespace {

// A scalar's element in a dtype.
void write_scalar(const Scalar& scalar, Dtype dtype, char* to) {
    alignas(16) char wide[16];
    Dtype from = Dtype::complex128;
    if (scalar.kind() == WeakKind::integer || scalar.kind() == WeakKind::boolean) {
        const std::uint64_t bits = scalar.bits();
        std::memcpy(wide, &bits, sizeof bits);
        from = scalar.negative() ? Dtype::int64 : Dtype::uint64;
    } else if (scalar.kind() == WeakKind::floating) {
        const double value = scalar.real();
        std::memcpy(wide, &value, sizeof value);
        from = Dtype::float64;
    } else {
        const double parts[] = {scalar.real(), scalar.imag()};
        std::memcpy(wide, parts, sizeof parts);
    }
    const void* operands[] = {wide};
    cast_kernel(from, dtype)(operands, to, 1);
}

void fill(const View& out, const char* element) {
    View repeated{const_cast<char*>(element), out.dtype, out.shape, {}};
    repeated.strides.resize(out.shape.size(), 0);
    copy(repeated, out);
}

bool contains(const SmallVector<std::int64_t>& axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

bool is_contiguous(const View& x) {
    auto step = static_cast<std::int64_t>(itemsize_of(x.dtype));
    for (std::size_t i = x.shape.size(); i-- > 0;) {
        if (x.shape[i] != 1 && x.strides[i] != step) return false;
        step *= x.shape[i];
    }
    return true;
}

void make_contiguous(View& x) {
    auto step = static_cast<std::int64_t>(itemsize_of(x.dtype));
    x.strides.resize(x.shape.size());
    for (std::size_t i = x.shape.size(); i-- > 0;) {
        x.strides[i] = step;
        step *= x.shape[i];
    }
}

}  // namespace

void run_make(ops::Op op, const ir::Attributes& attributes, const View& out) {
    alignas(16) char element[16];
    switch (op) {
        case ops::Op::constant: write_scalar(attributes.scalar, out.dtype, element); break;
        case ops::Op::extent: write_scalar(Scalar(attributes.dims[0].value()), out.dtype, element); break;
        case ops::Op::iota: {
            const auto axis = static_cast<std::size_t>(attributes.ints[0]);
            if (out.shape.size() == 1 && is_contiguous(out)) {
                auto* const to = static_cast<std::int64_t*>(out.data);
                std::iota(to, to + out.shape[0], std::int64_t{0});
                return;
            }
            std::vector<std::int64_t> steps(static_cast<std::size_t>(out.shape[axis]));
            for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::int64_t>(i);
            View line{steps.data(), Dtype::int64, out.shape, {}};
            line.strides.resize(out.shape.size(), 0);
            line.strides[axis] = sizeof(std::int64_t);
            copy(line, out);
            return;
        }
        case ops::Op::example:
            throw TypeError(
                "vmap: the function reads values that differ from part to part (in an if, a while, int(), print()); where(), and loops "
                "whose number of turns does not depend on them, can be mapped");
        default: throw InternalError("no kernel for " + std::string(ops::info(op).name));
    }
    fill(out, element);
}

std::optional<View> moved(ops::Op op, const ir::Attributes& attributes, const View& x, const Shape& shape) {
    View seen{x.data, x.dtype, shape, {}};
    seen.strides.resize(shape.size(), 0);
    switch (op) {
        case ops::Op::transpose:
            for (std::size_t i = 0; i < shape.size(); ++i) seen.strides[i] = x.strides[static_cast<std::size_t>(attributes.ints[i])];
            return seen;
        case ops::Op::broadcast_to: {
            const std::size_t lead = shape.size() - x.shape.size();
            for (std::size_t i = 0; i < x.shape.size(); ++i) seen.strides[i + lead] = x.shape[i] == 1 && shape[i + lead] != 1 ? 0 : x.strides[i];
            return seen;
        }
        case ops::Op::slice:
            for (std::size_t i = 0; i < shape.size(); ++i) {
                seen.data = static_cast<char*>(seen.data) + attributes.dims[i].value() * x.strides[i];
                seen.strides[i] = shape::wrapping_product(attributes.ints[i], x.strides[i]);
            }
            return seen;
        case ops::Op::expand_dims:
            for (std::size_t i = 0, at = 0; i < shape.size(); ++i) seen.strides[i] = contains(attributes.ints, i) ? 0 : x.strides[at++];
            return seen;
        case ops::Op::squeeze:
            for (std::size_t i = 0, at = 0; i < x.shape.size(); ++i) {
                if (!contains(attributes.ints, i)) seen.strides[at++] = x.strides[i];
            }
            return seen;
        case ops::Op::reshape:
            if (!is_contiguous(x)) return std::nullopt;
            make_contiguous(seen);
            return seen;
        default: throw InternalError("no kernel for " + std::string(ops::info(op).name));
    }
}

void run_move(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    if (const std::optional<View> seen = moved(op, attributes, x, out.shape)) return copy(*seen, out);
    if (is_contiguous(out)) {  // a reshape, written in the operand's own shape
        View shaped{out.data, out.dtype, x.shape, {}};
        make_contiguous(shaped);
        return copy(x, shaped);
    }
    std::int64_t size = 1;
    for (const std::int64_t extent : x.shape) size *= extent;
    const std::unique_ptr<char[]> held(new char[static_cast<std::size_t>(size) * itemsize_of(x.dtype) + 1]);
    View packed{held.get(), x.dtype, x.shape, {}};
    make_contiguous(packed);
    copy(x, packed);
    packed.shape = out.shape;
    packed.strides.resize(out.shape.size(), 0);
    make_contiguous(packed);
    copy(packed, out);
}

void run_concatenate(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    View part = out;
    for (const View& operand : operands) {
        part.shape = operand.shape;
        copy(operand, part);
        part.data = static_cast<char*>(part.data) + operand.shape[axis] * out.strides[axis];
    }
}

void run_pad(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const auto* const value = static_cast<const char*>(operands[1].data);
    View inside = out;
    for (std::size_t i = 0; i < out.shape.size(); ++i) {  // what lies before and behind along each axis, where it lies within the axes before
        const std::int64_t before = attributes.dims[i].value(), length = operands[0].shape[i], behind = inside.shape[i] - before - length;
        View border = inside;
        border.shape[i] = before;
        fill(border, value);
        border.shape[i] = behind;
        border.data = static_cast<char*>(inside.data) + (before + length) * out.strides[i];
        fill(border, value);
        inside.shape[i] = length;
        inside.data = static_cast<char*>(inside.data) + before * out.strides[i];
    }
    copy(operands[0], inside);
}

void run_update(const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    copy(operands[0], out);
    View region = out;
    region.shape = operands[1].shape;
    for (std::size_t i = 0; i < out.shape.size(); ++i) {
        region.data = static_cast<char*>(region.data) + attributes.dims[i].value() * out.strides[i];
        region.strides[i] *= attributes.ints[i];
    }
    copy(operands[1], region);
}

}  // namespace fastnp::eager
