#include "codegen/external.h"

#include "base/shared_loop.h"
#include "eager/code_level.h"
#include "eager/eager.h"
#include "eager/isa_names.h"
#include "eager/libm.h"
#include "eager/quiet.h"
#include "eager/stream.h"
#include "eager/vector_math.h"
#include "fastnp/detail/blocks.h"
#include "fastnp/detail/interruption.h"
#include "ops/catalogue.h"

namespace fastnp::codegen {

std::string symbol_of(const External& external) {
    const std::string dtype(name_of(external.dtype));
    switch (external.kind) {
        case External::Kind::vector: {
            const eager::VectorFunction* function = eager::vector_function(external.op, external.dtype, eager::code_level());
            return function == nullptr ? std::string() : function->symbol;
        }
        case External::Kind::span: return "fastnp_span_" + std::string(ops::info(external.op).name) + "_" + dtype;
        case External::Kind::cast: return "fastnp_span_cast_" + dtype + "_" + std::string(name_of(external.to));
        case External::Kind::libm: return "fastnp_libm_" + std::string(ops::info(external.op).name) + "_" + dtype;
        case External::Kind::usual: return "fastnp_usual_" + std::string(ops::info(external.op).name) + "_" + dtype;
        case External::Kind::allocate: return "fastnp_allocate";
        case External::Kind::collect: return "fastnp_collect";
        case External::Kind::draw_uniform: return "fastnp_draw_uniform";
        case External::Kind::draw_normal: return "fastnp_draw_normal";
        case External::Kind::draw_exponential: return "fastnp_draw_exponential";
        case External::Kind::draw_integer: return "fastnp_draw_integer";
        case External::Kind::draw_gauss: return "fastnp_draw_gauss";
        case External::Kind::draw_below: return "fastnp_draw_below";
        case External::Kind::draw_legacy_normal: return "fastnp_draw_legacy_normal";
        case External::Kind::draw_legacy_exponential: return "fastnp_draw_legacy_exponential";
        case External::Kind::draw_masked: return "fastnp_draw_masked";
        case External::Kind::ask: return "fastnp_ask";
        case External::Kind::shared_loop: return "fastnp_shared_loop";
        case External::Kind::quiet: return "fastnp_quiet_" + std::string(ops::info(external.op).name);
    }
    return {};
}

std::string symbol_at(const External& external, eager::Isa level) {
    const eager::CodeFor its(level);
    return symbol_of(external) + "_" + std::string(eager::name_of(level));
}

void* address_of(const External& external) {
    switch (external.kind) {
        case External::Kind::vector: {
            const eager::VectorFunction* function = eager::vector_function(external.op, external.dtype, eager::code_level());
            return function == nullptr ? nullptr : function->address;
        }
        case External::Kind::span: return reinterpret_cast<void*>(eager::span_kernel(external.op, external.dtype));
        case External::Kind::cast: return reinterpret_cast<void*>(eager::cast_kernel(external.dtype, external.to));
        case External::Kind::libm: return eager::libm_function(external.op, external.dtype);
        case External::Kind::usual: return nullptr;  // devices'
        case External::Kind::allocate: return reinterpret_cast<void*>(&detail::allocate_block);
        case External::Kind::collect: return reinterpret_cast<void*>(&detail::collect_blocks);
        case External::Kind::draw_uniform: return reinterpret_cast<void*>(&eager::draw_uniform);
        case External::Kind::draw_normal: return reinterpret_cast<void*>(&eager::draw_normal);
        case External::Kind::draw_exponential: return reinterpret_cast<void*>(&eager::draw_exponential);
        case External::Kind::draw_integer: return reinterpret_cast<void*>(&eager::draw_integer);
        case External::Kind::draw_gauss: return reinterpret_cast<void*>(&eager::draw_gauss);
        case External::Kind::draw_below: return reinterpret_cast<void*>(&eager::draw_below);
        case External::Kind::draw_legacy_normal: return reinterpret_cast<void*>(&eager::draw_legacy_normal);
        case External::Kind::draw_legacy_exponential: return reinterpret_cast<void*>(&eager::draw_legacy_exponential);
        case External::Kind::draw_masked: return reinterpret_cast<void*>(&eager::draw_masked);
        case External::Kind::ask: return reinterpret_cast<void*>(&detail::ask_interruption);
        case External::Kind::shared_loop: return reinterpret_cast<void*>(&base::run_shared_loop);
        case External::Kind::quiet: return eager::quiet_function(external.op);
    }
    return nullptr;
}

}  // namespace fastnp::codegen
