// Reductions. Along contiguous memory sums are pairwise with eight accumulators, as NumPy's; along outer axes whole rows are joined, so memory is
// walked in its own order. The 16-bit floats accumulate in float.
#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "eager/iterate.h"
#include "eager/kernels.h"
#include "fastnp/error.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

using ops::Number;

// What a fold accumulates in, its identity and how two partial results join.
struct Add {
    template <class A>
    static A identity() {
        if constexpr (std::is_floating_point_v<A>) return A(-0.0);
        else return A{};
    }
    template <class A>
    static A join(A x, A y) {
        return (Number<A>{x} + Number<A>{y}).v;
    }
    static constexpr bool rounds = true;
};
struct Multiply {
    template <class A>
    static A identity() {
        return A(1);
    }
    template <class A>
    static A join(A x, A y) {
        return (Number<A>{x} * Number<A>{y}).v;
    }
    static constexpr bool rounds = false;
};
struct Maximum {
    template <class A>
    static A identity() {
        if constexpr (ops::Complex<A>)
            return A(-std::numeric_limits<typename A::value_type>::infinity(), -std::numeric_limits<typename A::value_type>::infinity());
        else if constexpr (std::is_floating_point_v<A>) return -std::numeric_limits<A>::infinity();
        else return std::numeric_limits<A>::lowest();
    }
    template <class A>
    static A join(A x, A y) {
        return ops::maximum(Number<A>{x}, Number<A>{y}).v;
    }
    static constexpr bool rounds = false;
};
struct Minimum {
    template <class A>
    static A identity() {
        if constexpr (ops::Complex<A>)
            return A(std::numeric_limits<typename A::value_type>::infinity(), std::numeric_limits<typename A::value_type>::infinity());
        else if constexpr (std::is_floating_point_v<A>) return std::numeric_limits<A>::infinity();
        else return std::numeric_limits<A>::max();
    }
    template <class A>
    static A join(A x, A y) {
        return ops::minimum(Number<A>{x}, Number<A>{y}).v;
    }
    static constexpr bool rounds = false;
};
struct Or {
    template <class A>
    static A identity() {
        return A(false);
    }
    template <class A>
    static A join(A x, A y) {
        return x || y;
    }
    static constexpr bool rounds = false;
};
struct And {
    template <class A>
    static A identity() {
        return A(true);
    }
    template <class A>
    static A join(A x, A y) {
        return x && y;
    }
    static constexpr bool rounds = false;
};

template <class F, class T>
ops::Work<T> fold_block(const T* x, std::int64_t count) {
    using A = ops::Work<T>;
    if constexpr (ops::Complex<T> && !F::rounds) {  // of several NaNs the first counts
        A value = x[0];
        for (std::int64_t i = 1; i < count; ++i) value = F::join(value, x[i]);
        return value;
    }
    A lanes[8];
    for (A& lane : lanes) lane = F::template identity<A>();
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; ++k) lanes[k] = F::join(lanes[k], static_cast<A>(x[i + k]));
    }
    for (int k = 0; i < count; ++i, ++k) lanes[k] = F::join(lanes[k], static_cast<A>(x[i]));
    const A left = F::join(F::join(lanes[0], lanes[1]), F::join(lanes[2], lanes[3]));
    const A right = F::join(F::join(lanes[4], lanes[5]), F::join(lanes[6], lanes[7]));
    return F::join(left, right);
}

template <class F, class T>
ops::Work<T> fold_span(const T* x, std::int64_t count) {
    if (count <= 128) return fold_block<F, T>(x, count);
    const std::int64_t half = count / 2 / 8 * 8;
    return F::join(fold_span<F, T>(x, half), fold_span<F, T>(x + half, count - half));
}

// Partial results joined pairwise: like a binary counter, level i holds the join of 2**i of them.
template <class F, class A>
class Cascade {
public:
    void add(A value) {
        int level = 0;
        for (std::uint64_t bits = count_++; (bits & 1U) != 0; bits >>= 1) value = F::join(levels_[level++], value);
        levels_[level] = value;
    }
    A total() const {
        A value = F::template identity<A>();
        for (int level = 0; level < 64; ++level) {
            if ((count_ >> level & 1U) != 0) value = F::join(levels_[level], value);
        }
        return value;
    }
    bool empty() const { return count_ == 0; }

private:
    std::uint64_t count_ = 0;
    A levels_[64];
};

struct Axes {
    SmallVector<std::int64_t> kept, kept_in, kept_out;  // extents, strides of x, strides of out
    SmallVector<std::int64_t> folded, folded_in;
    std::int64_t kept_size = 1, folded_size = 1;
};

Axes split_axes(const ir::Attributes& attributes, const View& x, const View& out) {
    Axes axes;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        const bool folded = std::find(attributes.ints.begin(), attributes.ints.end(), static_cast<std::int64_t>(i)) != attributes.ints.end();
        if (folded) {
            axes.folded.push_back(x.shape[i]);
            axes.folded_in.push_back(x.strides[i]);
            axes.folded_size *= x.shape[i];
        } else {
            axes.kept.push_back(x.shape[i]);
            axes.kept_in.push_back(x.strides[i]);
            axes.kept_out.push_back(out.strides[at++]);
            axes.kept_size *= x.shape[i];
        }
    }
    return axes;
}

// Odometer over extents with one set of strides.
template <class Visit>
void each_offset(const SmallVector<std::int64_t>& extents, const SmallVector<std::int64_t>& strides, std::size_t axes, Visit visit) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < axes; ++i) count *= extents[i];
    SmallVector<std::int64_t> index(axes, 0);
    std::int64_t offset = 0;
    for (std::int64_t n = 0; n < count; ++n) {
        visit(offset);
        for (std::size_t i = axes; i-- > 0;) {
            offset += strides[i];
            if (++index[i] < extents[i]) break;
            offset -= strides[i] * extents[i];
            index[i] = 0;
        }
    }
}

template <class F, class T>
void fold_rows(const Axes& axes, const char* x, char* out) {
    using A = ops::Work<T>;
    alignas(64) T buffer[chunk_elements];
    const std::size_t inner = axes.folded.size();
    auto one = [&](const char* from) -> A {
        if (inner == 0) return static_cast<A>(*reinterpret_cast<const T*>(from));
        const std::int64_t length = axes.folded[inner - 1];
        const std::int64_t stride = axes.folded_in[inner - 1];
        Cascade<F, A> total;
        each_offset(axes.folded, axes.folded_in, inner - 1, [&](std::int64_t offset) {
            if (stride == static_cast<std::int64_t>(sizeof(T))) {
                total.add(fold_span<F, T>(reinterpret_cast<const T*>(from + offset), length));
                return;
            }
            for (std::int64_t begin = 0; begin < length; begin += chunk_elements) {
                const std::int64_t n = std::min(chunk_elements, length - begin);
                gather(from + offset + begin * stride, stride, sizeof(T), n, reinterpret_cast<char*>(buffer));
                total.add(fold_span<F, T>(buffer, n));
            }
        });
        return total.total();
    };
    SmallVector<std::int64_t> index(axes.kept.size(), 0);
    for (std::int64_t n = 0; n < axes.kept_size; ++n) {
        *reinterpret_cast<T*>(out) = static_cast<T>(one(x));
        for (std::size_t i = axes.kept.size(); i-- > 0;) {
            x += axes.kept_in[i];
            out += axes.kept_out[i];
            if (++index[i] < axes.kept[i]) break;
            x -= axes.kept_in[i] * axes.kept[i];
            out -= axes.kept_out[i] * axes.kept[i];
            index[i] = 0;
        }
    }
}

// The last kept axis is the fastest in memory: whole stretches of it are joined.
template <class F, class T>
void fold_columns(const Axes& axes, const char* x, char* out) {
    using A = ops::Work<T>;
    constexpr std::int64_t width = 1024;
    const std::unique_ptr<A[]> sums(new A[width]);
    const std::size_t last = axes.kept.size() - 1;
    const std::int64_t length = axes.kept[last];
    const std::int64_t in_stride = axes.kept_in[last];
    const std::int64_t out_stride = axes.kept_out[last];
    SmallVector<std::int64_t> index(last, 0);
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < last; ++i) rows *= axes.kept[i];
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t begin = 0; begin < length; begin += width) {
            const std::int64_t n = std::min(width, length - begin);
            std::fill(sums.get(), sums.get() + n, F::template identity<A>());
            each_offset(axes.folded, axes.folded_in, axes.folded.size(), [&](std::int64_t offset) {
                const char* from = x + offset + begin * in_stride;
                if (in_stride == static_cast<std::int64_t>(sizeof(T))) {
                    const T* elements = reinterpret_cast<const T*>(from);
                    for (std::int64_t i = 0; i < n; ++i)
                        sums[static_cast<std::size_t>(i)] = F::join(sums[static_cast<std::size_t>(i)], static_cast<A>(elements[i]));
                } else {
                    for (std::int64_t i = 0; i < n; ++i) {
                        sums[static_cast<std::size_t>(i)] =
                            F::join(sums[static_cast<std::size_t>(i)], static_cast<A>(*reinterpret_cast<const T*>(from + i * in_stride)));
                    }
                }
            });
            for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(out + (begin + i) * out_stride) = static_cast<T>(sums[static_cast<std::size_t>(i)]);
        }
        for (std::size_t i = last; i-- > 0;) {
            x += axes.kept_in[i];
            out += axes.kept_out[i];
            if (++index[i] < axes.kept[i]) break;
            x -= axes.kept_in[i] * axes.kept[i];
            out -= axes.kept_out[i] * axes.kept[i];
            index[i] = 0;
        }
    }
}

template <class F, class T>
void fill_identity(const Axes& axes, char* out, T value) {
    each_offset(axes.kept, axes.kept_out, axes.kept.size(), [&](std::int64_t offset) { *reinterpret_cast<T*>(out + offset) = value; });
}

template <class F, class T>
void fold_typed(const ir::Attributes& attributes, const View& x, const View& out) {
    const Axes axes = split_axes(attributes, x, out);
    char* to = static_cast<char*>(out.data);
    if (axes.kept_size == 0) return;
    if (axes.folded_size == 0) {
        ops::Work<T> value = F::template identity<ops::Work<T>>();
        if constexpr (std::is_floating_point_v<ops::Work<T>>) value = value + ops::Work<T>(0);  // an empty sum is +0.0
        fill_identity<F, T>(axes, to, static_cast<T>(value));
        return;
    }
    auto least = [](const SmallVector<std::int64_t>& strides, const SmallVector<std::int64_t>& extents) {
        std::int64_t found = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < strides.size(); ++i) {
            if (extents[i] > 1) found = std::min(found, std::abs(strides[i]));
        }
        return found;
    };
    const bool columns = !axes.kept.empty() && axes.kept.back() > 1 && std::abs(axes.kept_in.back()) <= least(axes.folded_in, axes.folded);
    if (columns) fold_columns<F, T>(axes, static_cast<const char*>(x.data), to);
    else fold_rows<F, T>(axes, static_cast<const char*>(x.data), to);
}

template <class F>
void fold_any(const ir::Attributes& attributes, const View& x, const View& out) {
    with_element(x.dtype, [&]<class T>() {
        if constexpr (std::is_same_v<F, Or> || std::is_same_v<F, And>) {
            if constexpr (ops::Boolean<T>) fold_typed<F, T>(attributes, x, out);
        } else {
            fold_typed<F, T>(attributes, x, out);
        }
    });
}

}  // namespace

void run_fold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    switch (ops::info(op).combine) {
        case ops::Op::add: fold_any<Add>(attributes, x, out); break;
        case ops::Op::multiply: fold_any<Multiply>(attributes, x, out); break;
        case ops::Op::maximum: fold_any<Maximum>(attributes, x, out); break;
        case ops::Op::minimum: fold_any<Minimum>(attributes, x, out); break;
        case ops::Op::logical_or: fold_any<Or>(attributes, x, out); break;
        case ops::Op::logical_and: fold_any<And>(attributes, x, out); break;
        default: throw InternalError("no reduction kernel for " + std::string(ops::info(op).name));
    }
}

}  // namespace fastnp::eager
