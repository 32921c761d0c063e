// Softmax and layer norm: reductions along rows with their consumers, one kernel each, the row kept in cache.
#include "timing.h"

using namespace fastnp;

array softmax(const array& x) {
    const array e = exp(x - max(x, {.axis = -1, .keepdims = true}));
    return e / sum(e, {.axis = -1, .keepdims = true});
}

array layer_norm(const array& x, const array& gain, const array& bias, double epsilon) {
    const array centred = x - mean(x, {.axis = -1, .keepdims = true});
    const array variance = mean(square(centred), {.axis = -1, .keepdims = true});
    return centred / sqrt(variance + epsilon) * gain + bias;
}

int main() {
    const array x = example::normal({2048, 1024}, 1);
    const array gain = example::normal({1024}, 2);
    const array bias = example::normal({1024}, 3);

    const auto fast_softmax = compile(softmax, {.name = "softmax"});
    const array rows = sum(fast_softmax(x), {.axis = -1});
    example::expect(example::difference(rows, ones({2048}, float32)) < 1e-5, "rows of a softmax sum to one");
    double error = example::difference(fast_softmax(x), softmax(x));
    example::expect(error < 1e-5, "compiled softmax equals eager");
    example::report("softmax 2048 x 1024", example::median_ms([&] { return softmax(x); }, 5), example::median_ms([&] { return fast_softmax(x); }), error);

    const auto fast_norm = compile(layer_norm, {.name = "layer_norm"});
    error = example::difference(fast_norm(x, gain, bias, 1e-5), layer_norm(x, gain, bias, 1e-5));
    example::expect(error < 1e-4, "compiled layer norm equals eager");
    example::report("layer_norm 2048 x 1024", example::median_ms([&] { return layer_norm(x, gain, bias, 1e-5); }, 5),
                    example::median_ms([&] { return fast_norm(x, gain, bias, 1e-5); }), error);
    return 0;
}
