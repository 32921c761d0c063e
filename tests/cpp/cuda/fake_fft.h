// cuFFT without a GPU, for tests: over the driver that has none, so transforms are done when the stream is waited for. It checks what it is given as the
// library would.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "cuda/fft.h"

namespace fastnp::cuda {

/// One at a time, over the newest FakeDriver.
class FakeFft {
public:
    FakeFft();
    ~FakeFft();
    FakeFft(const FakeFft&) = delete;
    FakeFft& operator=(const FakeFft&) = delete;

    /// As Transforms::FindFft: the table of the newest one.
    static const Fft& find(const Driver& driver);

    struct Plan {
        std::array<long long, 6> numbers{};  // points, the distances of what is read and written, the count
        int type = 0;
        Handle stream = nullptr;
        bool is_manual = false;
        void* workspace = nullptr;
    };

    Fft fft;
    int made = 0;                  // plans
    std::size_t workspace = 1000;  // that transforms want
    int status = 0;                // that making a plan gives
    std::map<int, Plan> plans;     // that were not destroyed
    std::vector<std::string> misuses;
};

}  // namespace fastnp::cuda
