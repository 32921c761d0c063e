// What code that runs on terms calls: LLVM's intrinsics, vector functions, and precompiled functions that take lanes in memory.
#include "codegen/term_run.h"

#include "ops/catalogue.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/IntrinsicInst.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

namespace {

namespace in = llvm::Intrinsic;

}  // namespace

TermRun::Lanes TermRun::call(const Step& step) {
    const auto& call = *llvm::cast<llvm::CallInst>(step.instruction);
    if (const auto* intrinsic_call = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return intrinsic(step, *intrinsic_call);
    const llvm::Function* called = call.getCalledFunction();
    const auto found = called == nullptr ? externals_.end() : externals_.find(called->getName().str());
    if (found == externals_.end()) throw Unproved("it calls " + (called == nullptr ? std::string("a function by its address") : called->getName().str()));
    switch (found->second.kind) {
        case External::Kind::vector: return vector_function(step, found->second);
        case External::Kind::span:
        case External::Kind::cast: span_function(step, found->second); return {};
        default: throw Unproved("it calls " + found->first);
    }
}

TermRun::Lanes TermRun::intrinsic(const Step& step, const llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
        case in::masked_load: return masked_load(step, false);
        case in::masked_gather: return masked_load(step, true);
        case in::masked_store: masked_store(step, false); return {};
        case in::masked_scatter: masked_store(step, true); return {};
        case in::smin: return map(step, TermOp::smin);
        case in::smax: return map(step, TermOp::smax);
        case in::umin: return map(step, TermOp::umin);
        case in::umax: return map(step, TermOp::umax);
        case in::copysign: return map(step, TermOp::copysign);
        case in::arithmetic_fence: return operand(step, 0);
        case in::vector_reduce_or: return reduce(step, TermOp::bit_or);
        case in::vector_reduce_and: return reduce(step, TermOp::bit_and);
        case in::lifetime_start:
        case in::lifetime_end:
        case in::assume: return {};
        case in::memset:
            if (known(operand(step, 1)[0], "what memory is filled with") != 0) throw Unproved("memory that is filled with what is not zero");
            memory_.fill_with_zeros(known(operand(step, 0)[0], "an address"));
            return {};
        // Raises a flag; nothing takes its result.
        case in::experimental_constrained_fcmp:
        case in::experimental_constrained_fcmps: return Lanes(operand(step, 0).size(), terms_.poison(TermType::i1));
        default: break;
    }
    const auto op = [&]() -> std::optional<TermOp> {
        switch (call.getIntrinsicID()) {
            case in::abs: return TermOp::abs;
            case in::ctpop: return TermOp::ctpop;
            case in::ctlz: return TermOp::ctlz;
            case in::fabs: return TermOp::fabs;
            case in::sqrt: return TermOp::sqrt;
            case in::rint: return TermOp::rint;
            case in::floor: return TermOp::floor;
            case in::ceil: return TermOp::ceil;
            case in::trunc: return TermOp::ftrunc;
            default: return std::nullopt;
        }
    }();
    if (!op) throw Unproved("the intrinsic " + call.getCalledFunction()->getName().str());
    const TermType type = type_of(call.getType());
    Lanes lanes;
    for (const Term each : operand(step, 0)) lanes.push_back(terms_.make(*op, type, {each}));
    return lanes;
}

TermRun::Lanes TermRun::masked_load(const Step& step, bool gathers) {
    const Lanes &places = operand(step, 0), &mask = operand(step, 2), &otherwise = operand(step, 3);
    const TermType type = type_of(step.instruction->getType());
    Lanes lanes;
    for (std::size_t i = 0; i < otherwise.size(); ++i) {
        const bool is_there = known(mask[i], "a mask") != 0;
        const std::uint64_t at = known(lane(places, i), "an address") + (gathers ? 0 : i * ((bits_of(type) + 7) / 8));
        lanes.push_back(is_there ? memory_.load(at, type) : otherwise[i]);
    }
    return lanes;
}

void TermRun::masked_store(const Step& step, bool scatters) {
    const Lanes &values = operand(step, 0), &places = operand(step, 1), &mask = operand(step, 3);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (known(mask[i], "a mask") == 0) continue;
        memory_.store(known(lane(places, i), "an address") + (scatters ? 0 : i * ((bits_of(terms_.type(values[i])) + 7) / 8)), values[i]);
    }
}

TermRun::Lanes TermRun::reduce(const Step& step, TermOp op) {
    const Lanes& lanes = operand(step, 0);
    Term all = lanes[0];
    for (std::size_t i = 1; i < lanes.size(); ++i) all = terms_.make(op, terms_.type(all), {all, lanes[i]});
    return {all};
}

TermRun::Lanes TermRun::vector_function(const Step& step, const External& external) {
    Lanes lanes;
    for (std::size_t i = 0; i < operand(step, 0).size(); ++i) {
        std::vector<Term> arguments;
        for (unsigned each = 0; each < step.operands.size(); ++each) arguments.push_back(operand(step, each)[i]);
        const std::uint64_t function = function_payload(external.op, external.dtype, std::nullopt, 0);
        lanes.push_back(terms_.make(TermOp::call, type_of(step.instruction->getType()), arguments, function));
    }
    return lanes;
}

// `fastnp_span(operands, out, count)`: see eager::SpanKernel.
void TermRun::span_function(const Step& step, const External& external) {
    const std::uint64_t operands = known(operand(step, 0)[0], "an address"), out = known(operand(step, 1)[0], "an address");
    const auto count = static_cast<std::int64_t>(known(operand(step, 2)[0], "a count"));
    const bool casts = external.kind == External::Kind::cast;
    const int taken = casts ? 1 : ops::info(external.op).operands, parts = is_complex(external.dtype) ? 2 : 1;
    std::vector<std::vector<Term>> arguments(static_cast<std::size_t>(count));
    for (int each = 0; each < taken; ++each) {
        const std::uint64_t from = known(memory_.load(operands + static_cast<std::uint64_t>(each) * 8, TermType::i64), "an address");
        const std::int64_t stride = memory_.size_of(from) / count;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::vector<Term> found = memory_.parts(from + static_cast<std::uint64_t>(i * stride), parts);
            std::vector<Term>& all = arguments[static_cast<std::size_t>(i)];
            all.insert(all.end(), found.begin(), found.end());
        }
    }
    const std::optional<Dtype> to = casts ? std::optional(external.to) : std::nullopt;
    memory_.store_results(out, memory_.size_of(out) / count, function_payload(casts ? ir::Op::cast : external.op, external.dtype, to, 0),
                          std::move(arguments));
}

}  // namespace fastnp::codegen
