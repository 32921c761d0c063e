// Arrays of any strides on a device as contiguous ones, for what can't walk them.
#pragma once

#include <algorithm>
#include <optional>

#include "device/block.h"
#include "eager/eager.h"
#include "plan/device_copy.h"
#include "shape/strides.h"

namespace fastnp::plan {

/// An operand in C order: itself where it is, else a copy.
class Dense {
public:
    Dense(device::Backend& backend, const eager::View& x) : view_(x) {
        if (shape::is_c_contiguous(x.shape, x.strides, itemsize_of(x.dtype))) return;
        held_.emplace(backend, std::max<std::size_t>(shape::byte_count(x.shape, itemsize_of(x.dtype)), 1));
        view_.data = held_->get();
        view_.strides = shape::c_strides(x.shape, itemsize_of(x.dtype));
        copy_on_device(backend, x, view_);
    }
    const eager::View& view() const { return view_; }

private:
    eager::View view_;
    std::optional<device::Block> held_;
};

/// A result in C order: itself where it is, else memory that finish() copies to it.
class DenseResult {
public:
    DenseResult(device::Backend& backend, const eager::View& out) : backend_(backend), out_(out), view_(out) {
        if (shape::is_c_contiguous(out.shape, out.strides, itemsize_of(out.dtype))) return;
        held_.emplace(backend, std::max<std::size_t>(shape::byte_count(out.shape, itemsize_of(out.dtype)), 1));
        view_.data = held_->get();
        view_.strides = shape::c_strides(out.shape, itemsize_of(out.dtype));
    }
    const eager::View& view() const { return view_; }
    void finish() const {
        if (held_) copy_on_device(backend_, view_, out_);
    }

private:
    device::Backend& backend_;
    const eager::View& out_;
    eager::View view_;
    std::optional<device::Block> held_;
};

/// An array that is changed in part, in C order: itself where it is, else a copy that finish() copies back.
class DenseTarget {
public:
    DenseTarget(device::Backend& backend, const eager::View& out) : result_(backend, out) {
        if (result_.view().data != out.data) copy_on_device(backend, out, result_.view());
    }
    const eager::View& view() const { return result_.view(); }
    void finish() const { result_.finish(); }

private:
    DenseResult result_;
};

}  // namespace fastnp::plan
