// Distributions of numpy.random.Generator beyond the ziggurats', by NumPy's own C library of them (libnpyrandom, which its package has for others).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "eager/stream.h"

namespace fastnp::eager {

/// What a parameter may be. NaN is left to the library but where it is said.
enum class Bound : std::uint8_t {
    any,
    not_negative,       ///< NumPy's "scale < 0"
    positive,           ///< "df <= 0"
    positive_number,    ///< the same, and no NaN
    probability,        ///< from 0 to 1
    chance,             ///< above 0, up to 1
    below_one,          ///< from 0 up to 1
    above_one,          ///< more than 1
    rate,               ///< of Poisson's distribution
};

/// An argument of a distribution: of a whole number `whole`, else `real`.
union DistributionValue {
    double real;
    std::int64_t whole;
};

/// What a binomial distribution's draws work out of its parameters, and keep while these are the same (the library's binomial_t).
struct BinomialState {
    int has_binomial = 0;
    double psave = 0;
    std::int64_t nsave = 0;
    double r = 0, q = 0, fm = 0;
    std::int64_t m = 0;
    double p1 = 0, xm = 0, xl = 0, xr = 0, c = 0, laml = 0, lamr = 0, p2 = 0, p3 = 0, p4 = 0;
};

struct DistributionParameter {
    std::string_view name;
    bool is_whole = false;
    Bound bound = Bound::any;
};

/// One of them. Results are float64 or int64.
struct Distribution {
    static constexpr int most = 3;

    std::string_view name;
    bool gives_whole = false;
    int count = 0;
    DistributionParameter parameters[most];
    double (*real)(BitStream*, const DistributionValue*) = nullptr;
    std::int64_t (*whole)(BitStream*, const DistributionValue*, BinomialState&) = nullptr;
};

/// By NumPy's name; a null pointer where there is none.
const Distribution* find_distribution(std::string_view name);

/// The same of numpy.random.RandomState's ways; a null pointer where they are Generator's. The stream is followed by detail::PairedNormals in memory.
const Distribution* find_legacy_distribution(std::string_view name);

/// The parameters of each draw: `values[k]` has one number, or one for each draw.
struct DistributionInput {
    const void* values[Distribution::most] = {};
    bool is_single[Distribution::most] = {};
};
/// ValueError in NumPy's words where a parameter is out of its bounds. `count`: draws.
void check_parameters(const Distribution& distribution, const DistributionInput& input, std::int64_t count);
/// Draws one after the other into float64s or int64s.
void draw_distribution(const Distribution& distribution, const DistributionInput& input, BitStream* stream, void* out, std::int64_t count);

/// How often each of `width` outcomes came, into int64s that are 0.
void draw_multinomial(BitStream* stream, std::int64_t n, std::int64_t* out, const double* chances, std::int64_t width);
/// `count` rows of `width` numbers, which are 0.
void draw_multivariate_hypergeometric(BitStream* stream, std::int64_t total, const std::int64_t* colors, std::int64_t nsample, std::int64_t* out,
                                      std::int64_t width, std::int64_t count);
/// The same of parts of 1.
void draw_dirichlet(BitStream* stream, const double* alpha, std::int64_t width, double* out, std::int64_t count);

/// By RandomState's ways: rows of parts of 1, whole numbers from `low` to low + range, places in another order.
void draw_legacy_dirichlet(BitStream* stream, const double* alpha, std::int64_t width, double* out, std::int64_t count);
void draw_masked(BitStream* stream, std::int64_t low, std::int64_t range, std::int64_t* out, std::int64_t count);
void draw_legacy_order(BitStream* stream, std::int64_t* order, std::int64_t count);

}  // namespace fastnp::eager
