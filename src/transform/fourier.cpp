// Transposes of the Fourier transforms. All three are linear; <g, t> is the real part of g t, so a complex one is its own transpose.
#include "ops/catalogue.h"
#include "transform/values.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;

namespace {

// x cut to a length along its last axis, or with zeros behind.
array lengthened(const array& x, Dim length) {
    const Dims shape = api::dims_of(x);
    const std::size_t rank = shape.size();
    const shape::Arithmetic sizes = api::arithmetic();
    if (sizes.equal(shape.back(), length)) return x;
    if (sizes.at_least(shape.back(), length)) {
        Dims lengths = shape;
        lengths.back() = length;
        return api::slice(x, Dims(rank, Dim(0)), lengths, span_of(AxisList(rank, 1)));
    }
    ir::Attributes attributes;
    attributes.dims = Dims(2 * rank, Dim(0));
    attributes.dims.back() = sizes.subtract(length, shape.back());
    const array operands[] = {x, api::constant(0, x.dtype())};
    return api::apply(Op::pad, attributes, operands);
}

array transform_of(Op op, const ir::Attributes& attributes, const array& x) { return api::apply(op, attributes, {&x, 1}); }

// How often each element of half a spectrum is in the whole: all twice but the first, and the last of an even number of points.
array counts(Dim points, Dim length, Dtype dtype) {
    const array place = api::iota({length}, 0);
    return api::cast(where((place == 0) | (place * 2 == api::extent(points)), 1, 2), dtype);
}

}  // namespace

array fft_transposed(const ir::Node& node, const array& g) {
    const Dim length = node.inputs[0]->shape.back(), points = node.attributes.dims[0];
    ir::Attributes attributes = node.attributes;
    if (node.op == Op::fft) return lengthened(transform_of(Op::fft, attributes, g), length);
    if (node.op == Op::rfft) {
        attributes.ints = {1, node.attributes.ints[0], node.attributes.ints[1]};
        return lengthened(real(transform_of(Op::fft, attributes, g)), length);
    }
    const array spectrum = conjugate(transform_of(Op::rfft, attributes, g));
    return lengthened(spectrum * counts(points, api::dims_of(spectrum).back(), real_of(g.dtype())), length);
}

}  // namespace fastnp::transform
