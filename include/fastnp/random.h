// numpy.random: numbers of a Generator over NumPy's default bit generator, PCG64, bit for bit NumPy's for the same seed, on the host and on devices.
//
// A Generator is used by one thread at a time. In a function that is recorded (compile() and the transforms) draws are a RecordError, so compile() runs
// it as written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/detail/draws.h"

namespace fastnp::random {

/// \addtogroup random
/// @{

/// Keyword arguments of Generator::choice.
struct ChoiceOptions {
    bool replace = true;                    ///< whether one may be chosen again
    std::optional<array> p = std::nullopt;  ///< the chance of each; equal unless given
    int axis = 0;                           ///< along which is chosen
    bool shuffle = true;                    ///< whether those without repeats are in random order
};

/// numpy.random.Generator. A copy goes on by itself, from where the other one is. Arrays are of the shape that is asked for; in a device_scope they are at
/// home there, and large ones are drawn there.
class FASTNP_API Generator {
public:
    /// Goes on from a state (of numpy.random.PCG64, PCG64DXSM or Philox), or with a generator that is lent.
    explicit Generator(const detail::BitGenerator& state) : state_(state) {}

    /// From 0 up to 1, without it: float64 or float32. TypeError in NumPy's words for other dtypes. (Generator.random)
    array random(const Shape& shape, Dtype dtype = float64);
    /// From low up to high, in float64. OverflowError where that is no finite range, ValueError where it is negative. (Generator.uniform)
    array uniform(double low, double high, const Shape& shape);
    /// The same of arrays of bounds: of the shape that these broadcast to, or of `size`, to which they have to.
    array uniform(const Operand& low, const Operand& high, const std::optional<Shape>& size = std::nullopt);
    /// Of mean 0 and deviation 1, float64 or float32, by the ziggurat method. TypeError as random(). (Generator.standard_normal)
    array standard_normal(const Shape& shape, Dtype dtype = float64);
    /// In float64. ValueError for a negative scale. (Generator.normal)
    array normal(double loc, double scale, const Shape& shape);
    /// The same of arrays, as uniform().
    array normal(const Operand& loc, const Operand& scale, const std::optional<Shape>& size = std::nullopt);
    /// Of scale 1, float64 or float32, by the ziggurat method. TypeError as random(). (Generator.standard_exponential)
    array standard_exponential(const Shape& shape, Dtype dtype = float64);
    /// In float64. ValueError for a negative scale. (Generator.exponential)
    array exponential(double scale, const Shape& shape);
    /// The same of an array, as uniform().
    array exponential(const Operand& scale, const std::optional<Shape>& size = std::nullopt);
    /// Whole numbers of a dtype (bool or an integer's) from low up to high, without it; with `endpoint`, and high, too. ValueError in NumPy's words where
    /// there are none, or the dtype has them not; TypeError for other dtypes. (Generator.integers)
    array integers(std::int64_t low, std::int64_t high, const Shape& shape, Dtype dtype = int64, bool endpoint = false);

    // Of other distributions, on the host: of the shape that the parameters, numbers or arrays, broadcast to, or of `size`, to which they have to. float64
    // unless it is said. ValueError in NumPy's words for parameters out of their bounds, and a size that they don't fit.
    /// Beta(a, b), between 0 and 1. ValueError unless both are positive. (Generator.beta)
    array beta(const Operand& a, const Operand& b, const std::optional<Shape>& size = std::nullopt);
    /// How many of n tries succeed with probability p, as int64. ValueError for n < 0 and p outside of 0 to 1, TypeError for an n that is no integer.
    /// (Generator.binomial)
    array binomial(const Operand& n, const Operand& p, const std::optional<Shape>& size = std::nullopt);
    /// The sum of `df` squared standard normal numbers. ValueError unless df is positive. (Generator.chisquare)
    array chisquare(const Operand& df, const std::optional<Shape>& size = std::nullopt);
    /// Fisher's F. ValueError unless both degrees of freedom are positive. (Generator.f)
    array f(const Operand& dfnum, const Operand& dfden, const std::optional<Shape>& size = std::nullopt);
    /// Gamma. ValueError for negative parameters. (Generator.gamma)
    array gamma(const Operand& shape, const Operand& scale = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// The number of tries up to the first success, as int64. ValueError for p outside of 0 to 1, and 0. (Generator.geometric)
    array geometric(const Operand& p, const std::optional<Shape>& size = std::nullopt);
    /// Gumbel's extreme values. ValueError for a negative scale. (Generator.gumbel)
    array gumbel(const Operand& loc = 0.0, const Operand& scale = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// Laplace, the double exponential. ValueError for a negative scale. (Generator.laplace)
    array laplace(const Operand& loc = 0.0, const Operand& scale = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// Logistic. ValueError for a negative scale. (Generator.logistic)
    array logistic(const Operand& loc = 0.0, const Operand& scale = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// The exponential of a normal number. ValueError for a negative sigma. (Generator.lognormal)
    array lognormal(const Operand& mean = 0.0, const Operand& sigma = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// Logarithmic series, as int64. ValueError for p outside of 0 to 1, and 1. (Generator.logseries)
    array logseries(const Operand& p, const std::optional<Shape>& size = std::nullopt);
    /// Failures before n successes, as int64. ValueError unless n is positive and p is above 0, up to 1. (Generator.negative_binomial)
    array negative_binomial(const Operand& n, const Operand& p, const std::optional<Shape>& size = std::nullopt);
    /// Noncentral chi-square. ValueError unless df is positive, nonc not negative. (Generator.noncentral_chisquare)
    array noncentral_chisquare(const Operand& df, const Operand& nonc, const std::optional<Shape>& size = std::nullopt);
    /// Pareto II (Lomax). ValueError unless a is positive. (Generator.pareto)
    array pareto(const Operand& a, const std::optional<Shape>& size = std::nullopt);
    /// Poisson, as int64. ValueError for a negative rate, NaN, and one that int64 has no room for. (Generator.poisson)
    array poisson(const Operand& lam = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// From 0 to 1 by a power function. ValueError unless a is positive. (Generator.power)
    array power(const Operand& a, const std::optional<Shape>& size = std::nullopt);
    /// Rayleigh. ValueError for a negative scale. (Generator.rayleigh)
    array rayleigh(const Operand& scale = 1.0, const std::optional<Shape>& size = std::nullopt);
    /// Gamma of scale 1. ValueError for a negative shape. (Generator.standard_gamma)
    array standard_gamma(const Operand& shape, const std::optional<Shape>& size = std::nullopt);
    /// Student's t. ValueError unless df is positive. (Generator.standard_t)
    array standard_t(const Operand& df, const std::optional<Shape>& size = std::nullopt);
    /// Von Mises, from -pi to pi. ValueError for a negative kappa. (Generator.vonmises)
    array vonmises(const Operand& mu, const Operand& kappa, const std::optional<Shape>& size = std::nullopt);
    /// Wald, the inverse Gaussian. ValueError unless both are positive. (Generator.wald)
    array wald(const Operand& mean, const Operand& scale, const std::optional<Shape>& size = std::nullopt);
    /// Weibull of scale 1. ValueError for a negative a. (Generator.weibull)
    array weibull(const Operand& a, const std::optional<Shape>& size = std::nullopt);
    /// Zipf, as int64. ValueError unless a is more than 1. (Generator.zipf)
    array zipf(const Operand& a, const std::optional<Shape>& size = std::nullopt);
    /// How many of `nsample` that are taken of ngood + nbad are good, as int64. ValueError in NumPy's words; TypeError for what is no integer.
    /// (Generator.hypergeometric)
    array hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample, const std::optional<Shape>& size = std::nullopt);
    /// Noncentral F. ValueError unless the degrees of freedom are positive, nonc not negative. (Generator.noncentral_f)
    array noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc, const std::optional<Shape>& size = std::nullopt);
    /// Triangular. ValueError unless left <= mode <= right, and left < right. (Generator.triangular)
    array triangular(const Operand& left, const Operand& mode, const Operand& right, const std::optional<Shape>& size = std::nullopt);
    /// Cauchy around 0. (Generator.standard_cauchy)
    array standard_cauchy(const std::optional<Shape>& size = std::nullopt);

    /// How often each outcome came in n tries, by the chances `pvals` (one axis): int64, of the shape `size` + (outcomes). ValueError for a negative n and
    /// chances that sum to more than 1. (Generator.multinomial)
    array multinomial(std::int64_t n, const array& pvals, const std::optional<Shape>& size = std::nullopt);
    /// How many of each colour are among `nsample` that are taken: int64, of the shape `size` + (colours). ValueError for more than there are. (Generator.
    /// multivariate_hypergeometric, by its method "marginals")
    array multivariate_hypergeometric(const array& colors, std::int64_t nsample, const std::optional<Shape>& size = std::nullopt);
    /// Parts of 1: float64, of the shape `size` + (alpha's length). ValueError for a negative alpha. (Generator.dirichlet)
    array dirichlet(const array& alpha, const std::optional<Shape>& size = std::nullopt);
    /// Normal vectors: float64, of the shape `size` + (mean's length). By the singular values of `cov`, which is taken for symmetric and positive
    /// semidefinite. ValueError where shapes do not fit. (Generator.multivariate_normal)
    array multivariate_normal(const array& mean, const array& cov, const std::optional<Shape>& size = std::nullopt);
    /// Elements of `a` along an axis, or, where it has no axes, numbers below it: of the shape `size`, which takes the axis' place. ValueError in NumPy's
    /// words where there are too few, and chances that do not sum to 1. (Generator.choice)
    ///
    ///     random::default_rng(1).choice(arange(10), Shape{3}, {.replace = false});
    array choice(const array& a, const std::optional<Shape>& size = std::nullopt, const ChoiceOptions& options = {});
    /// 0 to n - 1 in random order. (Generator.permutation)
    array permutation(std::int64_t n);
    /// A copy whose parts along the axis are in random order. AxisError. (Generator.permutation)
    array permutation(const array& x, int axis = 0);
    /// The same in place. AxisError. (Generator.shuffle)
    void shuffle(const array& x, int axis = 0);
    /// A copy in which each line along the axis is in a random order of its own; all elements without one. AxisError. (Generator.permuted)
    array permuted(const array& x, std::optional<int> axis = std::nullopt);
    /// So many bytes. ValueError for a negative number. (Generator.bytes)
    std::string bytes(std::int64_t length);

    /// What the next draws depend on: `bit_generator.state`.
    const detail::BitGenerator& state() const { return state_; }

private:
    array draw(const detail::Draw& draw, const Shape& shape);
    array draw(std::string_view distribution, const std::vector<Operand>& parameters, const std::optional<Shape>& size);
    array without_repeats_by(const array& p, std::int64_t count);
    array draw_scaled(detail::Draw::Kind kind, const array& shift, const array& scale, const std::optional<Shape>& size);
    array draw_reals(detail::Draw::Kind kind, Dtype dtype, const char* name, const Shape& shape);

    detail::BitGenerator state_;
};

/// numpy.random.default_rng(seed), seeded through its SeedSequence.
FASTNP_API Generator default_rng(std::uint64_t seed);

/// @}

}  // namespace fastnp::random
