// The reference program: an outer product of every row, summed. NumPy and eager execution make the whole product in memory; compiled, one kernel
// reads X and Y and writes one number a row.
#include "timing.h"

using namespace fastnp;

array outer_sum(const array& X, const array& Y) { return sum(X(all, all, newaxis) * Y(all, newaxis, all), {.axis = {-2, -1}}); }

int main() {
    const auto fast = compile(outer_sum, {.name = "outer_sum"});
    const array X = example::normal({1024, 64}, 1);
    const array Y = example::normal({1024, 64}, 2);

    const auto start = std::chrono::steady_clock::now();
    const array first = fast(X, Y);
    const double first_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

    const array eager = outer_sum(X, Y);
    const double error = example::difference(first, eager);
    example::expect(first.shape() == Shape{1024}, "one sum a row");
    example::expect(error < 1e-3, "compiled equals eager");
    example::report("outer_sum 1024 x 64", example::median_ms([&] { return outer_sum(X, Y); }, 5), example::median_ms([&] { return fast(X, Y); }), error);
    std::printf("first call %.1f ms; ", first_ms);
    for (const int rows : {1, 7, 0, 500}) {  // other sizes: one more compilation serves them all
        const array x = example::normal({rows, 64}, 3);
        example::expect(example::difference(fast(x, x), outer_sum(x, x)) < 1e-3, "other sizes");
    }
    const CacheInfo info = fast.cache_info();
    std::printf("%llu compilations for 5 sizes\n", static_cast<unsigned long long>(info.compiles));
    return 0;
}
