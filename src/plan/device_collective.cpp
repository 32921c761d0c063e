#include "plan/device_collective.h"

#include "dist/collective.h"
#include "dist/groups.h"
#include "fastnp/error.h"
#include "plan/device_copy.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

bool is_dense(const View& view) { return shape::is_c_contiguous(view.shape, view.strides, itemsize_of(view.dtype)); }

// A view's elements in C's order: where they lie, or in memory of its own.
class Dense {
public:
    Dense(device::Backend& backend, const View& view) : backend_(backend), view_(view) {
        if (is_dense(view)) return;
        view_.strides = shape::c_strides(view.shape, itemsize_of(view.dtype));
        bytes_ = static_cast<std::size_t>(shape::count(view.shape)) * itemsize_of(view.dtype);
        view_.data = backend.allocate(bytes_);
    }
    ~Dense() {
        if (bytes_ > 0) backend_.free(view_.data, bytes_);
    }
    Dense(const Dense&) = delete;
    Dense& operator=(const Dense&) = delete;

    bool is_copy() const { return bytes_ > 0; }
    const View& view() const { return view_; }

private:
    device::Backend& backend_;
    View view_;
    std::size_t bytes_ = 0;
};

}  // namespace

bool collective_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    const ops::Collective asked(attributes);
    const View& x = operands[0];
    const bool is_alone = asked.ranks() == 1 && (op != ops::Op::permute || asked.option(0) == 0);
    dist::DeviceGroup* group = nullptr;
    const std::int64_t elements = shape::count(x.shape);
    if (!is_alone) {
        if (!dist::devices_do(op, asked, x.dtype) || !dist::lacks_collectives().empty()) return false;
        dist::agree(dist::group(asked.group()), dist::request_of(op, asked, x.dtype, elements, true));
        group = dist::device_group(asked.group(), backend);
        if (group == nullptr) return false;  // on all ranks: these agree once more, as hosts
    }
    const Dense given(backend, x), made(backend, out);
    if (given.is_copy()) copy_on_device(backend, x, given.view());
    if (is_alone) backend.copy(made.view().data, given.view().data, static_cast<std::size_t>(elements) * itemsize_of(x.dtype));
    else group->run(op, asked, x.dtype, given.view().data, made.view().data, elements);
    if (made.is_copy()) copy_on_device(backend, made.view(), out);
    return true;
}

}  // namespace fastnp::plan
