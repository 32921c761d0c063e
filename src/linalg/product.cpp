// Products of many matrices, powers, and systems over several axes.
#include <algorithm>
#include <limits>

#include "linalg/matrix.h"

namespace fastnp::linalg {

array matrix_power(const array& a, std::int64_t n) {
    check_rank(a);
    if (!api::arithmetic().equal(rows_of(a), columns_of(a))) throw LinAlgError("Last 2 dimensions of the array must be square");
    if (n == 0) return api::broadcast(identity(rows_of(a), a.dtype()), api::dims_of(a)).copy();
    array square = n < 0 ? inv(a) : a;
    std::optional<array> result;
    for (std::uint64_t left = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); left > 0;) {
        if ((left & 1) != 0) result = result ? matmul(*result, square) : square;
        left >>= 1;
        if (left > 0) square = matmul(square, square);
    }
    return *result;
}

namespace {

// Where to part each run of factors, so that all products take the fewest multiplications.
class Chain {
public:
    explicit Chain(const std::vector<array>& factors) : factors_(factors), cuts_(factors.size(), std::vector<std::size_t>(factors.size())) {
        const std::size_t n = factors.size();
        std::vector<double> sizes;
        for (const array& each : factors) sizes.push_back(static_cast<double>(api::arithmetic().hint(rows_of(each))));
        sizes.push_back(static_cast<double>(api::arithmetic().hint(columns_of(factors.back()))));
        std::vector<std::vector<double>> costs(n, std::vector<double>(n, 0));
        for (std::size_t length = 1; length < n; ++length) {
            for (std::size_t i = 0; i + length < n; ++i) {
                const std::size_t j = i + length;
                costs[i][j] = std::numeric_limits<double>::infinity();
                for (std::size_t k = i; k < j; ++k) {
                    const double cost = costs[i][k] + costs[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
                    if (cost >= costs[i][j]) continue;
                    costs[i][j] = cost;
                    cuts_[i][j] = k;
                }
            }
        }
    }
    array product(std::size_t i, std::size_t j) const { return i == j ? factors_[i] : dot(product(i, cuts_[i][j]), product(cuts_[i][j] + 1, j)); }

private:
    const std::vector<array>& factors_;
    std::vector<std::vector<std::size_t>> cuts_;
};

}  // namespace

array multi_dot(const std::vector<array>& arrays) {
    if (arrays.size() < 2) throw ValueError("Expecting at least two arrays.");
    if (arrays.size() == 2) return dot(arrays[0], arrays[1]);
    std::vector<array> factors = arrays;
    const bool vector_first = factors[0].ndim() == 1, vector_last = factors.back().ndim() == 1;
    if (vector_first) factors[0] = as_row(factors[0]);
    if (vector_last) factors.back() = as_column(factors.back());
    for (const array& each : factors) {
        if (each.ndim() != 2) throw LinAlgError(std::to_string(each.ndim()) + "-dimensional array given. Array must be two-dimensional");
    }
    array result = Chain(factors).product(0, factors.size() - 1);
    if (vector_last) result = squeeze(result, -1);
    return vector_first ? squeeze(result, 0) : result;
}

array tensorsolve(const array& a, const array& b, const std::vector<int>& axes) {
    SmallVector<std::int64_t> order;
    for (int i = 0; i < a.ndim(); ++i) order.push_back(i);
    for (const int axis : axes) {
        const auto found = std::find(order.begin(), order.end(), axis);
        if (found == order.end()) throw ValueError("list.remove(x): x not in list");
        order.erase(found);
        order.push_back(axis);
    }
    const array moved = axes.empty() ? a : api::permute(a, {order.data(), order.size()});
    const Dims shape = api::dims_of(moved);
    const auto rank = static_cast<std::ptrdiff_t>(a.ndim() - b.ndim());
    // NumPy's slice [-rank:], which is all of it for 0.
    const Dims unknowns = rank > 0 ? Dims(shape.end() - std::min<std::ptrdiff_t>(rank, a.ndim()), shape.end())
                                   : Dims(shape.begin() + std::min<std::ptrdiff_t>(-rank, a.ndim()), shape.end());
    const shape::Arithmetic sizes = api::arithmetic();
    const Dim n = sizes.product(unknowns);
    if (!sizes.equal(sizes.product(shape), sizes.multiply(n, n))) {
        throw LinAlgError("Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])");
    }
    return api::reshape(solve(api::reshape(moved, {n, n}), api::flatten(b)), unknowns);
}

array tensorinv(const array& a, int ind) {
    if (ind <= 0) throw ValueError("Invalid ind argument.");
    const Dims shape = api::dims_of(a);
    const auto cut = static_cast<std::ptrdiff_t>(std::min(ind, a.ndim()));
    const Dims first(shape.begin(), shape.begin() + cut), last(shape.begin() + cut, shape.end());
    Dims turned = last;
    for (const Dim dim : first) turned.push_back(dim);
    return api::reshape(inv(api::reshape(a, {api::arithmetic().product(last), Dim(-1)})), turned);
}

}  // namespace fastnp::linalg
