// Making, joining, picking, sorting and multiplying, over every dtype and layout, against plain loops.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "arrays.h"
#include "fastnp/error.h"
#include "ops/number.h"

using namespace fastnp;
using namespace fastnp::testing;

namespace {

// NumPy's order of sorting: NaN last; complex numbers by real, then imaginary part.
template <class T>
bool before(const T& a, const T& b) {
    if constexpr (ops::Complex<T>) return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
    else return ops::load(a).v < ops::load(b).v || (ops::load(b).v != ops::load(b).v && ops::load(a).v == ops::load(a).v);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(picks)

BOOST_AUTO_TEST_CASE(constants_and_iotas) {
    each_dtype([]<class T>() {
        const Array out = make(dtype_of<T>, {3, 5}, Layout::strided);
        ir::Attributes attributes;
        attributes.dims = {3, 5};
        attributes.scalar = 3;
        eager::run(ops::Op::constant, attributes, {}, out.view);
        each_index({3, 5}, [&](const Indices& index) {
            T three = number<T>(3);
            if constexpr (ops::Complex<T>) three = three.real();
            BOOST_REQUIRE(same(out.at<T>(index), three));
        });
        if (dtype_of<T> == Dtype::bool_) return;
        attributes.ints = {1};
        eager::run(ops::Op::iota, attributes, {}, out.view);
        each_index({3, 5}, [&](const Indices& index) {
            T place = number<T>(static_cast<int>(index[1]));
            if constexpr (ops::Complex<T>) place = place.real();
            BOOST_REQUIRE(same(out.at<T>(index), place));
        });
    });
    const Array extent = make(Dtype::int64, {});
    ir::Attributes attributes;
    attributes.dims = {12345678901};
    eager::run(ops::Op::extent, attributes, {}, extent.view);
    BOOST_TEST(extent.at<std::int64_t>({}) == 12345678901);
}

BOOST_AUTO_TEST_CASE(concatenation_along_each_axis) {
    each_dtype([]<class T>() {
        for (const Layout layout : layouts) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
                std::vector<Array> parts;
                std::vector<eager::View> views;
                for (const std::int64_t extent : {3, 0, 1, 40}) {
                    parts.push_back(random_array<T>(axis == 0 ? Indices{extent, 6} : Indices{6, extent}, layout, static_cast<unsigned>(extent)));
                    views.push_back(parts.back().view);
                }
                const Array out = make(dtype_of<T>, axis == 0 ? Indices{44, 6} : Indices{6, 44}, Layout::transposed);
                ir::Attributes attributes;
                attributes.ints = {static_cast<std::int64_t>(axis)};
                eager::run(ops::Op::concatenate, attributes, views, out.view);
                std::int64_t start = 0;
                for (const Array& part : parts) {
                    const Indices shape(part.view.shape.begin(), part.view.shape.end());
                    each_index(shape, [&](const Indices& index) {
                        Indices to = index;
                        to[axis] += start;
                        BOOST_REQUIRE(same(out.at<T>(to), part.at<T>(index)));
                    });
                    start += shape[axis];
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(padding_surrounds_with_the_scalar) {
    each_dtype([]<class T>() {
        for (const Layout layout : layouts) {
            const Array x = random_array<T>({3, 5}, layout, 1);
            const Array value = random_array<T>({}, Layout::contiguous, 9);
            const Array out = make(dtype_of<T>, {6, 8}, Layout::strided);
            ir::Attributes attributes;
            attributes.dims = {1, 0, 2, 3};
            const eager::View operands[] = {x.view, value.view};
            eager::run(ops::Op::pad, attributes, operands, out.view);
            each_index({6, 8}, [&](const Indices& index) {
                const bool inside = index[0] >= 1 && index[0] < 4 && index[1] < 5;
                BOOST_REQUIRE(same(out.at<T>(index), inside ? x.at<T>({index[0] - 1, index[1]}) : value.at<T>({})));
            });
        }
    });
}

BOOST_AUTO_TEST_CASE(takes_along_each_axis_in_each_mode) {
    each_dtype([]<class T>() {
        for (const Layout layout : layouts) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                for (const std::int64_t mode : {0, 1, 2}) {
                    const Indices shape{4, 5, 6};
                    const std::int64_t extent = shape[axis];
                    const Array x = random_array<T>(shape, layout, 1);
                    const Array indices = random_array<std::int64_t>({3, 2}, Layout::transposed, 2, mode == 0 ? static_cast<int>(-extent) : -20,
                                                                     mode == 0 ? static_cast<int>(extent) - 1 : 20);
                    Indices out_shape = shape;
                    out_shape[axis] = 3;
                    out_shape.insert(out_shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 2);
                    const Array out = make(dtype_of<T>, out_shape, Layout::strided);
                    ir::Attributes attributes;
                    attributes.ints = {static_cast<std::int64_t>(axis), mode};
                    const eager::View operands[] = {x.view, indices.view};
                    eager::run(ops::Op::take, attributes, operands, out.view);
                    each_index(out_shape, [&](const Indices& index) {
                        std::int64_t at = indices.at<std::int64_t>({index[axis], index[axis + 1]});
                        if (mode == 2) at = std::min(std::max<std::int64_t>(at, 0), extent - 1);
                        else at = ((at % extent) + extent) % extent;
                        Indices from = index;
                        from.erase(from.begin() + static_cast<std::ptrdiff_t>(axis));
                        from[axis] = at;
                        BOOST_REQUIRE(same(out.at<T>(index), x.at<T>(from)));
                    });
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(indices_out_of_bounds_are_an_error_in_numpys_words) {
    const Array x = random_array<float>({3}, Layout::contiguous, 1);
    const Array index = random_array<std::int64_t>({1}, Layout::contiguous, 1, 5, 5);
    const Array out = make(Dtype::float32, {1});
    const eager::View operands[] = {x.view, index.view};
    ir::Attributes attributes;
    attributes.ints = {0, 0};
    auto words = [](const IndexError& error) { return std::string(error.what()) == "index 5 is out of bounds for axis 0 with size 3"; };
    BOOST_CHECK_EXCEPTION(eager::run(ops::Op::take, attributes, operands, out.view), IndexError, words);
}

BOOST_AUTO_TEST_CASE(sorts_along_each_axis) {
    each_dtype([]<class T>() {
        for (const Indices& shape : {Indices{1}, Indices{0}, Indices{700}, Indices{5000}, Indices{33, 17}, Indices{2, 300, 5}}) {
            for (const Layout layout : layouts) {
                for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                    for (const std::int64_t stable : {0, 1}) {
                        const Array x = random_array<T>(shape, layout, 1, -100, 100);
                        if (ops::Real<T>) {
                            each_index(shape, [&](const Indices& index) {
                                if constexpr (ops::Real<T>) {
                                    if ((index.back() + index.front()) % 11 == 5) x.at<T>(index) = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
                                    if ((index.back() + index.front()) % 13 == 5) x.at<T>(index) = static_cast<T>(-0.0F);
                                }
                            });
                        }
                        ir::Attributes attributes;
                        attributes.ints = {static_cast<std::int64_t>(axis), stable};
                        const Array sorted = make(dtype_of<T>, shape, Layout::strided);
                        const Array order = make(Dtype::int64, shape, Layout::transposed);
                        eager::run(ops::Op::sort, attributes, {&x.view, 1}, sorted.view);
                        eager::run(ops::Op::argsort, attributes, {&x.view, 1}, order.view);
                        Indices lines = shape;
                        lines[axis] = std::min<std::int64_t>(shape[axis], 1);
                        each_index(lines, [&](const Indices& first) {
                            std::vector<std::int64_t> wanted(static_cast<std::size_t>(shape[axis]));
                            std::iota(wanted.begin(), wanted.end(), 0);
                            auto at = [&](std::int64_t i) {
                                Indices index = first;
                                index[axis] = i;
                                return index;
                            };
                            const auto line = std::make_unique<T[]>(wanted.size());
                            for (const std::int64_t i : wanted) line[static_cast<std::size_t>(i)] = x.at<T>(at(i));
                            std::stable_sort(wanted.begin(), wanted.end(), [&](std::int64_t a, std::int64_t b) {
                                return before(line[static_cast<std::size_t>(a)], line[static_cast<std::size_t>(b)]);
                            });
                            for (std::int64_t i = 0; i < shape[axis]; ++i) {
                                const T& want = line[static_cast<std::size_t>(wanted[static_cast<std::size_t>(i)])];
                                const Indices place = at(i);
                                if (!same(sorted.at<T>(place), want)) BOOST_FAIL(describe(shape, layout, dtype_of<T>));
                                const std::int64_t got = order.at<std::int64_t>(place);
                                if (stable != 0) BOOST_REQUIRE(got == wanted[static_cast<std::size_t>(i)]);
                                else BOOST_REQUIRE(same(line[static_cast<std::size_t>(got)], want));
                            }
                        });
                    }
                }
            }
        }
    });
}

// The elements one after the other, for oracles that read each of them many times.
template <class T>
std::unique_ptr<T[]> elements_of(const Array& x) {
    std::size_t count = 1;
    for (const std::int64_t size : x.view.shape) count *= static_cast<std::size_t>(size);
    auto elements = std::make_unique<T[]>(count);
    T* next = elements.get();
    each_index(Indices(x.view.shape.begin(), x.view.shape.end()), [&](const Indices& index) { *next++ = x.at<T>(index); });
    return elements;
}

BOOST_AUTO_TEST_CASE(matrix_products_of_any_layout) {
    each_dtype([]<class T>() {
        struct Size {
            std::int64_t rows, inner, columns;
        };
        for (const Size& size :
             {Size{3, 4, 5}, Size{1, 7, 1}, Size{5, 0, 3}, Size{0, 3, 2}, Size{17, 33, 9}, Size{64, 40, 70}, Size{1, 30, 20}, Size{20, 30, 1}}) {
            for (const Layout a : layouts) {
                for (const Layout b : layouts) {
                    const std::int64_t batch = size.rows == 3 ? 2 : 1;
                    const Array x = random_array<T>({batch, size.rows, size.inner}, a, 1, -1, 1);
                    const Array y = random_array<T>({batch, size.inner, size.columns}, b, 2, -1, 1);
                    const auto xs = elements_of<T>(x), ys = elements_of<T>(y);
                    for (const Layout c : {Layout::contiguous, Layout::strided, Layout::transposed}) {
                        const Array out = make(dtype_of<T>, {batch, size.rows, size.columns}, c);
                        const eager::View operands[] = {x.view, y.view};
                        eager::run(ops::Op::matmul, {}, operands, out.view);
                        each_index({batch, size.rows, size.columns}, [&](const Indices& index) {
                            const T* row = xs.get() + (index[0] * size.rows + index[1]) * size.inner;
                            const T* column = ys.get() + index[0] * size.inner * size.columns + index[2];
                            ops::Number<T> sum{};
                            for (std::int64_t k = 0; k < size.inner; ++k) sum = sum + ops::load(row[k]) * ops::load(column[k * size.columns]);
                            if (same(out.at<T>(index), ops::store(sum))) return;
                            BOOST_FAIL(name_of(dtype_of<T>) << " " << size.rows << "x" << size.inner << "x" << size.columns << " layouts "
                                                            << static_cast<int>(a) << static_cast<int>(b) << static_cast<int>(c));
                        });
                    }
                }
            }
        }
    });
}

BOOST_AUTO_TEST_SUITE_END()
