#include "eager/blas.h"

#include <cblas.h>

#include <mutex>

#include "base/thread_pool.h"

namespace fastnp::eager {

namespace {

// OpenBLAS has one number of threads for the process. Another thread's product that runs meanwhile may use them, too, which is slower but right.
class Setting {
public:
    Setting() { openblas_set_num_threads(1); }

    void change(int users) {
        const std::scoped_lock lock(mutex_);
        const bool was_used = users_ > 0;
        users_ += users;
        if (was_used != (users_ > 0)) openblas_set_num_threads(users_ > 0 ? base::thread_count() : 1);
    }

private:
    std::mutex mutex_;
    int users_ = 0;
};

Setting& setting() {
    static Setting made;
    return made;
}

}  // namespace

void use_blas() { setting(); }

BlasThreads::BlasThreads() { setting().change(1); }
BlasThreads::~BlasThreads() { setting().change(-1); }

}  // namespace fastnp::eager
