// Fourier transforms: pocketfft's, which are NumPy's own, so that results are equal to the bit. It keeps the plans of the lengths used last, under a lock.
#define POCKETFFT_NO_MULTITHREADING  // threads are the project's own
#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "eager/kernels.h"
#include "fastnp/half.h"

namespace fastnp::eager {

namespace {

constexpr double task_work = 40'000;  // in points times their logarithm: about as many nanoseconds

// A transform of lines along the last axis, or of some of them.
struct Lines {
    ops::Op op;
    bool forward;
    std::int64_t points;
    double scale;
    View x, out;
    std::int64_t needed() const { return op == ops::Op::irfft ? points / 2 + 1 : points; }
};

std::vector<std::size_t> shape_of(const View& view) {
    std::vector<std::size_t> result;
    for (const std::int64_t size : view.shape) result.push_back(static_cast<std::size_t>(size));
    return result;
}

std::vector<std::ptrdiff_t> strides_of(const View& view) { return {view.strides.begin(), view.strides.end()}; }

double rounded(double value, Dtype dtype) {
    if (dtype == Dtype::float64) return value;
    const auto single = static_cast<float>(value);
    return dtype == Dtype::float16 ? static_cast<float>(float16_t(single)) : single;
}

// The factor as numpy.fft computes it: reciprocal(n) or reciprocal(sqrt(n)), in the dtype of what is transformed.
double scale_of(const ir::Attributes& attributes) {
    const std::int64_t mode = attributes.ints[attributes.ints.size() - 2];
    if (mode == 0) return 1;
    const double n = rounded(static_cast<double>(attributes.dims[0].value()), attributes.dtype);
    return rounded(1 / (mode == 1 ? n : rounded(std::sqrt(n), attributes.dtype)), attributes.dtype);
}

// The operand's lines in memory of their own, with zeros behind.
View lengthened(const View& x, std::int64_t length, std::unique_ptr<char[]>& held) {
    View result{nullptr, x.dtype, x.shape, SmallVector<std::int64_t>(x.shape.size(), 0)};
    result.shape.back() = length;
    auto bytes = static_cast<std::int64_t>(itemsize_of(x.dtype));
    for (std::size_t i = result.shape.size(); i-- > 0;) {
        result.strides[i] = bytes;
        bytes *= result.shape[i];
    }
    held = std::make_unique<char[]>(static_cast<std::size_t>(bytes));
    result.data = held.get();
    View part = result;
    part.shape = x.shape;
    copy(x, part);
    return result;
}

template <class T>
void transform(const Lines& lines) {
    std::unique_ptr<char[]> held;
    View x = lines.x;
    if (x.shape.back() < lines.needed()) x = lengthened(x, lines.needed(), held);
    x.shape.back() = lines.needed();
    const std::vector<std::size_t> axes{x.shape.size() - 1};
    const auto factor = static_cast<T>(lines.scale);
    const auto from = strides_of(x), to = strides_of(lines.out);
    auto* const real_in = static_cast<T*>(x.data);
    auto* const real_out = static_cast<T*>(lines.out.data);
    auto* const complex_in = static_cast<std::complex<T>*>(x.data);
    auto* const complex_out = static_cast<std::complex<T>*>(lines.out.data);
    switch (lines.op) {
        case ops::Op::rfft: pocketfft::r2c(shape_of(x), from, to, axes, pocketfft::FORWARD, real_in, complex_out, factor); return;
        case ops::Op::irfft: pocketfft::c2r(shape_of(lines.out), from, to, axes, pocketfft::BACKWARD, complex_in, real_out, factor); return;
        default: pocketfft::c2c(shape_of(x), from, to, axes, lines.forward, complex_in, complex_out, factor); return;
    }
}

void run_lines(const Lines& lines) {
    if (real_of(lines.out.dtype) == Dtype::float32) transform<float>(lines);
    else transform<double>(lines);
}

// The longest axis of the stack in even parts, a task each.
struct Split {
    const Lines* lines;
    std::size_t axis;
    std::int64_t per_task;

    static void run(void* context, std::int64_t task, int) {
        const auto& split = *static_cast<const Split*>(context);
        Lines part = *split.lines;
        const std::int64_t begin = task * split.per_task;
        const std::int64_t count = std::min(split.per_task, part.x.shape[split.axis] - begin);
        for (View* view : {&part.x, &part.out}) {
            view->data = static_cast<char*>(view->data) + begin * view->strides[split.axis];
            view->shape[split.axis] = count;
        }
        run_lines(part);
    }
};

}  // namespace

void run_fft(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const Lines lines{op, op == ops::Op::fft && attributes.ints[0] != 0, attributes.dims[0].value(), scale_of(attributes), x, out};
    std::int64_t count = 1;
    std::size_t longest = 0;
    for (std::size_t i = 0; i + 1 < x.shape.size(); ++i) {
        count *= x.shape[i];
        if (x.shape[i] > x.shape[longest]) longest = i;
    }
    if (count == 0) return;
    const auto points = static_cast<double>(lines.points);
    const double work = static_cast<double>(count) * points * std::log2(points + 1);
    const std::int64_t length = count == 1 ? 1 : x.shape[longest];
    std::int64_t tasks = std::min({static_cast<std::int64_t>(work / task_work), length / 4, std::int64_t{8} * base::thread_count()});
    if (tasks < 2 || base::thread_count() == 1) {
        run_lines(lines);
        return;
    }
    constexpr std::int64_t together = 4;  // lines that pocketfft transforms at once
    Split split{&lines, longest, ((length + tasks - 1) / tasks + together - 1) / together * together};
    tasks = (length + split.per_task - 1) / split.per_task;
    base::parallel_for(tasks, &Split::run, &split);
}

}  // namespace fastnp::eager
