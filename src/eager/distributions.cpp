#include "eager/distributions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "fastnp/error.h"

// numpy/random/distributions.h, whose own header asks for Python's.
extern "C" {
using fastnp::eager::BinomialState;
using fastnp::eager::BitStream;
double random_beta(BitStream*, double, double);
double random_chisquare(BitStream*, double);
double random_f(BitStream*, double, double);
double random_gamma(BitStream*, double, double);
double random_gumbel(BitStream*, double, double);
double random_laplace(BitStream*, double, double);
double random_logistic(BitStream*, double, double);
double random_lognormal(BitStream*, double, double);
double random_noncentral_chisquare(BitStream*, double, double);
double random_noncentral_f(BitStream*, double, double, double);
double random_pareto(BitStream*, double);
double random_power(BitStream*, double);
double random_rayleigh(BitStream*, double);
double random_standard_cauchy(BitStream*);
double random_standard_gamma(BitStream*, double);
double random_standard_t(BitStream*, double);
double random_triangular(BitStream*, double, double, double);
double random_vonmises(BitStream*, double, double);
double random_wald(BitStream*, double, double);
double random_weibull(BitStream*, double);
std::int64_t random_binomial(BitStream*, double, std::int64_t, BinomialState*);
std::int64_t random_geometric(BitStream*, double);
std::int64_t random_hypergeometric(BitStream*, std::int64_t, std::int64_t, std::int64_t);
std::int64_t random_logseries(BitStream*, double);
std::int64_t random_negative_binomial(BitStream*, double, double);
std::int64_t random_poisson(BitStream*, double);
std::int64_t random_zipf(BitStream*, double);
void random_multinomial(BitStream*, std::int64_t, std::int64_t*, double*, std::ptrdiff_t, BinomialState*);
void random_multivariate_hypergeometric_marginals(BitStream*, std::int64_t, std::size_t, std::int64_t*, std::int64_t, std::size_t, std::int64_t*);
}

namespace fastnp::eager {

namespace {

// The library's functions by what they take.
template <double (*f)(BitStream*)>
double of_none(BitStream* stream, const DistributionValue*) {
    return f(stream);
}
template <double (*f)(BitStream*, double)>
double of_one(BitStream* stream, const DistributionValue* v) {
    return f(stream, v[0].real);
}
template <double (*f)(BitStream*, double, double)>
double of_two(BitStream* stream, const DistributionValue* v) {
    return f(stream, v[0].real, v[1].real);
}
template <double (*f)(BitStream*, double, double, double)>
double of_three(BitStream* stream, const DistributionValue* v) {
    return f(stream, v[0].real, v[1].real, v[2].real);
}
template <std::int64_t (*f)(BitStream*, double)>
std::int64_t whole_of_one(BitStream* stream, const DistributionValue* v, BinomialState& /*state*/) {
    return f(stream, v[0].real);
}
std::int64_t binomial(BitStream* stream, const DistributionValue* v, BinomialState& state) {
    return random_binomial(stream, v[1].real, v[0].whole, &state);
}
std::int64_t negative_binomial(BitStream* stream, const DistributionValue* v, BinomialState& /*state*/) {
    return random_negative_binomial(stream, v[0].real, v[1].real);
}
std::int64_t hypergeometric(BitStream* stream, const DistributionValue* v, BinomialState& /*state*/) {
    return random_hypergeometric(stream, v[0].whole, v[1].whole, v[2].whole);
}

constexpr Distribution real(std::string_view name, int count, double (*draw)(BitStream*, const DistributionValue*), DistributionParameter a = {},
                            DistributionParameter b = {}, DistributionParameter c = {}) {
    return {name, false, count, {a, b, c}, draw, nullptr};
}
constexpr Distribution whole(std::string_view name, int count, std::int64_t (*draw)(BitStream*, const DistributionValue*, BinomialState&),
                             DistributionParameter a, DistributionParameter b = {}, DistributionParameter c = {}) {
    return {name, true, count, {a, b, c}, nullptr, draw};
}
constexpr DistributionParameter any(std::string_view name) { return {name, false, Bound::any}; }
constexpr DistributionParameter not_negative(std::string_view name) { return {name, false, Bound::not_negative}; }
constexpr DistributionParameter positive(std::string_view name) { return {name, false, Bound::positive}; }
constexpr DistributionParameter number(std::string_view name, Bound bound) { return {name, false, bound}; }
constexpr DistributionParameter count_of(std::string_view name, Bound bound) { return {name, true, bound}; }

// Sorted by name.
constexpr Distribution table[] = {
    real("beta", 2, &of_two<random_beta>, positive("a"), positive("b")),
    whole("binomial", 2, &binomial, count_of("n", Bound::not_negative), number("p", Bound::probability)),
    real("chisquare", 1, &of_one<random_chisquare>, positive("df")),
    real("f", 2, &of_two<random_f>, positive("dfnum"), positive("dfden")),
    real("gamma", 2, &of_two<random_gamma>, not_negative("shape"), not_negative("scale")),
    whole("geometric", 1, &whole_of_one<random_geometric>, number("p", Bound::chance)),
    real("gumbel", 2, &of_two<random_gumbel>, any("loc"), not_negative("scale")),
    whole("hypergeometric", 3, &hypergeometric, count_of("ngood", Bound::any), count_of("nbad", Bound::any), count_of("nsample", Bound::not_negative)),
    real("laplace", 2, &of_two<random_laplace>, any("loc"), not_negative("scale")),
    real("logistic", 2, &of_two<random_logistic>, any("loc"), not_negative("scale")),
    real("lognormal", 2, &of_two<random_lognormal>, any("mean"), not_negative("sigma")),
    whole("logseries", 1, &whole_of_one<random_logseries>, number("p", Bound::below_one)),
    whole("negative_binomial", 2, &negative_binomial, number("n", Bound::positive_number), number("p", Bound::chance)),
    real("noncentral_chisquare", 2, &of_two<random_noncentral_chisquare>, positive("df"), not_negative("nonc")),
    real("noncentral_f", 3, &of_three<random_noncentral_f>, positive("dfnum"), positive("dfden"), not_negative("nonc")),
    real("pareto", 1, &of_one<random_pareto>, positive("a")),
    whole("poisson", 1, &whole_of_one<random_poisson>, number("lam", Bound::rate)),
    real("power", 1, &of_one<random_power>, positive("a")),
    real("rayleigh", 1, &of_one<random_rayleigh>, not_negative("scale")),
    real("standard_cauchy", 0, &of_none<random_standard_cauchy>),
    real("standard_gamma", 1, &of_one<random_standard_gamma>, not_negative("shape")),
    real("standard_t", 1, &of_one<random_standard_t>, positive("df")),
    real("triangular", 3, &of_three<random_triangular>, any("left"), any("mode"), any("right")),
    real("vonmises", 2, &of_two<random_vonmises>, any("mu"), not_negative("kappa")),
    real("wald", 2, &of_two<random_wald>, positive("mean"), positive("scale")),
    real("weibull", 1, &of_one<random_weibull>, not_negative("a")),
    whole("zipf", 1, &whole_of_one<random_zipf>, number("a", Bound::above_one)),
};

DistributionValue value_of(const DistributionParameter& parameter, const void* values, std::int64_t place) {
    DistributionValue value;
    if (parameter.is_whole) value.whole = static_cast<const std::int64_t*>(values)[place];
    else value.real = static_cast<const double*>(values)[place];
    return value;
}

// The largest rate: ten deviations above it a count still fits.
const double largest_rate =
    static_cast<double>(std::numeric_limits<std::int64_t>::max()) - 10 * std::sqrt(static_cast<double>(std::numeric_limits<std::int64_t>::max()));

// What NumPy says where a parameter is out of its bounds; empty where it is not. (`not`: of NaN, all comparisons are false.)
std::string refusal(const DistributionParameter& parameter, DistributionValue given, bool is_single) {
    const std::string name(parameter.name), nan = is_single ? " or " + name + " is NaN" : " or " + name + " contains NaNs";
    const double x = parameter.is_whole ? static_cast<double>(given.whole) : given.real;
    switch (parameter.bound) {
        case Bound::any: return "";
        case Bound::not_negative: return std::signbit(x) && !std::isnan(x) ? name + " < 0" : "";
        case Bound::positive: return x <= 0 ? name + " <= 0" : "";
        case Bound::positive_number: return std::isnan(x) ? name + " must not be NaN" : x <= 0 ? name + " <= 0" : "";
        case Bound::probability: return !(x >= 0 && x <= 1) ? name + " < 0, " + name + " > 1" + nan : "";
        case Bound::chance: return !(x > 0 && x <= 1) ? name + " <= 0, " + name + " > 1 or " + name + " contains NaNs" : "";
        case Bound::below_one: return !(x >= 0 && x < 1) ? name + " < 0, " + name + " >= 1" + nan : "";
        case Bound::above_one: return !(x > 1) ? name + " <= 1" + nan : "";
        case Bound::rate: return !(x >= 0) && (is_single || !std::isnan(x)) ? name + " < 0" + nan : !(x <= largest_rate) ? name + " value too large" : "";
    }
    return "";
}

// What is between parameters.
std::string refusal(const Distribution& distribution, const DistributionValue* v) {
    if (distribution.name == "triangular") {
        return v[0].real > v[1].real ? "left > mode" : v[1].real > v[2].real ? "mode > right" : v[0].real == v[2].real ? "left == right" : "";
    }
    if (distribution.name == "hypergeometric") {
        constexpr std::int64_t most = 1000000000;
        if (v[0].whole >= most || v[1].whole >= most) return "both ngood and nbad must be less than 1000000000";
        return v[0].whole + v[1].whole < v[2].whole ? "ngood + nbad < nsample" : v[0].whole < 0 ? "ngood < 0" : v[1].whole < 0 ? "nbad < 0" : "";
    }
    if (distribution.name == "negative_binomial") {
        const double n = v[0].real, p = v[1].real, most = (1 - p) / p * (n + 10 * std::sqrt(n));
        return most > largest_rate ? "n too large or p too small, see Generator.negative_binomial Notes" : "";
    }
    return "";
}

}  // namespace

const Distribution* find_distribution(std::string_view name) {
    const auto* found = std::ranges::lower_bound(table, name, {}, &Distribution::name);
    return found == std::end(table) || found->name != name ? nullptr : found;
}

void check_parameters(const Distribution& distribution, const DistributionInput& input, std::int64_t count) {
    for (int k = 0; k < distribution.count; ++k) {
        const DistributionParameter& parameter = distribution.parameters[k];
        for (std::int64_t i = 0; i < (input.is_single[k] ? 1 : count); ++i) {
            const std::string words = refusal(parameter, value_of(parameter, input.values[k], i), input.is_single[k]);
            if (!words.empty()) throw ValueError(words);
        }
    }
    const bool is_single = std::all_of(input.is_single, input.is_single + distribution.count, [](bool each) { return each; });
    for (std::int64_t i = 0; i < (is_single ? 1 : count); ++i) {
        DistributionValue values[Distribution::most];
        for (int k = 0; k < distribution.count; ++k) values[k] = value_of(distribution.parameters[k], input.values[k], input.is_single[k] ? 0 : i);
        const std::string words = refusal(distribution, values);
        if (!words.empty()) throw ValueError(words);
    }
}

void draw_distribution(const Distribution& distribution, const DistributionInput& input, BitStream* stream, void* out, std::int64_t count) {
    DistributionValue values[Distribution::most];
    BinomialState state;
    for (std::int64_t i = 0; i < count; ++i) {
        for (int k = 0; k < distribution.count; ++k) {
            if (i == 0 || !input.is_single[k]) values[k] = value_of(distribution.parameters[k], input.values[k], i);
        }
        if (distribution.gives_whole) static_cast<std::int64_t*>(out)[i] = distribution.whole(stream, values, state);
        else static_cast<double*>(out)[i] = distribution.real(stream, values);
    }
}

void draw_multinomial(BitStream* stream, std::int64_t n, std::int64_t* out, const double* chances, std::int64_t width) {
    BinomialState state;
    random_multinomial(stream, n, out, const_cast<double*>(chances), width, &state);  // NOLINT: it is only read
}

void draw_multivariate_hypergeometric(BitStream* stream, std::int64_t total, const std::int64_t* colors, std::int64_t nsample, std::int64_t* out,
                                      std::int64_t width, std::int64_t count) {
    random_multivariate_hypergeometric_marginals(stream, total, static_cast<std::size_t>(width), const_cast<std::int64_t*>(colors), nsample,  // NOLINT
                                                 static_cast<std::size_t>(count), out);
}

namespace {

// A stick of which each breaks a part off: small weights' gammas are all 0 at times.
void break_stick(BitStream* stream, const double* alpha, const double* from, std::int64_t width, double* out) {
    double left = 1;
    std::int64_t j = 0;
    for (; j + 1 < width; ++j) {
        const double part = random_beta(stream, alpha[j], from[j + 1]);
        out[j] = left * part;
        left *= 1 - part;
        if (from[j + 1] == 0) break;
    }
    if (j + 1 >= width) out[width - 1] = left;
}

}  // namespace

void draw_dirichlet(BitStream* stream, const double* alpha, std::int64_t width, double* out, std::int64_t count) {
    const bool is_small = width > 0 && *std::max_element(alpha, alpha + width) < 0.1;
    std::vector<double> from(alpha, alpha + width);  // the sum of each weight and those after it
    for (std::int64_t j = width - 2; j >= 0; --j) from[static_cast<std::size_t>(j)] += from[static_cast<std::size_t>(j) + 1];
    for (std::int64_t i = 0; i < count; ++i, out += width) {
        if (is_small) {
            break_stick(stream, alpha, from.data(), width, out);
            continue;
        }
        double total = 0;
        for (std::int64_t j = 0; j < width; ++j) total += out[j] = random_standard_gamma(stream, alpha[j]);
        const double factor = 1 / total;
        for (std::int64_t j = 0; j < width; ++j) out[j] *= factor;
    }
}

}  // namespace fastnp::eager
