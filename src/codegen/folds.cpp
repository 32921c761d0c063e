#include "codegen/folds.h"

#include <complex>
#include <limits>

#include "fastnp/error.h"

namespace fastnp::codegen {

bool rounds(const nest::Fold& fold) { return fold.combine == ir::Op::add && is_inexact(fold.dtype); }

Value identity_of(Builder& b, const nest::Fold& fold) {
    using ir::Op;
    const Dtype dtype = fold.dtype;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto bits = static_cast<unsigned>(itemsize_of(dtype) * 8);
    const bool is_signed = kind_of(dtype) == 'i';
    auto integer = [&](const llvm::APInt& value) { return Value{&b, dtype, llvm::ConstantInt::get(b.module.getContext(), value), nullptr}; };
    switch (fold.combine) {
        case Op::add: return b.constant(Scalar(0), dtype);
        case Op::multiply: return b.constant(Scalar(1), dtype);
        case Op::logical_or: return b.constant(Scalar(false), dtype);
        case Op::logical_and: return b.constant(Scalar(true), dtype);
        case Op::maximum:
            if (dtype == Dtype::bool_) return b.constant(Scalar(false), dtype);
            if (is_integer(dtype)) return integer(is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
            return is_complex(dtype) ? b.constant(Scalar(std::complex<double>(-infinity, -infinity)), dtype) : b.number(dtype, -infinity);
        case Op::minimum:
            if (dtype == Dtype::bool_) return b.constant(Scalar(true), dtype);
            if (is_integer(dtype)) return integer(is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
            return is_complex(dtype) ? b.constant(Scalar(std::complex<double>(infinity, infinity)), dtype) : b.number(dtype, infinity);
        default: throw InternalError("a fold without an identity");
    }
}

Value combine(Builder& b, const nest::Fold& fold, const Value& x, const Value& y) { return b.map(fold.combine, fold.dtype, fold.dtype, {x, y}); }

Value pairwise(Builder& b, const nest::Fold& fold, std::vector<Value> values) {
    while (values.size() > 1) {
        std::vector<Value> halves;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) halves.push_back(combine(b, fold, values[i], values[i + 1]));
        if (values.size() % 2 != 0) halves.push_back(values.back());
        values = std::move(halves);
    }
    return values[0];
}

}  // namespace fastnp::codegen
