// Type resolution against NumPy's own, over every ufunc, pair of dtypes and kind of plain number (resolve_table.inc).
#include <boost/test/unit_test.hpp>

#include "fastnp/error.h"
#include "ops/infer.h"
#include "ops/rules.h"

using namespace fastnp;
using namespace fastnp::ops;

namespace {

struct Expected {
    int arity;
    std::string_view names, first, result;
};

constexpr Expected table[] = {
#define RESOLVE(arity, names, first, result) {arity, names, first, result},
#include "resolve_table.inc"
#undef RESOLVE
};

std::vector<LoopOperand> all_operands() {
    std::vector<LoopOperand> result;
    for (const char code : std::string_view("?bBhHiIqQefdFD")) {
        for (int i = 0; i < dtype_count; ++i) {
            if (code_of(static_cast<Dtype>(i)) == code) result.push_back({static_cast<Dtype>(i), std::nullopt});
        }
    }
    result.push_back({std::nullopt, Scalar(1)});
    result.push_back({std::nullopt, Scalar(1.0)});
    result.push_back({std::nullopt, Scalar(std::complex<double>(0, 1))});
    return result;
}

std::string text(const LoopOperand& operand) {
    if (operand.dtype) return std::string(name_of(*operand.dtype));
    constexpr const char* names[] = {"bool", "int", "float", "complex"};
    return names[static_cast<int>(operand.scalar->kind())];
}

// Type characters of the loop, ".." where there is none.
std::string resolved(Op op, std::span<const LoopOperand> operands) {
    try {
        const Loop loop = resolve(op, operands);
        return {code_of(loop.operands[0]), code_of(loop.output)};
    } catch (const TypeError&) {
        return "..";
    }
}

template <class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

LoopOperand of(Dtype dtype) { return {dtype, std::nullopt}; }
LoopOperand weak(const Scalar& value) { return {std::nullopt, value}; }

std::string failure(Op op, std::vector<LoopOperand> operands, std::optional<Dtype> dtype = std::nullopt, Casting casting = Casting::same_kind) {
    return message([&] { resolve(op, operands, dtype, casting); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resolve_loops)

BOOST_AUTO_TEST_CASE(every_ufunc_runs_the_loop_that_numpy_runs) {
    const std::vector<LoopOperand> operands = all_operands();
    int checked = 0;
    for (const Expected& row : table) {
        std::string_view names = row.names;
        while (!names.empty()) {
            const std::string name(names.substr(0, names.find(' ')));
            names.remove_prefix(std::min(names.size(), name.size() + 1));
            const Op op = find(name).value();
            // Comparisons of mixed integers are exact, and logical functions take truth values: loops of their own, with the same results.
            const bool compares = op >= Op::equal && op <= Op::logical_xor;
            const std::size_t columns = row.arity == 1 ? 1 : operands.size();
            for (std::size_t i = 0; i < operands.size() * columns; ++i) {
                std::vector<LoopOperand> call{operands[i / columns]};
                if (row.arity == 2) call.push_back(operands[i % columns]);
                const std::string found = resolved(op, call);
                const std::string wanted{row.first[i], row.result[i]};
                const bool same = compares ? found[1] == wanted[1] : found == wanted;
                BOOST_CHECK_MESSAGE(same,
                                    name << " " << text(call[0]) << " " << (row.arity == 2 ? text(call[1]) : "") << ": " << found << ", NumPy " << wanted);
                ++checked;
            }
        }
    }
    BOOST_TEST(checked > 10000);
}

BOOST_AUTO_TEST_CASE(bfloat16_meets_float16_in_float32) {
    BOOST_TEST(resolved(Op::add, std::vector{of(bfloat16), of(bfloat16)}) == "EE");
    BOOST_TEST(resolved(Op::add, std::vector{of(bfloat16), of(float16)}) == "ff");
    BOOST_TEST(resolved(Op::multiply, std::vector{of(bfloat16), weak(2.0)}) == "EE");
    BOOST_TEST(resolved(Op::exp, std::vector{of(bfloat16)}) == "EE");
}

BOOST_AUTO_TEST_CASE(errors_have_numpys_words) {
    BOOST_TEST(failure(Op::bitwise_and, {of(float64), of(float64)}) ==
               "ufunc 'bitwise_and' not supported for the input types, and the inputs could not be safely coerced to any supported types according "
               "to the casting rule ''safe''");
    BOOST_TEST(failure(Op::subtract, {of(bool_), of(bool_)}) ==
               "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function "
               "instead.");
    BOOST_TEST(failure(Op::negative, {of(bool_)}) ==
               "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.");
    BOOST_TEST(failure(Op::positive, {of(bool_)}) ==
               "ufunc 'positive' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> -> None");
    BOOST_TEST(failure(Op::gcd, {of(int8), weak(1.5)}) ==
               "ufunc 'gcd' did not contain a loop with signature matching types (<class 'numpy.dtypes.Int8DType'>, <class "
               "'numpy.dtypes._PyFloatDType'>) -> None");
    BOOST_TEST(failure(Op::add, {of(float64), of(float64)}, int64) ==
               "Cannot cast ufunc 'add' input 0 from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
    BOOST_TEST(failure(Op::floor, {of(float64)}, int64) ==
               "Cannot cast ufunc 'floor' input from dtype('float64') to dtype('int64') with casting rule 'same_kind'");
    BOOST_TEST(failure(Op::add, {of(int8), weak(1.5)}, int8) ==
               "Cannot cast ufunc 'add' input 1 from dtype('float64') to dtype('int8') with casting rule 'same_kind'");
    BOOST_TEST(failure(Op::add, {of(float64), of(int8)}, std::nullopt, Casting::no) ==
               "Cannot cast ufunc 'add' input 1 from dtype('int8') to dtype('float64') with casting rule 'no'");
    BOOST_TEST(failure(Op::sqrt, {of(float64)}, int64) == "No loop matching the specified signature and casting was found for ufunc sqrt");
    BOOST_TEST(failure(Op::equal, {of(float64), of(float64)}, float64) ==
               "No loop matching the specified signature and casting was found for ufunc equal");
}

BOOST_AUTO_TEST_CASE(a_requested_dtype_chooses_the_loop) {
    const std::vector<LoopOperand> bytes{of(int8), of(int8)};
    BOOST_TEST((resolve(Op::divide, bytes, float32).compute == float32));
    BOOST_TEST((resolve(Op::add, std::vector{of(bool_), of(bool_)}, float64).compute == float64));
    BOOST_TEST((resolve(Op::equal, bytes, bool_).compute == int8));
    BOOST_TEST((resolve(Op::negative, std::vector{of(bool_)}, int64).compute == int64));
}

BOOST_AUTO_TEST_CASE(plain_numbers_must_fit) {
    BOOST_TEST(message([] { convert(300, int8); }) == "Python integer 300 out of bounds for int8");
    BOOST_TEST(message([] { convert(-1, uint64); }) == "Python integer -1 out of bounds for uint64");
    BOOST_TEST(message([] { convert(NAN, int64); }) == "cannot convert float NaN to integer");
    BOOST_TEST(message([] { convert(std::complex<double>(0, 1), float64); }) == "float() argument must be a string or a real number, not 'complex'");
    BOOST_TEST(convert(-128, int8).as_int64() == -128);
    BOOST_TEST(convert(UINT64_MAX, uint64).bits() == UINT64_MAX);
    BOOST_TEST(convert(2.9, int32).as_int64() == 2);
    BOOST_TEST(convert(0.1, float32).real() == static_cast<double>(0.1F));
    BOOST_TEST((convert(2, bool_) == Scalar(true)));
    // 2049 + 2**-30 rounds up in one step, and would round to even in two.
    BOOST_TEST(convert(2049 + 0x1p-30, float16).real() == 2050.0);
}

BOOST_AUTO_TEST_CASE(folds_compute_in_numpys_dtypes) {
    BOOST_TEST((fold_dtype(Op::sum, int8, {}) == int64));
    BOOST_TEST((fold_dtype(Op::sum, bool_, {}) == int64));
    BOOST_TEST((fold_dtype(Op::prod, uint16, {}) == uint64));
    BOOST_TEST((fold_dtype(Op::sum, float16, {}) == float16));
    BOOST_TEST((fold_dtype(Op::max, int8, {}) == int8));
    BOOST_TEST((fold_dtype(Op::any, float64, {}) == bool_));
    BOOST_TEST((fold_dtype(Op::cumsum, int32, float32) == float32));
}

BOOST_AUTO_TEST_CASE(the_catalogue_is_found_by_name) {
    BOOST_TEST((find("hypot") == Op::hypot));
    BOOST_TEST(!find("nothing"));
    BOOST_TEST(info(Op::log1p).meaning == "log1p(x)");
    BOOST_TEST(info(Op::sum).identity.value() == 0);
    BOOST_TEST(!info(Op::max).identity);
    BOOST_TEST((info(Op::max).combine == Op::maximum));
    BOOST_TEST((info(Op::add).traits & associative) != 0);
}

BOOST_AUTO_TEST_SUITE_END()
