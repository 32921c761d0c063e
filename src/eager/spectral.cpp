// Eigenvalues and singular values.
#include <algorithm>
#include <cmath>

#include "eager/kernels.h"
#include "eager/lapack.h"
#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

using lapack::Int;

template <class T>
struct Parts {
    using Real = T;
};
template <class R>
struct Parts<std::complex<R>> {
    using Real = R;
};
template <class T>
using RealOf = typename Parts<T>::Real;
template <class T>
constexpr bool is_complex_element = !std::is_same_v<T, RealOf<T>>;

// Work space that is asked for once for all matrices of a stack.
template <class T>
struct Space {
    std::vector<T> elements;
    std::vector<RealOf<T>> reals;
    std::vector<Int> integers;
};

template <class T>
Int asked_of(const std::vector<T>& elements) {
    return std::max<Int>(lapack::asked(elements[0]), 1);
}

template <class T>
std::size_t length_of(T size) {
    return static_cast<std::size_t>(size);
}

// The eigenvalues of a hermitian matrix, in whose place the vectors come if they are wanted.
template <class T>
class Hermitian {
public:
    Hermitian(std::int64_t n, bool vectors, bool lower) : n_(static_cast<Int>(n)), vectors_(vectors ? 'V' : 'N'), triangle_(lower ? 'L' : 'U') {
        space_ = {std::vector<T>(1), std::vector<RealOf<T>>(1), std::vector<Int>(1)};
        run(nullptr, nullptr, -1, -1, -1);
        const auto elements = asked_of(space_.elements), reals = asked_of(space_.reals), integers = std::max<Int>(space_.integers[0], 1);
        space_ = {std::vector<T>(length_of(elements)), std::vector<RealOf<T>>(length_of(reals)), std::vector<Int>(length_of(integers))};
    }
    Int operator()(T* a, RealOf<T>* values) {
        return run(a, values, static_cast<Int>(space_.elements.size()), static_cast<Int>(space_.reals.size()), static_cast<Int>(space_.integers.size()));
    }

private:
    Int run(T* a, RealOf<T>* values, Int elements, Int reals, Int integers) {
        Int info = 0;
        T* work = space_.elements.data();
        Int* iwork = space_.integers.data();
        if constexpr (std::is_same_v<T, float>)
            lapack::ssyevd_(&vectors_, &triangle_, &n_, a, &n_, values, work, &elements, iwork, &integers, &info, 1, 1);
        else if constexpr (std::is_same_v<T, double>)
            lapack::dsyevd_(&vectors_, &triangle_, &n_, a, &n_, values, work, &elements, iwork, &integers, &info, 1, 1);
        else if constexpr (std::is_same_v<RealOf<T>, float>)
            lapack::cheevd_(&vectors_, &triangle_, &n_, a, &n_, values, work, &elements, space_.reals.data(), &reals, iwork, &integers, &info, 1, 1);
        else lapack::zheevd_(&vectors_, &triangle_, &n_, a, &n_, values, work, &elements, space_.reals.data(), &reals, iwork, &integers, &info, 1, 1);
        return info;
    }

    Int n_;
    char vectors_, triangle_;
    Space<T> space_;
};

template <class T>
void run_hermitian(bool lower, const View& x, const View& out, bool with_vectors) {
    using R = RealOf<T>;
    const std::int64_t n = size_from_end(x, 1);
    if (n == 0) return;
    Columns<T> a(n, n);
    std::vector<R> values(length_of(n));
    Hermitian<T> solve(n, with_vectors, lower);
    for_each_matrix({out, x}, {with_vectors ? std::size_t{2} : std::size_t{1}, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        if (solve(a.data(), values.data()) != 0) throw LinAlgError("Eigenvalues did not converge");
        const std::int64_t column = stride_from_end(out, 1);
        for (std::int64_t i = 0; i < n; ++i) {
            if (with_vectors) *reinterpret_cast<T*>(at[0] + i * column) = T(values[length_of(i)]);
            else *reinterpret_cast<R*>(at[0] + i * column) = values[length_of(i)];
        }
        if (with_vectors) a.write(at[0] + stride_from_end(out, 2), stride_from_end(out, 2), column);
    });
}

// U, the singular values and V.H of matrices of one shape; job: 'A' all columns of U and rows of V.H, 'S' those that belong to values, 'N' none.
template <class T>
class Singular {
public:
    Singular(char job, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t u, std::int64_t v)
        : values(length_of(k)),
          left(m, u),
          right(v, n),
          job_(job),
          m_(static_cast<Int>(m)),
          n_(static_cast<Int>(n)),
          v_(static_cast<Int>(std::max<std::int64_t>(v, 1))) {
        const std::int64_t small = std::min(m, n), large = std::max(m, n);
        const std::int64_t reals = job == 'N' ? 7 * small : small * std::max(5 * small + 7, 2 * large + 2 * small + 1);  // LRWORK of zgesdd
        space_ = {std::vector<T>(1), std::vector<RealOf<T>>(is_complex_element<T> ? length_of(reals) : 0), std::vector<Int>(length_of(8 * small))};
        if (k == 0) return;
        run(nullptr, -1);
        space_.elements.resize(length_of(asked_of(space_.elements)));
    }
    Int operator()(T* a) { return run(a, static_cast<Int>(space_.elements.size())); }

    std::vector<RealOf<T>> values;
    Columns<T> left, right;

private:
    Int run(T* a, Int size) {
        Int info = 0;
        T* work = space_.elements.data();
        if constexpr (std::is_same_v<T, float>)
            lapack::sgesdd_(&job_, &m_, &n_, a, &m_, values.data(), left.data(), &m_, right.data(), &v_, work, &size, space_.integers.data(), &info, 1);
        else if constexpr (std::is_same_v<T, double>)
            lapack::dgesdd_(&job_, &m_, &n_, a, &m_, values.data(), left.data(), &m_, right.data(), &v_, work, &size, space_.integers.data(), &info, 1);
        else if constexpr (std::is_same_v<RealOf<T>, float>)
            lapack::cgesdd_(&job_, &m_, &n_, a, &m_, values.data(), left.data(), &m_, right.data(), &v_, work, &size, space_.reals.data(),
                            space_.integers.data(), &info, 1);
        else
            lapack::zgesdd_(&job_, &m_, &n_, a, &m_, values.data(), left.data(), &m_, right.data(), &v_, work, &size, space_.reals.data(),
                            space_.integers.data(), &info, 1);
        return info;
    }

    char job_;
    Int m_, n_, v_;
    Space<T> space_;
};

template <class T>
void set_identity(Columns<T>& matrix, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) matrix.at(i, j) = T(i == j ? 1 : 0);
    }
}

template <class T>
void run_svd(const ir::Attributes& attributes, const View& x, const View& out) {
    const std::int64_t m = size_from_end(x, 2), n = size_from_end(x, 1), step = stride_from_end(out, 1);
    const std::int64_t k = attributes.dims[0].value(), u = attributes.dims[1].value(), v = attributes.dims[2].value();
    Columns<T> a(m, n);
    Singular<T> solve(u == k && v == k ? 'S' : 'A', m, n, k, u, v);
    if (k == 0) {
        set_identity(solve.left, m, u);
        set_identity(solve.right, v, n);
    }
    for_each_matrix({out, x}, {1, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        if (k != 0 && solve(a.data()) != 0) throw LinAlgError("SVD did not converge");
        solve.left.write(at[0], u * step, step);
        char* to = at[0] + m * u * step;
        for (std::int64_t i = 0; i < k; ++i) *reinterpret_cast<T*>(to + i * step) = T(solve.values[length_of(i)]);
        solve.right.write(to + k * step, n * step, step);
    });
}

template <class T>
void run_svdvals(const View& x, const View& out) {
    using R = RealOf<T>;
    const std::int64_t m = size_from_end(x, 2), n = size_from_end(x, 1), k = size_from_end(out, 1);
    if (k == 0) return;
    Columns<T> a(m, n);
    Singular<T> solve('N', m, n, k, 1, 1);
    for_each_matrix({out, x}, {1, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        if (solve(a.data()) != 0) throw LinAlgError("SVD did not converge");
        for (std::int64_t i = 0; i < k; ++i) *reinterpret_cast<R*>(at[0] + i * stride_from_end(out, 1)) = solve.values[length_of(i)];
    });
}

// The eigenvalues and vectors of any matrix. Those of a real one come in conjugate pairs, of whose vectors LAPACK gives real and imaginary part.
template <class T>
class General {
public:
    using C = std::complex<RealOf<T>>;
    General(std::int64_t n, bool vectors)
        : values(length_of(n)),
          vectors(vectors ? n : 0, vectors ? n : 0),
          job_(vectors ? 'V' : 'N'),
          n_(static_cast<Int>(n)),
          right_(vectors ? n : 0, vectors ? n : 0) {
        space_ = {std::vector<T>(1), std::vector<RealOf<T>>(length_of(2 * n)), {}};
        run(nullptr, -1);
        space_.elements.resize(length_of(asked_of(space_.elements)));
    }
    Int operator()(T* a) {
        const Int info = run(a, static_cast<Int>(space_.elements.size()));
        if (info == 0) take();
        return info;
    }

    std::vector<C> values;
    Columns<C> vectors;

private:
    Int run(T* a, Int size) {
        const Int one = 1;
        Int info = 0;
        T* work = space_.elements.data();
        RealOf<T>* reals = space_.reals.data();
        [[maybe_unused]] RealOf<T>* imaginary = reals + n_;
        T* right = right_.data();
        if constexpr (std::is_same_v<T, float>)
            lapack::sgeev_("N", &job_, &n_, a, &n_, reals, imaginary, nullptr, &one, right, &n_, work, &size, &info, 1, 1);
        else if constexpr (std::is_same_v<T, double>)
            lapack::dgeev_("N", &job_, &n_, a, &n_, reals, imaginary, nullptr, &one, right, &n_, work, &size, &info, 1, 1);
        else if constexpr (std::is_same_v<RealOf<T>, float>)
            lapack::cgeev_("N", &job_, &n_, a, &n_, values.data(), nullptr, &one, right, &n_, work, &size, reals, &info, 1, 1);
        else lapack::zgeev_("N", &job_, &n_, a, &n_, values.data(), nullptr, &one, right, &n_, work, &size, reals, &info, 1, 1);
        return info;
    }

    void take() {
        const bool with_vectors = job_ == 'V';
        for (std::int64_t j = 0; j < n_; ++j) {
            bool pairs = false;
            if constexpr (!is_complex_element<T>) {
                values[length_of(j)] = C(space_.reals[length_of(j)], space_.reals[length_of(n_ + j)]);
                pairs = values[length_of(j)].imag() != 0;
                if (pairs) values[length_of(j + 1)] = std::conj(values[length_of(j)]);
            }
            for (std::int64_t i = 0; with_vectors && i < n_; ++i) {
                if constexpr (is_complex_element<T>) {
                    vectors.at(i, j) = right_.at(i, j);
                } else {
                    vectors.at(i, j) = C(right_.at(i, j), pairs ? right_.at(i, j + 1) : 0);
                    if (pairs) vectors.at(i, j + 1) = std::conj(vectors.at(i, j));
                }
            }
            if (pairs) ++j;
        }
    }

    char job_;
    Int n_;
    Columns<T> right_;
    Space<T> space_;
};

template <class T>
void run_general(const View& x, const View& out, bool with_vectors) {
    using C = std::complex<RealOf<T>>;
    const std::int64_t n = size_from_end(x, 1);
    if (n == 0) return;
    Columns<T> a(n, n);
    General<T> solve(n, with_vectors);
    for_each_matrix({out, x}, {with_vectors ? std::size_t{2} : std::size_t{1}, 2}, [&](char* const* at) {
        a.read(at[1], stride_from_end(x, 2), stride_from_end(x, 1));
        for (std::int64_t i = 0; i < n * n; ++i) {
            const T element = a.data()[i];
            if (!std::isfinite(std::real(element)) || !std::isfinite(std::imag(element))) throw LinAlgError("Array must not contain infs or NaNs");
        }
        if (solve(a.data()) != 0) throw LinAlgError("Eigenvalues did not converge");
        const std::int64_t column = stride_from_end(out, 1);
        for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<C*>(at[0] + i * column) = solve.values[length_of(i)];
        if (with_vectors) solve.vectors.write(at[0] + stride_from_end(out, 2), stride_from_end(out, 2), column);
    });
}

}  // namespace

void run_spectral(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    over_stack({&x, 1}, out, 10, [&](std::span<const View> given, const View& to) {
        with_lapack_element(x.dtype, [&]<class T>() {
            switch (op) {
                case ops::Op::eigh: run_hermitian<T>(attributes.ints[0] != 0, given[0], to, true); return;
                case ops::Op::eigvalsh: run_hermitian<T>(attributes.ints[0] != 0, given[0], to, false); return;
                case ops::Op::svd: run_svd<T>(attributes, given[0], to); return;
                case ops::Op::svdvals: run_svdvals<T>(given[0], to); return;
                case ops::Op::eig: run_general<T>(given[0], to, true); return;
                default: run_general<T>(given[0], to, false); return;
            }
        });
    });
}

}  // namespace fastnp::eager
