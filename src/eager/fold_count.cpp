// How many of bools are true: a sum of them as int64, without these.
#include "eager/fold_span.h"

namespace fastnp::eager {

namespace {

// In bytes side by side, as long as these hold the counts.
[[gnu::always_inline]] inline void count_run(const void* from, std::int64_t count, void* sum) {
    constexpr std::int64_t lanes = 64, most = 255 * lanes;
    const auto* x = static_cast<const unsigned char*>(from);
    std::int64_t total = 0;
    while (count >= lanes) {
        const std::int64_t end = std::min(most, count / lanes * lanes);
        unsigned char counts[lanes] = {};
        for (std::int64_t i = 0; i < end; i += lanes) {
            for (std::int64_t k = 0; k < lanes; ++k) counts[k] = static_cast<unsigned char>(counts[k] + (x[i + k] != 0 ? 1 : 0));
        }
        for (const unsigned char each : counts) total += each;
        x += end;
        count -= end;
    }
    for (std::int64_t i = 0; i < count; ++i) total += x[i] != 0 ? 1 : 0;
    *static_cast<std::int64_t*>(sum) = total;
}

void count_base(const void* x, std::int64_t count, void* sum) { count_run(x, count, sum); }
FASTNP_V3 void count_v3(const void* x, std::int64_t count, void* sum) { count_run(x, count, sum); }
FASTNP_V4 void count_v4(const void* x, std::int64_t count, void* sum) { count_run(x, count, sum); }

void fill(void* sums, std::int64_t count) { std::fill_n(static_cast<std::int64_t*>(sums), count, 0); }
void rows(void* sums, const void* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<std::int64_t*>(sums)[i] += static_cast<const unsigned char*>(x)[i] != 0 ? 1 : 0;
}
void join(void* sums, const void* others, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<std::int64_t*>(sums)[i] += static_cast<const std::int64_t*>(others)[i];
}
void finish(const void* sums, std::int64_t count, void* out) { std::memcpy(out, sums, static_cast<std::size_t>(count) * sizeof(std::int64_t)); }

}  // namespace

const FoldKernel& count_fold() {
    static const FoldKernel made{sizeof(std::int64_t), false, &fill, for_host(&count_base, &count_v3, &count_v4), &rows, &join, &finish};
    return made;
}

}  // namespace fastnp::eager
