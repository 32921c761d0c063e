#include "nest/planted.h"

#include <algorithm>
#include <utility>

#include "base/planted.h"
#include "fastnp/error.h"

namespace fastnp::nest {

namespace {

Expr* first_load(Kernel& kernel, const Expr& of) {
    for (const ExprId id : of.args) {
        if (kernel.exprs[id].kind == Expr::Kind::load) return &kernel.exprs[id];
    }
    return nullptr;
}

ir::Op op_of(const std::string& name) {
    auto op = static_cast<ir::Op>(0);
    while (op != ir::Op::count && ir::name_of(op) != name) op = static_cast<ir::Op>(static_cast<int>(op) + 1);
    if (op == ir::Op::count) throw ValueError("FASTNP_PLANT: there is no op '" + name + "'");
    return op;
}

bool shorten(Kernel& kernel) {
    for (Axis& axis : kernel.axes) {
        if (!axis.extent.is_constant() || axis.extent.value() < 2) continue;
        axis.extent = shape::Dim(axis.extent.value() - 1);
        return true;
    }
    return false;
}

bool put(Kernel& kernel, Expr& expr, const base::Planted& fault) {
    if (fault.kind == "swap") {
        if (expr.args.size() < 2 || expr.args[0] == expr.args[1]) return false;
        std::swap(expr.args[0], expr.args[1]);
        return true;
    }
    if (fault.kind == "short") return shorten(kernel);
    if (fault.kind == "offset" || fault.kind == "still") {
        Expr* const load = first_load(kernel, expr);
        if (load == nullptr || load->access.strides.empty()) return false;
        if (fault.kind == "still") load->access.strides.back() = 0;
        else if (load->access.offset.is_constant())
            load->access.offset = shape::Dim(load->access.offset.value() + static_cast<std::int64_t>(itemsize_of(load->dtype)));
        return true;
    }
    expr.op = op_of(fault.kind);
    return true;
}

}  // namespace

void plant(Kernel& kernel) {
    const base::Planted* const fault = base::planted("kernel");
    if (fault == nullptr) return;
    for (Expr& expr : kernel.exprs) {
        if (expr.kind != Expr::Kind::map || ir::name_of(expr.op) != fault->op) continue;
        if (base::befalls(*fault) || put(kernel, expr, *fault)) return;
    }
    for (Fold& fold : kernel.folds) {
        if (ir::name_of(fold.combine) != fault->op) continue;
        if (base::befalls(*fault)) return;
        if (fault->kind == "short") (void)shorten(kernel);
        else fold.combine = op_of(fault->kind);
        return;
    }
}

}  // namespace fastnp::nest
