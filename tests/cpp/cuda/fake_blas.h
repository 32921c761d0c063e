// cuBLASLt without a GPU, for tests: over the driver that has none, so products are done when the stream is waited for. It checks what it is given as the
// library would, and knows how often it was asked.
#pragma once

#include <string>
#include <vector>

#include "cuda/blas.h"

namespace fastnp::cuda {

/// One at a time, over the newest FakeDriver.
class FakeBlas {
public:
    FakeBlas();
    ~FakeBlas();
    FakeBlas(const FakeBlas&) = delete;
    FakeBlas& operator=(const FakeBlas&) = delete;

    /// As Products::FindBlas: the table of the newest one.
    static const Blas& find(const Driver& driver);

    Blas blas;
    int choices = 0;               // asked for
    std::size_t workspace = 1000;  // that products want
    bool has_algorithms = true;
    int handles = 0, descriptors = 0;  // that were not given back
    std::vector<std::string> misuses;
};

}  // namespace fastnp::cuda
