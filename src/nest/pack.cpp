#include "nest/pack.h"

#include "ir/graph.h"
#include "ops/names.h"

namespace fastnp::nest {

using base::Reader;
using base::Writer;

namespace {

template <class Enumeration>
void pack_kind(Enumeration kind, Writer& out) {
    out.number(static_cast<std::uint64_t>(kind));
}

void pack(shape::Dim dim, Writer& out) { out.integer(dim.raw()); }

void pack(const Access& access, Writer& out) {
    out.integer(access.buffer);
    pack(access.offset, out);
    shape::pack(access.strides, out);
}

class Unpacker {
public:
    Unpacker(const shape::Sizes& sizes, Reader& in) : sizes_(sizes), in_(in) {}

    shape::Dim dim() { return shape::unpack_dim(sizes_, in_); }
    int integer() { return static_cast<int>(in_.integer()); }
    bool flag() { return in_.below(2) != 0; }
    Dtype dtype() { return ops::unpack_dtype(in_); }
    ExprId expr(std::size_t end) { return static_cast<ExprId>(in_.below(end)); }
    Access access() {
        Access access;
        access.buffer = integer();
        access.offset = dim();
        access.strides = shape::unpack_dims(sizes_, in_);
        return access;
    }
    Store store(std::size_t exprs) {
        Store store{access(), 0};
        store.value = expr(exprs);
        return store;
    }
    Buffer buffer() {
        Buffer buffer{dtype()};
        buffer.written = flag();
        buffer.read = flag();
        buffer.aligned = flag();
        buffer.checked = flag();
        buffer.past = integer();
        buffer.by_value = flag();
        return buffer;
    }
    Expr expression(std::size_t number) {
        Expr expr{static_cast<Expr::Kind>(in_.below(static_cast<std::uint64_t>(Expr::Kind::scratch) + 1))};
        expr.op = ops::unpack_op(in_);
        expr.dtype = dtype();
        expr.compute = dtype();
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) expr.args.push_back(this->expr(number));
        expr.access = access();
        expr.scalar = ir::unpack_scalar(in_);
        expr.offset = dim();
        expr.step = in_.integer();
        expr.extent = dim();
        expr.number = integer();
        return expr;
    }
    Stage stage(std::size_t exprs, std::size_t folds) {
        Stage stage;
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) stage.folds.push_back(static_cast<int>(in_.below(folds)));
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) stage.stores.push_back(store(exprs));
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) {
            const int row = integer();
            stage.keeps.emplace_back(row, expr(exprs));
        }
        return stage;
    }

private:
    const shape::Sizes& sizes_;
    Reader& in_;
};

void pack(const Expr& expr, Writer& out) {
    pack_kind(expr.kind, out);
    ops::pack(expr.op, out);
    ops::pack(expr.dtype, out);
    ops::pack(expr.compute, out);
    out.number(expr.args.size());
    for (const ExprId argument : expr.args) out.number(argument);
    pack(expr.access, out);
    ir::pack(expr.scalar, out);
    pack(expr.offset, out);
    out.integer(expr.step);
    pack(expr.extent, out);
    out.integer(expr.number);
}

void pack(const Store& store, Writer& out) {
    pack(store.access, out);
    out.number(store.value);
}

void pack(const Stage& stage, Writer& out) {
    out.number(stage.folds.size());
    for (const int fold : stage.folds) out.number(static_cast<std::uint64_t>(fold));
    out.number(stage.stores.size());
    for (const Store& store : stage.stores) pack(store, out);
    out.number(stage.keeps.size());
    for (const auto& [row, value] : stage.keeps) {
        out.integer(row);
        out.number(value);
    }
}

void pack(const Buffer& buffer, Writer& out) {
    ops::pack(buffer.dtype, out);
    for (const bool flag : {buffer.written, buffer.read, buffer.aligned, buffer.checked}) out.number(flag ? 1 : 0);
    out.integer(buffer.past);
    out.number(buffer.by_value ? 1 : 0);
}

}  // namespace

void pack(const Kernel& kernel, Writer& out) {
    out.text(kernel.name);
    out.number(kernel.axes.size());
    for (const Axis& axis : kernel.axes) {
        pack(axis.extent, out);
        out.number(axis.inner ? 1 : 0);
        out.integer(axis.hint);
    }
    out.number(kernel.buffers.size());
    for (const Buffer& buffer : kernel.buffers) pack(buffer, out);
    out.number(kernel.exprs.size());
    for (const Expr& expr : kernel.exprs) pack(expr, out);
    out.number(kernel.folds.size());
    for (const Fold& fold : kernel.folds) {
        ops::pack(fold.combine, out);
        ops::pack(fold.dtype, out);
        out.number(fold.value);
    }
    out.number(kernel.stages.size());
    for (const Stage& stage : kernel.stages) pack(stage, out);
    out.number(kernel.outer_stores.size());
    for (const Store& store : kernel.outer_stores) pack(store, out);
    out.number(kernel.scratch.size());
    for (const Dtype dtype : kernel.scratch) ops::pack(dtype, out);
    out.integer(kernel.block);
    pack(kernel.blocked_extent, out);
    pack(kernel.inner_points, out);
    out.number(kernel.ops.size());
    for (const std::string& op : kernel.ops) out.text(op);
}

Kernel unpack_kernel(const shape::Sizes& sizes, Reader& in) {
    Unpacker from(sizes, in);
    Kernel kernel;
    kernel.name = in.text();
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        Axis axis{from.dim()};
        axis.inner = from.flag();
        axis.hint = in.integer();
        kernel.axes.push_back(axis);
    }
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.buffers.push_back(from.buffer());
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.exprs.push_back(from.expression(kernel.exprs.size()));
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        const ir::Op combine = ops::unpack_op(in);
        const Dtype dtype = from.dtype();
        kernel.folds.push_back({combine, dtype, from.expr(kernel.exprs.size())});
    }
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.stages.push_back(from.stage(kernel.exprs.size(), kernel.folds.size()));
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.outer_stores.push_back(from.store(kernel.exprs.size()));
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.scratch.push_back(from.dtype());
    kernel.block = in.integer();
    kernel.blocked_extent = from.dim();
    kernel.inner_points = from.dim();
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) kernel.ops.emplace_back(in.text());
    return kernel;
}

void pack(const Schedule& schedule, Writer& out) {
    for (const int number : {schedule.lane, schedule.unroll_axis, schedule.unroll, schedule.jam_axis, schedule.jam}) out.integer(number);
    out.number(schedule.tiled ? 1 : 0);
    out.number(schedule.streaming ? 1 : 0);
    out.integer(schedule.lane_block);
    pack(schedule.lane_blocks, out);
    pack(schedule.parallel, out);
    out.integer(schedule.cost);
}

Schedule unpack_schedule(const shape::Sizes& sizes, Reader& in) {
    Unpacker from(sizes, in);
    Schedule schedule;
    for (int* number : {&schedule.lane, &schedule.unroll_axis, &schedule.unroll, &schedule.jam_axis, &schedule.jam}) *number = from.integer();
    schedule.tiled = from.flag();
    schedule.streaming = from.flag();
    schedule.lane_block = in.integer();
    schedule.lane_blocks = from.dim();
    schedule.parallel = from.dim();
    schedule.cost = in.integer();
    return schedule;
}

}  // namespace fastnp::nest
