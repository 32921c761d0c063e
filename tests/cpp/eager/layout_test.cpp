// Maps, casts and moves over every dtype and layout: each element is what the span kernel gives for that element alone.
#include <boost/test/unit_test.hpp>

#include "arrays.h"
#include "ops/number.h"

using namespace fastnp;
using namespace fastnp::testing;

namespace {

// Layouts that a result may have: no element twice.
constexpr Layout out_layouts[] = {Layout::contiguous, Layout::strided, Layout::transposed};

template <class Check>
void each_case(Check check) {
    each_dtype([&]<class T>() {
        for (const Indices& shape : shapes()) {
            for (const Layout layout : layouts) {
                for (const Layout out_layout : out_layouts) check.template operator()<T>(shape, layout, out_layout);
            }
        }
    });
}

template <class T>
void is_moved(ops::Op op, const ir::Attributes& attributes, const Array& x, const Indices& out_shape, Layout out_layout, auto source) {
    const Array out = make(dtype_of<T>, out_shape, out_layout);
    eager::run(op, attributes, {&x.view, 1}, out.view);
    each_index(out_shape, [&](const Indices& index) { BOOST_REQUIRE(same(out.at<T>(index), x.at<T>(source(index)))); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layouts_of_maps)

BOOST_AUTO_TEST_CASE(a_map_of_one_operand) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        if constexpr (!std::is_same_v<T, bool>) {
            const Array x = random_array<T>(shape, layout, 1);
            const Array out = make(dtype_of<T>, shape, out_layout);
            eager::run(ops::Op::negative, {}, {&x.view, 1}, out.view);
            each_index(shape, [&](const Indices& index) {
                const T wanted = ops::store(-ops::load(x.at<T>(index)));
                BOOST_REQUIRE_MESSAGE(same(out.at<T>(index), wanted), describe(shape, layout, dtype_of<T>));
            });
        }
    });
}

BOOST_AUTO_TEST_CASE(maps_of_two_operands_in_different_layouts) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        const Array x = random_array<T>(shape, layout, 1);
        for (const Layout other : layouts) {
            const Array y = random_array<T>(shape, other, 2);
            const eager::View operands[] = {x.view, y.view};
            const Array sum = make(dtype_of<T>, shape, out_layout);
            eager::run(ops::Op::add, {}, operands, sum.view);
            const Array equal = make(Dtype::bool_, shape, out_layout);
            eager::run(ops::Op::equal, {}, operands, equal.view);
            each_index(shape, [&](const Indices& index) {
                const T wanted = ops::store(ops::load(x.at<T>(index)) + ops::load(y.at<T>(index)));
                BOOST_REQUIRE_MESSAGE(same(sum.at<T>(index), wanted), describe(shape, layout, dtype_of<T>));
                BOOST_REQUIRE(equal.at<bool>(index) == same(x.at<T>(index), y.at<T>(index)));
            });
        }
    });
}

BOOST_AUTO_TEST_CASE(a_result_may_lie_on_its_operand) {
    each_dtype([&]<class T>() {
        for (const Layout layout : out_layouts) {
            const Array x = random_array<T>({33, 17}, layout, 1);
            const Array before = random_array<T>({33, 17}, layout, 1);
            const eager::View operands[] = {x.view, x.view};
            eager::run(ops::Op::multiply, {}, operands, x.view);
            each_index({33, 17}, [&](const Indices& index) {
                const auto value = ops::load(before.at<T>(index));
                BOOST_REQUIRE(same(x.at<T>(index), ops::store(value * value)));
            });
        }
    });
}

BOOST_AUTO_TEST_CASE(large_arrays_are_shared_among_threads) {
    for (const Indices& shape : {Indices{300000}, Indices{3, 100000}, Indices{100000, 3}, Indices{600, 500}}) {
        for (const Layout layout : layouts) {
            const Array x = random_array<float>(shape, layout, 1);
            const Array y = random_array<float>(shape, Layout::contiguous, 2);
            const Array out = make(Dtype::float32, shape);
            const eager::View operands[] = {x.view, y.view};
            eager::run(ops::Op::subtract, {}, operands, out.view);
            each_index(shape, [&](const Indices& index) {
                if (out.at<float>(index) != x.at<float>(index) - y.at<float>(index)) BOOST_REQUIRE(false);
            });
        }
    }
}

BOOST_AUTO_TEST_CASE(select_takes_either_operand) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        const Array condition = random_array<bool>(shape, layout, 3);
        const Array x = random_array<T>(shape, Layout::transposed, 1);
        const Array y = random_array<T>(shape, layout, 2);
        const Array out = make(dtype_of<T>, shape, out_layout);
        const eager::View operands[] = {condition.view, x.view, y.view};
        eager::run(ops::Op::select, {}, operands, out.view);
        each_index(shape,
                   [&](const Indices& index) { BOOST_REQUIRE(same(out.at<T>(index), condition.at<bool>(index) ? x.at<T>(index) : y.at<T>(index))); });
    });
}

BOOST_AUTO_TEST_CASE(casts_keep_small_whole_numbers_between_all_dtypes) {
    each_dtype([]<class From>() {
        each_dtype([]<class To>() {
            for (const Layout layout : layouts) {
                const Indices shape{33, 17};
                const Array x = random_array<From>(shape, layout, 1, 0, 100);
                const Array out = make(dtype_of<To>, shape);
                eager::copy(x.view, out.view);
                each_index(shape, [&](const Indices& index) {
                    std::complex<double> a, b;
                    const void* from[] = {&x.at<From>(index)};
                    const void* to[] = {&out.at<To>(index)};
                    eager::cast_kernel(dtype_of<From>, Dtype::complex128)(from, &a, 1);
                    eager::cast_kernel(dtype_of<To>, Dtype::complex128)(to, &b, 1);
                    if (dtype_of<To> == Dtype::bool_) a = a != 0.0;
                    else if (!is_complex(dtype_of<To>)) a = a.real();
                    BOOST_REQUIRE_MESSAGE(a == b, name_of(dtype_of<From>) << " to " << name_of(dtype_of<To>));
                });
            }
        });
    });
}

BOOST_AUTO_TEST_CASE(casts_out_of_range_are_the_processors) {
    const double x[] = {
        -1.0, 300.0, -129.0, 70000.0, 3e9, -3e9, 1e19, 1e20, -1e19, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
        2.9};
    const void* operand[] = {x};
    std::int8_t small[12];
    eager::cast_kernel(Dtype::float64, Dtype::int8)(operand, small, 12);
    const std::int8_t small_wanted[] = {-1, 44, 127, 112, 0, 0, 0, 0, 0, 0, 0, 2};
    BOOST_TEST(small == small_wanted, boost::test_tools::per_element());
    std::int32_t middle[12];
    eager::cast_kernel(Dtype::float64, Dtype::int32)(operand, middle, 12);
    const std::int32_t least = INT32_MIN;
    const std::int32_t middle_wanted[] = {-1, 300, -129, 70000, least, least, least, least, least, least, least, 2};
    BOOST_TEST(middle == middle_wanted, boost::test_tools::per_element());
    std::uint64_t wide[12];
    eager::cast_kernel(Dtype::float64, Dtype::uint64)(operand, wide, 12);
    const std::uint64_t top = std::uint64_t{1} << 63;
    const std::uint64_t wide_wanted[] = {
        ~std::uint64_t{0}, 300, ~std::uint64_t{128}, 70000, 3000000000, 0 - std::uint64_t{3000000000}, 10000000000000000000U, 0, top, top, top, 2};
    BOOST_TEST(wide == wide_wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(doubles_are_rounded_once_to_the_16_bit_floats) {
    const double x[] = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1 + 0x1p-11 - 0x1p-40, 65519.99999999, 65520.0, 0x1p-25 + 0x1p-60, 0x1p-25};
    float16_t half[7];
    const void* operand[] = {x};
    eager::cast_kernel(Dtype::float64, Dtype::float16)(operand, half, 7);
    const std::uint16_t wanted[] = {0x3c01, 0x3c00, 0x3c00, 0x7bff, 0x7c00, 1, 0};
    for (int i = 0; i < 7; ++i) BOOST_TEST(half[i].bits == wanted[i]);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(layouts_of_moves)

BOOST_AUTO_TEST_CASE(transposes) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        ir::Attributes attributes;
        Indices out_shape;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::size_t from = (i + 1) % shape.size();
            attributes.ints.push_back(static_cast<std::int64_t>(from));
            out_shape.push_back(shape[from]);
        }
        is_moved<T>(ops::Op::transpose, attributes, random_array<T>(shape, layout, 1), out_shape, out_layout, [](const Indices& index) {
            Indices from(index.size());
            for (std::size_t i = 0; i < index.size(); ++i) from[(i + 1) % index.size()] = index[i];
            return from;
        });
    });
}

BOOST_AUTO_TEST_CASE(reshapes) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        const Indices out_shape(shape.rbegin(), shape.rend());
        ir::Attributes attributes;
        for (const std::int64_t extent : out_shape) attributes.dims.push_back(extent);
        is_moved<T>(ops::Op::reshape, attributes, random_array<T>(shape, layout, 1), out_shape, out_layout, [&](const Indices& index) {
            std::int64_t flat = 0;
            for (std::size_t i = 0; i < index.size(); ++i) flat = flat * out_shape[i] + index[i];
            Indices from(index.size());
            for (std::size_t i = index.size(); i-- > 0;) {
                from[i] = flat % shape[i];
                flat /= shape[i];
            }
            return from;
        });
    });
}

BOOST_AUTO_TEST_CASE(slices_with_steps) {
    each_case([]<class T>(const Indices& shape, Layout layout, Layout out_layout) {
        ir::Attributes attributes;
        Indices out_shape, starts, steps;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const bool backward = i % 2 == 1;
            starts.push_back(shape[i] == 0 ? 0 : backward ? shape[i] - 1 : shape[i] / 3);
            steps.push_back(backward ? -2 : 3);
            const std::int64_t span = backward ? starts[i] + 1 : shape[i] - starts[i];
            const std::int64_t width = backward ? 2 : 3;
            out_shape.push_back(shape[i] == 0 ? 0 : (span + width - 1) / width);
            attributes.ints.push_back(steps[i]);
        }
        for (const std::int64_t start : starts) attributes.dims.push_back(start);
        for (const std::int64_t length : out_shape) attributes.dims.push_back(length);
        is_moved<T>(ops::Op::slice, attributes, random_array<T>(shape, layout, 1), out_shape, out_layout, [&](const Indices& index) {
            Indices from = index;
            for (std::size_t i = 0; i < index.size(); ++i) from[i] = starts[i] + index[i] * steps[i];
            return from;
        });
    });
}

BOOST_AUTO_TEST_CASE(broadcasts_and_axes_of_size_one) {
    each_dtype([]<class T>() {
        for (const Layout layout : layouts) {
            const Array x = random_array<T>({3, 1, 4}, layout, 1);
            ir::Attributes broadcast;
            for (const std::int64_t extent : {2, 3, 5, 4}) broadcast.dims.push_back(extent);
            is_moved<T>(ops::Op::broadcast_to, broadcast, x, {2, 3, 5, 4}, Layout::contiguous, [](const Indices& i) { return Indices{i[1], 0, i[3]}; });
            ir::Attributes squeeze;
            squeeze.ints = {1};
            is_moved<T>(ops::Op::squeeze, squeeze, x, {3, 4}, Layout::strided, [](const Indices& i) { return Indices{i[0], 0, i[1]}; });
            ir::Attributes expand;
            expand.ints = {0, 4};
            is_moved<T>(ops::Op::expand_dims, expand, x, {1, 3, 1, 4, 1}, Layout::transposed, [](const Indices& i) { return Indices{i[1], i[2], i[3]}; });
        }
    });
}

BOOST_AUTO_TEST_SUITE_END()
