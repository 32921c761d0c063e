#include "pass/work.h"

#include <algorithm>
#include <utility>

#include "base/planted.h"
#include "ops/catalogue.h"
#include "ops/cost.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::Kind;

bool is_costly(Value value) { return (ops::info(value->op).traits & ops::costly) != 0 && base::planted("cost") == nullptr; }

int each_op(Value value) { return ops::info(value->op).kind == Kind::map || value->op == Op::pad ? 1 : 0; }

int additions(Value value) { return ops::info(value->op).kind == Kind::map ? ops::additions(value->op) : 0; }

int Work::below(Value value) const {
    if (value->op == Op::parameter || roots_.contains(value)) return 0;
    const auto known = known_.find(value);
    return known == known_.end() ? 0 : known->second;
}

// Operands that share what they are computed from count it twice: where that may matter, it is counted anew.
int Work::of(Value value) {
    int sum = weight_(value);
    for (std::size_t i = 0; i < value->inputs.size(); ++i) {
        const bool again = std::find(value->inputs.begin(), value->inputs.begin() + i, value->inputs[i]) != value->inputs.begin() + i;
        if (!again) sum += below(value->inputs[i]);
    }
    if (sum > most_ / 2) sum = exact(value);
    return known_[value] = sum;
}

int Work::exact(Value value) {
    if (seen_.size() <= value->id) seen_.resize(2 * static_cast<std::size_t>(value->id) + 64, 0);  // operands have lower numbers
    ++walk_;
    open_.assign(1, value);
    int sum = 0;
    while (!open_.empty() && sum <= most_) {
        const Value at = open_.back();
        open_.pop_back();
        sum += weight_(at);
        for (const Value input : at->inputs) {
            if (std::exchange(seen_[input->id], walk_) != walk_ && input->op != Op::parameter && !roots_.contains(input)) open_.push_back(input);
        }
    }
    return sum;
}

}  // namespace fastnp::pass
