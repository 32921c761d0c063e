// Loop kernels as data.
#include "nest/kernel.h"

#include <boost/test/unit_test.hpp>

using namespace fastnp;
using nest::Access;
using nest::Expr;
using nest::Kernel;
using shape::Dim;

namespace {

Expr load(int buffer, shape::Dim offset) {
    Expr expr{Expr::Kind::load};
    expr.dtype = Dtype::float64;
    expr.access = {buffer, offset, {shape::Dim(8)}};
    return expr;
}

// out[i] = x[i + start] + x[i + start + 2], of float64.
Kernel sum_of_two(std::int64_t start) {
    Kernel kernel;
    kernel.axes = {{shape::Dim(10), false, 10}};
    kernel.buffers = {{Dtype::float64, false, true, true}, {Dtype::float64, true, false, true}};
    Expr sum{Expr::Kind::map};
    sum.op = ir::Op::add;
    sum.dtype = sum.compute = Dtype::float64;
    sum.args = {kernel.add(load(0, shape::Dim(8 * (start + 2)))), kernel.add(load(0, shape::Dim(8 * start)))};
    const nest::ExprId value = kernel.add(sum);
    kernel.outer_stores.push_back({{1, 0, {shape::Dim(8)}}, value});
    return kernel;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kernels)

BOOST_AUTO_TEST_CASE(kernels_over_other_parts_of_an_array_have_one_code) {
    Kernel one = sum_of_two(8), other = sum_of_two(33), third = sum_of_two(0);
    const nest::Schedule schedule;
    BOOST_TEST(nest::fingerprint(one, schedule) != nest::fingerprint(third, schedule));
    BOOST_TEST(one.rebase() == (std::vector<std::int64_t>{64, 0}), boost::test_tools::per_element());
    BOOST_TEST(other.rebase() == (std::vector<std::int64_t>{264, 0}), boost::test_tools::per_element());
    BOOST_TEST(third.rebase() == (std::vector<std::int64_t>{0, 0}), boost::test_tools::per_element());
    BOOST_TEST(nest::fingerprint(one, schedule) == nest::fingerprint(third, schedule));
    BOOST_TEST(other.exprs == third.exprs);
    BOOST_TEST(one.buffers[0].aligned);
    BOOST_TEST(!other.buffers[0].aligned);
}

BOOST_AUTO_TEST_CASE(a_border_before_an_array_stays_before_it) {
    Kernel kernel = sum_of_two(-1);
    BOOST_TEST(kernel.rebase() == (std::vector<std::int64_t>{0, 0}), boost::test_tools::per_element());
    BOOST_TEST((kernel.exprs[1].access.offset == shape::Dim(-8)));
}

BOOST_AUTO_TEST_SUITE_END()
