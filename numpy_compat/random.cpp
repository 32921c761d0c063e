// Draws that are made of others and of linear algebra.
#include "fastnp/random.h"

#include "fastnp/error.h"
#include "fastnp/linalg.h"
#include "fastnp/ops.h"

namespace fastnp::random {

array Generator::multivariate_normal(const array& mean, const array& cov, const std::optional<Shape>& size) {
    if (mean.ndim() != 1) throw ValueError("mean must be 1 dimensional");
    if (cov.ndim() != 2 || cov.shape(0) != cov.shape(1)) throw ValueError("cov must be 2 dimensional and square");
    if (mean.shape(0) != cov.shape(0)) throw ValueError("mean and cov must have same length");
    Shape shape = size.value_or(Shape{});
    shape.push_back(mean.shape(0));
    const array normal = standard_normal(shape).reshape({-1, mean.shape(0)});
    const auto parts = linalg::svd(cov.astype(float64));
    const array factor = parts.u * sqrt(parts.s);
    return (mean + matmul(normal, transpose(factor))).reshape(shape);
}

}  // namespace fastnp::random
