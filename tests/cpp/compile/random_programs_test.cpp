// Random programs: compiled, they give what they give as written, for several sizes each.
#include "compile/random_program.h"

#include <boost/test/unit_test.hpp>

#include "selection.h"

using namespace fastnp;

namespace {

array sample(const Shape& shape, unsigned seed) {
    array x = array::uninitialized(float64, shape);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> distribution(-2, 2);
    for (double& element : x.as_span<double>()) element = distribution(engine);
    return x;
}

bool close(const array& a, const array& b) {
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
    if (a.size() == 0) return true;
    return max(absolute(a - b) / maximum(absolute(b), 1.0)).item<double>() < 1e-11;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_programs)

BOOST_AUTO_TEST_CASE(compiled_equals_as_written) {
    Selection selection;
    for (unsigned seed = 0; seed < 250; ++seed) {
        if (!selection.takes()) continue;
        const RandomProgram program(seed);
        const auto compiled = compile(program);
        for (const Shape& shape : {Shape{6, 5}, Shape{9, 5}, Shape{3, 17}, Shape{1, 5}}) {
            const array x = sample(shape, seed + 1);
            const array y = sample({4, 3}, seed + 2);
            for (const array& view : {x, x(every(-1), all)}) {
                const auto got = compiled(view, y);
                const auto want = program(view, y);
                BOOST_REQUIRE(got.size() == want.size());
                for (std::size_t i = 0; i < want.size(); ++i) {
                    BOOST_TEST(close(got[i], want[i]), "program " << seed << ", shape (" << shape[0] << ", " << shape[1] << "), result " << i);
                }
            }
        }
        BOOST_TEST(compiled.cache_info().uncompiled == 0U, "program " << seed);
    }
}

BOOST_AUTO_TEST_SUITE_END()
