#include "plan/padding.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "nest/axes.h"

namespace fastnp::plan {

namespace {

using shape::Dim;

// The bytes of a row in C order; nothing where padded rows are the same.
std::optional<std::int64_t> row_of(const ir::Node& state, shape::Sizes& sizes) {
    const shape::Dims own = pass::contiguous_strides(state.shape, state.dtype, sizes);
    if (own == pass::strides_in(pass::Layout::padded, state.shape, state.dtype, sizes)) return std::nullopt;
    return own[own.size() - 2].value();
}

// Whether a kernel loads elements of a buffer that are a row or more apart.
bool reads_over_rows(const nest::Kernel& kernel, std::size_t buffer, std::int64_t row) {
    std::vector<const nest::Access*> loads;
    nest::for_each_use(kernel, [&](const nest::Access& access, nest::Use use) {
        if (use != nest::Use::store && static_cast<std::size_t>(access.buffer) == buffer && access.offset.is_constant()) loads.push_back(&access);
    });
    return std::any_of(loads.begin(), loads.end(), [&](const nest::Access* load) {
        const nest::Access& first = *loads.front();
        return load->strides == first.strides && std::abs(load->offset.value() - first.offset.value()) >= row;
    });
}

}  // namespace

bool gains_by_padding(const Plan& plan, const ir::Body& body, shape::Sizes& sizes) {
    const auto states = static_cast<std::size_t>(body.states);
    std::vector<std::optional<std::int64_t>> rows;
    for (std::size_t i = 0; i < states; ++i) rows.push_back(row_of(*body.graph.parameters()[i], sizes));
    if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.has_value(); })) return false;
    bool gains = false;
    for (const Step& step : plan.steps) {
        if (!step.is_kernel) return false;
        const nest::Kernel& kernel = plan.kernels[step.kernel.number];
        for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
            const Slot& slot = plan.slots[static_cast<std::size_t>(step.kernel.slots[b])];
            const auto number = static_cast<std::size_t>(slot.number);
            if (slot.kind != Slot::Kind::argument || number >= states) continue;
            if (kernel.buffers[b].written) return false;  // in place, maybe by way of a reshape, for which padded rows are no view
            gains = gains || (rows[number] && reads_over_rows(kernel, b, *rows[number]));
        }
    }
    return gains;
}

bool keeps_layout(const Plan& plan, const ir::Body& body, shape::Sizes& sizes) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(body.states); ++i) {
        const ir::Node& state = *body.graph.parameters()[i];
        const ViewOf& given = plan.outputs[i];
        if (!(given.offset == Dim(0)) || !(given.strides == pass::strides_in(plan.layout, state.shape, state.dtype, sizes))) return false;
    }
    return true;
}

}  // namespace fastnp::plan
