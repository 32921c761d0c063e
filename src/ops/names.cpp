#include "ops/names.h"

namespace fastnp::ops {

namespace {
constexpr std::string_view no_op = "-";  // Op::count
}

void pack(Op op, base::Writer& out) { out.text(op == Op::count ? no_op : info(op).name); }

Op unpack_op(base::Reader& in) {
    const std::string_view name = in.text();
    if (name == no_op) return Op::count;
    const std::optional<Op> op = find(name);
    if (!op) in.fail();
    return op.value_or(Op::count);
}

void pack(Dtype dtype, base::Writer& out) { out.text(name_of(dtype)); }

Dtype unpack_dtype(base::Reader& in) {
    const std::string_view name = in.text();
    for (int i = 0; i < dtype_count; ++i) {
        if (name_of(static_cast<Dtype>(i)) == name) return static_cast<Dtype>(i);
    }
    in.fail();
    return Dtype::bool_;
}

}  // namespace fastnp::ops
