#include "ir/op.h"

namespace fastnp::ir {

std::string_view name_of(Op op) {
    static constexpr std::string_view names[] = {
#define MAP1(name, rule, meaning, partial, traits, doc) #name,
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) #name,
#include "fastnp/ops/map.def"
#define FOLD(name, combine, rule, identity, doc) #name,
#define ARGFOLD(name, better, doc) #name,
#define SCAN(name, combine, rule, doc) #name,
#include "fastnp/ops/fold.def"
#define ARRAY(name, kind, operands, doc) #name,
#include "fastnp/ops/array.def"
#define JOIN(name, combine, rule, identity, doc) #name,
#include "fastnp/ops/join.def"
    };
    return op < Op::count ? names[static_cast<std::size_t>(op)] : "?";
}

}  // namespace fastnp::ir
