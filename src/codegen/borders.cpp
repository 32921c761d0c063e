// Kernels that look beyond the borders of arrays (pads; stencils and their gradients are sums of them). Nearly all points are so far inside that every
// guard holds: these are done without guards, the few around them under masks.
#include <algorithm>
#include <limits>
#include <map>

#include "codegen/emitter.h"

namespace fastnp::codegen {

namespace {

using Kind = nest::Expr::Kind;

constexpr std::int64_t fewest_vectors = 8;  // along the lanes; of fewer, those at the borders are a good part

// Indices for which a guard holds, where its sizes are numbers; else all.
std::pair<std::int64_t, std::int64_t> known_range(const nest::Expr& guard) {
    if (std::abs(guard.step) != 1 || !guard.offset.is_constant() || !guard.extent.is_constant())
        return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    const std::int64_t offset = guard.offset.value(), extent = guard.extent.value();
    if (guard.step == 1) return {-offset, extent - offset};
    return {offset - extent + 1, offset + 1};
}

}  // namespace

// Guards that are taken to hold inside: those along the lanes only where these are a range of lanes.
bool Emitter::holds_inside(const nest::Expr& expr) const {
    if (expr.kind != Kind::inside) return false;
    return expr.step == 0 || expr.number != schedule_.lane || std::abs(expr.step) == 1;
}

// What differs inside: guards, and all that depends on them.
void Emitter::find_guarded() {
    guarded_.assign(kernel_.exprs.size(), false);
    for (nest::ExprId i = 0; i < kernel_.exprs.size(); ++i) {
        const nest::Expr& expr = kernel_.exprs[i];
        guarded_[i] = holds_inside(expr) || std::any_of(expr.args.begin(), expr.args.end(), [&](nest::ExprId arg) { return guarded_[arg]; });
    }
}

bool Emitter::has_borders() const {
    const bool outer_lanes = schedule_.lane >= 0 && schedule_.lane < static_cast<int>(outer_);
    if (!outer_lanes || !kernel_.stages.empty() || schedule_.jam_axis >= 0) return false;
    if (kernel_.axes[static_cast<std::size_t>(schedule_.lane)].hint < fewest_vectors * b_.width) return false;
    std::map<int, std::pair<std::int64_t, std::int64_t>> inside;  // by axis
    for (const nest::Expr& expr : kernel_.exprs) {
        if (!holds_inside(expr)) continue;
        const auto [first, last] = known_range(expr);
        const auto at = inside.try_emplace(expr.step == 0 ? -1 : expr.number, first, last).first;
        at->second = {std::max(at->second.first, first), std::min(at->second.second, last)};
    }
    return !inside.empty() && std::all_of(inside.begin(), inside.end(), [](const auto& axis) { return axis.second.first < axis.second.second; });
}

// Those of the lanes [begin, end) for which all guards hold, from an address on where vectors are stored well.
std::pair<llvm::Value*, llvm::Value*> Emitter::lanes_inside(llvm::Value* begin, llvm::Value* end) {
    auto& ir = b_.ir;
    const auto larger = [&](llvm::Value* x, llvm::Value* y) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); };
    const auto smaller = [&](llvm::Value* x, llvm::Value* y) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); };
    llvm::Value* first = begin;
    llvm::Value* last = end;
    llvm::Value* here = ir.getTrue();  // whether guards along other axes hold
    for (const nest::Expr& expr : kernel_.exprs) {
        if (!holds_inside(expr)) continue;
        if (expr.step == 0 || expr.number != schedule_.lane) {
            here = ir.CreateAnd(here, inside(expr, 0).re);
            continue;
        }
        llvm::Value* offset = size(expr.offset);
        llvm::Value* extent = size(expr.extent);
        const bool up = expr.step == 1;
        first = larger(first, up ? ir.CreateNeg(offset) : ir.CreateAdd(ir.CreateSub(offset, extent), number(1)));
        last = smaller(last, up ? ir.CreateSub(extent, offset) : ir.CreateAdd(offset, number(1)));
    }
    first = smaller(first, end);
    last = ir.CreateSelect(here, larger(last, first), first);
    return {aligned_lanes(first, last), last};
}

void Emitter::unit_with_borders(llvm::Value* begin, llvm::Value* end, const std::vector<nest::ExprId>& roots) {
    auto& ir = b_.ir;
    auto [first, last] = lanes_inside(begin, end);
    const int copies = unrolled_along(schedule_.lane) ? schedule_.unroll : 1;
    llvm::Value* step = number(static_cast<std::int64_t>(b_.width) * copies);
    last = ir.CreateAdd(first, ir.CreateMul(ir.CreateSDiv(ir.CreateSub(last, first), step), step));
    inside_from_ = memo_.size();
    enter(0);
    hoist(roots);
    whole_lanes(first, last, copies, [&] { outer_point(); });
    leave();
    inside_from_ = all_guarded;
    loop(number(0), number(2), 1, "border", [&](llvm::Value* side) {
        llvm::Value* before = ir.CreateICmpEQ(side, number(0));
        llvm::Value* from = ir.CreateSelect(before, begin, last);
        llvm::Value* to = ir.CreateSelect(before, first, end);
        loop(from, to, b_.width, "lanes.border", [&](llvm::Value* at) { masked_lanes(at, to, 1, [&] { outer_point(); }); });
    });
}

}  // namespace fastnp::codegen
