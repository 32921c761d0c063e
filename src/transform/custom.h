// Functions with derivatives of their own, as a recording keeps them.
#pragma once

#include "fastnp/detail/transform.h"
#include "transform/values.h"

namespace fastnp::transform {

struct Custom : detail::CustomDerivative {
    std::vector<Value> results;
};

/// That of a node of the op `custom`.
inline const Custom& custom_of(const trace::Recorder& recorder, const ir::Node& node) {
    return *static_cast<const Custom*>(recorder.kept(static_cast<std::size_t>(node.attributes.ints[0])));
}

}  // namespace fastnp::transform
