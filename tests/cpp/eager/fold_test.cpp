// Reductions and scans over every dtype, layout and set of axes, against plain loops; their accuracy; NaN, empty axes, first indices.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

#include "arrays.h"
#include "ops/number.h"

using namespace fastnp;
using namespace fastnp::testing;

namespace {

struct Fold {
    ops::Op op, combine;
};
constexpr Fold folds[] = {
    {ops::Op::sum, ops::Op::add}, {ops::Op::prod, ops::Op::multiply}, {ops::Op::max, ops::Op::maximum}, {ops::Op::min, ops::Op::minimum}};

template <class T>
T combined(ops::Op combine, const T& a, const T& b) {
    T out;
    const void* operands[] = {&a, &b};
    eager::span_kernel(combine, dtype_of<T>)(operands, &out, 1);
    return out;
}

Indices without(const Indices& index, const ir::Attributes& attributes) {
    Indices kept;
    for (std::size_t i = 0; i < index.size(); ++i) {
        if (std::find(attributes.ints.begin(), attributes.ints.end(), static_cast<std::int64_t>(i)) == attributes.ints.end()) kept.push_back(index[i]);
    }
    return kept;
}

template <class T>
void check_fold(const Fold& fold, const Indices& shape, Layout layout, unsigned axes, Layout out_layout) {
    ir::Attributes attributes;
    bool empty = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if ((axes >> i & 1U) == 0) continue;
        attributes.ints.push_back(static_cast<std::int64_t>(i));
        empty = empty || shape[i] == 0;
    }
    const bool has_identity = fold.op == ops::Op::sum || fold.op == ops::Op::prod;
    if (empty && !has_identity) return;
    const Array x = fold.op == ops::Op::prod ? random_array<T>(shape, layout, 1, -1, 1) : random_array<T>(shape, layout, 1, -1, 2);
    const Indices out_shape = without(shape, attributes);
    const Array out = make(dtype_of<T>, out_shape, out_layout);
    const Array wanted = make(dtype_of<T>, out_shape);
    const Array seen = random_array<bool>(out_shape, Layout::contiguous, 1, 0, 0);
    if (empty) each_index(out_shape, [&](const Indices& index) { wanted.at<T>(index) = number<T>(fold.op == ops::Op::prod ? 1 : 0); });
    each_index(shape, [&](const Indices& index) {
        const Indices to = without(index, attributes);
        wanted.at<T>(to) = seen.at<bool>(to) ? combined(fold.combine, wanted.at<T>(to), x.at<T>(index)) : x.at<T>(index);
        seen.at<bool>(to) = true;
    });
    eager::run(fold.op, attributes, {&x.view, 1}, out.view);
    each_index(out_shape, [&](const Indices& index) {
        const T got = out.at<T>(index);
        T want = wanted.at<T>(index);
        if constexpr (ops::Complex<T>) {
            if (empty) want = want.real();
        }
        BOOST_REQUIRE_MESSAGE(same(got, want), ops::info(fold.op).name << " of " << describe(shape, layout, dtype_of<T>) << " over " << axes);
    });
}

// The exact sum of what was summed, and the bound of a pairwise sum's error: a few units times the logarithm of the length.
template <class T>
void sum_is_accurate(std::int64_t length, std::int64_t columns, std::size_t axis, double bound) {
    const Indices shape = axis == 0 ? Indices{length, columns} : Indices{columns, length};
    const Array x = make(dtype_of<T>, shape);
    std::mt19937 engine(5);
    std::uniform_real_distribution<float> distribution(0.5F, 1.0F);
    std::vector<long double> exact(static_cast<std::size_t>(columns), 0.0L);
    each_index(shape, [&](const Indices& index) {
        x.at<T>(index) = static_cast<T>(distribution(engine));
        exact[static_cast<std::size_t>(index[1 - axis])] += static_cast<long double>(static_cast<ops::Work<T>>(x.at<T>(index)));
    });
    const Array out = make(dtype_of<T>, {columns});
    ir::Attributes attributes;
    attributes.ints = {static_cast<std::int64_t>(axis)};
    eager::run(ops::Op::sum, attributes, {&x.view, 1}, out.view);
    for (std::int64_t i = 0; i < columns; ++i) {
        const auto want = exact[static_cast<std::size_t>(i)];
        const auto got = static_cast<long double>(static_cast<ops::Work<T>>(out.at<T>({i})));
        BOOST_TEST(std::abs(got - want) <= bound * want, "relative error " << static_cast<double>(std::abs(got - want) / want));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(folds_of_arrays)

BOOST_AUTO_TEST_CASE(any_axes_of_any_layout) {
    each_dtype([]<class T>() {
        for (const Fold& fold : folds) {
            for (const Indices& shape : shapes()) {
                for (const Layout layout : layouts) {
                    for (unsigned axes = 0; axes < 1U << shape.size(); ++axes) {
                        // 16-bit floats are exact only where the running value is: not for long sums.
                        std::int64_t size = 1;
                        for (const std::int64_t extent : shape) size *= extent;
                        if (ops::is_half<T> && size > 100) continue;
                        if (ops::Complex<T> && fold.op == ops::Op::prod) continue;
                        check_fold<T>(fold, shape, layout, axes, axes % 2 == 0 ? Layout::contiguous : Layout::strided);
                    }
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(any_and_all_of_bools) {
    for (const Fold& fold : {Fold{ops::Op::any, ops::Op::logical_or}, Fold{ops::Op::all, ops::Op::logical_and}}) {
        for (const Indices& shape : {Indices{5}, Indices{33, 17}, Indices{4, 0}, Indices{1000}}) {
            for (const Layout layout : layouts) {
                for (const int low : {0, 1}) {  // mixed, and all true
                    ir::Attributes attributes;
                    attributes.ints = {static_cast<std::int64_t>(shape.size() - 1)};
                    const Array x = random_array<bool>(shape, layout, 1, low, 1);
                    const Indices out_shape = without(shape, attributes);
                    const Array out = make(Dtype::bool_, out_shape);
                    eager::run(fold.op, attributes, {&x.view, 1}, out.view);
                    const Array wanted = random_array<bool>(out_shape, Layout::contiguous, 1, fold.op == ops::Op::all, fold.op == ops::Op::all);
                    each_index(shape, [&](const Indices& index) {
                        bool& value = wanted.at<bool>(without(index, attributes));
                        value = fold.op == ops::Op::all ? value && x.at<bool>(index) : value || x.at<bool>(index);
                    });
                    each_index(out_shape, [&](const Indices& index) { BOOST_REQUIRE(out.at<bool>(index) == wanted.at<bool>(index)); });
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(large_reductions_are_shared_among_threads_and_always_give_the_same) {
    for (const Indices& shape : {Indices{1000000}, Indices{1000, 1000}, Indices{3, 300000}, Indices{300000, 3}, Indices{100, 100, 100}}) {
        const Array x = make(Dtype::float32, shape);
        std::mt19937 engine(3);
        std::normal_distribution<float> distribution;
        each_index(shape, [&](const Indices& index) { x.at<float>(index) = distribution(engine); });
        for (unsigned axes = 1; axes < 1U << shape.size(); ++axes) {
            ir::Attributes attributes;
            for (std::size_t i = 0; i < shape.size(); ++i) {
                if ((axes >> i & 1U) != 0) attributes.ints.push_back(static_cast<std::int64_t>(i));
            }
            const Indices out_shape = without(shape, attributes);
            const Array first = make(Dtype::float32, out_shape);
            const Array again = make(Dtype::float32, out_shape);
            const Array greatest = make(Dtype::float32, out_shape);
            eager::run(ops::Op::sum, attributes, {&x.view, 1}, first.view);
            eager::run(ops::Op::sum, attributes, {&x.view, 1}, again.view);
            eager::run(ops::Op::max, attributes, {&x.view, 1}, greatest.view);
            std::vector<double> exact(first.memory->size() / 4, 0.0);
            std::vector<float> most(first.memory->size() / 4, -INFINITY);
            Indices steps(shape.size(), 0);  // to the element of the result, which is contiguous
            for (std::size_t i = shape.size(), count = 1; i-- > 0;) {
                if ((axes >> i & 1U) != 0) continue;
                steps[i] = static_cast<std::int64_t>(count);
                count *= static_cast<std::size_t>(shape[i]);
            }
            each_index(shape, [&](const Indices& index) {
                const auto to = static_cast<std::size_t>(std::inner_product(index.begin(), index.end(), steps.begin(), std::int64_t{0}));
                exact[to] += x.at<float>(index);
                most[to] = std::max(most[to], x.at<float>(index));
            });
            each_index(out_shape, [&](const Indices& index) {
                const auto to = static_cast<std::size_t>(&first.at<float>(index) - static_cast<float*>(first.view.data));
                BOOST_REQUIRE(first.at<float>(index) == again.at<float>(index));
                BOOST_REQUIRE(std::abs(first.at<float>(index) - exact[to]) < 2e-2);
                BOOST_REQUIRE(greatest.at<float>(index) == most[to]);
            });
        }
    }
}

BOOST_AUTO_TEST_CASE(sums_are_as_accurate_as_pairwise_ones) {
    sum_is_accurate<float>(1 << 22, 1, 1, 1e-6);
    sum_is_accurate<float>(1 << 22, 1, 0, 1e-6);
    sum_is_accurate<double>(1 << 22, 1, 1, 2e-15);
    sum_is_accurate<float>(1 << 17, 3, 1, 1e-6);
    sum_is_accurate<float>(1 << 20, 4, 0, 2e-5);
    sum_is_accurate<float16_t>(60000, 2, 1, 5e-4);
    sum_is_accurate<float16_t>(60000, 2, 0, 5e-4);
    sum_is_accurate<bfloat16_t>(60000, 2, 1, 4e-3);
}

BOOST_AUTO_TEST_CASE(a_nan_anywhere_is_the_extreme) {
    for (const std::int64_t length : {1, 5, 40, 1000, 5000}) {
        for (const std::int64_t place : {std::int64_t{0}, length / 2, length - 1}) {
            for (const Layout layout : {Layout::contiguous, Layout::strided}) {
                const Array x = random_array<double>({length}, layout, 1);
                x.at<double>({place}) = std::numeric_limits<double>::quiet_NaN();
                ir::Attributes attributes;
                attributes.ints = {0};
                const Array out = make(Dtype::float64, {});
                const Array index = make(Dtype::int64, {});
                for (const ops::Op op : {ops::Op::max, ops::Op::min}) {
                    eager::run(op, attributes, {&x.view, 1}, out.view);
                    BOOST_TEST(std::isnan(out.at<double>({})));
                }
                for (const ops::Op op : {ops::Op::argmax, ops::Op::argmin}) {
                    eager::run(op, attributes, {&x.view, 1}, index.view);
                    BOOST_TEST(index.at<std::int64_t>({}) == place);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(sums_of_nothing_and_of_negative_zeros_are_positive_zero) {
    ir::Attributes attributes;
    attributes.ints = {0};
    const Array out = make(Dtype::float64, {});
    const Array none = make(Dtype::float64, {0});
    eager::run(ops::Op::sum, attributes, {&none.view, 1}, out.view);
    BOOST_TEST((out.at<double>({}) == 0 && !std::signbit(out.at<double>({}))));
    for (const std::int64_t length : {1, 2, 100, 3000}) {
        const Array zeros = make(Dtype::float64, {length});
        each_index({length}, [&](const Indices& index) { zeros.at<double>(index) = -0.0; });
        eager::run(ops::Op::sum, attributes, {&zeros.view, 1}, out.view);
        BOOST_TEST((out.at<double>({}) == 0 && !std::signbit(out.at<double>({}))));
    }
}

BOOST_AUTO_TEST_CASE(argmax_and_argmin_give_the_first_of_equals) {
    each_dtype([]<class T>() {
        for (const Indices& shape : {Indices{1}, Indices{7}, Indices{1000}, Indices{33, 17}, Indices{2, 3, 5}, Indices{0, 4}}) {
            for (const Layout layout : layouts) {
                for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                    if (shape[axis] == 0) continue;
                    for (const bool greatest : {true, false}) {
                        const Array x = random_array<T>(shape, layout, 1);
                        ir::Attributes attributes;
                        attributes.ints = {static_cast<std::int64_t>(axis)};
                        const Indices out_shape = without(shape, attributes);
                        const Array out = make(Dtype::int64, out_shape);
                        eager::run(greatest ? ops::Op::argmax : ops::Op::argmin, attributes, {&x.view, 1}, out.view);
                        each_index(out_shape, [&](const Indices& index) {
                            Indices from = index;
                            from.insert(from.begin() + static_cast<std::ptrdiff_t>(axis), 0);
                            std::int64_t best = 0;
                            for (std::int64_t i = 1; i < shape[axis]; ++i) {
                                from[axis] = best;
                                const auto held = ops::load(x.at<T>(from));
                                from[axis] = i;
                                const auto value = ops::load(x.at<T>(from));
                                if ((greatest ? held < value : value < held).v) best = i;
                            }
                            BOOST_REQUIRE_MESSAGE(out.at<std::int64_t>(index) == best, describe(shape, layout, dtype_of<T>));
                        });
                    }
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(scans_run_along_an_axis) {
    each_dtype([]<class T>() {
        for (const Indices& shape : shapes()) {
            for (const Layout layout : layouts) {
                for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                    for (const ops::Op op : {ops::Op::cumsum, ops::Op::cumprod}) {
                        const Array x = random_array<T>(shape, layout, 1, -1, 1);
                        const Array out = make(dtype_of<T>, shape, Layout::strided);
                        ir::Attributes attributes;
                        attributes.ints = {static_cast<std::int64_t>(axis)};
                        eager::run(op, attributes, {&x.view, 1}, out.view);
                        each_index(shape, [&](const Indices& index) {
                            if (index[axis] == 0) {
                                BOOST_REQUIRE(same(out.at<T>(index), x.at<T>(index)));
                                return;
                            }
                            Indices before = index;
                            --before[axis];
                            const T wanted = combined(op == ops::Op::cumsum ? ops::Op::add : ops::Op::multiply, out.at<T>(before), x.at<T>(index));
                            BOOST_REQUIRE_MESSAGE(same(out.at<T>(index), wanted), describe(shape, layout, dtype_of<T>));
                        });
                    }
                }
            }
        }
    });
}

BOOST_AUTO_TEST_SUITE_END()
