// Matrix products and strided copies on a device: the same elements as the host's kernels give, whatever the layout, and nothing that goes by way of the
// host.
#include "plan/device_product.h"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <vector>

#include "fastnp/fastnp.h"
#include "plan/device_copy.h"
#include "plan/device_steps.h"
#include "plan/mirrored.h"
#include "simulated/backend.h"

using namespace fastnp;
using eager::View;
using plan::Mirrored;
using simulated::Backend;

namespace {

const std::vector<Dtype> with_products{float32, float64, complex64, complex128, float16, bfloat16};

// Both ways, compared; gives how many calls of the device's product it took.
std::uint64_t check_product(Backend& backend, Mirrored& x, Mirrored& y, const Shape& shape) {
    Mirrored expected(backend, x.view.dtype, shape), out(backend, x.view.dtype, shape);
    out.fill(0);
    x.fill(1);
    y.fill(2);
    const View operands[] = {x.view, y.view};
    eager::run(ops::Op::matmul, {}, operands, expected.view);
    const device::BackendStatistics before = backend.statistics();
    BOOST_TEST(plan::product_on_device(backend, std::array{x.there(), y.there()}, out.there()));
    const device::BackendStatistics after = backend.statistics();
    BOOST_TEST(after.uploads == before.uploads);
    BOOST_TEST(after.downloads == before.downloads);
    BOOST_CHECK(out.values_there() == Mirrored::values_of(expected.view));
    return after.products - before.products;
}

Shape result_of(const Shape& x, const Shape& y) {
    Shape shape = x;
    shape.back() = y.back();
    return shape;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_products)

BOOST_AUTO_TEST_CASE(matrices_of_every_dtype) {
    Backend backend;
    for (const Dtype dtype : with_products) {
        BOOST_TEST(backend.lacks_products(dtype) == "");
        Mirrored x(backend, dtype, {7, 5}), y(backend, dtype, {5, 9});
        BOOST_TEST(check_product(backend, x, y, {7, 9}) == 1U);
    }
    for (const Dtype dtype : {bool_, int8, uint64}) {
        BOOST_TEST(backend.lacks_products(dtype) != "");
        Mirrored x(backend, dtype, {2, 2}), y(backend, dtype, {2, 2}), out(backend, dtype, {2, 2});
        BOOST_TEST(!plan::product_on_device(backend, std::array{x.there(), y.there()}, out.there()));
    }
}

BOOST_AUTO_TEST_CASE(any_layout) {
    Backend backend;
    const std::vector<Shape> sizes{{4, 5, 6}, {1, 5, 6}, {4, 1, 6}, {4, 5, 1}, {1, 1, 6}, {1, 5, 1}, {4, 1, 1}, {1, 1, 1}};
    for (const Shape& size : sizes) {
        for (const SmallVector<std::int64_t>& order : {SmallVector<std::int64_t>{0, 1}, SmallVector<std::int64_t>{1, 0}}) {
            for (const std::int64_t down : {1, 2, -1, 0}) {
                for (const std::int64_t across : {1, 3, -2, 0}) {
                    Mirrored x(backend, float64, {size[0], size[1]}, order, {down, across});
                    Mirrored y(backend, float64, {size[1], size[2]}, {0, 1}, {1, 1}), turned(backend, float64, {size[1], size[2]}, order, {across, down});
                    BOOST_TEST(check_product(backend, x, y, {size[0], size[2]}) == 1U);
                    BOOST_TEST(check_product(backend, x, turned, {size[0], size[2]}) == 1U);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(only_what_a_library_cant_walk_is_copied) {
    Backend backend;
    const auto launches = [&](const SmallVector<std::int64_t>& order, const SmallVector<std::int64_t>& every) {
        Mirrored x(backend, float32, {6, 7}, order, every), y(backend, float32, {7, 3});
        const std::uint64_t before = backend.statistics().launches;
        check_product(backend, x, y, {6, 3});
        return backend.statistics().launches - before;
    };
    BOOST_TEST(launches({0, 1}, {1, 1}) == 0U);
    BOOST_TEST(launches({1, 0}, {1, 1}) == 0U);
    BOOST_TEST(launches({0, 1}, {2, 1}) == 0U);
    BOOST_TEST(launches({1, 0}, {1, 3}) == 0U);
    BOOST_TEST(launches({0, 1}, {1, 2}) == 1U);
    BOOST_TEST(launches({0, 1}, {-1, 1}) == 1U);
}

BOOST_AUTO_TEST_CASE(stacks) {
    Backend backend;
    const auto calls = [&](const Shape& x_shape, const SmallVector<std::int64_t>& x_every, const Shape& y_shape,
                           const SmallVector<std::int64_t>& y_every) {
        Mirrored x(backend, complex64, x_shape, Mirrored::in_order(x_shape.size()), x_every);
        Mirrored y(backend, complex64, y_shape, Mirrored::in_order(y_shape.size()), y_every);
        return check_product(backend, x, y, result_of(x_shape, y_shape));
    };
    BOOST_TEST(calls({3, 4, 5}, {1, 1, 1}, {3, 5, 2}, {1, 1, 1}) == 1U);
    BOOST_TEST(calls({3, 4, 5}, {1, 1, 1}, {3, 5, 2}, {0, 1, 1}) == 1U);  // one matrix of 12 rows
    BOOST_TEST(calls({3, 4, 5}, {0, 1, 1}, {3, 5, 2}, {1, 1, 1}) == 1U);
    BOOST_TEST(calls({3, 4, 5}, {2, 1, 1}, {3, 5, 2}, {-1, 1, 1}) == 1U);
    BOOST_TEST(calls({3, 1, 5}, {1, 1, 1}, {3, 5, 2}, {0, 1, 1}) == 1U);
    BOOST_TEST(calls({3, 1, 5}, {3, 1, 1}, {3, 5, 2}, {0, 1, 1}) == 1U);
    BOOST_TEST(calls({2, 3, 4, 5}, {1, 1, 1, 1}, {2, 3, 5, 2}, {1, 1, 1, 1}) == 1U);
    BOOST_TEST(calls({2, 3, 4, 5}, {1, 1, 1, 1}, {2, 3, 5, 2}, {0, 0, 1, 1}) == 1U);
    BOOST_TEST(calls({2, 3, 4, 5}, {1, 0, 1, 1}, {2, 3, 5, 2}, {0, 1, 1, 1}) == 2U);
    BOOST_TEST(calls({3, 2, 4, 5}, {1, 0, 1, 1}, {3, 2, 5, 2}, {0, 1, 1, 1}) == 2U);
    BOOST_TEST(calls({3, 2, 2, 4, 5}, {2, 1, 1, 1, 1}, {3, 2, 2, 5, 2}, {1, 0, 1, 1, 1}) == 4U);
}

BOOST_AUTO_TEST_CASE(what_is_added_in_any_layout) {
    Backend backend;
    for (const Dtype dtype : with_products) {
        for (const Shape& stack : {Shape{}, Shape{3}, Shape{2, 3}}) {
            for (const auto& every : {SmallVector<std::int64_t>{1, 1}, SmallVector<std::int64_t>{2, 1}, SmallVector<std::int64_t>{0, 1},
                                      SmallVector<std::int64_t>{1, 0}, SmallVector<std::int64_t>{0, 0}, SmallVector<std::int64_t>{-1, 2}}) {
                for (const std::int64_t of_stack : {0, 1, 2}) {
                    for (const std::int64_t inner : {5, 0}) {
                        Shape x_shape = stack, y_shape = stack, shape = stack;
                        SmallVector<std::int64_t> steps(stack.size(), of_stack), y_steps(stack.size(), of_stack == 2 ? 0 : 1);
                        for (const std::int64_t each : every) steps.push_back(each);
                        for (int i = 0; i < 2; ++i) y_steps.push_back(1);
                        for (Shape* each : {&x_shape, &shape}) each->push_back(4);
                        x_shape.push_back(inner);
                        y_shape.push_back(inner);
                        y_shape.push_back(6);
                        shape.push_back(6);
                        Mirrored x(backend, dtype, x_shape), y(backend, dtype, y_shape, Mirrored::in_order(y_shape.size()), y_steps);
                        Mirrored c(backend, dtype, shape, Mirrored::in_order(shape.size()), steps), out(backend, dtype, shape),
                            expected(backend, dtype, shape);
                        x.fill(1);
                        y.fill(2);
                        c.fill(3);
                        out.fill(0);
                        const View here[] = {x.view, y.view, c.view};
                        eager::run(ops::Op::matmul, {}, here, expected.view);
                        BOOST_TEST(plan::product_on_device(backend, std::array{x.there(), y.there(), c.there()}, out.there()));
                        BOOST_CHECK(out.values_there() == Mirrored::values_of(expected.view));
                    }
                }
            }
        }
    }
}

// What is added to a product becomes part of it, where that is there and no kernel reads the sum.
BOOST_AUTO_TEST_CASE(sums_that_are_parts_of_products) {
    const simulated::AtTheDoor here;
    using Program = std::function<array(const array&, const array&, const array&, const array&)>;
    const array x = sin(arange(60.0)).reshape({12, 5}), w = cos(arange(35.0)).reshape({5, 7}), c = sin(arange(84.0) * 3).reshape({12, 7}),
                b = cos(arange(7.0));
    const auto check = [&](const Program& program, std::uint64_t launches, std::uint64_t products) {
        for (const Dtype dtype : {float32, float64, complex128, float16}) {
            const array operands[] = {x.astype(dtype), w.astype(dtype), c.astype(dtype), b.astype(dtype)};
            array there[4];
            for (int i = 0; i < 4; ++i) there[i] = operands[i].to("cuda");
            const array want = compile(program)(operands[0], operands[1], operands[2], operands[3]);
            const auto compiled = compile(program);
            (void)compiled(there[0], there[1], there[2], there[3]);
            const DeviceStatistics before = device_statistics("cuda");
            const array got = compiled(there[0], there[1], there[2], there[3]);
            const DeviceStatistics after = device_statistics("cuda");
            if (dtype != float16) BOOST_TEST(after.launches - before.launches == launches);
            BOOST_TEST(after.products - before.products == products);
            BOOST_TEST((got.dtype() == dtype));
            BOOST_TEST(all(absolute(got.to("cpu").astype(complex128) - want.astype(complex128)) <= (dtype == float16 ? 1e-2 : 1e-5)).item<bool>());
            if (real_of(dtype) == float64) BOOST_TEST(all(absolute(got.to("cpu") - want) <= 1e-13).item<bool>());
        }
    };
    check([](auto& x, auto& w, auto& c, auto&) { return matmul(x, w) + c; }, 0, 1);
    check([](auto& x, auto& w, auto& c, auto&) { return c + matmul(x, w); }, 0, 1);
    check([](auto& x, auto& w, auto&, auto& b) { return matmul(x, w) + b; }, 0, 1);
    check([](auto& x, auto& w, auto&, auto& b) { return matmul(matmul(x, w) + b, w.T()); }, 0, 2);
    check([](auto& x, auto& w, auto& c, auto&) { return matmul(x, w) + matmul(c, matmul(w.T(), w)); }, 0, 3);
    check([](auto& x, auto& w, auto& c, auto&) { return (matmul(x, w) + c).T(); }, 0, 1);
    const auto stacked = [](const array& a) { return a.reshape({3, 4, -1}); };
    check([&](auto& x, auto& w, auto& c, auto&) { return matmul(stacked(x), w) + stacked(c); }, 0, 1);
    check([&](auto& x, auto& w, auto&, auto& b) { return matmul(stacked(x), w) + b; }, 0, 1);
    check([](auto& x, auto& w, auto& c, auto&) { return tanh(matmul(x, w) + c); }, 1, 1);                // the kernel reads c
    check([](auto& x, auto& w, auto& c, auto&) { return matmul(x, w) + c * 2; }, 1, 1);                  // so does this one
    check(
        [](auto& x, auto& w, auto& c, auto&) {
            const array p = matmul(x, w);
            return concatenate({p + c, p});  // the product is there, too
        },
        1, 1);
    check([](auto& x, auto& w, auto&, auto& b) { return matmul(x, w) + b.reshape({7, 1})(until(1)); }, 1, 1);  // no row, but one number
}

BOOST_AUTO_TEST_CASE(sizes_of_0) {
    Backend backend;
    for (const Shape& x_shape : {Shape{0, 5}, Shape{4, 0}, Shape{4, 5}, Shape{0, 0}, Shape{2, 0, 5}, Shape{0, 4, 5}, Shape{3, 4, 0}}) {
        for (const std::int64_t columns : {0, 3}) {
            Shape y_shape = x_shape;
            y_shape[y_shape.size() - 2] = x_shape.back();
            y_shape.back() = columns;
            Mirrored x(backend, float32, x_shape), y(backend, float32, y_shape);
            check_product(backend, x, y, result_of(x_shape, y_shape));
        }
    }
}

BOOST_AUTO_TEST_CASE(without_a_library_nothing_is_done) {
    Backend backend;
    backend.set_libraries(false);
    Mirrored x(backend, float64, {2, 2}), y(backend, float64, {2, 2}), out(backend, float64, {2, 2});
    BOOST_TEST(!plan::product_on_device(backend, std::array{x.there(), y.there()}, out.there()));
    BOOST_TEST(backend.statistics().products == 0U);
}

BOOST_AUTO_TEST_CASE(strided_copies) {
    Backend backend;
    const Shape shape{3, 4, 5};
    for (const Dtype dtype : {bool_, float16, int32, complex64, complex128}) {
        for (const SmallVector<std::int64_t>& order :
             {SmallVector<std::int64_t>{0, 1, 2}, SmallVector<std::int64_t>{2, 0, 1}, SmallVector<std::int64_t>{1, 2, 0}}) {
            for (const SmallVector<std::int64_t>& every :
                 {SmallVector<std::int64_t>{1, 1, 1}, SmallVector<std::int64_t>{2, 1, -1}, SmallVector<std::int64_t>{0, 1, 3}}) {
                Mirrored from(backend, dtype, shape, order, every), to(backend, dtype, shape, {0, 1, 2}, {1, 2, 1}), dense(backend, dtype, shape);
                from.fill(3);
                to.fill(4);
                plan::copy_on_device(backend, from.there(), to.there());
                plan::copy_on_device(backend, to.there(), dense.there());
                BOOST_CHECK(to.values_there() == Mirrored::values_of(from.view));
                BOOST_CHECK(dense.values_there() == Mirrored::values_of(from.view));
            }
        }
    }
    Mirrored x(backend, float32, {4, 5}), y(backend, float32, {4, 5});
    const std::uint64_t before = backend.statistics().launches;
    plan::copy_on_device(backend, x.there(), y.there());
    BOOST_TEST(backend.statistics().launches == before);  // in one piece
}

BOOST_AUTO_TEST_CASE(reshapes_and_concatenation) {
    Backend backend;
    Mirrored x(backend, int16, {4, 6}, {1, 0}, {1, 1}), y(backend, int16, {4, 3}, {0, 1}, {2, -1});
    x.fill(5);
    y.fill(6);
    Mirrored flat(backend, int16, {24}), joined(backend, int16, {4, 9}), expected(backend, int16, {4, 9});
    plan::IndexChecks checks(backend);
    const View one[] = {x.there()}, two[] = {x.there(), y.there()}, here[] = {x.view, y.view};
    BOOST_TEST(plan::run_step_on_device(backend, ops::Op::reshape, {}, one, flat.there(), checks));
    BOOST_CHECK(flat.values_there() == Mirrored::values_of(x.view));
    ir::Attributes attributes;
    attributes.ints.push_back(1);
    BOOST_TEST(plan::run_step_on_device(backend, ops::Op::concatenate, attributes, two, joined.there(), checks));
    eager::run(ops::Op::concatenate, attributes, here, expected.view);
    BOOST_CHECK(joined.values_there() == Mirrored::values_of(expected.view));
    BOOST_TEST(!plan::run_step_on_device(backend, ops::Op::eigvals, attributes, one, x.there(), checks));
}

BOOST_AUTO_TEST_SUITE_END()
