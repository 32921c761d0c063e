// Draws of a Generator's other distributions (eager/distributions.h).
#include <string>

#include "api/primitives.h"
#include "eager/distributions.h"
#include "eager/generator_stream.h"
#include "fastnp/detail/legacy_draws.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "fastnp/random.h"
#include "ops/infer.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::random {

namespace {

// A parameter as float64 or int64, of the host, one element after the other.
array prepared(const eager::DistributionParameter& parameter, const Operand& given) {
    const array* const found = given.as_array();
    const array value = found != nullptr ? *found : full({}, *given.as_scalar());
    if (parameter.is_whole && !is_integer(value.dtype()) && value.dtype() != bool_) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(value.dtype())) + "') to dtype('int64') according to the rule 'safe'");
    }
    if (is_complex(value.dtype())) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(value.dtype())) +
                        "') to dtype('float64') according to the rule 'safe'");
    }
    return value.astype(parameter.is_whole ? int64 : float64);
}

// What all parameters broadcast to, or the size, to which that has to.
Shape shape_of(std::vector<array>& values, const std::optional<Shape>& size) {
    if (values.empty()) return size.value_or(Shape{});
    const Shape common = broadcast_arrays(values)[0].shape();
    if (!size || common.empty()) return size.value_or(common);
    bool fits = common.size() <= size->size();
    for (std::size_t i = 0; fits && i < common.size(); ++i) {
        const std::int64_t mine = common[common.size() - 1 - i];
        fits = mine == 1 || mine == (*size)[size->size() - 1 - i];
    }
    if (!fits) {
        throw ValueError("Output size " + ops::shape_text(shape::to_dims(*size)) + " is not compatible with broadcast dimensions of inputs " +
                         ops::shape_text(shape::to_dims(common)) + ".");
    }
    return *size;
}

// Parameters that have axes as arrays of a shape, one element after the other; the input has their memory.
eager::DistributionInput input_of(std::vector<array>& values, const Shape& shape) {
    eager::DistributionInput input;
    for (std::size_t k = 0; k < values.size(); ++k) {
        input.is_single[k] = values[k].ndim() == 0;
        if (!input.is_single[k]) values[k] = broadcast_to(values[k], shape).copy();
        input.values[k] = values[k].data();
    }
    return input;
}

constexpr eager::DistributionParameter real{};

void check_scale(const array& scale) {
    if (any(signbit(scale) & ~isnan(scale)).item<bool>()) throw ValueError("scale < 0");
}

}  // namespace

array Generator::draw_scaled(detail::Draw::Kind kind, const array& shift, const array& scale, const std::optional<Shape>& size) {
    std::vector<array> both{shift, scale};
    return shift + scale * draw({.kind = kind}, shape_of(both, size));
}

array Generator::uniform(const Operand& low, const Operand& high, const std::optional<Shape>& size) {
    const array from = prepared(real, low), range = prepared(real, high) - from;
    if (!all(isfinite(range)).item<bool>()) throw OverflowError("Range exceeds valid bounds");
    if (any(signbit(range)).item<bool>()) throw ValueError("high - low < 0");
    return draw_scaled(detail::Draw::Kind::uniform, from, range, size);
}

array Generator::normal(const Operand& loc, const Operand& scale, const std::optional<Shape>& size) {
    const array deviation = prepared(real, scale);
    check_scale(deviation);
    return draw_scaled(detail::Draw::Kind::normal, prepared(real, loc), deviation, size);
}

array Generator::exponential(const Operand& scale, const std::optional<Shape>& size) {
    const array mean = prepared(real, scale);
    check_scale(mean);
    return draw_scaled(detail::Draw::Kind::exponential, full({}, -0.0), mean, size);
}

namespace {

array drawn_from(const eager::Distribution& drawn, eager::BitStream* stream, const std::vector<Operand>& parameters, const std::optional<Shape>& size) {
    std::vector<array> values;
    for (std::size_t k = 0; k < parameters.size(); ++k) values.push_back(prepared(drawn.parameters[k], parameters[k]));
    const Shape shape = shape_of(values, size);
    const std::int64_t count = shape::count(shape);
    if (count == 0 && !values.empty()) {  // no draw needs them, but they are looked at
        const Shape common = broadcast_arrays(values)[0].shape();
        std::vector<array> looked_at = values;
        check_parameters(drawn, input_of(looked_at, common), shape::count(common));
    }
    const eager::DistributionInput input = input_of(values, shape);
    check_parameters(drawn, input, count);
    const device::Memory memory = api::allocate(drawn.gives_whole ? Dtype::int64 : Dtype::float64, shape);
    draw_distribution(drawn, input, stream, memory.data, count);
    return api::wrap(memory);
}

}  // namespace

array Generator::draw(std::string_view distribution, const std::vector<Operand>& parameters, const std::optional<Shape>& size) {
    if (trace::Recorder* recorder = trace::Recorder::active()) recorder->refuse(RecordError("draws random numbers"));
    eager::BitStream stream = eager::stream_of(state_);
    return drawn_from(*eager::find_distribution(distribution), &stream, parameters, size);
}

array Generator::beta(const Operand& a, const Operand& b, const std::optional<Shape>& size) { return draw("beta", {a, b}, size); }
array Generator::binomial(const Operand& n, const Operand& p, const std::optional<Shape>& size) { return draw("binomial", {n, p}, size); }
array Generator::chisquare(const Operand& df, const std::optional<Shape>& size) { return draw("chisquare", {df}, size); }
array Generator::f(const Operand& dfnum, const Operand& dfden, const std::optional<Shape>& size) { return draw("f", {dfnum, dfden}, size); }
array Generator::gamma(const Operand& shape, const Operand& scale, const std::optional<Shape>& size) { return draw("gamma", {shape, scale}, size); }
array Generator::geometric(const Operand& p, const std::optional<Shape>& size) { return draw("geometric", {p}, size); }
array Generator::gumbel(const Operand& loc, const Operand& scale, const std::optional<Shape>& size) { return draw("gumbel", {loc, scale}, size); }
array Generator::laplace(const Operand& loc, const Operand& scale, const std::optional<Shape>& size) { return draw("laplace", {loc, scale}, size); }
array Generator::logistic(const Operand& loc, const Operand& scale, const std::optional<Shape>& size) { return draw("logistic", {loc, scale}, size); }
array Generator::lognormal(const Operand& mean, const Operand& sigma, const std::optional<Shape>& size) { return draw("lognormal", {mean, sigma}, size); }
array Generator::logseries(const Operand& p, const std::optional<Shape>& size) { return draw("logseries", {p}, size); }
array Generator::negative_binomial(const Operand& n, const Operand& p, const std::optional<Shape>& size) {
    return draw("negative_binomial", {n, p}, size);
}
array Generator::noncentral_chisquare(const Operand& df, const Operand& nonc, const std::optional<Shape>& size) {
    return draw("noncentral_chisquare", {df, nonc}, size);
}
array Generator::pareto(const Operand& a, const std::optional<Shape>& size) { return draw("pareto", {a}, size); }
array Generator::poisson(const Operand& lam, const std::optional<Shape>& size) { return draw("poisson", {lam}, size); }
array Generator::power(const Operand& a, const std::optional<Shape>& size) { return draw("power", {a}, size); }
array Generator::rayleigh(const Operand& scale, const std::optional<Shape>& size) { return draw("rayleigh", {scale}, size); }
array Generator::standard_gamma(const Operand& shape, const std::optional<Shape>& size) { return draw("standard_gamma", {shape}, size); }
array Generator::standard_t(const Operand& df, const std::optional<Shape>& size) { return draw("standard_t", {df}, size); }
array Generator::vonmises(const Operand& mu, const Operand& kappa, const std::optional<Shape>& size) { return draw("vonmises", {mu, kappa}, size); }
array Generator::wald(const Operand& mean, const Operand& scale, const std::optional<Shape>& size) { return draw("wald", {mean, scale}, size); }
array Generator::weibull(const Operand& a, const std::optional<Shape>& size) { return draw("weibull", {a}, size); }
array Generator::zipf(const Operand& a, const std::optional<Shape>& size) { return draw("zipf", {a}, size); }
array Generator::hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample, const std::optional<Shape>& size) {
    return draw("hypergeometric", {ngood, nbad, nsample}, size);
}
array Generator::noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc, const std::optional<Shape>& size) {
    return draw("noncentral_f", {dfnum, dfden, nonc}, size);
}
array Generator::triangular(const Operand& left, const Operand& mode, const Operand& right, const std::optional<Shape>& size) {
    return draw("triangular", {left, mode, right}, size);
}
array Generator::standard_cauchy(const std::optional<Shape>& size) { return draw("standard_cauchy", {}, size); }

}  // namespace fastnp::random

namespace fastnp::detail {

namespace {

eager::BitStream* as_stream(void* stream) { return static_cast<eager::BitStream*>(stream); }

}  // namespace

array draw_legacy(void* stream, std::string_view distribution, const std::vector<Operand>& parameters, const std::optional<Shape>& size) {
    return random::drawn_from(*eager::find_legacy_distribution(distribution), as_stream(stream), parameters, size);
}

array draw_legacy_integers(void* stream, std::int64_t low, std::int64_t range, const Shape& size) {
    const device::Memory memory = api::allocate(Dtype::int64, size);
    eager::draw_masked(as_stream(stream), low, range, static_cast<std::int64_t*>(memory.data), shape::count(size));
    return api::wrap(memory);
}

array draw_legacy_order(void* stream, std::int64_t count) {
    const array order = arange(count).copy();
    eager::draw_legacy_order(as_stream(stream), static_cast<std::int64_t*>(order.body()->memory.data), count);
    return order;
}

array draw_legacy_dirichlet(void* stream, const array& weights, const Shape& size) {
    Shape shape = size;
    shape.push_back(weights.shape(0));
    const device::Memory memory = api::allocate(Dtype::float64, shape);
    const array alpha = weights.astype(float64).copy();
    eager::draw_legacy_dirichlet(as_stream(stream), static_cast<const double*>(alpha.data()), weights.shape(0), static_cast<double*>(memory.data),
                                 shape::count(size));
    return api::wrap(memory);
}

}  // namespace fastnp::detail
