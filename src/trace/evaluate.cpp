#include "trace/evaluate.h"

#include <utility>
#include <vector>

#include "eager/eager.h"
#include "shape/strides.h"

namespace fastnp::trace {

namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20;

eager::View view_of(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

}  // namespace

device::Memory Evaluator::evaluate(ir::Value value, const shape::Sizes& sizes) {
    std::vector<ir::Value> open{value};
    while (!open.empty()) {
        const ir::Value at = open.back();
        if (known_.contains(at)) {
            open.pop_back();
            continue;
        }
        const std::size_t before = open.size();
        for (const ir::Value input : at->inputs) {
            if (!known_.contains(input)) open.push_back(input);
        }
        if (open.size() != before) continue;
        open.pop_back();
        compute(at, sizes);
    }
    device::Memory result = known_.at(value);
    forget_oldest();
    return result;
}

void Evaluator::forget_oldest() {
    while (bytes_ > most_bytes) {
        const auto oldest = known_.find(computed_.front());
        bytes_ -= oldest->second.buffer->bytes();
        known_.erase(oldest);
        computed_.pop_front();
    }
}

void Evaluator::compute(ir::Value value, const shape::Sizes& sizes) {
    device::Memory memory;
    memory.dtype = value->dtype;
    for (const shape::Dim dim : value->shape) memory.shape.push_back(sizes.hint(dim));
    memory.buffer = device::Buffer::allocate(shape::byte_count(memory.shape, itemsize_of(memory.dtype)));
    memory.data = memory.buffer->data();
    memory.strides = shape::c_strides(memory.shape, itemsize_of(memory.dtype));
    std::vector<eager::View> operands;
    for (const ir::Value input : value->inputs) operands.push_back(view_of(known_.at(input)));
    if (value->op == ir::Op::cast) {
        eager::copy(operands[0], view_of(memory));
    } else {
        ir::Attributes attributes = value->attributes;
        for (shape::Dim& dim : attributes.dims) dim = sizes.hint(dim);
        eager::run(value->op, attributes, operands, view_of(memory));
    }
    bytes_ += memory.buffer->bytes();
    computed_.push_back(value);
    known_.insert_or_assign(value, std::move(memory));
}

}  // namespace fastnp::trace
