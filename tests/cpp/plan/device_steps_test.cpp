// Precompiled steps on a device, by kernels that are written in C++: the same elements as the host's kernels give, whatever the dtypes, layouts and sizes,
// nothing that goes by way of the host, and the same errors.
#include "plan/device_steps.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "fastnp/error.h"
#include "plan/device_case.h"
#include "plan/mirrored.h"
#include "selection.h"

using namespace fastnp;
using device::Backend;
using eager::View;
using ops::Op;
using plan::Mirrored;

namespace {

std::vector<Dtype> all_dtypes() {
    std::vector<Dtype> result;
    for (int i = 0; i < dtype_count; ++i) result.push_back(static_cast<Dtype>(i));
    return result;
}

struct Layout {
    SmallVector<std::int64_t> order, every;
};

// Of arrays of so many axes: C and Fortran order, backwards, with gaps, repeated.
std::vector<Layout> layouts(std::size_t rank) {
    std::vector<Layout> all(5, {Mirrored::in_order(rank), Mirrored::ones(rank)});
    std::reverse(all[1].order.begin(), all[1].order.end());
    for (std::int64_t& each : all[2].every) each = -1;
    for (std::size_t i = 0; i < rank; ++i) all[3].every[i] = i % 2 == 0 ? 2 : -3;
    if (rank > 0) all[4].every[0] = 0;
    return all;
}

// Numbers of all kinds, in any dtype that has them: NaN, infinities, zeros of both signs, and many that are equal.
void fill_with_all_kinds(Mirrored& x, unsigned seed) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const double rare[] = {nan, infinity, -infinity, -0.0, 0.0};
    const bool has_rare = is_inexact(x.view.dtype);
    std::mt19937 random(seed);
    std::vector<std::complex<double>> values(static_cast<std::size_t>(shape::count(x.view.shape)));
    const auto draw = [&] { return has_rare && random() % 6 == 0 ? rare[random() % 5] : static_cast<double>(random() % 7); };
    for (std::complex<double>& each : values) each = {draw(), draw()};
    x.fill(Dtype::complex128, values.data());
}

bool run_step(Backend& backend, Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out) {
    plan::IndexChecks checks(backend);
    const bool is_done = plan::run_step_on_device(backend, op, attributes, operands, out, checks);
    checks.finish();
    return is_done;
}

// The host's result and the device's, to the bit.
void check(Backend& backend, Op op, const ir::Attributes& attributes, std::vector<Mirrored*> operands, Mirrored& out) {
    std::vector<View> here, there;
    for (const Mirrored* each : operands) {
        here.push_back(each->view);
        there.push_back(each->there());
    }
    out.fill(9);
    const device::BackendStatistics before = backend.statistics();
    BOOST_TEST(run_step(backend, op, attributes, there, out.there()));
    const device::BackendStatistics after = backend.statistics();
    BOOST_TEST(after.uploads == before.uploads);
    BOOST_TEST(after.downloaded_bytes - before.downloaded_bytes <= 16U);  // what a check found
    eager::run(op, attributes, here, out.view);
    BOOST_CHECK(out.bytes_there() == out.bytes());
}

// Where elements that are equal have different bits, and any of them may come first.
void check_values(Backend& backend, Op op, const ir::Attributes& attributes, std::vector<Mirrored*> operands, Mirrored& out) {
    std::vector<View> here, there;
    for (const Mirrored* each : operands) {
        here.push_back(each->view);
        there.push_back(each->there());
    }
    BOOST_TEST(run_step(backend, op, attributes, there, out.there()));
    eager::run(op, attributes, here, out.view);
    const std::vector<std::complex<double>> found = out.values_there(), expected = Mirrored::values_of(out.view);
    const auto is_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    for (std::size_t i = 0; i < found.size(); ++i) {
        BOOST_TEST((is_same(found[i].real(), expected[i].real()) && is_same(found[i].imag(), expected[i].imag())), found[i] << " " << expected[i]);
    }
}

// Ones among many elements that change nothing, so that results are exact.
void fill_with_few_ones(Mirrored& x, int unit) {
    std::mt19937 random(21);
    std::vector<std::int8_t> values(static_cast<std::size_t>(shape::count(x.view.shape)));
    for (std::int8_t& each : values) each = static_cast<std::int8_t>(random() % 40 == 0 ? 1 + unit : unit);
    x.fill(int8, values.data());
}

ir::Attributes attributes_of(std::initializer_list<std::int64_t> ints) {
    ir::Attributes attributes;
    for (const std::int64_t each : ints) attributes.ints.push_back(each);
    return attributes;
}

void fill_indices(Mirrored& indices, std::int64_t least, std::int64_t most, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> values(static_cast<std::size_t>(shape::count(indices.view.shape)));
    for (std::int64_t& each : values) each = least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
    indices.fill(Dtype::int64, values.data());
}

// The shape of x with an axis replaced by the indices'.
Shape taken(const Shape& x, std::size_t axis, const Shape& indices) {
    Shape shape(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
    for (const std::int64_t size : indices) shape.push_back(size);
    for (std::size_t i = axis + 1; i < x.size(); ++i) shape.push_back(x[i]);
    return shape;
}

enum Mode : std::int64_t { raise, wrap, clip };

void check_take(Backend& backend, Dtype dtype, const Shape& shape, std::size_t axis, const Shape& picked, const Layout& layout, const Layout& of_indices,
                const Layout& of_out) {
    Mirrored x(backend, dtype, shape, layout.order, layout.every), indices(backend, int64, picked, of_indices.order, of_indices.every);
    Mirrored out(backend, dtype, taken(shape, axis, picked), of_out.order, of_out.every);
    fill_with_all_kinds(x, 1);
    for (const Mode mode : {raise, wrap, clip}) {
        fill_indices(indices, mode == raise ? -shape[axis] : -20, mode == raise ? shape[axis] - 1 : 20, 2);
        check(backend, Op::take, attributes_of({static_cast<std::int64_t>(axis), mode}), {&x, &indices}, out);
    }
}

// The first GPU, or null, which is said.

}  // namespace

DEVICE_CASE(gathers_of_every_dtype) {
    for (const Dtype dtype : all_dtypes()) {
        for (std::size_t axis = 0; axis < 2; ++axis) check_take(backend, dtype, {4, 6}, axis, {5}, layouts(2)[0], layouts(1)[0], layouts(2)[0]);
    }
}

DEVICE_CASE(gathers_of_any_layout) {
    for (const Dtype dtype : {int16, float32, complex128}) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const Layout& layout : layouts(3)) {
                check_take(backend, dtype, {4, 3, 5}, axis, {2, 3}, layout, layouts(2)[0], layouts(4)[0]);
            }
            for (const std::size_t i : {1, 2, 3}) {
                check_take(backend, dtype, {4, 3, 5}, axis, {2, 3}, layouts(3)[i], layouts(2)[i], layouts(4)[i]);
                check_take(backend, dtype, {4, 3, 5}, axis, {}, layouts(3)[i], layouts(0)[0], layouts(2)[i]);
            }
        }
        check_take(backend, dtype, {2, 3, 2, 3, 2}, 2, {2, 2}, layouts(5)[3], layouts(2)[3], layouts(6)[3]);
        check_take(backend, dtype, {7}, 0, {300, 5}, layouts(1)[0], layouts(2)[0], layouts(2)[0]);
    }
}

DEVICE_CASE(gathers_without_elements) {
    for (const Shape& shape : {Shape{3, 0}, Shape{0, 3}, Shape{3, 4}}) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            for (const Shape& picked : {Shape{0}, Shape{2, 0}, Shape{2}}) {
                if (shape[axis] == 0 && picked == Shape{2}) continue;  // an error
                check_take(backend, float32, shape, axis, picked, layouts(2)[0], layouts(picked.size())[0], layouts(picked.size() + 1)[0]);
            }
        }
    }
}

DEVICE_CASE(gathers_of_rows_of_any_length) {
    for (const Dtype dtype : {bool_, float16, float32, complex64, complex128}) {
        for (const std::int64_t length : {1, 2, 3, 4, 6, 8, 16, 17}) {  // units of 1 to 16 bytes
            check_take(backend, dtype, {9, length}, 0, {5}, layouts(2)[0], layouts(1)[0], layouts(2)[0]);
        }
    }
}

DEVICE_CASE(indices_out_of_bounds) {
    const auto message = [&](const Shape& shape, std::size_t axis, std::vector<std::int64_t> picked, const Layout& layout) {
        const Shape of_indices{static_cast<std::int64_t>(picked.size())};
        Mirrored x(backend, int32, shape), indices(backend, int64, of_indices, layout.order, layout.every),
            out(backend, int32, taken(shape, axis, of_indices));
        indices.fill(Dtype::int64, picked.data());
        const auto run = [&](const std::function<void()>& step) {
            try {
                step();
            } catch (const IndexError& error) {
                return std::string(error.what());
            }
            return std::string("none");
        };
        const ir::Attributes attributes = attributes_of({static_cast<std::int64_t>(axis), raise});
        const View here[] = {x.view, indices.view}, there[] = {x.there(), indices.there()};
        std::string found = run([&] { run_step(backend, Op::take, attributes, there, out.there()); });
        BOOST_TEST(found == run([&] { eager::run(Op::take, attributes, here, out.view); }));
        return found;
    };
    BOOST_TEST(message({3, 4}, 0, {0, 2, -3}, layouts(1)[0]) == "none");
    BOOST_TEST(message({3, 4}, 0, {0, 3, -4}, layouts(1)[0]) == "index 3 is out of bounds for axis 0 with size 3");
    BOOST_TEST(message({3, 4}, 1, {0, -5, 9}, layouts(1)[2]) == "index -5 is out of bounds for axis 1 with size 4");
    BOOST_TEST(message({3, 0}, 0, {0, 7}, layouts(1)[0]) == "index 7 is out of bounds for axis 0 with size 3");
    BOOST_TEST(message({3, 0}, 1, {0}, layouts(1)[0]) == "cannot do a non-empty take from an empty axes.");
    std::vector<std::int64_t> many(100'000, 1);
    many[70'000] = 5;
    many[90'000] = -8;
    BOOST_TEST(message({3}, 0, many, layouts(1)[0]) == "index 5 is out of bounds for axis 0 with size 3");
}

DEVICE_CASE(the_first_of_several_wrong_indices_is_told) {
    plan::IndexChecks checks(backend);
    Mirrored x(backend, int32, {3}), indices(backend, int64, {2}), out(backend, int32, {2});
    const View operands[] = {x.there(), indices.there()};
    x.fill(40);
    for (std::int64_t i = 0; i < 200; ++i) {  // more than are waited for together
        std::int64_t picked[] = {0, i < 150 ? 2 : i};
        indices.fill(int64, picked);
        const auto run = [&] { plan::run_step_on_device(backend, Op::take, attributes_of({0, raise}), operands, out.there(), checks); };
        const auto is_first = [](const IndexError& error) { return std::string(error.what()) == "index 150 is out of bounds for axis 0 with size 3"; };
        if (i == 192) BOOST_CHECK_EXCEPTION(run(), IndexError, is_first);
        else BOOST_CHECK_NO_THROW(run());
    }
    BOOST_CHECK_THROW(checks.finish(), IndexError);  // those after the first 192
    BOOST_CHECK_NO_THROW(checks.finish());
}

DEVICE_CASE(first_extremes_of_every_dtype_and_layout) {
    for (const Op op : {Op::argmax, Op::argmin}) {
        for (const Dtype dtype : all_dtypes()) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
                Mirrored x(backend, dtype, {7, 60}), out(backend, int64, {axis == 0 ? 60 : 7});
                fill_with_all_kinds(x, 4);
                check(backend, op, attributes_of({static_cast<std::int64_t>(axis)}), {&x}, out);
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const Layout& layout : layouts(3)) {
                Shape shape{5, 4, 6};
                Mirrored x(backend, float32, shape, layout.order, layout.every);
                shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
                Mirrored out(backend, int64, shape, layouts(2)[3].order, layouts(2)[3].every);
                fill_with_all_kinds(x, 5);
                check(backend, op, attributes_of({static_cast<std::int64_t>(axis)}), {&x}, out);
            }
        }
        Mirrored deep(backend, int8, {2, 3, 2, 3, 2}, {4, 1, 3, 0, 2}, {1, 2, -1, 1, 2}), out(backend, int64, {2, 3, 3, 2});
        deep.fill(6);
        check(backend, op, attributes_of({2}), {&deep}, out);
    }
}

DEVICE_CASE(first_extremes_of_long_lines) {
    for (const Shape& shape : {Shape{1, 20'000}, Shape{3, 9'001}, Shape{2000, 3}, Shape{2, 700}, Shape{0, 5}}) {
        for (const Dtype dtype : {float32, uint8}) {
            Mirrored x(backend, dtype, shape), out(backend, int64, {shape[0]});
            x.fill(7);  // of few values, so that there are many equals
            check(backend, Op::argmax, attributes_of({1}), {&x}, out);
            if (dtype == float32) fill_with_all_kinds(x, 8);
            check(backend, Op::argmin, attributes_of({1}), {&x}, out);
        }
    }
}

DEVICE_CASE(sorts_of_every_dtype_and_layout) {
    for (const Op op : {Op::sort, Op::argsort}) {
        const auto result = [op](Dtype dtype) { return op == Op::sort ? dtype : int64; };
        const ir::Attributes last = attributes_of({1, 1});
        for (const Dtype dtype : all_dtypes()) {
            for (const std::int64_t length : {1, 2, 5, 37, 1024, 2500}) {
                if (length == 2500 && dtype != float32 && dtype != complex128 && dtype != int8) continue;
                Mirrored x(backend, dtype, {2, length}), out(backend, result(dtype), {2, length});
                fill_with_all_kinds(x, 10);
                if (op == Op::sort) check_values(backend, op, last, {&x}, out);
                else check(backend, op, last, {&x}, out);
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const Layout& layout : layouts(3)) {
                Mirrored x(backend, float64, {5, 4, 6}, layout.order, layout.every);
                Mirrored out(backend, result(float64), {5, 4, 6}, layouts(3)[3].order, layouts(3)[3].every);
                x.fill(11);
                check(backend, op, attributes_of({static_cast<std::int64_t>(axis), 1}), {&x}, out);
            }
        }
        for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}}) {
            Mirrored x(backend, int32, shape), out(backend, result(int32), shape);
            check(backend, op, last, {&x}, out);
        }
    }
}

// Parts of sorted lines: by sorting short ones, and all where many elements are wanted.
DEVICE_CASE(parts_of_sorted_lines) {
    for (const Dtype dtype : all_dtypes()) {
        for (const std::int64_t length : {1, 3, 900, 9001}) {
            Mirrored x(backend, dtype, {2, length});
            fill_with_all_kinds(x, 13);
            for (const std::int64_t first : {std::int64_t{0}, length / 2, length - 1}) {
                for (const std::int64_t count : {1, 2, 3}) {
                    if (first + count > length || (count == 3 && dtype != float32)) continue;
                    Mirrored out(backend, dtype, {2, count}, layouts(2)[3].order, layouts(2)[3].every);
                    ir::Attributes attributes = attributes_of({1, 0});
                    attributes.dims = {shape::Dim(first), shape::Dim(count)};
                    check_values(backend, Op::sort, attributes, {&x}, out);
                }
            }
        }
    }
    Mirrored x(backend, float64, {6000, 3}, layouts(2)[1].order, layouts(2)[1].every), out(backend, float64, {2, 3});
    fill_with_all_kinds(x, 14);
    ir::Attributes attributes = attributes_of({0, 0});
    attributes.dims = {shape::Dim(2999), shape::Dim(2)};
    check_values(backend, Op::sort, attributes, {&x}, out);
}

// Any bits, so that all passes of a selection find something.
DEVICE_CASE(elements_of_sorted_lines_by_their_bits) {
    for (const Dtype dtype : {int8, int16, uint32, int64, uint64, float16, float32, float64}) {
        Mirrored x(backend, dtype, {20'000}), out(backend, dtype, {2});
        std::mt19937_64 random(15);
        std::vector<std::uint64_t> bits(20'000 * itemsize_of(dtype) / 8);
        for (std::uint64_t& each : bits) each = random();
        x.fill(dtype, bits.data());
        for (const std::int64_t first : {0, 1, 777, 9999, 19'998}) {
            ir::Attributes attributes = attributes_of({0, 0});
            attributes.dims = {shape::Dim(first), shape::Dim(2)};
            check_values(backend, Op::sort, attributes, {&x}, out);
        }
    }
}

DEVICE_CASE(sorts_of_many_passes) {
    for (const std::int64_t length : {1025, 2048, 4097, 9000}) {
        Mirrored x(backend, uint16, {2, length}), places(backend, int64, {2, length}), sorted(backend, uint16, {2, length});
        std::mt19937 random(12);
        std::vector<std::uint16_t> values(static_cast<std::size_t>(2 * length));
        for (std::uint16_t& each : values) each = static_cast<std::uint16_t>(random() % 500);
        x.fill(uint16, values.data());
        check(backend, Op::argsort, attributes_of({1, 1}), {&x}, places);
        check(backend, Op::sort, attributes_of({1}), {&x}, sorted);
    }
}

namespace {

void check_search(Backend& backend, Dtype dtype, const Shape& stack, std::int64_t length, std::int64_t count, const Layout& of_keys,
                  const Layout& of_values, const Layout& of_places) {
    const auto with = [&](std::int64_t last) {
        Shape shape = stack;
        shape.push_back(last);
        return shape;
    };
    Mirrored given(backend, dtype, with(length)), keys(backend, dtype, with(length), of_keys.order, of_keys.every);
    Mirrored values(backend, dtype, with(count), of_values.order, of_values.every), places(backend, int64, with(count), of_places.order, of_places.every);
    fill_with_all_kinds(given, 31);
    std::vector<char> sorted(static_cast<std::size_t>(shape::count(given.view.shape)) * itemsize_of(dtype) + 1);
    View view{sorted.data(), dtype, given.view.shape, shape::c_strides(given.view.shape, itemsize_of(dtype))};
    const View operand[] = {given.view};
    eager::run(Op::sort, attributes_of({static_cast<std::int64_t>(stack.size()), 1}), operand, view);
    keys.fill(dtype, sorted.data());
    fill_with_all_kinds(values, 32);
    for (const std::int64_t behind : {0, 1}) check(backend, Op::searchsorted, attributes_of({behind}), {&keys, &values}, places);
}

}  // namespace

DEVICE_CASE(searches_of_every_dtype_and_layout) {
    for (const Dtype dtype : all_dtypes()) {
        for (const std::int64_t length : {0, 1, 2, 3, 100, 513, 9000}) {
            check_search(backend, dtype, {}, length, 300, layouts(1)[0], layouts(1)[0], layouts(1)[0]);
        }
        check_search(backend, dtype, {}, 8192, 2100, layouts(1)[0], layouts(1)[0], layouts(1)[0]);
        check_search(backend, dtype, {3, 2}, 70, 9, layouts(3)[0], layouts(3)[1], layouts(3)[2]);
    }
    for (const Layout& layout : layouts(2)) check_search(backend, float32, {3}, 5000, 1200, layouts(2)[3], layout, layouts(2)[1]);
    for (const Shape& stack : {Shape{}, Shape{0}})
        check_search(backend, float64, stack, 7, stack.empty() ? 0 : 4, layouts(stack.size() + 1)[0], layouts(stack.size() + 1)[0],
                     layouts(stack.size() + 1)[0]);
}

DEVICE_CASE(running_folds_of_every_dtype_and_layout) {
    for (const Op op : {Op::cumsum, Op::cumprod}) {
        for (const Dtype dtype : all_dtypes()) {
            for (const std::int64_t length : {1, 30, 200, 5000}) {
                if (length > 200 && op == Op::cumprod) continue;
                Mirrored x(backend, dtype, {2, length}), out(backend, dtype, {2, length});
                if (is_inexact(dtype)) fill_with_few_ones(x, op == Op::cumprod ? 1 : 0);
                else x.fill(13);
                check(backend, op, attributes_of({1}), {&x}, out);
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const Layout& layout : layouts(3)) {
                for (const Shape& shape : {Shape{5, 4, 6}, Shape{40, 3, 2}, Shape{2, 70, 3}, Shape{2, 3, 50}}) {
                    Mirrored x(backend, int32, shape, layout.order, layout.every), out(backend, int32, shape, layouts(3)[3].order, layouts(3)[3].every);
                    x.fill(14);
                    check(backend, op, attributes_of({static_cast<std::int64_t>(axis)}), {&x}, out);
                }
            }
        }
        Mirrored none(backend, int32, {3, 0}), nothing(backend, int32, {3, 0});
        check(backend, op, attributes_of({1}), {&none}, nothing);
    }
}

DEVICE_CASE(running_folds_of_long_lines) {
    for (const std::int64_t length : {2048, 2049, 4096, 70'000}) {
        Mirrored x(backend, int64, {2, length}), out(backend, int64, {2, length});
        x.fill(15);
        check(backend, Op::cumsum, attributes_of({1}), {&x}, out);
        Mirrored column(backend, uint8, {length, 2}), below(backend, uint8, {length, 2});
        column.fill(16);
        check(backend, Op::cumsum, attributes_of({0}), {&column}, below);
    }
}

// Tiles of all lengths about the end of a tile, of a group, and of a cluster (16 bytes an element: 1,024 are a tile, as many times 32 and 32 again).
DEVICE_CASE(running_folds_of_groups_of_tiles) {
    Selection selection;
    for (const std::int64_t length : {511, 512, 513, 1024, 1025, 32 * 1024 - 1, 32 * 1024, 33 * 1024, 32 * 32 * 1024 - 3, 32 * 32 * 1024 + 2 * 1024 + 5}) {
        if (!selection.takes()) continue;
        Mirrored x(backend, complex128, {length}), out(backend, complex128, {length});
        fill_with_few_ones(x, 0);
        check(backend, Op::cumsum, attributes_of({0}), {&x}, out);
    }
    for (const Dtype dtype : {bool_, int8, uint16, float16, int32, complex64}) {
        if (!selection.takes()) continue;
        Mirrored x(backend, dtype, {3, 40'001}), out(backend, dtype, {3, 40'001});
        if (is_inexact(dtype)) fill_with_few_ones(x, 0);
        else x.fill(13);
        check(backend, Op::cumsum, attributes_of({1}), {&x}, out);
        Mirrored rows(backend, dtype, {70, 300}, {0, 1}, {1, 2}), below(backend, dtype, {70, 300});
        if (is_inexact(dtype)) fill_with_few_ones(rows, 0);
        else rows.fill(14);
        check(backend, Op::cumsum, attributes_of({1}), {&rows}, below);
    }
}

DEVICE_CASE(places_of_what_is_true) {
    for (const std::int64_t length : {0, 1, 7, 2048, 2049, 100'000}) {
        for (const int kind : {0, 1, 2, 3}) {  // none, all, some, every second element of memory
            std::mt19937 random(17);
            std::vector<std::uint8_t> values(static_cast<std::size_t>(length));
            for (std::uint8_t& each : values) each = kind == 0 ? 0 : kind == 1 ? 1 : random() % 3 == 0 ? 1 : 0;
            Mirrored mask(backend, bool_, {length}, {0}, {kind == 3 ? 2 : 1});
            mask.fill(uint8, values.data());
            Mirrored out(backend, int64, {std::count(values.begin(), values.end(), std::uint8_t{1})});
            check(backend, Op::nonzero, {}, {&mask}, out);
        }
    }
}

namespace {

void check_scatter(Backend& backend, std::int64_t combine, Dtype dtype, const Shape& shape, const Shape& picked, const Layout& layout,
                   const Layout& of_values, unsigned seed = 20) {
    const auto rank = picked.size() + shape.size() - 1;
    Shape given = picked;
    for (std::size_t i = 1; i < shape.size(); ++i) given.push_back(shape[i]);
    Mirrored x(backend, dtype, shape, layout.order, layout.every), indices(backend, int64, picked);
    Mirrored values(backend, dtype, given, of_values.order, of_values.every),
        out(backend, dtype, shape, layouts(shape.size())[3].order, layouts(shape.size())[3].every);
    BOOST_REQUIRE(of_values.order.size() == rank);
    x.fill(seed + 1);
    values.fill(seed + 2);
    fill_indices(indices, -shape[0], shape[0] - 1, seed);
    check(backend, Op::scatter, attributes_of({combine}), {&x, &indices, &values}, out);
}

constexpr std::int64_t replaces = -1;
constexpr auto adds = static_cast<std::int64_t>(Op::add);

}  // namespace

DEVICE_CASE(scatters_of_every_dtype) {
    for (const Dtype dtype : all_dtypes()) {
        check_scatter(backend, replaces, dtype, {5, 3}, {4}, layouts(2)[0], layouts(2)[0]);
        check_scatter(backend, replaces, dtype, {5}, {300}, layouts(1)[0], layouts(1)[0]);
        check_scatter(backend, adds, dtype, {5, 3}, {4}, layouts(2)[0], layouts(2)[0]);
        check_scatter(backend, adds, dtype, {5}, {300}, layouts(1)[0], layouts(1)[0]);
    }
    for (const Op op : {Op::subtract, Op::multiply, Op::maximum, Op::minimum, Op::divide, Op::fmax, Op::copysign}) {
        check_scatter(backend, static_cast<std::int64_t>(op), float64, {5, 3}, {4}, layouts(2)[0], layouts(2)[0]);
    }
    for (const Op op : {Op::bitwise_xor, Op::maximum, Op::floor_divide, Op::gcd, Op::left_shift}) {
        check_scatter(backend, static_cast<std::int64_t>(op), int32, {5, 3}, {14}, layouts(2)[0], layouts(2)[0]);
    }
}

DEVICE_CASE(scatters_of_any_layout) {
    for (const std::int64_t combine : {replaces, adds}) {
        for (const Layout& layout : layouts(4)) {
            check_scatter(backend, combine, int16, {4, 3, 5}, {2, 3}, layouts(3)[1], layout);
            check_scatter(backend, combine, complex64, {4, 3, 5}, {2, 3}, layouts(3)[3], layout);
        }
        check_scatter(backend, combine, float32, {4, 2, 3, 2, 2}, {2, 3}, layouts(5)[1], layouts(6)[3]);
        check_scatter(backend, combine, float32, {7, 8}, {6}, layouts(2)[0], layouts(2)[4]);
        check_scatter(backend, combine, float32, {7}, {6}, layouts(1)[0], layouts(1)[4]);
        check_scatter(backend, combine, float32, {7}, {}, layouts(1)[0], layouts(0)[0]);
        for (const Shape& shape : {Shape{3, 0}, Shape{3, 2}}) check_scatter(backend, combine, int8, shape, {0}, layouts(2)[0], layouts(2)[0]);
        check_scatter(backend, combine, int8, {3, 0}, {4}, layouts(2)[0], layouts(2)[0]);
    }
}

DEVICE_CASE(many_values_for_a_row) {
    for (const std::int64_t count : {1000, 1025, 5000}) {
        for (const std::int64_t rows : {1, 3, 50}) {
            check_scatter(backend, replaces, int32, {rows, 2}, {count}, layouts(2)[0], layouts(2)[0]);
            for (const Op op : {Op::add, Op::subtract, Op::multiply, Op::maximum}) {
                check_scatter(backend, static_cast<std::int64_t>(op), int32, {rows, 2}, {count}, layouts(2)[0], layouts(2)[0]);
            }
            check_scatter(backend, adds, float64, {rows, 2}, {count}, layouts(2)[0], layouts(2)[0]);  // of whole numbers
        }
    }
}

// Sums of inexact dtypes without sorting, of whole numbers: the values in parts and pieces of any length.
DEVICE_CASE(many_values_for_few_rows) {
    for (const Dtype dtype : {float16, bfloat16, float32, float64, complex64, complex128}) {
        for (const std::int64_t rows : {1, 7, 33, 700}) {
            const std::int64_t count = rows * 1025 + rows;
            if (rows == 700 && dtype != float64) continue;
            if (itemsize_of(dtype) == 2 && rows > 1) continue;  // sums that are exact
            check_scatter(backend, adds, dtype, {rows}, {count}, layouts(1)[0], layouts(1)[0]);
            check_scatter(backend, adds, dtype, {rows, 1}, {count}, layouts(2)[3], layouts(2)[2]);
            check_scatter(backend, adds, dtype, {rows}, {count}, layouts(1)[1], layouts(1)[4]);
        }
    }
    Mirrored x(backend, float32, {3}), indices(backend, int64, {9000}), values(backend, float32, {9000});
    x.fill(30);
    values.fill(31);
    fill_indices(indices, -4, 2, 32);
    const View operands[] = {x.there(), indices.there(), values.there()};
    BOOST_CHECK_THROW(run_step(backend, Op::scatter, attributes_of({adds}), operands, x.there()), IndexError);
    BOOST_CHECK(x.bytes_there() == x.bytes());
}

DEVICE_CASE(wide_rows_with_many_values) {
    for (const std::int64_t rows : {1, 4, 2000}) {
        check_scatter(backend, adds, float64, {rows, 40}, {3000}, layouts(2)[0], layouts(2)[0]);
        check_scatter(backend, adds, float32, {rows, 3, 33}, {1500}, layouts(3)[3], layouts(3)[1]);
        check_scatter(backend, static_cast<std::int64_t>(Op::maximum), int16, {rows, 64}, {2500}, layouts(2)[0], layouts(2)[1]);
    }
}

// By atomic operations where the order makes no difference; sums for few rows in shared memory first.
DEVICE_CASE(whole_numbers_joined) {
    for (const Dtype dtype : {int32, uint32, int64, uint64, int16}) {
        for (const Op op : {Op::add, Op::subtract, Op::maximum, Op::minimum, Op::fmax, Op::fmin, Op::bitwise_and, Op::bitwise_or, Op::bitwise_xor}) {
            const auto combine = static_cast<std::int64_t>(op);
            check_scatter(backend, combine, dtype, {5, 3}, {14}, layouts(2)[1], layouts(2)[3]);
            check_scatter(backend, combine, dtype, {40}, {300}, layouts(1)[0], layouts(1)[2]);
            check_scatter(backend, combine, dtype, {40}, {300}, layouts(1)[3], layouts(1)[4]);
        }
        for (const Op op : {Op::add, Op::subtract}) {
            for (const std::int64_t rows : {1, 100, 2048, 2049}) {
                check_scatter(backend, static_cast<std::int64_t>(op), dtype, {rows}, {9000}, layouts(1)[0], layouts(1)[0]);
                check_scatter(backend, static_cast<std::int64_t>(op), dtype, {rows, 1}, {3, 1500}, layouts(2)[3], layouts(3)[0]);
                check_scatter(backend, static_cast<std::int64_t>(op), dtype, {rows}, {9000}, layouts(1)[0], layouts(1)[4]);
            }
        }
    }
}

DEVICE_CASE(few_values_for_many_rows) {
    for (const std::int64_t count : {1, 5, 60}) {
        for (const std::int64_t combine : {replaces, adds}) check_scatter(backend, combine, float32, {5000, 3}, {count}, layouts(2)[0], layouts(2)[0]);
        Mirrored x(backend, int16, {10'000}), indices(backend, int64, {count}), values(backend, int16, {count});
        x.fill(1);
        values.fill(2);
        fill_indices(indices, -3, 3, 3);
        check(backend, Op::scatter, attributes_of({replaces}), {&x, &indices, &values}, x);
    }
}

DEVICE_CASE(a_scatter_that_raises_writes_nothing) {
    for (const std::int64_t combine : {replaces, adds}) {
        Mirrored x(backend, float32, {3, 2}), indices(backend, int64, {4}), values(backend, float32, {4, 2});
        x.fill(30);
        values.fill(31);
        std::int64_t picked[] = {0, 1, 3, -9};
        indices.fill(int64, picked);
        const View operands[] = {x.there(), indices.there(), values.there()};
        BOOST_CHECK_EXCEPTION(run_step(backend, Op::scatter, attributes_of({combine}), operands, x.there()), IndexError,
                              [](const IndexError& error) { return std::string(error.what()) == "index 3 is out of bounds for axis 0 with size 3"; });
        BOOST_CHECK(x.bytes_there() == x.bytes());
    }
}

DEVICE_CASE(whole_numbers_to_powers_are_the_hosts) {
    Mirrored x(backend, int32, {3}), indices(backend, int64, {2}), values(backend, int32, {2});
    const View operands[] = {x.there(), indices.there(), values.there()};
    BOOST_TEST(!run_step(backend, Op::scatter, attributes_of({static_cast<std::int64_t>(Op::power)}), operands, x.there()));
}
