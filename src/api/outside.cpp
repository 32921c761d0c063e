#include "fastnp/detail/outside.h"

#include <optional>

#include "api/layout.h"
#include "api/outside.h"
#include "api/primitives.h"
#include "device/backend.h"
#include "fastnp/detail/lies_in.h"
#include "fastnp/device.h"
#include "fastnp/error.h"

namespace fastnp::detail {

std::vector<array> arrays_over(std::span<const device::Memory> memories) {
    std::vector<array> arrays;
    for (const device::Memory& memory : memories) arrays.push_back(api::wrap(memory, false));
    return arrays;
}

trace::Called called_of(const Given& given) {
    trace::Called called{given.structure, {}};
    for (const array& each : given.arrays) {
        if (!each.is_c_contiguous()) throw InternalError("an array of a call that is not in C order");
        called.arrays.push_back(api::memory_of(each, "a call"));
    }
    return called;
}

std::vector<array> call_outside(const std::string& name, std::span<const array> operands,
                                const std::function<Given(std::span<const array> values)>& make) {
    trace::Recorder* recorder = trace::Recorder::active();
    if (recorder == nullptr) throw InternalError("a call is noted outside of a recording");
    std::vector<ir::Value> values;
    for (const array& operand : operands) values.push_back(api::value_of(*recorder, operand));
    std::vector<array> given;
    for (const ir::Value value : recorder->call(name, values, [&](std::span<const device::Memory> memories) {
             std::optional<device_scope> there;
             if (recorder->home() != nullptr) there.emplace(recorder->home()->name());
             const trace::Recorder::Scope meanwhile(nullptr);
             return called_of(make(arrays_over(memories)));
         })) {
        given.push_back(api::wrap(value, recorder->shared_from_this()));
    }
    return given;
}

int parameter_under(const array& x) {
    trace::Recorder* recorder = trace::Recorder::active();
    if (recorder == nullptr) throw InternalError("an array is placed outside of a recording");
    const trace::StoragePtr storage = api::storage_of(*recorder, x);
    return storage->held ? storage->parameter : -1;
}

std::pair<Shape, Strides> layout_now(const array& x) {
    const shape::Arithmetic sizes = api::arithmetic();
    Shape shape;
    Strides strides;
    for (const shape::Dim size : api::dims_of(x)) {
        (void)sizes.equal(size, shape::Dim(1));  // such an axis has no say in how the others lie, and in later calls stays one
        shape.push_back(sizes.hint(size));
    }
    for (const shape::Dim stride : api::strides_of(x)) strides.push_back(sizes.hint(stride));
    return {shape, strides};
}

}  // namespace fastnp::detail
