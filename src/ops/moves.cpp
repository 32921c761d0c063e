#include "ops/moves.h"

#include <algorithm>

namespace fastnp::ops {

bool takes_most(ir::Value node, const shape::Sizes& sizes) {
    const shape::Dims &whole = node->inputs[0]->shape, &region = region_shape(node);
    double share = 1;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (node->attributes.ints[i] != 1) return false;
        share *= static_cast<double>(sizes.hint(region[i])) / static_cast<double>(std::max<std::int64_t>(sizes.hint(whole[i]), 1));
    }
    return share > 0.5;
}

ir::Attributes pad_around(ir::Value node, const shape::Dims& part, shape::Sizes& sizes) {
    const shape::Dims &whole = node->inputs[0]->shape, &starts = node->attributes.dims;
    ir::Attributes widths;
    for (std::size_t i = 0; i < whole.size(); ++i) widths.dims.push_back(starts[i]);
    for (std::size_t i = 0; i < whole.size(); ++i) widths.dims.push_back(sizes.subtract(whole[i], sizes.add(starts[i], part[i])));
    return widths;
}

}  // namespace fastnp::ops
