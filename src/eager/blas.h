// How many threads OpenBLAS uses: the caller's alone, as fastnp shares work out itself; its own where the library has the better way to.
#pragma once

namespace fastnp::eager {

/// To be called before a function of OpenBLAS: it stays on the caller's thread.
void use_blas();

/// While one lives, OpenBLAS uses as many threads of its own as fastnp does. For factors of large matrices, whose parts depend on each other.
class BlasThreads {
public:
    BlasThreads();
    ~BlasThreads();
    BlasThreads(const BlasThreads&) = delete;
    BlasThreads& operator=(const BlasThreads&) = delete;
};

/// While one lives, this thread calls OpenBLAS: MemoryError where there is no memory for its buffer (it would ask for it for ever).
class BlasCall {
public:
    BlasCall();
    ~BlasCall();
    BlasCall(const BlasCall&) = delete;
    BlasCall& operator=(const BlasCall&) = delete;
};

}  // namespace fastnp::eager
