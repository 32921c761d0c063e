// Broken loop kernels, each told by the verifier.
#include "nest/verify.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>

#include "fastnp/error.h"

using namespace fastnp;
using nest::Access;
using nest::Expr;
using nest::Kernel;
using shape::Dim;

namespace {

// The sums of rows of exp(x), and exp(x) over them.
Kernel rows() {
    Kernel kernel;
    kernel.name = "rows";
    kernel.axes = {{shape::Dim(4), false, 4}, {shape::Dim(3), true, 3}};
    kernel.buffers = {{Dtype::float64, false, true}, {Dtype::float64, true, false}};
    Expr load{Expr::Kind::load};
    load.dtype = Dtype::float64;
    load.access = {0, 0, {shape::Dim(24), shape::Dim(8)}};
    Expr exp{Expr::Kind::map};
    exp.op = ir::Op::exp;
    exp.dtype = exp.compute = Dtype::float64;
    exp.args = {kernel.add(load)};
    Expr sum{Expr::Kind::fold};
    sum.dtype = Dtype::float64;
    Expr quotient{Expr::Kind::map};
    quotient.op = ir::Op::divide;
    quotient.dtype = quotient.compute = Dtype::float64;
    quotient.args = {kernel.add(exp), kernel.add(sum)};
    const nest::ExprId result = kernel.add(quotient);
    kernel.folds = {{ir::Op::add, Dtype::float64, 1}};
    kernel.stages.resize(2);
    kernel.stages[0].folds = {0};
    kernel.stages[1].stores = {{{1, 0, {shape::Dim(24), shape::Dim(8)}}, result}};
    return kernel;
}

std::string wrong(const std::function<void(Kernel&)>& breaks) {
    Kernel kernel = rows();
    breaks(kernel);
    try {
        nest::verify(kernel, shape::Sizes(), "after a test");
    } catch (const InternalError& error) {
        const std::string told = error.what(), begins = "kernel rows is wrong after a test: ";
        BOOST_TEST(told.starts_with(begins), told);
        return told.substr(begins.size());
    }
    return "nothing";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verify_kernels)

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told) {
    BOOST_TEST(wrong([](Kernel&) {}) == "nothing");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[1].args[0] = 1; }) == "%1: it comes before its argument %1");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[1].args.push_back(0); }) == "%1: exp takes 1 arguments");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[1].compute = Dtype::float32; }) == "%1: argument %0 is not of the dtype that it computes in");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[1].op = ir::Op::sum; }) == "%1: its op is no map");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[0].access.buffer = 2; }) == "%0: there is no buffer 2");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[0].dtype = Dtype::float32; }) == "%0: its dtype is not the buffer's");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[0].access.strides.pop_back(); }) == "%0: an access has not a stride for each axis");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[0].access.offset = shape::Dim::expression(3); }) == "%0: it has a size that there is none of");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[2].number = 1; }) == "%2: there is no fold 1");
    BOOST_TEST(wrong([](Kernel& k) { k.exprs[2].kind = Expr::Kind::scratch; }) == "%2: there is no scratch row 0");
    BOOST_TEST(wrong([](Kernel& k) { k.stages[1].folds = {0}; }) == "fold 0 is made twice");
    BOOST_TEST(wrong([](Kernel& k) { k.stages[0].folds.clear(); }) == "a fold is made in no stage");
    BOOST_TEST(wrong([](Kernel& k) { k.folds[0].value = 3; }) == "stage 0: fold 0 is read too early");
    BOOST_TEST(wrong([](Kernel& k) { k.folds[0].value = 9; }) == "stage 0: there is no expression 9");
    BOOST_TEST(wrong([](Kernel& k) { std::swap(k.stages[0].stores, k.stages[1].stores); }) == "stage 0: fold 0 is read too early");
    BOOST_TEST(wrong([](Kernel& k) { k.buffers[1].written = false; }) == "stage 1: it stores to buffer 1, which is not written");
    BOOST_TEST(wrong([](Kernel& k) { k.buffers[1].dtype = Dtype::int8; }) == "stage 1: what is stored is not of the dtype of buffer 1");
    BOOST_TEST(wrong([](Kernel& k) { std::swap(k.axes[0], k.axes[1]); }) == "an outer axis lies within an inner one");
}

BOOST_AUTO_TEST_SUITE_END()
