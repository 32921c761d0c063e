// The reference program on a CUDA device, in three forms: arrays of the host in a device scope, arrays that live on the device, and a gradient there.
#include "timing.h"

using namespace fastnp;

array outer_sum(const array& X, const array& Y) { return sum(X(all, all, newaxis) * Y(all, newaxis, all), {.axis = {-2, -1}}); }

array loss(const array& X, const array& Y) { return mean(square(outer_sum(X, Y))); }

int main() {
    const array X = example::normal({32768, 64}, 1);
    const array Y = example::normal({32768, 64}, 2);
    if (const std::string problem = cuda_problem(); !problem.empty()) {
        std::printf("no CUDA device: %s\n", problem.c_str());
        try {
            const device_scope scope("cuda");
            example::expect(false, "there is none");
        } catch (const DeviceError& error) {
            std::printf("device_scope says: %s\n", error.what());
        }
        return 0;
    }
    const auto fast = compile(outer_sum, {.name = "outer_sum"});
    const array exact = sum(X, {.axis = 1}) * sum(Y, {.axis = 1});

    // 1. In a scope: arrays of the host are copied there, and the result is at home there.
    {
        const device_scope scope("cuda");
        const array Z = fast(X, Y);
        example::expect(Z.device() == "cuda:0", "the result is on the device");
        example::expect(example::difference(Z, exact) < 1e-3, "in a scope");
    }

    // 2. Arrays that live on the device: nothing is copied until a result is read.
    const array x = X.to("cuda"), y = Y.to("cuda");
    array z = fast(x, y);
    const DeviceStatistics before = device_statistics("cuda");
    const double ms = example::median_ms([&] {
        for (int i = 0; i < 20; ++i) z = fast(x, y);
        synchronize("cuda");
        return 0;
    });
    example::expect(device_statistics("cuda").downloads == before.downloads, "nothing comes back");
    example::expect(example::difference(z, exact) < 1e-3, "resident");
    std::printf("resident arrays: %.4f ms a call\n", ms / 20);

    // 3. A gradient there: of the mean of the squares, 2/n Z_i sum(Y_i) for each element of the row X_i.
    const auto step = compile([](const array& a, const array& b) { return value_and_grad(loss)(a, b).second; }, {.name = "gradient"});
    const array gradient = step(x, y);
    const array expected = (exact * sum(Y, {.axis = 1}) * (2.0F / 32768.0F))(all, newaxis) + 0.0F * X;
    example::expect(gradient.device() == "cuda:0", "the gradient is on the device");
    example::expect(static_cast<double>(fastnp::max(absolute(gradient - expected)).item<float>()) < 1e-3, "gradient");
    std::printf("gradient: right\n");
    return 0;
}
