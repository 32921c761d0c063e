#include "codegen/folds.h"

namespace fastnp::codegen {

Value combine(Builder& b, const nest::Fold& fold, const Value& x, const Value& y) { return b.map(fold.combine, fold.dtype, fold.dtype, {x, y}); }

Value pairwise(Builder& b, const nest::Fold& fold, std::vector<Value> values) {
    while (values.size() > 1) {
        std::vector<Value> halves;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) halves.push_back(combine(b, fold, values[i], values[i + 1]));
        if (values.size() % 2 != 0) halves.push_back(values.back());
        values = std::move(halves);
    }
    return values[0];
}

}  // namespace fastnp::codegen
