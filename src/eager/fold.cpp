// Reductions over any axes of any layout. Memory is walked in its own order: where a folded axis is the innermost, runs along it are folded at once; where
// a kept one is, whole rows are joined. How the work is cut depends on the shape alone, never on the number of threads, so results repeat bit by bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/thread_pool.h"
#include "eager/fold_span.h"
#include "eager/iterate.h"
#include "eager/kernels.h"
#include "fastnp/error.h"
#include "ops/element.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t task_elements = 65536;
constexpr std::int64_t column_width = 1024;  // accumulators at once
constexpr std::int64_t column_block = 128;  // rows added up one after another before they join the others

// One side of the walk: extents from the outermost in, strides in x and, for kept axes, in the result.
struct Axes {
    SmallVector<std::int64_t> extents, in, out;
    std::int64_t size = 1;

    std::size_t rank() const { return extents.size(); }

    // Axes of size 1 are dropped, the others sorted by stride, those that step as one joined.
    void tidy() {
        SmallVector<std::size_t> order;
        for (std::size_t i = 0; i < extents.size(); ++i) {
            if (extents[i] != 1) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::abs(in[a]) > std::abs(in[b]); });
        Axes tidied;
        tidied.size = size;
        for (const std::size_t axis : order) {
            const std::int64_t n = extents[axis];
            const bool joins = tidied.rank() > 0 && tidied.in.back() == in[axis] * n && tidied.out.back() == out[axis] * n;
            if (joins) {
                tidied.extents.back() *= n;
                tidied.in.back() = in[axis];
                tidied.out.back() = out[axis];
            } else {
                tidied.extents.push_back(n);
                tidied.in.push_back(in[axis]);
                tidied.out.push_back(out[axis]);
            }
        }
        *this = tidied;
    }

    // Offsets of element `number`, counting the innermost `skip` axes as one place.
    void locate(std::int64_t number, std::size_t skip, std::int64_t& in_offset, std::int64_t& out_offset) const {
        in_offset = out_offset = 0;
        for (std::size_t i = rank() - skip; i-- > 0;) {
            in_offset += number % extents[i] * in[i];
            out_offset += number % extents[i] * out[i];
            number /= extents[i];
        }
    }
};

template <class Body>
void in_parallel(std::int64_t tasks, Body body) {
    base::parallel_for(tasks, [](void* context, std::int64_t task, int) { (*static_cast<Body*>(context))(task); }, &body);
}

// Bytes for accumulators: a few in place.
class Scratch {
public:
    explicit Scratch(std::size_t bytes) : heap_(bytes > sizeof near_ ? new char[bytes] : nullptr) {}
    char* data() { return heap_ ? heap_.get() : near_; }

private:
    alignas(64) char near_[256];
    std::unique_ptr<char[]> heap_;
};

class Reduction {
public:
    Reduction(const FoldKernel& kernel, std::size_t itemsize, Axes kept, Axes folded, const char* x, char* out)
        : kernel_(kernel), itemsize_(static_cast<std::int64_t>(itemsize)), kept_(std::move(kept)), folded_(std::move(folded)), x_(x), out_(out) {}

    void run() {
        if (kept_.size == 0) return;
        const bool columns = kept_.rank() > 0 && (folded_.rank() == 0 || std::abs(kept_.in.back()) < std::abs(folded_.in.back()));
        if (columns) run_columns();
        else run_lines();
    }

private:
    // --- runs along the innermost folded axis

    // Folds pieces [begin, end) of the lines that make up one result; a line of the innermost axis has `pieces` of them.
    void fold_pieces(const char* x, std::int64_t begin, std::int64_t end, std::int64_t pieces, char* sum) const {
        const std::int64_t length = folded_.rank() == 0 ? 1 : folded_.extents.back();
        const std::int64_t stride = folded_.rank() == 0 ? itemsize_ : folded_.in.back();
        alignas(64) char gathered[chunk_elements * 16];
        alignas(16) char next[16];
        bool first = true;
        for (std::int64_t piece = begin; piece < end; ++piece) {
            std::int64_t offset = 0, unused = 0;
            if (folded_.rank() > 1) folded_.locate(piece / pieces, 1, offset, unused);
            const std::int64_t from = length * (piece % pieces) / pieces;
            const std::int64_t to = length * (piece % pieces + 1) / pieces;
            const std::int64_t step = stride == itemsize_ ? to - from : chunk_elements;
            for (std::int64_t at = from; at < to; at += step) {
                const std::int64_t n = std::min(step, to - at);
                const char* run = x + offset + at * stride;
                if (stride != itemsize_) {
                    gather(run, stride, static_cast<std::size_t>(itemsize_), n, gathered);
                    run = gathered;
                }
                kernel_.span(run, n, first ? sum : next);
                if (!first) kernel_.join(sum, next, 1);
                first = false;
            }
        }
    }

    void run_lines() {
        const std::int64_t length = folded_.rank() == 0 ? 1 : folded_.extents.back();
        const std::int64_t lines = folded_.size / length;
        if (kept_.size * 4 >= folded_.size / task_elements || folded_.size < 2 * task_elements) {  // results share out the work
            const std::int64_t a_task = std::max<std::int64_t>(1, task_elements / folded_.size);
            const std::int64_t tasks = (kept_.size + a_task - 1) / a_task;
            auto body = [&](std::int64_t task) {
                alignas(16) char sum[16];
                for (std::int64_t i = task * a_task; i < std::min(kept_.size, (task + 1) * a_task); ++i) {
                    std::int64_t in = 0, out = 0;
                    kept_.locate(i, 0, in, out);
                    if (lines == 1 && folded_.rank() > 0 && folded_.in.back() == itemsize_) kernel_.span(x_ + in, length, sum);
                    else fold_pieces(x_ + in, 0, lines, 1, sum);
                    kernel_.finish(sum, 1, out_ + out);
                }
            };
            if (tasks == 1) body(0);
            else in_parallel(tasks, body);
            return;
        }
        // Few results of many elements: each is cut into pieces.
        const std::int64_t pieces = (length + task_elements - 1) / task_elements;
        const std::int64_t a_task = std::max<std::int64_t>(1, task_elements / length);
        const std::int64_t tasks = (lines * pieces + a_task - 1) / a_task;
        std::unique_ptr<char[]> sums(new char[static_cast<std::size_t>(tasks) * kernel_.size]);
        auto sum_at = [&](std::int64_t task) { return sums.get() + static_cast<std::size_t>(task) * kernel_.size; };
        for (std::int64_t i = 0; i < kept_.size; ++i) {
            std::int64_t in = 0, out = 0;
            kept_.locate(i, 0, in, out);
            in_parallel(tasks, [&](std::int64_t task) {
                fold_pieces(x_ + in, task * a_task, std::min(lines * pieces, (task + 1) * a_task), pieces, sum_at(task));
            });
            join_all(sums.get(), tasks, 1);
            kernel_.finish(sums.get(), 1, out_ + out);
        }
    }

    // --- rows along the innermost kept axis

    // Folds rows [begin, end) of `width` elements from x into sums.
    void fold_rows(const char* x, std::int64_t begin, std::int64_t end, std::int64_t width, char* sums) const {
        const std::int64_t stride = kept_.in.back();
        const auto bytes = static_cast<std::size_t>(width) * kernel_.size;
        Scratch block(bytes);
        Scratch gathered(stride == itemsize_ ? 0 : static_cast<std::size_t>(width * itemsize_));
        kernel_.fill(sums, width);
        for (std::int64_t start = begin; start < end; start += column_block) {
            const std::int64_t stop = std::min(end, start + column_block);
            char* to = kernel_.in_order || end - begin <= column_block ? sums : block.data();
            if (to != sums) kernel_.fill(to, width);
            for (std::int64_t row = start; row < stop; ++row) {
                std::int64_t offset = 0, unused = 0;
                folded_.locate(row, 0, offset, unused);
                const char* from = x + offset;
                if (stride != itemsize_) {
                    gather(from, stride, static_cast<std::size_t>(itemsize_), width, gathered.data());
                    from = gathered.data();
                }
                kernel_.rows(to, from, width);
            }
            if (to != sums) kernel_.join(sums, to, width);
        }
    }

    void finish_row(const char* sums, std::int64_t count, char* out) const {
        const std::int64_t stride = kept_.out.back();
        if (stride == itemsize_) {
            kernel_.finish(sums, count, out);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) kernel_.finish(sums + static_cast<std::size_t>(i) * kernel_.size, 1, out + i * stride);
    }

    void run_columns() {
        const std::int64_t length = kept_.extents.back();
        const std::int64_t grouped = rows_side_by_side();
        if (grouped > 1) {
            run_narrow_columns(grouped);
            return;
        }
        const std::int64_t lines = kept_.size / length;
        const std::int64_t chunks = (length + column_width - 1) / column_width;
        const std::int64_t width = (length + chunks - 1) / chunks;
        const std::int64_t blocks = lines * chunks >= 8 ? 1 : std::max<std::int64_t>(1, folded_.size * width / task_elements);
        const auto bytes = static_cast<std::size_t>(width) * kernel_.size;
        std::unique_ptr<char[]> sums(new char[static_cast<std::size_t>(lines * chunks * blocks) * bytes]);
        auto sums_of = [&](std::int64_t chunk, std::int64_t block) { return sums.get() + static_cast<std::size_t>(chunk * blocks + block) * bytes; };
        auto body = [&](std::int64_t task) {
            const std::int64_t chunk = task / blocks;
            const std::int64_t block = task % blocks;
            const std::int64_t begin = chunk % chunks * width;
            const std::int64_t count = std::min(width, length - begin);
            std::int64_t in = 0, out = 0;
            kept_.locate(chunk / chunks, 1, in, out);
            char* to = sums_of(chunk, block);
            fold_rows(x_ + in + begin * kept_.in.back(), folded_.size * block / blocks, folded_.size * (block + 1) / blocks,
                      std::max<std::int64_t>(count, 0), to);
            if (blocks == 1) finish_row(to, std::max<std::int64_t>(count, 0), out_ + out + begin * kept_.out.back());
        };
        if (kept_.size * folded_.size < task_elements) {
            for (std::int64_t task = 0; task < lines * chunks * blocks; ++task) body(task);
        } else {
            in_parallel(lines * chunks * blocks, body);
        }
        if (blocks == 1) return;
        for (std::int64_t chunk = 0; chunk < lines * chunks; ++chunk) {
            const std::int64_t begin = chunk % chunks * width;
            std::int64_t in = 0, out = 0;
            kept_.locate(chunk / chunks, 1, in, out);
            join_all(sums_of(chunk, 0), blocks, width);
            finish_row(sums_of(chunk, 0), std::min(width, length - begin), out_ + out + begin * kept_.out.back());
        }
    }

    // How many rows of few elements lie one after another in memory, to be taken as one.
    std::int64_t rows_side_by_side() const {
        const std::int64_t length = kept_.extents.back();
        if (kernel_.in_order || kept_.rank() != 1 || length >= 64 || kept_.in.back() != itemsize_ || folded_.rank() != 1) return 1;
        if (folded_.in.back() != length * itemsize_) return 1;
        return std::min(folded_.size / 2, 512 / length);
    }

    // Rows of a few elements: `grouped` of them are one long row, whose result is folded once more at the end.
    void run_narrow_columns(std::int64_t grouped) {
        const std::int64_t length = kept_.extents.back();
        const std::int64_t whole = folded_.size / grouped;
        const std::int64_t width = grouped * length;
        Axes kept, folded;
        kept.extents = {width};
        kept.in = {itemsize_};
        kept.out = {itemsize_};
        kept.size = width;
        folded.extents = {whole};
        folded.in = {width * itemsize_};
        folded.out = {0};
        folded.size = whole;
        const auto bytes = static_cast<std::size_t>(width) * kernel_.size;
        const std::int64_t blocks = std::max<std::int64_t>(1, whole * width / task_elements);
        std::unique_ptr<char[]> sums(new char[bytes * static_cast<std::size_t>(blocks)]);
        const Reduction wide(kernel_, static_cast<std::size_t>(itemsize_), kept, folded, x_, nullptr);
        auto body = [&](std::int64_t block) {
            wide.fold_rows(x_, whole * block / blocks, whole * (block + 1) / blocks, width, sums.get() + static_cast<std::size_t>(block) * bytes);
        };
        if (blocks == 1) body(0);
        else in_parallel(blocks, body);
        join_all(sums.get(), blocks, width);
        join_all(sums.get(), grouped, length);
        if (whole * grouped < folded_.size) {
            Scratch rest(static_cast<std::size_t>(length) * kernel_.size);
            fold_rows(x_, whole * grouped, folded_.size, length, rest.data());
            kernel_.join(sums.get(), rest.data(), length);
        }
        finish_row(sums.get(), length, out_);
    }

    // Joins `parts` groups of `count` accumulators, neighbours first, into the first of them.
    void join_all(char* sums, std::int64_t parts, std::int64_t count) const {
        const auto bytes = static_cast<std::size_t>(count) * kernel_.size;
        for (std::int64_t step = 1; step < parts; step *= 2) {
            for (std::int64_t i = 0; i + step < parts; i += 2 * step) {
                kernel_.join(sums + static_cast<std::size_t>(i) * bytes, sums + static_cast<std::size_t>(i + step) * bytes, count);
            }
        }
    }

    const FoldKernel& kernel_;
    std::int64_t itemsize_;
    Axes kept_, folded_;
    const char* x_;
    char* out_;
};

// An empty axis gives the identity; without one shape inference has refused.
void fill_identity(const FoldKernel& kernel, const View& out) {
    alignas(16) char sum[16];
    alignas(16) char element[16] = {};
    kernel.fill(sum, 1);
    kernel.finish(sum, 1, element);
    View repeated{element, out.dtype, out.shape, {}};
    repeated.strides.resize(out.shape.size(), 0);
    copy(repeated, out);
}

}  // namespace

void run_fold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const ops::Op combine = ops::info(op).combine;
    const bool counts = x.dtype == Dtype::bool_ && out.dtype == Dtype::int64;
    const FoldKernel& kernel = counts                 ? count_fold()
                               : is_complex(x.dtype)  ? complex_fold(combine, x.dtype)
                               : is_floating(x.dtype) ? floating_fold(combine, x.dtype)
                                                      : integer_fold(combine, x.dtype);
    Axes kept, folded;
    for (std::size_t i = 0, at = 0; i < x.shape.size(); ++i) {
        const bool is_folded = std::find(attributes.ints.begin(), attributes.ints.end(), static_cast<std::int64_t>(i)) != attributes.ints.end();
        Axes& axes = is_folded ? folded : kept;
        axes.extents.push_back(x.shape[i]);
        axes.in.push_back(x.strides[i]);
        axes.out.push_back(is_folded ? 0 : out.strides[at++]);
        axes.size *= x.shape[i];
    }
    if (folded.size == 0) {
        fill_identity(kernel, out);
        return;
    }
    kept.tidy();
    folded.tidy();
    // `folded.out` is 0 throughout, so only strides of x decide which of its axes join.
    Reduction(kernel, itemsize_of(x.dtype), std::move(kept), std::move(folded), static_cast<const char*>(x.data), static_cast<char*>(out.data)).run();
}

}  // namespace fastnp::eager
