#include "eager/blas.h"

#include <cblas.h>

#include <atomic>

#include "base/thread_pool.h"

namespace fastnp::eager {

namespace {

// OpenBLAS has one number of threads for the process. Another thread's product that runs meanwhile may use them, too, or a factor have to do without:
// slower but right. It may be changed at any time where OpenBLAS has threads of its own, not where it uses OpenMP's.
class Setting {
public:
    Setting() : may_change_(openblas_get_parallel() == OPENBLAS_THREAD) {
        if (may_change_) openblas_set_num_threads(1);
    }

    void add_user() {
        if (users_.fetch_add(1) == 0 && may_change_) openblas_set_num_threads(base::thread_count());
    }
    void remove_user() {
        if (users_.fetch_sub(1) == 1 && may_change_) openblas_set_num_threads(1);
    }

private:
    const bool may_change_;
    std::atomic<int> users_{0};
};

Setting& setting() {
    static Setting made;
    return made;
}

}  // namespace

void use_blas() { setting(); }

BlasThreads::BlasThreads() { setting().add_user(); }
BlasThreads::~BlasThreads() { setting().remove_user(); }

}  // namespace fastnp::eager
