#include "plan/device_product.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "device/block.h"
#include "plan/device_copy.h"
#include "plan/device_kernel.h"
#include "shape/strides.h"

namespace fastnp::plan {

using device::Contraction;
using Added = Contraction::Added;
using device::Matrices;
using eager::View;

namespace {

// A stack of matrices: the last two axes of a view, and how it steps through the others.
struct Stack {
    char* data;
    std::int64_t rows, columns;
    std::int64_t row_stride, column_stride;  // bytes
    Strides steps;

    explicit Stack(const View& view) : data(static_cast<char*>(view.data)) {
        const std::size_t rank = view.shape.size();
        rows = view.shape[rank - 2];
        columns = view.shape[rank - 1];
        row_stride = view.strides[rank - 2];
        column_stride = view.strides[rank - 1];
        steps.assign(view.strides.begin(), view.strides.end() - 2);
    }
};

bool lies_in_rows(const Stack& m, std::int64_t size) {
    return (m.column_stride == size || m.columns == 1) && (m.row_stride >= m.columns * size || m.rows == 1);
}

bool lies_in_columns(const Stack& m, std::int64_t size) {
    return (m.row_stride == size || m.rows == 1) && (m.column_stride >= m.rows * size || m.columns == 1);
}

bool is_walkable(const Stack& m, std::int64_t size) {
    const auto is_whole = [size](std::int64_t stride) { return stride >= 0 && stride % size == 0; };
    return reinterpret_cast<std::uintptr_t>(m.data) % static_cast<std::uintptr_t>(size) == 0 && std::ranges::all_of(m.steps, is_whole) &&
           (is_whole(m.row_stride) || m.rows == 1) && (is_whole(m.column_stride) || m.columns == 1) && (lies_in_rows(m, size) || lies_in_columns(m, size));
}

// A product as one or several of contract()'s. Blocks that operands were copied to may be given back as soon as the work is asked for.
class Product {
public:
    /// `added`: null, or of the result's shape.
    Product(device::Backend& backend, const View& x, const View& y, const View* added, const View& out)
        : backend_(backend),
          dtype_(out.dtype),
          size_(static_cast<std::int64_t>(itemsize_of(out.dtype))),
          lengths_(out.shape.begin(), out.shape.end() - 2),
          x_(walkable(x)),
          y_(walkable(y)),
          out_(out),
          c_(added == nullptr ? out : *added),
          added_(added == nullptr ? Added::nothing : kind_of(*added)) {
        if (added_ != Added::matrices) c_ = out_;  // as which it is walked, for nothing
        if (added_ == Added::row) row_ = added->data;
        join_steps();
        join_rows();
    }

    bool run() {
        if (!added_ || !is_walkable(out_, size_) || !lies_in_rows(out_, size_)) return false;
        // The longest axis of the stack is the library's; the others are walked here.
        const auto longest = std::ranges::max_element(lengths_);
        const auto axis = static_cast<std::size_t>(longest - lengths_.begin());
        Contraction whole{dtype_, x_.rows, x_.columns, y_.columns, 1, matrices(x_), matrices(y_), matrices(out_)};
        whole.added = *added_;
        if (added_ == Added::matrices) whole.c = matrices(c_);
        if (added_ == Added::row) whole.c = {row_, y_.columns, 1, 0};
        if (longest != lengths_.end()) {
            whole.count = *longest;
            if (added_ == Added::matrices) whole.c.step = c_.steps[axis] / size_;
            whole.x.step = x_.steps[axis] / size_;
            whole.y.step = y_.steps[axis] / size_;
            whole.out.step = out_.steps[axis] / size_;
        }
        std::int64_t others = 1;
        for (std::size_t i = 0; i < lengths_.size(); ++i) others *= i == axis ? 1 : lengths_[i];
        for (std::int64_t number = 0; number < others; ++number) {
            Contraction one = whole;
            std::int64_t rest = number;
            for (std::size_t i = lengths_.size(); i-- > 0;) {
                if (i == axis) continue;
                const std::int64_t at = rest % lengths_[i];
                rest /= lengths_[i];
                one.x.data = static_cast<char*>(one.x.data) + at * x_.steps[i];
                one.y.data = static_cast<char*>(one.y.data) + at * y_.steps[i];
                one.out.data = static_cast<char*>(one.out.data) + at * out_.steps[i];
                if (added_ == Added::matrices) one.c.data = static_cast<char*>(one.c.data) + at * c_.steps[i];
            }
            if (!backend_.contract(one)) return false;
        }
        return true;
    }

private:
    // Nothing for what libraries do not take.
    std::optional<Added> kind_of(const View& added) const {
        const std::size_t last = added.shape.size() - 1;
        if (reinterpret_cast<std::uintptr_t>(added.data) % static_cast<std::uintptr_t>(size_) != 0) return std::nullopt;
        bool is_row = added.strides[last] == size_ || added.shape[last] == 1;
        for (std::size_t i = 0; i < last; ++i) is_row = is_row && (added.strides[i] == 0 || added.shape[i] == 1);
        if (is_row) return Added::row;
        const Stack stack(added);
        return is_walkable(stack, size_) && lies_in_rows(stack, size_) ? std::optional(Added::matrices) : std::nullopt;
    }

    // As it is, or a copy in C order, in which matrices that repeat are there once.
    Stack walkable(const View& view) {
        if (const Stack stack(view); is_walkable(stack, size_)) return stack;
        View from = view;
        for (std::size_t i = 0; i + 2 < view.shape.size(); ++i) {
            if (view.strides[i] == 0) from.shape[i] = 1;
        }
        View to{nullptr, view.dtype, from.shape, shape::c_strides(from.shape, static_cast<std::size_t>(size_))};
        copies_.emplace_back(backend_, shape::byte_count(from.shape, static_cast<std::size_t>(size_)));
        to.data = copies_.back().get();
        copy_on_device(backend_, from, to);
        for (std::size_t i = 0; i < view.shape.size(); ++i) {
            if (from.shape[i] != view.shape[i]) to.strides[i] = 0;
        }
        to.shape = view.shape;
        return Stack(to);
    }

    // Neighbouring axes of the stack that all step through as one are one.
    void join_steps() {
        Strides steps[] = {x_.steps, y_.steps, out_.steps, c_.steps};
        shape::collapse(lengths_, steps);
        x_.steps = steps[0];
        y_.steps = steps[1];
        out_.steps = steps[2];
        c_.steps = steps[3];
    }

    // Where all matrices of x are multiplied by the same one, they are one matrix of more rows, if they lie like that.
    void join_rows() {
        while (!lengths_.empty() && y_.steps.back() == 0) {
            const std::int64_t rows = x_.rows * lengths_.back(), step = x_.steps.back(), out_step = out_.steps.back(), c_step = c_.steps.back();
            Stack x = x_, out = out_, c = c_;
            if (x_.rows == 1) {
                x.row_stride = step;
                out.row_stride = out_step;
                c.row_stride = c_step;
            }
            x.rows = out.rows = c.rows = rows;
            x.steps.pop_back();
            out.steps.pop_back();
            c.steps.pop_back();
            const bool is_one = x.row_stride * x_.rows == step && out.row_stride * x_.rows == out_step && c.row_stride * x_.rows == c_step;
            if (!is_one || !is_walkable(x, size_) || !lies_in_rows(out, size_) || !lies_in_rows(c, size_)) return;
            x_ = x;
            out_ = out;
            c_ = c;
            y_.steps.pop_back();
            lengths_.pop_back();
        }
    }

    // Strides that do not count are as if the elements lay side by side.
    Matrices matrices(const Stack& m) const {
        if (lies_in_rows(m, size_)) return {m.data, m.rows == 1 ? m.columns : m.row_stride / size_, 1, 0};
        return {m.data, 1, m.columns == 1 ? m.rows : m.column_stride / size_, 0};
    }

    device::Backend& backend_;
    const Dtype dtype_;
    const std::int64_t size_;
    std::vector<device::Block> copies_;
    Shape lengths_;  // of the stack's axes
    Stack x_, y_, out_, c_;  // c_: what is added, or as the result
    std::optional<Added> added_;  // nothing: it can't be
    void* row_ = nullptr;
};

constexpr HandWritten sum_of_elements{"sum_of_elements", [](nest::Kernel& kernel, std::span<const nest::ExprId> elements, Dtype) {
                                          return applied(kernel, ir::Op::add, elements[0], elements[1]);
                                      }};

}  // namespace

namespace {

bool product_alone(device::Backend& backend, const View& x, const View& y, const View& out) {
    if (x.shape.back() != 0) return Product(backend, x, y, nullptr, out).run();
    if (!shape::is_c_contiguous(out.shape, out.strides, itemsize_of(out.dtype))) return false;
    backend.clear(out.data, shape::byte_count(out.shape, itemsize_of(out.dtype)));  // sums of nothing
    return true;
}

}  // namespace

bool product_on_device(device::Backend& backend, std::span<const View> operands, const View& out) {
    if (std::ranges::find(out.shape, 0) != out.shape.end()) return true;
    if (!backend.lacks_products(out.dtype).empty()) return false;
    const View &x = operands[0], &y = operands[1];
    if (operands.size() < 3) return product_alone(backend, x, y, out);
    if (x.shape.back() != 0 && Product(backend, x, y, &operands[2], out).run()) return true;
    const std::size_t size = itemsize_of(out.dtype);
    const device::Block held(backend, shape::byte_count(out.shape, size));
    const View both[] = {{held.get(), out.dtype, out.shape, shape::c_strides(out.shape, size)}, operands[2]};
    if (!product_alone(backend, x, y, both[0])) return false;
    run_by_hand(backend, sum_of_elements, both, out);
    return true;
}

}  // namespace fastnp::plan
