// Elements taken by index, of the GPU's emitter: a thread's vector of them at once where all lanes have one index and rows lie in order.
#include "codegen/grid_emitter.h"
#include "nest/axes.h"

namespace fastnp::codegen {

namespace {

enum Mode : std::uint8_t { raise, wrap };  // numpy.take's; else the nearest index there is

}  // namespace

bool GridEmitter::gathers_vectors(const nest::Expr& expr) const {
    if (expr.args.size() != 1 || varies_along(expr.args[0], grid_.lane) || grid_.held > 0 || has_tile() || !may_be_aligned(expr.access)) return false;
    return !expr.offset.is_constant() || expr.offset.value() % chunk_bytes(expr.access) == 0;
}

// Of indices that must be right, others were found before; what is read lies in the array in any case.
llvm::Value* GridEmitter::gathered_address(const nest::Expr& expr, int copy) {
    auto& ir = b_.ir;
    llvm::Value* at = eval(expr.args[0], copy).re;
    llvm::Value* length = size(expr.extent);
    if (expr.number == wrap) at = ir.CreateSRem(at, length);
    if (expr.number == raise || expr.number == wrap) at = ir.CreateSelect(ir.CreateICmpSLT(at, number(0)), ir.CreateAdd(at, length), at);
    at = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, ir.CreateSub(length, number(1)));
    at = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at, number(0));
    return ir.CreateGEP(ir.getInt8Ty(), address(expr.access, copy), ir.CreateMul(at, size(expr.offset)));
}

// What is read before the loops over inner axes, which may have no steps: then the array may have no elements.
bool GridEmitter::may_find_none(nest::ExprId id) const {
    const shape::Dim length = kernel_.exprs[id].extent;
    if (length.is_constant() && length.value() > 0) return false;
    for (std::size_t a = outer_; a < kernel_.axes.size(); ++a) {
        if ((depends_[id] >> a & 1U) == 0) return true;
    }
    return false;
}

Value GridEmitter::gather(nest::ExprId id, int copy) {
    const nest::Expr& expr = kernel_.exprs[id];
    const auto buffer = static_cast<std::size_t>(expr.access.buffer);
    if (kernel_.buffers[buffer].by_value) {  // whichever index it is: there is one element
        const auto held = [&] { return given(buffer); };
        return expr.args.size() > 1 ? where(eval(expr.args[1], copy).re, held) : held();
    }
    const bool finds_none = may_find_none(id);
    if (!finds_none && lanes_ > 1 && varies_along(id, grid_.lane) && gathers_vectors(expr)) {
        const int begin = part_of(copy) * lanes_;
        const Copies all = load_vector(expr.access, gathered_address(expr, begin));
        for (int each = 0; each < lanes_; ++each) memo_.back().emplace(std::pair(id, begin + each), all[static_cast<std::size_t>(each)]);
        return all[static_cast<std::size_t>(lane_of(copy))];
    }
    const Dtype dtype = kernel_.buffers[buffer].dtype;
    eval(expr.args[0], copy);  // known here, not within a guard alone
    const auto load = [&] { return load_at(gathered_address(expr, copy), dtype, llvm::Align(itemsize_of(real_of(dtype)))); };
    llvm::Value* guard = expr.args.size() > 1 ? eval(expr.args[1], copy).re : nullptr;
    if (finds_none) {
        llvm::Value* finds = b_.ir.CreateICmpSGT(size(expr.extent), number(0));
        guard = guard == nullptr ? finds : b_.ir.CreateAnd(guard, finds);
    }
    return guard == nullptr ? load() : where(guard, load);
}

}  // namespace fastnp::codegen
