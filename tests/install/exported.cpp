// Calls what the build exported, by its header.
#include <cmath>
#include <cstdio>

#include "layer.h"

int main() {
    fastnp_exported_function* function = nullptr;
    fastnp_exported_array results[layer_results];
    double x[] = {1, 1, 1, 1, 1, 1};
    float y[] = {1, 1, 1};
    double totals[2] = {0, 0};
    bool is_right = fastnp_exported_open(FASTNP_LIBRARY_layer, &function) == FASTNP_OK && layer(function, x, 2, results) == FASTNP_OK;
    if (is_right) {
        totals[0] = *static_cast<double*>(results[1].data);
        is_right =
            results[0].shape[0] == 2 && results[0].shape[1] == 4 && std::abs(static_cast<double*>(results[0].data)[0] - std::tanh(-18 / 11.0)) < 1e-12;
        for (fastnp_exported_array& result : results) fastnp_exported_release(&result);
        is_right = is_right && layer_1(function, y, 1, results) == FASTNP_OK;
    }
    if (is_right) {
        totals[1] = *static_cast<float*>(results[1].data);
        for (fastnp_exported_array& result : results) fastnp_exported_release(&result);
        fastnp_exported_close(function);
    }
    std::printf("%.1f %.1f%s\n", totals[0], totals[1], fastnp_exported_error());
    return is_right && totals[0] == 6 && totals[1] == 3 ? 0 : 1;
}
