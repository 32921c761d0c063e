// Running folds of lines for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. What joins two elements is defined
// when a kernel is loaded. The order in which elements are joined depends on the length of lines alone, also where blocks tell each other what they have.
#include "fastnp/dtype.h"
#include "threads.h"
#include "values.h"

using namespace fastnp;
using namespace fastnp::kernels;

using T = element_of<Dtype::FASTNP_DTYPE>;
extern "C" void combine(const T* x, const T* y, T* out) __asm__("fastnp_combine_" FASTNP_DTYPE_TEXT);

namespace {

constexpr int lanes = codegen::scan_lanes(sizeof(T)), rows = codegen::scan_rows(sizeof(T)), warps = threads / warp;
constexpr std::int64_t of_warp = codegen::scan_of_warp(sizeof(T)), tile = codegen::scan_tile(sizeof(T));

[[gnu::always_inline]] inline T joined(T x, T y) {
    T out;
    combine(&x, &y, &out);
    return out;
}

// Up to this thread of the warp, of those from `first` on.
[[gnu::always_inline]] inline T joined_in_warp(T own, int first = 0) {
#pragma unroll
    for (int distance = 1; distance < warp; distance *= 2) {
        const T before = value_from_before(own, distance);
        if (lane() >= first + distance) own = joined(before, own);
    }
    return own;
}

// A piece of a line that a warp has in its registers, in rows of so many lanes a thread; what is behind the end of the line stands for nothing. Where
// elements are not whole vectors, they go by way of `spare`, which the warp shares.
struct Piece {
    T own[rows][lanes];  // folded over the thread's lanes
    T before[rows];      // over all before them in the piece; of the first thread's first row nothing
    T all;               // over the whole piece

    [[gnu::always_inline]] static bool is_vectors(const char* memory, std::int64_t stride, std::int64_t left) {
        return stride == sizeof(T) && left >= of_warp && reinterpret_cast<std::uintptr_t>(memory) % sizeof(Vector) == 0;
    }
    [[gnu::always_inline]] static std::int64_t place(int row) { return (row * warp + lane()) * lanes; }

    // `left`: elements of the line from the piece's first on.
    [[gnu::always_inline]] void load(const char* from, std::int64_t stride, std::int64_t left, T* spare) {
        if (is_vectors(from, stride, left)) {
#pragma unroll
            for (int row = 0; row < rows; ++row) load_vector(own[row], from + place(row) * sizeof(T));
            return;
        }
#pragma unroll 1
        for (std::int64_t i = lane(); i < of_warp; i += warp) spare[i] = i < left ? *reinterpret_cast<const T*>(at(from, i * stride)) : T{};
        warp_barrier();
#pragma unroll
        for (int row = 0; row < rows; ++row) load_vector(own[row], reinterpret_cast<const char*>(spare + place(row)));
        warp_barrier();
    }
    [[gnu::always_inline]] void fold() {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
#pragma unroll
            for (int k = 1; k < lanes; ++k) own[row][k] = joined(own[row][k - 1], own[row][k]);
            const T up_to = joined_in_warp(own[row][lanes - 1]);
            before[row] = value_from_before(up_to, 1);
            const T of_row = value_of_last(up_to);
            if (row > 0) before[row] = lane() > 0 ? joined(all, before[row]) : all;
            all = row > 0 ? joined(all, of_row) : of_row;
        }
    }
    [[gnu::always_inline]] void store(char* to, std::int64_t stride, std::int64_t left, T* spare) const {
        if (is_vectors(to, stride, left)) {
#pragma unroll
            for (int row = 0; row < rows; ++row) store_vector(to + place(row) * sizeof(T), own[row]);
            return;
        }
#pragma unroll
        for (int row = 0; row < rows; ++row) store_vector(reinterpret_cast<char*>(spare + place(row)), own[row]);
        warp_barrier();
#pragma unroll 1
        for (std::int64_t i = lane(); i < of_warp && i < left; i += warp) *reinterpret_cast<T*>(at(to, i * stride)) = spare[i];
        warp_barrier();
    }
    // Each element joined to those before it in the piece, and to what is before the piece, if there is something.
    [[gnu::always_inline]] void join(bool has_earlier, T earlier) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
            const bool is_first = row == 0 && lane() == 0;
            T here = before[row];
            if (has_earlier) here = is_first ? earlier : joined(earlier, here);
#pragma unroll
            for (int k = 0; k < lanes; ++k) {
                if (has_earlier || !is_first) own[row][k] = joined(here, own[row][k]);
            }
        }
    }
};

// What blocks tell each other: of each tile of a line the fold; of each group of as many tiles as a warp has threads; and of each group of groups. So what
// is before a tile is a few folds by a warp, always the same ones, and nobody waits for a chain of others. All is nothing at first.
struct Board {
    static constexpr std::int64_t width = words_of_value<T>;

    std::uint64_t *of_tiles, *of_groups, *of_clusters;  // of the line

    [[gnu::always_inline]] Board(std::uint64_t* words, std::int64_t line, std::int64_t tiles, std::int64_t units) {
        const std::int64_t lines = units / tiles, groups = (tiles + warp - 1) / warp, clusters = (groups + warp - 1) / warp;
        of_tiles = words + line * tiles * width;
        of_groups = words + (units + line * groups) * width;
        of_clusters = words + (units + lines * groups + line * clusters) * width;
    }

    // Over so many, at most as a warp has threads; the last thread's value. Those that have not been told yet are waited for.
    [[gnu::always_inline]] static T fold(const std::uint64_t* words, int count) {
        const int number = lane() - (warp - count);
        T own{};
        while (ballot(number >= 0 && !has_said(words + number * width, own)) != 0) {
        }
        return joined_in_warp(own, warp - count);
    }
    // Over all tiles before one; the last thread's value. Says what the tile has, and what its group has, and its cluster, if it is their last one.
    [[gnu::always_inline]] T before(std::int64_t number, T own) const {
        const bool speaks = lane() == warp - 1;
        const std::int64_t group = number / warp, cluster = group / warp;
        const auto in_group = static_cast<int>(number % warp), in_cluster = static_cast<int>(group % warp);
        if (speaks) say(of_tiles + number * width, own);
        T earlier{};
        bool has_earlier = in_group > 0;
        const auto add_before = [&](T further) {
            earlier = has_earlier ? joined(further, earlier) : further;
            has_earlier = true;
        };
        if (in_group > 0) earlier = fold(of_tiles + group * warp * width, in_group);
        const bool ends_group = in_group == warp - 1, ends_cluster = ends_group && in_cluster == warp - 1;
        const T of_group = in_group > 0 ? joined(earlier, own) : own;
        if (speaks && ends_group) say(of_groups + group * width, of_group);
        if (in_cluster > 0) {
            const T of_others = fold(of_groups + cluster * warp * width, in_cluster);
            if (speaks && ends_cluster) say(of_clusters + cluster * width, joined(of_others, of_group));
            add_before(of_others);
        }
        T of_first{};
        for (std::int64_t first = 0; first < cluster; first += warp) {
            const T next = fold(of_clusters + first * width, static_cast<int>(cluster - first < warp ? cluster - first : warp));
            of_first = first > 0 ? joined(of_first, next) : next;
        }
        if (cluster > 0) add_before(of_first);
        return earlier;
    }
};

}  // namespace

#define FASTNP_SCAN_KERNEL(name, ...)                                                                      \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)
// Lines are numbered along three axes.
#define FASTNP_LINE_PARAMETERS \
    std::int64_t n1, std::int64_t n2, std::int64_t x0, std::int64_t x1, std::int64_t x2, std::int64_t o0, std::int64_t o1, std::int64_t o2
#define FASTNP_LINE(from, to, line)                                                    \
    const std::int64_t l2 = (line) % n2, l1 = (line) / n2 % n1, l0 = (line) / n2 / n1; \
    const char* const from = at(x, l0 * x0 + l1 * x1 + l2 * x2);                       \
    char* const to = at(out, l0 * o0 + l1 * o1 + l2 * o2)

// A line a thread, in order.
FASTNP_SCAN_KERNEL(scan_lines, const char* x, char* out, std::int64_t count, std::int64_t stride, std::int64_t out_stride, std::int64_t lines,
                   FASTNP_LINE_PARAMETERS) {
    for_each(lines, [&](std::int64_t line) {
        FASTNP_LINE(from, to, line);
        T running = *reinterpret_cast<const T*>(from);
        *reinterpret_cast<T*>(to) = running;
        for (std::int64_t i = 1; i < count; ++i) {
            running = joined(running, *reinterpret_cast<const T*>(at(from, i * stride)));
            *reinterpret_cast<T*>(at(to, i * out_stride)) = running;
        }
    });
}

// A line of at most one piece a warp.
FASTNP_SCAN_KERNEL(scan_pieces, const char* x, char* out, std::int64_t count, std::int64_t stride, std::int64_t out_stride, std::int64_t lines,
                   FASTNP_LINE_PARAMETERS) {
    FASTNP_SHARED(T, spare, tile);
    T* const own_spare = spare + thread() / warp * of_warp;
    for (std::int64_t line = block() * warps + thread() / warp; line < lines; line += blocks() * warps) {
        FASTNP_LINE(from, to, line);
        Piece piece;
        piece.load(from, stride, count, own_spare);
        piece.fold();
        piece.join(false, T{});
        piece.store(to, out_stride, count, own_spare);
    }
}

// A tile of a line a block. `words`: where tiles are taken from, in order, so that all before one are done or being done, and a Board; null where lines
// are one tile.
FASTNP_SCAN_KERNEL(scan_tiles, const char* x, char* out, std::uint64_t* words, std::int64_t count, std::int64_t stride, std::int64_t out_stride,
                   std::int64_t tiles, std::int64_t units, FASTNP_LINE_PARAMETERS) {
    FASTNP_SHARED(T, totals, warps + 1);  // of pieces, and what is before the tile
    FASTNP_SHARED(std::int64_t, begun, 1);
    FASTNP_SHARED(T, spare, tile);
    const int own_warp = static_cast<int>(thread() / warp);
    T* const own_spare = spare + own_warp * of_warp;
    for (std::int64_t turn = block();; turn += blocks()) {
        if (thread() == 0) *begun = words == nullptr ? turn : static_cast<std::int64_t>(__atomic_fetch_add(words, 1, __ATOMIC_RELAXED));
        barrier();
        const std::int64_t unit = *begun;
        if (unit >= units) return;
        const std::int64_t line = unit / tiles, number = unit - line * tiles, begin = number * tile + own_warp * of_warp;
        FASTNP_LINE(from, to, line);
        Piece piece;
        piece.load(at(from, begin * stride), stride, count - begin, own_spare);
        piece.fold();
        if (lane() == 0) totals[own_warp] = piece.all;
        barrier();
        T earlier{};
        bool has_earlier = false;
        for (int i = 0; i < own_warp; ++i) {
            earlier = has_earlier ? joined(earlier, totals[i]) : totals[i];
            has_earlier = true;
        }
        if (number > 0 || tiles > 1) {
            if (own_warp == warps - 1) {
                const T before = Board(words + 1, line, tiles, units).before(number, joined(earlier, piece.all));
                if (lane() == warp - 1 && number > 0) totals[warps] = before;
            }
            barrier();
            if (number > 0) {
                earlier = has_earlier ? joined(totals[warps], earlier) : totals[warps];
                has_earlier = true;
            }
        }
        piece.join(has_earlier, earlier);
        piece.store(at(to, begin * out_stride), out_stride, count - begin, own_spare);
        barrier();
    }
}
