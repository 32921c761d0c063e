#include "trace/evaluate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eager/eager.h"
#include "ops/moves.h"
#include "shape/strides.h"

namespace fastnp::trace {

namespace {

// What is kept: so many values that those of a loop's last turn are at hand, and not so much memory that all of it is new.
constexpr std::size_t kept_values = 48, least_bytes = std::size_t{32} << 20, most_bytes = std::size_t{512} << 20;

eager::View view_of(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

}  // namespace

// What has to be computed for a value, in order.
std::vector<ir::Value> Evaluator::missing(ir::Value value, Uses& uses) const {
    std::vector<ir::Value> found, open{value};
    while (!open.empty()) {
        const ir::Value at = open.back();
        open.pop_back();
        if (known_.contains(at) || !uses.emplace(at, 0).second) continue;
        found.push_back(at);
        open.insert(open.end(), at->inputs.begin(), at->inputs.end());
    }
    std::sort(found.begin(), found.end(), [](ir::Value a, ir::Value b) { return a->id < b->id; });
    for (const ir::Value each : found) {
        for (const ir::Value input : each->inputs) ++uses[input];
    }
    return found;
}

device::Memory Evaluator::evaluate(ir::Value value, const shape::Sizes& sizes) {
    Uses uses;
    const std::vector<ir::Value> values = missing(value, uses);
    ++uses[value];
    for (const ir::Value each : values) {
        compute(each, sizes);
        for (const ir::Value input : each->inputs) --uses[input];
        forget_oldest(uses);
    }
    return known_.at(value);
}

void Evaluator::forget_oldest(const Uses& uses) {
    const std::size_t most = std::clamp(kept_values * largest_, least_bytes, most_bytes);
    for (std::size_t left = computed_.size(); left > 0 && bytes_ > most; --left) {
        const Computed oldest = computed_.front();
        computed_.pop_front();
        const auto used = uses.find(oldest.value);
        if (used != uses.end() && used->second > 0) {
            computed_.push_back(oldest);
            continue;
        }
        bytes_ -= oldest.bytes;
        known_.erase(oldest.value);
    }
}

void Evaluator::compute(ir::Value value, const shape::Sizes& sizes) {
    Shape shape;
    for (const shape::Dim dim : value->shape) shape.push_back(sizes.hint(dim));
    ir::Attributes attributes = value->attributes;
    for (shape::Dim& dim : attributes.dims) dim = sizes.hint(dim);
    if (ops::is_move(value)) {
        const device::Memory& operand = known_.at(value->inputs[0]);
        if (const auto seen = eager::moved(value->op, attributes, view_of(operand), shape)) {
            return keep(value, {operand.buffer, seen->data, seen->dtype, seen->shape, seen->strides}, 0);
        }
    }
    std::vector<eager::View> operands;
    for (const ir::Value input : value->inputs) operands.push_back(view_of(known_.at(input)));
    device::Memory memory{device::Buffer::allocate(shape::byte_count(shape, itemsize_of(value->dtype))), nullptr, value->dtype, shape, {}};
    memory.data = memory.buffer->data();
    memory.strides = shape::c_strides(shape, itemsize_of(memory.dtype));
    if (value->op == ir::Op::cast) eager::copy(operands[0], view_of(memory));
    else eager::run(value->op, attributes, operands, view_of(memory));
    const std::size_t bytes = memory.buffer->bytes();
    keep(value, std::move(memory), bytes);
}

void Evaluator::keep(ir::Value value, device::Memory memory, std::size_t bytes) {
    bytes_ += bytes;
    largest_ = std::max(largest_, bytes);
    computed_.push_back({value, bytes});
    known_.insert_or_assign(value, std::move(memory));
}

}  // namespace fastnp::trace
