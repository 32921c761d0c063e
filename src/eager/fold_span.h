// The inner loops of reductions: a contiguous run folded to one value, rows joined element by element. What they accumulate in is float for the 16-bit
// floats (as NumPy), a byte for bools, else the element itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "eager/eager.h"
#include "eager/half.h"
#include "eager/isa.h"
#include "fastnp/detail/float_flags.h"
#include "ops/number.h"

namespace fastnp::eager {

/// One fold's loops over one dtype. Accumulators lie side by side, `size` bytes each.
struct FoldKernel {
    std::size_t size;
    bool in_order;                                                        // rows are joined one after another, as NumPy does
    void (*fill)(void* sums, std::int64_t count);                         // with the identity
    void (*span)(const void* x, std::int64_t count, void* sum);           // *sum = the fold of x, which has at least one element
    void (*rows)(void* sums, const void* x, std::int64_t count);          // sums[i] joined with x[i]
    void (*join)(void* sums, const void* others, std::int64_t count);     // sums[i] joined with others[i]
    void (*finish)(const void* sums, std::int64_t count, void* out);      // accumulators to elements
};

const FoldKernel& integer_fold(ops::Op combine, Dtype dtype);
const FoldKernel& floating_fold(ops::Op combine, Dtype dtype);
const FoldKernel& complex_fold(ops::Op combine, Dtype dtype);
const FoldKernel& count_fold();  // of bools, to int64

namespace folds {

using ops::Number;

template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, bool>, unsigned char, ops::Work<T>>;

// How two values join, as scalars and as vectors of the compiler, and what changes nothing.
struct Add {
    static constexpr bool rounds = true;
    template <class A>
    static A identity() {
        return A{};
    }
    template <class A>
    static A join(const A& x, const A& y) {
        return (Number<A>{x} + Number<A>{y}).v;
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        x += y;
    }
};
struct Multiply {
    static constexpr bool rounds = true;
    template <class A>
    static A identity() {
        return A(1);
    }
    template <class A>
    static A join(const A& x, const A& y) {
        return (Number<A>{x} * Number<A>{y}).v;
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        x *= y;
    }
};
// Of zeros of different sign the later one counts, of halves the first.
template <bool greatest, bool of_halves>
struct Extreme {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        using Limits = std::numeric_limits<A>;
        if constexpr (ops::Complex<A>) return A(Extreme::identity<typename A::value_type>(), Extreme::identity<typename A::value_type>());
        else if constexpr (Limits::has_infinity) return greatest ? -Limits::infinity() : Limits::infinity();
        else return greatest ? Limits::lowest() : Limits::max();
    }
    template <class A>
    static A join(const A& x, const A& y) {
        if constexpr (of_halves) return (greatest ? x >= y : x <= y) || x != x ? x : y;
        else if constexpr (greatest) return ops::maximum(Number<A>{x}, Number<A>{y}).v;
        else return ops::minimum(Number<A>{x}, Number<A>{y}).v;
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        if constexpr (of_halves) {
            const V better = greatest ? (x >= y ? x : y) : (x <= y ? x : y);
            x = x != x ? x : better;
        } else {
            const V better = greatest ? (x > y ? x : y) : (x < y ? x : y);
            x = x != x ? x : better;
        }
    }
};
// Of the numbers, where a NaN is none; of equal ones the first.
template <bool greatest>
struct NumberExtreme {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        using Limits = std::numeric_limits<A>;
        if constexpr (Limits::has_quiet_NaN) return Limits::quiet_NaN();
        else return greatest ? Limits::lowest() : Limits::max();
    }
    template <class A>
    static A join(const A& x, const A& y) {
        if constexpr (greatest) return ops::fmax(Number<A>{x}, Number<A>{y}).v;
        else return ops::fmin(Number<A>{x}, Number<A>{y}).v;
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        const V better = greatest ? (x >= y ? x : y) : (x <= y ? x : y);
        x = y != y ? x : better;
    }
};
template <class F>
inline constexpr bool is_extreme_of_halves = std::is_same_v<F, Extreme<true, true>> || std::is_same_v<F, Extreme<false, true>>;
template <bool greatest>
inline constexpr bool is_extreme_of_halves<NumberExtreme<greatest>> = true;
template <ops::Op op>
struct Bits {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        return op == ops::Op::bitwise_and ? static_cast<A>(~A{}) : A{};
    }
    template <class A>
    static A join(const A& x, const A& y) {
        if constexpr (op == ops::Op::bitwise_and) return static_cast<A>(x & y);
        else if constexpr (op == ops::Op::bitwise_or) return static_cast<A>(x | y);
        else return static_cast<A>(x ^ y);
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        if constexpr (op == ops::Op::bitwise_and) x &= y;
        else if constexpr (op == ops::Op::bitwise_or) x |= y;
        else x ^= y;
    }
};
// Over bytes that are not zero where true.
struct Or {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        return A{};
    }
    template <class A>
    static A join(const A& x, const A& y) {
        return static_cast<A>(x | y);
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        x |= y;
    }
};
struct And {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        return A{1};
    }
    template <class A>
    static A join(const A& x, const A& y) {
        return static_cast<A>(x != 0 && y != 0);
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        x = x < y ? x : y;
    }
};

struct Odd {
    static constexpr bool rounds = false;
    template <class A>
    static A identity() {
        return A{};
    }
    template <class A>
    static A join(const A& x, const A& y) {
        return static_cast<A>((x != 0) != (y != 0));
    }
    template <class V>
    [[gnu::always_inline]] static void join_into(V& x, const V& y) {
        x = (V)((x != 0) ^ (y != 0));
    }
};

/// Partial results joined pairwise: like a binary counter, level i holds the join of 2**i of them.
template <class F, class A>
class Cascade {
public:
    void add(A value) {
        int level = 0;
        for (std::uint64_t bits = count_++; (bits & 1U) != 0; bits >>= 1) value = F::join(levels_[level++], value);
        levels_[level] = value;
    }
    A total() const {
        int level = std::countr_zero(count_);
        A value = levels_[level];
        for (++level; level < 64; ++level) {
            if ((count_ >> level & 1U) != 0) value = F::join(levels_[level], value);
        }
        return value;
    }

private:
    std::uint64_t count_ = 0;
    A levels_[64];
};

// Integers add and multiply as unsigned ones, which wrap.
template <class F, class A>
using Lane = typename std::conditional_t<std::is_integral_v<A> && F::rounds, std::make_unsigned<A>, std::type_identity<A>>::type;

inline constexpr std::int64_t lane_bytes = 256;    // accumulated side by side, to hide the latency of each join
inline constexpr std::int64_t steps_a_block = 16;  // added up one after another; blocks are joined pairwise

/// A run of at least `lane_bytes`, folded to `parts` results: element i goes to result i % parts. The count is a multiple of `parts`. Machines with wider
/// vectors use fewer of them, so the order of joins and the result is the same for all.
template <class F, int vector_bytes, class A, int parts>
[[gnu::always_inline]] inline void fold_lanes(const A* from, std::int64_t count, A* results) {
    using L = Lane<F, A>;
    constexpr std::int64_t vectors = lane_bytes / vector_bytes;
    constexpr std::int64_t lanes = vector_bytes / static_cast<std::int64_t>(sizeof(A));
    constexpr std::int64_t stride = lanes * vectors;
    typedef L Vector __attribute__((vector_size(vector_bytes)));
    Cascade<F, A> totals[parts];
    std::int64_t i = 0;
    while (i + stride <= count) {
        Vector sums[vectors];
        std::memcpy(sums, from + i, sizeof sums);
        i += stride;
        const std::int64_t end = F::rounds && !std::is_integral_v<A> ? std::min(count, i + (steps_a_block - 1) * stride) : count;
        for (; i + stride <= end; i += stride) {
            for (std::int64_t v = 0; v < vectors; ++v) {
                Vector next;
                std::memcpy(&next, from + i + v * lanes, sizeof next);
                F::join_into(sums[v], next);
            }
        }
        A values[stride];
        std::memcpy(values, sums, sizeof values);
        for (std::int64_t half = stride / 2; half >= parts; half /= 2) {
            for (std::int64_t k = 0; k < half; ++k) values[k] = F::join(values[k], values[k + half]);
        }
        for (int part = 0; part < parts; ++part) totals[part].add(values[part]);
    }
    for (int part = 0; part < parts; ++part) {
        if (i + part < count) {
            A rest = from[i + part];
            for (std::int64_t k = i + part + parts; k < count; k += parts) rest = F::join(rest, from[k]);
            totals[part].add(rest);
        }
        results[part] = totals[part].total();
    }
}

template <class F, int vector_bytes, class A>
[[gnu::always_inline]] inline A fold_run(const A* x, std::int64_t count) {
    if constexpr (ops::Complex<A>) {
        using R = typename A::value_type;
        if constexpr (std::is_same_v<F, Add>) {
            A sum;
            if (count >= 64) fold_lanes<F, vector_bytes, R, 2>(reinterpret_cast<const R*>(x), 2 * count, reinterpret_cast<R*>(&sum));
            if (count >= 64) return sum;
        }
        // One after another: of several NaNs the first counts. Products start from 1, which changes infinities and signs of zeros, as NumPy's.
        A sum = x[0];
        if constexpr (std::is_same_v<F, Multiply>) sum = F::join(F::template identity<A>(), sum);
        for (std::int64_t i = 1; i < count; ++i) sum = F::join(sum, x[i]);
        return sum;
    } else {
        A sum;
        if (count >= lane_bytes / static_cast<std::int64_t>(sizeof(A))) {
            fold_lanes<F, vector_bytes, A, 1>(x, count, &sum);
            return sum;
        }
        sum = x[0];
        if (count < 16 || std::is_integral_v<A>) {  // GCC 12 miscompiles several integer sums in one loop
            for (std::int64_t i = 1; i < count; ++i) sum = F::join(sum, x[i]);
            return sum;
        }
        A sums[4] = {x[0], x[1], x[2], x[3]};
        std::int64_t i = 4;
        for (; i + 4 <= count; i += 4) {
            for (int k = 0; k < 4; ++k) sums[k] = F::join(sums[k], x[i + k]);
        }
        for (; i < count; ++i) sums[0] = F::join(sums[0], x[i]);
        return F::join(F::join(sums[0], sums[1]), F::join(sums[2], sums[3]));
    }
}

template <class F, int vector_bytes, class T>
[[gnu::always_inline]] inline void span(const void* from, std::int64_t count, void* sum) {
    using A = Accumulator<T>;
    if constexpr (ops::is_half<T>) {
        constexpr std::int64_t chunk = 1024;
        const auto* x = static_cast<const T*>(from);
        alignas(64) A wide[chunk];
        Cascade<F, A> total;
        for (std::int64_t at = 0; at < count; at += chunk) {
            const std::int64_t n = std::min(chunk, count - at);
            widen(x + at, wide, n);
            A part = fold_run<F, vector_bytes, A>(wide, n);
            if constexpr (is_extreme_of_halves<F>) part = part == 0 ? *std::find(wide, wide + n, A(0)) : part;
            total.add(part);
        }
        *static_cast<A*>(sum) = total.total();
    } else if constexpr (std::is_same_v<T, bool> && !std::is_same_v<F, Odd>) {  // done where the answer is known
        constexpr std::int64_t block = 4096;
        const auto* x = static_cast<const A*>(from);
        constexpr bool settles = std::is_same_v<F, Or>;
        A result = !settles;
        for (std::int64_t at = 0; at < count && (result != 0) != settles; at += block)
            result = fold_run<F, vector_bytes, A>(x + at, std::min(block, count - at)) != 0;
        *static_cast<A*>(sum) = result;
    } else {
        *static_cast<A*>(sum) = fold_run<F, vector_bytes, A>(static_cast<const A*>(from), count);
    }
}

template <class F, class T>
[[gnu::always_inline]] inline void rows(void* to, const void* from, std::int64_t count) {
    using A = Accumulator<T>;
    auto* sums = static_cast<A*>(to);
    if constexpr (ops::is_half<T>) {
        constexpr std::int64_t chunk = 256;
        alignas(64) A wide[chunk];
        for (std::int64_t at = 0; at < count; at += chunk) {
            const std::int64_t n = std::min(chunk, count - at);
            widen(static_cast<const T*>(from) + at, wide, n);
            for (std::int64_t i = 0; i < n; ++i) sums[at + i] = F::join(sums[at + i], wide[i]);
        }
    } else if constexpr (ops::Complex<A> && std::is_same_v<F, Add>) {
        using R = typename A::value_type;
        const auto* x = static_cast<const R*>(from);
        auto* parts = static_cast<R*>(to);
        FASTNP_INDEPENDENT
        for (std::int64_t i = 0; i < 2 * count; ++i) parts[i] += x[i];
    } else {
        const auto* x = static_cast<const A*>(from);
        FASTNP_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) sums[i] = F::join(sums[i], x[i]);
    }
}

template <class F, class T>
void span_base(const void* x, std::int64_t count, void* sum) {
    span<F, 16, T>(x, count, sum);
}
template <class F, class T>
FASTNP_V3 void span_v3(const void* x, std::int64_t count, void* sum) {
    span<F, 32, T>(x, count, sum);
}
template <class F, class T>
FASTNP_V4 void span_v4(const void* x, std::int64_t count, void* sum) {
    span<F, 32, T>(x, count, sum);
}
template <class F, class T>
void rows_base(void* sums, const void* x, std::int64_t count) {
    rows<F, T>(sums, x, count);
}
template <class F, class T>
FASTNP_V3 void rows_v3(void* sums, const void* x, std::int64_t count) {
    rows<F, T>(sums, x, count);
}
template <class F, class T>
FASTNP_V4 void rows_v4(void* sums, const void* x, std::int64_t count) {
    rows<F, T>(sums, x, count);
}

template <class F, class T>
void fill(void* sums, std::int64_t count) {
    using A = Accumulator<T>;
    std::fill_n(static_cast<A*>(sums), count, F::template identity<A>());
}
template <class F, class T>
void finish(const void* sums, std::int64_t count, void* out) {
    using A = Accumulator<T>;
    const auto* from = static_cast<const A*>(sums);
    auto* to = static_cast<T*>(out);
    // Infinities that met a NaN first, in an order that is not NumPy's, might have met each other in its: NumPy is to be asked.
    if constexpr (F::rounds && !std::is_integral_v<A>) {
        bool any = false;
        for (std::int64_t i = 0; i < count; ++i) any |= from[i] != from[i];
        if (any) fastnp::detail::raise_float_flags(fastnp::detail::float_invalid);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<T, bool>) to[i] = from[i] != 0;
        else if constexpr (std::is_same_v<F, Add>) to[i] = static_cast<T>(F::join(F::template identity<A>(), from[i]));  // of -0.0 alone: 0.0, as NumPy
        else to[i] = static_cast<T>(from[i]);
    }
}

template <class F, class T>
const FoldKernel& kernel() {
    using A = Accumulator<T>;
    static const FoldKernel made{sizeof(A),
                                 ops::Complex<A> && !std::is_same_v<F, Add>,
                                 &fill<F, T>,
                                 for_host(&span_base<F, T>, &span_v3<F, T>, &span_v4<F, T>),
                                 for_host(&rows_base<F, T>, &rows_v3<F, T>, &rows_v4<F, T>),
                                 for_host(&rows_base<F, A>, &rows_v3<F, A>, &rows_v4<F, A>),
                                 &finish<F, T>};
    return made;
}

/// The arithmetic folds of a dtype.
template <class T>
const FoldKernel& kernel_of(ops::Op combine) {
    switch (combine) {
        case ops::Op::multiply: return kernel<Multiply, T>();
        case ops::Op::maximum: return kernel<Extreme<true, std::is_same_v<T, float16_t>>, T>();
        case ops::Op::minimum: return kernel<Extreme<false, std::is_same_v<T, float16_t>>, T>();
        default: break;
    }
    if constexpr (!ops::Complex<T>) {
        if (combine == ops::Op::fmax) return kernel<NumberExtreme<true>, T>();
        if (combine == ops::Op::fmin) return kernel<NumberExtreme<false>, T>();
    }
    if constexpr (std::is_integral_v<T>) {
        if (combine == ops::Op::bitwise_and) return kernel<Bits<ops::Op::bitwise_and>, T>();
        if (combine == ops::Op::bitwise_or) return kernel<Bits<ops::Op::bitwise_or>, T>();
        if (combine == ops::Op::bitwise_xor) return kernel<Bits<ops::Op::bitwise_xor>, T>();
    }
    return kernel<Add, T>();
}

}  // namespace folds

}  // namespace fastnp::eager
