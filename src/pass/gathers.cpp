// Elements taken by index where they are used, instead of into memory of their own.
#include <algorithm>

#include "ops/catalogue.h"
#include "pass/roots.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::Kind;
using shape::Dim;

namespace {

constexpr std::int64_t whole_line = 32;  // bytes that memory gives at a time

// Bytes that lie side by side at each index, as far as the array itself is in C order.
std::int64_t bytes_at_index(const ir::Node& take, const shape::Sizes& sizes) {
    auto bytes = static_cast<std::int64_t>(itemsize_of(take.dtype));
    const shape::Dims& shape = take.inputs[0]->shape;
    for (auto i = static_cast<std::size_t>(take.attributes.ints[0]) + 1; i < shape.size(); ++i) bytes *= std::max<std::int64_t>(sizes.hint(shape[i]), 1);
    return bytes;
}

}  // namespace

// Where loop kernels alone read a take, it needs no memory. Several of them fetch elements again that lie apart: such are fetched once.
void Roots::find_gathered() {
    std::unordered_map<Value, std::vector<Value>> readers;
    for (const Value value : order_) {
        for (const Value input : value->inputs) readers[input].push_back(value);
    }
    std::unordered_map<Value, bool> seen;  // in memory by somebody's wish, or not; readers come first
    for (const Value output : graph_.outputs()) seen[output] = false;
    for (std::size_t i = order_.size(); i-- > 0;) {
        const Value value = order_[i];
        const auto is_computed = [&](Value reader) {
            const Kind kind = ops::info(reader->op).kind;
            if (kind != Kind::move) return (kind == Kind::map || kind == Kind::fold) && !is_precompiled(reader);
            return !contains(reader) && through(*reader, identity_map(reader->shape.size()), sizes_) && seen.at(reader);
        };
        const std::vector<Value>& all = readers[value];
        const bool fits = seen.try_emplace(value, true).first->second && std::ranges::all_of(all, is_computed);
        seen[value] = fits;
        if (value->op != Op::take || !fits || all.empty()) continue;
        if (all.size() == 1 || bytes_at_index(*value, sizes_) >= whole_line) gathered_.insert(value);
    }
}

}  // namespace fastnp::pass
