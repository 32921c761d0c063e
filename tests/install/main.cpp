// Uses an installed fastnp: compiles a lambda, runs it, looks at the numbers, and catches an error across the library's edge.
#include <fastnp/fastnp.h>

#include <cstdio>

int main() {
    using fastnp::array;
    const auto f = fastnp::compile([](const array& x, const array& y) { return fastnp::sum(x * y + 1.0); });
    const array x({1.0, 2.0, 3.0});
    const array y({4.0, 5.0, 6.0});
    const double result = f(x, y).item<double>();
    if (result != 35.0) {
        std::printf("expected 35, got %g\n", result);
        return 1;
    }
    try {
        static_cast<void>(x + array({1.0, 2.0}));
    } catch (const fastnp::ValueError& error) {
        std::printf("35, and: %s\n", error.what());
        return 0;
    }
    std::printf("no ValueError for shapes that do not broadcast\n");
    return 1;
}
