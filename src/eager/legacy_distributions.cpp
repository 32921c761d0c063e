// Distributions of numpy.random.RandomState, whose streams NumPy has frozen (NEP 19).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "eager/distributions.h"

extern "C" std::int64_t random_poisson(fastnp::eager::BitStream*, double);

namespace fastnp::eager {

namespace {

double uniform(BitStream* stream) { return stream->next_double(stream->state); }

// Below 1 by Ahrens and Dieter's way (1974), from there on by Marsaglia and Tsang's (2000).
double standard_gamma(BitStream* stream, double shape) {
    if (shape == 1) return draw_legacy_exponential(stream);
    if (shape == 0) return 0;
    if (shape < 1) {
        while (true) {
            const double u = uniform(stream), v = draw_legacy_exponential(stream);
            if (u <= 1 - shape) {
                const double x = std::pow(u, 1 / shape);
                if (x <= v) return x;
            } else {
                const double y = -std::log((1 - u) / shape), x = std::pow(1 - shape + shape * y, 1 / shape);
                if (x <= v + y) return x;
            }
        }
    }
    const double b = shape - 1.0 / 3, c = 1 / std::sqrt(9 * b);
    while (true) {
        double x = 0, v = 0;
        do {
            x = draw_legacy_normal(stream);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        const double u = uniform(stream);
        if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
        if (std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v))) return b * v;
    }
}

double chisquare(BitStream* stream, double df) { return 2 * standard_gamma(stream, df / 2); }

// Johnk's way for small parameters.
double beta(BitStream* stream, double a, double b) {
    if (a > 1 || b > 1) {
        const double x = standard_gamma(stream, a), y = standard_gamma(stream, b);
        return x / (x + y);
    }
    while (true) {
        const double u = uniform(stream), v = uniform(stream), x = std::pow(u, 1 / a), y = std::pow(v, 1 / b);
        if (x + y > 1 || u + v <= 0) continue;
        if (x + y > 0) return x / (x + y);
        double log_x = std::log(u) / a, log_y = std::log(v) / b;
        const double larger = std::max(log_x, log_y);
        log_x -= larger;
        log_y -= larger;
        return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
    }
}

double noncentral_chisquare(BitStream* stream, double df, double nonc) {
    if (nonc == 0) return chisquare(stream, df);
    if (df > 1) {
        const double central = chisquare(stream, df - 1), n = draw_legacy_normal(stream) + std::sqrt(nonc);
        return central + n * n;
    }
    const std::int64_t i = random_poisson(stream, nonc / 2);
    const double drawn = chisquare(stream, df + 2 * static_cast<double>(i));
    return std::isnan(nonc) ? nonc : drawn;
}

double wald(BitStream* stream, double mean, double scale) {
    const double half = mean / (2 * scale), n = draw_legacy_normal(stream), y = mean * n * n;
    const double x = mean + half * (y - std::sqrt(4 * scale * y + y * y)), u = uniform(stream);
    return u <= mean / (mean + x) ? x : mean * mean / x;
}

double standard_t(BitStream* stream, double df) {
    const double n = draw_legacy_normal(stream), gamma = standard_gamma(stream, df / 2);
    return std::sqrt(df / 2) * n / std::sqrt(gamma);
}

using Values = const DistributionValue*;
using Real = double (*)(BitStream*, Values);
constexpr DistributionParameter any(std::string_view name) { return {name, false, Bound::any}; }
constexpr DistributionParameter not_negative(std::string_view name) { return {name, false, Bound::not_negative}; }
constexpr DistributionParameter positive(std::string_view name) { return {name, false, Bound::positive}; }
constexpr Distribution real(std::string_view name, int count, Real draw, DistributionParameter a = {}, DistributionParameter b = {},
                            DistributionParameter c = {}) {
    return {name, false, count, {a, b, c}, draw, nullptr};
}

std::int64_t negative_binomial(BitStream* stream, Values v, BinomialState& /*state*/) {
    const double rate = standard_gamma(stream, v[0].real);
    return random_poisson(stream, (1 - v[1].real) / v[1].real * rate);
}

// Sorted by name.
constexpr Distribution table[] = {
    real(
        "beta", 2, [](BitStream* s, Values v) { return beta(s, v[0].real, v[1].real); }, positive("a"), positive("b")),
    real(
        "chisquare", 1, [](BitStream* s, Values v) { return chisquare(s, v[0].real); }, positive("df")),
    real(
        "exponential", 1, [](BitStream* s, Values v) { return v[0].real * draw_legacy_exponential(s); }, not_negative("scale")),
    real(
        "f", 2,
        [](BitStream* s, Values v) {
            const double above = chisquare(s, v[0].real) * v[1].real;
            return above / (chisquare(s, v[1].real) * v[0].real);
        },
        positive("dfnum"), positive("dfden")),
    real(
        "gamma", 2, [](BitStream* s, Values v) { return v[1].real * standard_gamma(s, v[0].real); }, not_negative("shape"), not_negative("scale")),
    real(
        "lognormal", 2, [](BitStream* s, Values v) { return std::exp(v[0].real + v[1].real * draw_legacy_normal(s)); }, any("mean"),
        not_negative("sigma")),
    {"negative_binomial", true, 2, {{"n", false, Bound::positive_number}, {"p", false, Bound::chance}, {}}, nullptr, &negative_binomial},
    real(
        "noncentral_chisquare", 2, [](BitStream* s, Values v) { return noncentral_chisquare(s, v[0].real, v[1].real); }, positive("df"),
        not_negative("nonc")),
    real(
        "noncentral_f", 3,
        [](BitStream* s, Values v) {
            const double above = noncentral_chisquare(s, v[0].real, v[2].real) * v[1].real;
            return above / (chisquare(s, v[1].real) * v[0].real);
        },
        positive("dfnum"), positive("dfden"), not_negative("nonc")),
    real(
        "normal", 2, [](BitStream* s, Values v) { return v[0].real + v[1].real * draw_legacy_normal(s); }, any("loc"), not_negative("scale")),
    real(
        "pareto", 1, [](BitStream* s, Values v) { return std::exp(draw_legacy_exponential(s) / v[0].real) - 1; }, positive("a")),
    real(
        "power", 1, [](BitStream* s, Values v) { return std::pow(1 - std::exp(-draw_legacy_exponential(s)), 1 / v[0].real); }, positive("a")),
    real(
        "rayleigh", 1, [](BitStream* s, Values v) { return v[0].real * std::sqrt(-2 * std::log1p(-uniform(s))); }, not_negative("scale")),
    real("standard_cauchy", 0,
         [](BitStream* s, Values) {
             const double above = draw_legacy_normal(s);
             return above / draw_legacy_normal(s);
         }),
    real("standard_exponential", 0, [](BitStream* s, Values) { return draw_legacy_exponential(s); }),
    real(
        "standard_gamma", 1, [](BitStream* s, Values v) { return standard_gamma(s, v[0].real); }, not_negative("shape")),
    real("standard_normal", 0, [](BitStream* s, Values) { return draw_legacy_normal(s); }),
    real(
        "standard_t", 1, [](BitStream* s, Values v) { return standard_t(s, v[0].real); }, positive("df")),
    real(
        "wald", 2, [](BitStream* s, Values v) { return wald(s, v[0].real, v[1].real); }, positive("mean"), positive("scale")),
    real(
        "weibull", 1, [](BitStream* s, Values v) { return v[0].real == 0 ? 0 : std::pow(draw_legacy_exponential(s), 1 / v[0].real); }, not_negative("a")),
};

}  // namespace

const Distribution* find_legacy_distribution(std::string_view name) {
    const auto* found = std::ranges::lower_bound(table, name, {}, &Distribution::name);
    return found == std::end(table) || found->name != name ? nullptr : found;
}

void draw_legacy_dirichlet(BitStream* stream, const double* alpha, std::int64_t width, double* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, out += width) {
        double total = 0;
        for (std::int64_t j = 0; j < width; ++j) total += out[j] = standard_gamma(stream, alpha[j]);
        const double factor = 1 / total;
        for (std::int64_t j = 0; j < width; ++j) out[j] *= factor;
    }
}

void draw_masked(BitStream* stream, std::int64_t low, std::int64_t range, std::int64_t* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + static_cast<std::uint64_t>(draw_masked(stream, range)));
}

void draw_legacy_order(BitStream* stream, std::int64_t* order, std::int64_t count) {
    for (std::int64_t i = count - 1; i > 0; --i) std::swap(order[i], order[draw_masked(stream, i)]);
}

}  // namespace fastnp::eager
