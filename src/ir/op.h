// The name of every op of the catalogue. What is known of each is in ops/catalogue.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastnp::ir {

enum class Op : std::uint16_t {
#define MAP1(name, rule, meaning, partial, traits, doc) name,
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) name,
#include "fastnp/ops/map.def"
#define FOLD(name, combine, rule, identity, doc) name,
#define ARGFOLD(name, better, doc) name,
#define SCAN(name, combine, rule, doc) name,
#include "fastnp/ops/fold.def"
#define ARRAY(name, kind, operands, doc) name,
#include "fastnp/ops/array.def"
#define JOIN(name, combine, rule, identity, doc) name,
#include "fastnp/ops/join.def"
    count
};

/// The op's name in the catalogue.
std::string_view name_of(Op op);

}  // namespace fastnp::ir
