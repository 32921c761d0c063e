#include "eager/blas.h"

#include <cblas.h>

#include <atomic>

#include "base/thread_pool.h"

// What OpenBLAS calls as this library is loaded, in place of blas_thread_init (the linker's option --wrap; a file of its own, memory.c, has the call). Its
// threads would be started there, and look for work for some 30 ms, on processors that the first calls of a program have a use for. As it is, there is one
// thread until openblas_set_num_threads() asks for more.
extern "C" {
extern int blas_cpu_number, blas_num_threads;  // OpenBLAS's own
int __real_blas_thread_init();  // NOLINT: the linker's names
int __wrap_blas_thread_init() {  // NOLINT: the linker's names
    blas_cpu_number = blas_num_threads = 1;
    return __real_blas_thread_init();
}
}

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
