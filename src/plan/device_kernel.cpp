#include "plan/device_kernel.h"

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/device_code.h"
#include "fastnp/error.h"
#include "plan/launch.h"

namespace fastnp::plan {

using eager::View;
using nest::Expr;
using nest::ExprId;
using shape::Dim;

namespace {

constexpr std::size_t most_operands = 3;
constexpr std::int64_t usual_length = 1000;  // of an axis, as kernels are laid out for
constexpr std::int64_t short_length = 16;    // up to which one is laid out for the length that it has
constexpr std::int64_t long_length = 1 << 14;  // of another axis beside that

// An array as code knows it. Strides that are an element's size are known to it, so that neighbouring threads take neighbouring elements.
struct Side {
    Dtype dtype = Dtype::bool_;
    int next_axis = -1;  // along which elements lie side by side; -1: none
    friend auto operator<=>(const Side&, const Side&) = default;
};

// What a kernel is made for.
struct Kind {
    device::Backend* backend;
    std::string_view name;
    std::size_t rank, operands;
    std::array<Side, most_operands + 1> sides;  // the operands', then the result's
    int short_axis = -1;                        // along which elements of a side lie, where those of others lie along another one
    std::int64_t length = 0;                    // of that axis
    friend auto operator<=>(const Kind&, const Kind&) = default;
};

class Compiled {
public:
    Compiled(const Kind& kind, const HandWritten& what) {
        nest::Kernel kernel;
        kernel.name = what.name;
        const bool folds = what.fold != ir::Op::count;
        for (std::size_t i = 0; i < kind.rank; ++i) {
            const std::int64_t hint = kind.short_axis < 0 ? usual_length : kind.short_axis == static_cast<int>(i) ? kind.length : long_length;
            kernel.axes.push_back({sizes_.symbol("n" + std::to_string(i), hint, 1), folds, hint});
            if (folds) kernel.inner_points = sizes_.multiply(kernel.inner_points, kernel.axes.back().extent);
        }
        std::vector<ExprId> elements;
        for (std::size_t side = 0; side < kind.operands; ++side) {
            Expr load{Expr::Kind::load};
            load.dtype = kind.sides[side].dtype;
            load.access = access(kernel, kind, side);
            elements.push_back(kernel.add(load));
        }
        ExprId value = what.compute(kernel, elements, kind.sides[kind.operands].dtype);
        nest::Access target{static_cast<int>(kind.operands), 0, shape::Dims(kind.rank, Dim(0))};
        if (!folds) target = access(kernel, kind, kind.operands);
        else kernel.buffers.push_back({kind.sides[kind.operands].dtype});
        kernel.buffers.back().written = true;
        kernel.buffers.back().read = false;
        kernel.buffers.back().aligned = false;
        if (folds) {
            const Dtype dtype = kernel.exprs[value].dtype;
            kernel.folds.push_back({what.fold, dtype, value});
            kernel.stages.push_back({{0}, {}, {}});
            Expr result{Expr::Kind::fold};
            result.dtype = dtype;
            value = kernel.add(result);
        }
        kernel.outer_stores.push_back({target, value});
        grid_ = nest::grid_of(kernel, sizes_);
        const codegen::DeviceJob job{&kernel, &grid_};
        code_ = codegen::compile_for_device({&job, 1}, *kind.backend);
        dims_ = nest::sizes_of(kernel);
    }

    void run(device::Backend& backend, const Shape& shape, std::span<const View> operands, const View& out) const {
        SmallVector<std::int64_t, 48> symbols, values;
        SmallVector<std::int64_t, 32> given;
        for (const std::int64_t size : shape) symbols.push_back(size);
        const auto add = [&](const View& view) {
            for (const std::int64_t stride : view.strides) symbols.push_back(stride);
            given.push_back(reinterpret_cast<std::intptr_t>(view.data));
        };
        for (const View& operand : operands) add(operand);
        add(out);
        values.resize(sizes_.size());
        sizes_.evaluate(symbols.data(), values.data());
        for (const Dim size : dims_) given.push_back(value_of(size, values.data()));
        const std::int64_t units = value_of(grid_.units, values.data());
        given.push_back(units);
        SmallVector<void*, 32> addresses;
        for (std::int64_t& each : given) addresses.push_back(&each);
        launch(backend, *code_.kernels[0].module, code_.kernels[0].number, grid_, units, {addresses.data(), addresses.size()});
    }

private:
    // With a buffer of its own.
    nest::Access access(nest::Kernel& kernel, const Kind& kind, std::size_t number) {
        const Side& side = kind.sides[number];
        kernel.buffers.push_back({side.dtype, false, true, false});
        nest::Access made;
        made.buffer = static_cast<int>(number);
        for (std::size_t i = 0; i < kind.rank; ++i) {
            // A symbol in any case: what is given for it does not count where elements lie side by side.
            const Dim stride = sizes_.symbol("s" + std::to_string(number) + std::to_string(i), 0, INT64_MIN);
            made.strides.push_back(static_cast<int>(i) == side.next_axis ? Dim(static_cast<std::int64_t>(itemsize_of(side.dtype))) : stride);
        }
        return made;
    }

    shape::Sizes sizes_;
    nest::Grid grid_;
    codegen::DeviceCode code_;
    std::vector<Dim> dims_;
};

const Compiled& compiled(const Kind& kind, const HandWritten& what) {
    static std::mutex mutex;
    static auto* const made = new std::map<Kind, std::unique_ptr<const Compiled>>;  // never destroyed, as devices
    const std::scoped_lock lock(mutex);
    std::unique_ptr<const Compiled>& found = (*made)[kind];
    if (found == nullptr) found = std::make_unique<const Compiled>(kind, what);
    return *found;
}

// With the last axis along which elements lie side by side.
Side side_of(const View& view) {
    const auto size = static_cast<std::int64_t>(itemsize_of(view.dtype));
    for (std::size_t i = view.strides.size(); i-- > 0;) {
        if (view.strides[i] == size) return {view.dtype, static_cast<int>(i)};
    }
    return {view.dtype, -1};
}

// What is turned from a short axis, or to one, has a kernel for each length of that.
void note_short_axis(Kind& kind, const Shape& shape) {
    const int of_result = kind.sides[kind.operands].next_axis;
    for (std::size_t operand = 0; operand < kind.operands; ++operand) {
        const int own = kind.sides[operand].next_axis;
        if (own == of_result || own < 0 || of_result < 0) continue;
        for (const int axis : {own, of_result}) {
            const std::int64_t length = shape[static_cast<std::size_t>(axis)];
            if (length > short_length) continue;
            kind.short_axis = axis;
            kind.length = length;
        }
    }
}

}  // namespace

void run_by_hand(device::Backend& backend, const HandWritten& what, std::span<const View> operands, const View& out) {
    if (operands.empty() || operands.size() > most_operands) throw InternalError("a kernel written by hand of too many operands, or none");
    Kind kind{&backend.itself(), what.name, operands[0].shape.size(), operands.size(), {}};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].shape != operands[0].shape) throw InternalError("a kernel written by hand of several shapes");
        kind.sides[i] = side_of(operands[i]);
    }
    kind.sides[operands.size()] = side_of(out);
    if (!out.shape.empty()) note_short_axis(kind, operands[0].shape);  // of no axes: a fold
    compiled(kind, what).run(backend, operands[0].shape, operands, out);
}

ExprId index_along(nest::Kernel& kernel, std::size_t axis) {
    Expr expr{Expr::Kind::index};
    expr.dtype = Dtype::int64;
    expr.step = 1;
    expr.number = static_cast<int>(axis);
    return kernel.add(expr);
}

ExprId constant_of(nest::Kernel& kernel, Dtype dtype, std::int64_t value) {
    Expr expr{Expr::Kind::constant};
    expr.dtype = dtype;
    expr.scalar = value;
    return kernel.add(expr);
}

ExprId cast_to(nest::Kernel& kernel, ExprId value, Dtype dtype) {
    const Dtype from = kernel.exprs[value].dtype;
    if (from == dtype) return value;
    Expr expr{Expr::Kind::map};
    expr.op = ir::Op::cast;
    expr.dtype = dtype;
    expr.compute = from;
    expr.args = {value};
    return kernel.add(expr);
}

ExprId applied(nest::Kernel& kernel, ir::Op op, ExprId x) {
    Expr expr{Expr::Kind::map};
    expr.op = op;
    expr.dtype = expr.compute = kernel.exprs[x].dtype;
    expr.args = {x};
    return kernel.add(expr);
}

ExprId applied(nest::Kernel& kernel, ir::Op op, ExprId x, ExprId y, bool is_comparison) {
    Expr expr{Expr::Kind::map};
    expr.op = op;
    expr.compute = kernel.exprs[x].dtype;
    expr.dtype = is_comparison ? Dtype::bool_ : expr.compute;
    expr.args = {x, y};
    return kernel.add(expr);
}

ExprId selected(nest::Kernel& kernel, ExprId condition, ExprId x, ExprId otherwise) {
    Expr expr{Expr::Kind::map};
    expr.op = ir::Op::select;
    expr.dtype = expr.compute = kernel.exprs[x].dtype;
    expr.args = {condition, x, otherwise};
    return kernel.add(expr);
}

}  // namespace fastnp::plan
