// Results of draws that the host worked out, put where they belong.
#include "device/raw_stream.h"
#include "threads.h"

using namespace fastnp::kernels;

namespace {

template <class T>
[[gnu::always_inline]] inline void put_left(T* out, const fastnp::device::draws::LeftResult* left, std::int64_t count) {
    for_each(count, [&](std::int64_t i) { out[left[i].place] = static_cast<T>(__builtin_bit_cast(double, left[i].number)); });
}

}  // namespace

extern "C" void fastnp_kernel_draw_left_float64(double* out, const fastnp::device::draws::LeftResult* left, std::int64_t count) {
    put_left(out, left, count);
}
extern "C" void fastnp_kernel_draw_left_float32(float* out, const fastnp::device::draws::LeftResult* left, std::int64_t count) {
    put_left(out, left, count);
}
