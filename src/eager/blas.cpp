#include "eager/blas.h"

#include <cblas.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>

#include "base/thread_pool.h"
#include "fastnp/detail/deterministic.h"
#include "fastnp/error.h"

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

constexpr std::size_t buffer_bytes = std::size_t{128} << 20;  // its BUFFER_SIZE

// OpenBLAS gives each call that goes on at a time a buffer, which it keeps. Where there is no memory for one it asks for it again and again, so that is
// asked for here before.
std::atomic<int> buffers_used{0}, buffers_made{0};
thread_local int calls = 0;  // of OpenBLAS, by fastnp

bool can_map(int buffers) {
    const std::size_t bytes = static_cast<std::size_t>(buffers) * buffer_bytes;
    void* const found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) return false;
    munmap(found, bytes);
    return true;
}

int add_buffer() {
    const int used = buffers_used.fetch_add(1) + 1;
    if (used <= buffers_made.load() || calls == 0 || can_map(1)) return used;
    buffers_used.fetch_sub(1);
    throw MemoryError("Unable to allocate 128. MiB for a product of matrices");
}

void note_made(int used) {
    int made = buffers_made.load();
    while (made < used && !buffers_made.compare_exchange_weak(made, used)) {
    }
}

}  // namespace

// In place of OpenBLAS's own (the linker's option --wrap).
extern "C" {
void* __real_blas_memory_alloc(int place);  // NOLINT: the linker's names
void* __wrap_blas_memory_alloc(int place) {  // NOLINT: the linker's names
    const int used = add_buffer();
    void* const buffer = __real_blas_memory_alloc(place);
    note_made(used);
    return buffer;
}
void __real_blas_memory_free(void* buffer);  // NOLINT: the linker's names
void __wrap_blas_memory_free(void* buffer) {  // NOLINT: the linker's names
    __real_blas_memory_free(buffer);
    buffers_used.fetch_sub(1);
}
}

namespace {

// OpenBLAS has one number of threads for the process. Another thread's product that runs meanwhile may use them, too, or a factor have to do without:
// slower but right. It may be changed at any time where OpenBLAS has threads of its own, not where it uses OpenMP's.
class Setting {
public:
    Setting() : may_change_(openblas_get_parallel() == OPENBLAS_THREAD) {
        if (may_change_) openblas_set_num_threads(1);
    }

    void add_user() {
        if (users_.fetch_add(1) > 0 || !may_change_ || fastnp::detail::is_deterministic()) return;
        has_threads_ = has_threads_ || can_map(base::thread_count());  // each has a buffer
        if (has_threads_) openblas_set_num_threads(base::thread_count());
    }
    void remove_user() {
        if (users_.fetch_sub(1) == 1 && may_change_) openblas_set_num_threads(1);
    }

private:
    const bool may_change_;
    std::atomic<int> users_{0};
    std::atomic<bool> has_threads_{false};
};

Setting& setting() {
    static Setting made;
    return made;
}

}  // namespace

void use_blas() { setting(); }

BlasCall::BlasCall() { ++calls; }
BlasCall::~BlasCall() { --calls; }

BlasThreads::BlasThreads() { setting().add_user(); }
BlasThreads::~BlasThreads() { setting().remove_user(); }

}  // namespace fastnp::eager
