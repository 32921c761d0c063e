// Transposes by way of shared memory: what is loaded and stored along two axes is what the host's code makes of it, and moved in whole lines.
#include <boost/test/unit_test.hpp>

#include "codegen/nvptx.h"
#include "codegen/on_both_machines.h"
#include "codegen/ptx.h"
#include "nest/grid.h"

using namespace fastnp;

namespace {

using Function = std::function<Arrays(const Arrays&)>;

nest::Grid grid_of(const Function& function, const std::vector<Argument>& arguments) {
    RecordedKernels recorded = kernels_of(function, arguments);
    BOOST_REQUIRE(recorded.kernels.size() == 1U);
    return nest::grid_of(recorded.kernels[0].kernel, recorded.sizes);
}

Arrays turned(const Arrays& x) { return {transpose(x[0]) + 1}; }
Arrays added(const Arrays& x) { return {x[0] + transpose(x[1])}; }
Arrays stacked(const Arrays& x) { return {swapaxes(x[0], -1, -2) + x[1]}; }
Arrays two_results(const Arrays& x) {
    const array sum = x[0] + transpose(x[1]);
    return {sum * 2, sum - x[0]};
}
Arrays cast(const Arrays& x) { return {x[0].astype(float64) + transpose(x[1]).astype(float64)}; }
Arrays backwards(const Arrays& x) { return {x[0] - flip(transpose(x[1]), 0), x[0] * flip(transpose(x[1]), 1)}; }
Arrays padded(const Arrays& x) { return {x[0] * 2 + transpose(pad(x[1](range(2, -1), range(1, -1)), {{1, 2}, {2, 0}}))}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(grid_tile)

BOOST_AUTO_TEST_CASE(transposes_compute_what_the_host_computes) {
    for (const Dtype dtype : {bool_, int8, float16, float32, float64, complex64, complex128}) {
        const std::vector<std::int64_t> whole{256, 128}, odd{203, 331}, wide{45, 1033}, narrow{1300, 20};
        for (const auto& shape : {whole, odd, wide, narrow}) {
            const std::vector<std::int64_t> other{shape[1], shape[0]};
            for (const bool varies : {false, true}) {
                BOOST_TEST_CONTEXT(name_of(dtype) << " (" << shape[0] << ", " << shape[1] << ")" << (varies ? ", varying" : "")) {
                    const nest::Tile tile = grid_of(turned, {{dtype, other, varies}}).tile;
                    BOOST_TEST(tile.loads.size() + tile.stores.size() == 1U);
                    compare(turned, {{dtype, other, varies}}, varies);
                    compare(added, {{dtype, shape, varies}, {dtype, other, varies}}, false);
                    compare(added, {{dtype, shape, varies}, {dtype, other, varies}}, true);
                    compare(cast, {{dtype, shape, varies}, {dtype, other, varies}}, varies);
                    if (dtype != bool_) compare(two_results, {{dtype, shape, varies}, {dtype, other, varies}}, varies);
                    if (dtype != bool_) compare(backwards, {{dtype, shape, varies}, {dtype, other, varies}}, false);
                    if (!varies) compare(padded, {{dtype, shape}, {dtype, other}}, false);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(stacks_compute_what_the_host_computes) {
    for (const Dtype dtype : {int8, float32, complex128}) {
        for (const bool varies : {false, true}) {
            compare(stacked, {{dtype, {3, 70, 97}, varies}, {dtype, {3, 97, 70}, varies}}, varies);
            compare([](const Arrays& x) { return Arrays{transpose(x[0], Shape{2, 0, 1}) * 2}; }, {{dtype, {33, 40, 37}, varies}}, false);
            compare([](const Arrays& x) { return Arrays{transpose(x[0], Shape{2, 1, 0}) + transpose(x[1], Shape{0, 2, 1})}; },
                    {{dtype, {40, 41, 42}, varies}, {dtype, {42, 40, 41}, varies}}, false);
        }
    }
}

// Pictures: some channels, which are an axis of their own or lie side by side.
BOOST_AUTO_TEST_CASE(short_axes_are_in_one_tile) {
    for (const Dtype dtype : {uint8, float16, float32, complex128}) {
        for (const std::int64_t channels : {2, 3, 4, 8, 13, 16, 24}) {
            for (const bool varies : {false, true}) {
                BOOST_TEST_CONTEXT(name_of(dtype) << ", " << channels << (varies ? ", varying" : "")) {
                    compare(turned, {{dtype, {9001, channels}, varies}}, false);
                    compare(turned, {{dtype, {channels, 9001}, varies}}, varies);
                    compare(turned, {{dtype, {channels, 8192}, varies}}, false);
                }
            }
        }
    }
    const nest::Grid three = grid_of([](const Arrays& x) { return Arrays{transpose(x[0]) * 2}; }, {{float32, {3, 100000}}});
    BOOST_TEST(three.tile.steps == 3);
    BOOST_TEST(three.tile.loads.empty());
    BOOST_TEST(three.tile.stores.size() == 1U);
}

BOOST_AUTO_TEST_CASE(tiles_are_for_what_lies_along_two_axes) {
    const auto is_tiled = [](const Function& function, const std::vector<Argument>& arguments) { return grid_of(function, arguments).tile.is_used(); };
    const Argument a{float32, {1000, 2000}}, b{float32, {2000, 1000}};
    BOOST_TEST(is_tiled(added, {a, b}));
    BOOST_TEST(!is_tiled([](const Arrays& x) { return Arrays{x[0] + x[1]}; }, {a, a}));
    BOOST_TEST(!is_tiled([](const Arrays& x) { return Arrays{transpose(x[0] + 1)}; }, {a}));  // in Fortran order
    BOOST_TEST(!is_tiled([](const Arrays& x) { return Arrays{x[0] + x[1](all, newaxis)}; }, {a, {float32, {1000}}}));
    BOOST_TEST(!is_tiled([](const Arrays& x) { return Arrays{x[0] + x[1](all, range(0, 1))}; }, {a, {float32, {1000, 7}}}));
    BOOST_TEST(!is_tiled(added, {{float32, {20, 30}}, {float32, {30, 20}}}));  // too little to do
    // As many operands as there is room for; those that are fewer go by way of tiles.
    const auto tile_of = [](std::size_t turned) {
        const auto sum = [turned](const Arrays& x) {
            array all = x[0] + 1;
            for (std::size_t i = 1; i < x.size(); ++i) all = all + (i < 6 - turned ? x[i] : transpose(x[i]));
            return Arrays{all};
        };
        std::vector<Argument> arguments(6, {complex128, {300, 400}});
        for (std::size_t i = 6 - turned; i < 6; ++i) arguments[i].shape = {400, 300};
        return grid_of(sum, arguments).tile;
    };
    BOOST_TEST(tile_of(3).loads.size() == 2U);
    BOOST_TEST(tile_of(5).loads.size() == 1U);
    BOOST_TEST(tile_of(5).stores.size() == 1U);
}

BOOST_AUTO_TEST_CASE(tiled_kernels_are_assembled) {
    Assembler assembler;
    llvm::LLVMContext context;
    llvm::Module module("tiles", context);
    codegen::set_nvptx_target(module);
    int count = 0;
    const auto add = [&](const Function& function, const std::vector<Argument>& arguments) {
        RecordedKernels recorded = kernels_of(function, arguments);
        for (RecordedKernel& each : recorded.kernels) {
            const nest::Grid grid = nest::grid_of(each.kernel, recorded.sizes);
            BOOST_TEST(grid.tile.is_used());
            codegen::emit_grid(each.kernel, grid, module, "tile_" + std::to_string(count++));
        }
    };
    for (const Dtype dtype : {uint8, float16, float32, float64, complex128}) {
        for (const bool varies : {false, true}) {
            add(turned, {{dtype, {2048, 1024}, varies}});
            add(added, {{dtype, {1000, 2000}, varies}, {dtype, {2000, 1000}, varies}});
            add(two_results, {{dtype, {1000, 2000}, varies}, {dtype, {2000, 1000}, varies}});
        }
    }
    const std::string text = checked_ptx(module, 90);
    BOOST_TEST(has(text, "bar.sync"));
    assembler.add("tiles", text, 90);
    BOOST_TEST(assembler.complaints() == "");
}

BOOST_AUTO_TEST_SUITE_END()
