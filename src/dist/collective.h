// What ranks do together, over any transport. Elements are joined in the order of the ranks, so that results are the same on all of them, and whatever
// carries the bytes.
#pragma once

#include <cstdint>
#include <span>

#include "dist/transport.h"
#include "fastnp/dtype.h"
#include "ops/collective.h"

namespace fastnp::dist {

/// into[i] = into[i] joined with from[i], by an elementwise op of two operands.
using Join = void (*)(ops::Op joins, Dtype dtype, const void* from, void* into, std::int64_t count);

/// What a collective is: all ranks of a group must ask for the same. `detail` is whatever else of it must be (which op joins, the root).
struct Request {
    ops::Op op;
    Dtype dtype = Dtype::bool_;
    std::int64_t elements = 0;
    std::int64_t detail = 0;
    bool on_device = false;
};

/// Compares what the ranks ask for; RankError on all of them, with what each of them wants, where they do not agree.
void agree(Transport& group, const Request& request);

/// As an op and its attributes ask for it.
Request request_of(ops::Op op, const ops::Collective& asked, Dtype dtype, std::int64_t elements, bool on_device);

/// Contiguous elements of all ranks, joined; the part of it that is this rank's, of `elements` of each rank (of an operand of size x elements).
void all_reduce(Transport& group, ops::Op joins, Dtype dtype, const void* in, void* out, std::int64_t elements, Join join);
void reduce_scatter(Transport& group, ops::Op joins, Dtype dtype, const void* in, void* out, std::int64_t elements, Join join);

}  // namespace fastnp::dist
