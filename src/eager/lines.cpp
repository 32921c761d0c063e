// Scans along one axis, a line at a time.
#include "eager/kernels.h"
#include "eager/share_lines.h"
#include "fastnp/error.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

using ops::Number;

template <class T, bool multiplies>
void scan_line(const char* from, std::int64_t stride, std::int64_t count, char* to, std::int64_t out_stride) {
    Number<T> running{};
    for (std::int64_t i = 0; i < count; ++i) {
        const Number<T> x = ops::load(*reinterpret_cast<const T*>(from + i * stride));
        if (i == 0) running = x;
        else if constexpr (multiplies) running = running * x;
        else running = running + x;
        const T stored = ops::store(running);
        *reinterpret_cast<T*>(to + i * out_stride) = stored;
        running = ops::load(stored);  // NumPy rounds each running value
    }
}

}  // namespace

void run_scan(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    if (op == ops::Op::accumulate) return run_accumulate(ops::joined_by(op, attributes), axis, x, out);
    const Lines lines(x, axis, out, true);
    with_element(x.dtype, [&]<class T>() {
        share_lines(lines, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t line = begin; line < end; ++line) {
                if (op == ops::Op::cumprod) scan_line<T, true>(lines.from(line), lines.step, lines.length, lines.to(line), lines.to_step);
                else scan_line<T, false>(lines.from(line), lines.step, lines.length, lines.to(line), lines.to_step);
            }
        });
    });
}

}  // namespace fastnp::eager
