#include "plan/device_copy.h"

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "codegen/device_code.h"
#include "fastnp/error.h"
#include "plan/launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using shape::Dim;

namespace {

// What a kernel is made for. Strides that are an element's size are known to it, so that neighbouring threads take neighbouring elements.
struct Kind {
    device::Backend* backend;
    Dtype dtype;
    std::size_t rank;
    int from_axis, to_axis;  // along which elements lie side by side; -1: none
    friend auto operator<=>(const Kind&, const Kind&) = default;
};

// Elements are moved as they are, so that those of one size share a kernel.
Dtype moved_as(Dtype dtype) {
    switch (itemsize_of(dtype)) {
        case 1: return Dtype::uint8;
        case 2: return Dtype::uint16;
        case 4: return Dtype::uint32;
        case 8: return Dtype::uint64;
        default: return dtype;
    }
}

class Copier {
public:
    explicit Copier(const Kind& kind) : backend_(*kind.backend) {
        nest::Kernel kernel;
        kernel.name = "copy";
        kernel.buffers = {{kind.dtype, false, true, false}, {kind.dtype, true, false, false}};
        for (std::size_t i = 0; i < kind.rank; ++i) {
            constexpr std::int64_t usual = 1000;
            kernel.axes.push_back({sizes_.symbol("n" + std::to_string(i), usual, 1), false, usual});
        }
        nest::Access access[2];
        for (int side = 0; side < 2; ++side) {
            access[side].buffer = side;
            for (std::size_t i = 0; i < kind.rank; ++i) {
                const bool is_next = static_cast<int>(i) == (side == 0 ? kind.from_axis : kind.to_axis);
                // A symbol in any case: what is given for it does not count then.
                const Dim stride = sizes_.symbol("s" + std::to_string(side) + std::to_string(i), 0, INT64_MIN);
                access[side].strides.push_back(is_next ? Dim(static_cast<std::int64_t>(itemsize_of(kind.dtype))) : stride);
            }
        }
        nest::Expr load{nest::Expr::Kind::load};
        load.dtype = kind.dtype;
        load.access = access[0];
        kernel.outer_stores.push_back({access[1], kernel.add(load)});
        grid_ = nest::grid_of(kernel, sizes_);
        const codegen::DeviceJob job{&kernel, &grid_};
        code_ = codegen::compile_for_device({&job, 1}, backend_);
        dims_ = codegen::sizes_of(kernel);
    }

    void run(const Shape& shape, void* from, const Strides& from_strides, void* to, const Strides& to_strides) const {
        SmallVector<std::int64_t, 32> symbols, values;
        for (const auto* each : {&shape, &from_strides, &to_strides}) {
            for (const std::int64_t value : *each) symbols.push_back(value);
        }
        values.resize(sizes_.size());
        sizes_.evaluate(symbols.data(), values.data());
        SmallVector<std::int64_t, 32> given{reinterpret_cast<std::intptr_t>(from), reinterpret_cast<std::intptr_t>(to)};
        for (const Dim size : dims_) given.push_back(value_of(size, values.data()));
        const std::int64_t units = value_of(grid_.units, values.data());
        given.push_back(units);
        SmallVector<void*, 32> addresses;
        for (std::int64_t& each : given) addresses.push_back(&each);
        launch(backend_, *code_.module, code_.kernels[0], grid_, units, {addresses.data(), addresses.size()});
    }

private:
    device::Backend& backend_;
    shape::Sizes sizes_;
    nest::Grid grid_;
    codegen::DeviceCode code_;
    std::vector<Dim> dims_;
};

const Copier& copier(const Kind& kind) {
    static std::mutex mutex;
    static auto* const made = new std::map<Kind, std::unique_ptr<const Copier>>;  // never destroyed, as devices
    const std::scoped_lock lock(mutex);
    std::unique_ptr<const Copier>& found = (*made)[kind];
    if (found == nullptr) found = std::make_unique<const Copier>(kind);
    return *found;
}

// The last axis along which elements lie side by side.
int next_axis(const Strides& strides, std::size_t itemsize) {
    for (std::size_t i = strides.size(); i-- > 0;) {
        if (strides[i] == static_cast<std::int64_t>(itemsize)) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace

void copy_on_device(device::Backend& backend, const eager::View& from, const eager::View& to) {
    if (from.dtype != to.dtype || from.shape != to.shape) throw InternalError("a copy on a device between arrays of two kinds");
    const std::size_t itemsize = itemsize_of(to.dtype);
    Shape shape = to.shape;
    Strides strides[] = {from.strides, to.strides};
    if (std::ranges::find(shape, 0) != shape.end()) return;
    shape::collapse(shape, strides);
    const int from_axis = next_axis(strides[0], itemsize), to_axis = next_axis(strides[1], itemsize);
    if (shape.empty() || (shape.size() == 1 && from_axis == 0 && to_axis == 0)) {
        backend.copy(to.data, from.data, static_cast<std::size_t>(shape.empty() ? 1 : shape[0]) * itemsize);
        return;
    }
    copier({&backend, moved_as(to.dtype), shape.size(), from_axis, to_axis}).run(shape, from.data, strides[0], to.data, strides[1]);
}

}  // namespace fastnp::plan
