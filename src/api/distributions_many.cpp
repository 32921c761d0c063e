// Draws of a Generator's that are several numbers at once, or of elements and their order.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "api/primitives.h"
#include "eager/distributions.h"
#include "eager/generator_stream.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "fastnp/random.h"
#include "ops/infer.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::random {

namespace {

using eager::BitStream;

void refuse_recordings() {
    if (trace::Recorder* recorder = trace::Recorder::active()) recorder->refuse(RecordError("draws random numbers"));
}

array line_of(const array& x, Dtype dtype, const char* name) {
    if (x.ndim() != 1) throw ValueError(std::string(name) + " must be 1-dimensional");
    return x.astype(dtype).copy();
}

// A draw of `width` numbers for each element of a shape.
template <class T, class F>
array rows(const std::optional<Shape>& size, std::int64_t width, Dtype dtype, F fill) {
    Shape shape = size.value_or(Shape{});
    const std::int64_t count = shape::count(shape);
    shape.push_back(width);
    const device::Memory memory = api::allocate(dtype, shape);
    auto* const out = static_cast<T*>(memory.data);
    std::fill(out, out + count * width, T{});
    fill(out, count);
    return api::wrap(memory);
}

// R. Fisher and F. Yates: of the places from `least` on, the last first, each is exchanged with one before it, or itself.
// NumPy draws these by other ways for an order (`draw_masked`) and for a choice (`draw_integer`).
using DrawUpTo = std::int64_t (*)(BitStream*, std::int64_t) noexcept;
void shuffle_places(BitStream& stream, DrawUpTo draw, std::vector<std::int64_t>& places, std::int64_t least) {
    for (std::int64_t i = static_cast<std::int64_t>(places.size()) - 1; i >= least; --i) {
        std::swap(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(draw(&stream, i))]);
    }
}

std::vector<std::int64_t> shuffled(BitStream& stream, std::int64_t count, DrawUpTo draw = &eager::draw_masked, std::int64_t least = 1) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    shuffle_places(stream, draw, places, least);
    return places;
}

array as_array(const std::vector<std::int64_t>& numbers) {
    const device::Memory memory = api::allocate(Dtype::int64, Shape{static_cast<std::int64_t>(numbers.size())});
    std::copy(numbers.begin(), numbers.end(), static_cast<std::int64_t*>(memory.data));
    return api::wrap(memory);
}

// R. Floyd's: each of the last `count` numbers draws one up to itself, and is taken in its place where that was taken before.
std::vector<std::int64_t> without_repeats(BitStream& stream, std::int64_t population, std::int64_t count, bool shuffles) {
    if (population > 10000 && count > population / (shuffles ? 50 : 20)) {
        std::vector<std::int64_t> places = shuffled(stream, population, &eager::draw_integer, std::max<std::int64_t>(population - count, 1));
        places.erase(places.begin(), places.begin() + (population - count));
        return places;
    }
    std::vector<std::int64_t> taken;
    std::vector<bool> is_taken(static_cast<std::size_t>(population));
    for (std::int64_t last = population - count; last < population; ++last) {
        std::int64_t drawn = eager::draw_integer(&stream, last);
        if (is_taken[static_cast<std::size_t>(drawn)]) drawn = last;
        is_taken[static_cast<std::size_t>(drawn)] = true;
        taken.push_back(drawn);
    }
    if (shuffles) shuffle_places(stream, &eager::draw_integer, taken, 1);
    return taken;
}

// The probabilities of `choice`, whose sum has to be 1 but for rounding.
array checked(const array& p, std::int64_t population) {
    if (p.ndim() != 1) throw ValueError("p must be 1-dimensional");
    if (p.shape(0) != population) throw ValueError("a and p must have same size");
    array chances = p.astype(float64);
    const double total = sum(chances).item<double>();
    if (std::isnan(total)) throw ValueError("Probabilities contain NaN");
    if (any(chances < 0.0).item<bool>()) throw ValueError("Probabilities are not non-negative");
    if (std::abs(total - 1) > 1.4901161193847656e-08) {
        throw ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.");
    }
    return chances;
}

array bins_of(const array& chances) {
    const array bounds = cumsum(chances);
    return bounds / bounds(-1);
}

}  // namespace

array Generator::multinomial(std::int64_t n, const array& pvals, const std::optional<Shape>& size) {
    refuse_recordings();
    if (pvals.ndim() == 0 || pvals.shape(-1) == 0) {
        throw ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.");
    }
    if (n < 0) throw ValueError("n < 0");
    const array chances = line_of(pvals, float64, "pvals");
    const auto* const p = static_cast<const double*>(chances.data());
    const std::int64_t width = chances.size();
    if (std::any_of(p, p + width, [](double each) { return !(each >= 0 && each <= 1); })) throw ValueError("pvals < 0, pvals > 1 or pvals contains NaNs");
    if (width > 1 && std::accumulate(p, p + width - 1, 0.0) > 1 + 1e-12) throw ValueError("sum(pvals[:-1]) > 1.0");
    BitStream stream = eager::stream_of(state_);
    return rows<std::int64_t>(size, width, Dtype::int64, [&](std::int64_t* out, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) eager::draw_multinomial(&stream, n, out + i * width, p, width);
    });
}

array Generator::multivariate_hypergeometric(const array& colors, std::int64_t nsample, const std::optional<Shape>& size) {
    refuse_recordings();
    if (nsample < 0) throw ValueError("nsample must be nonnegative.");
    const array counts = line_of(colors, int64, "colors");
    const auto* const of_colors = static_cast<const std::int64_t*>(counts.data());
    const std::int64_t width = counts.size(), total = std::accumulate(of_colors, of_colors + width, std::int64_t{0});
    if (std::any_of(of_colors, of_colors + width, [](std::int64_t each) { return each < 0; })) {
        throw ValueError("colors must be a one-dimensional sequence of nonnegative integers not exceeding 9223372036854775807.");
    }
    if (nsample > total) throw ValueError("nsample > sum(colors)");
    if (total >= 1000000000) throw ValueError("When method is \"marginals\", sum(colors) must be less than 1000000000.");
    BitStream stream = eager::stream_of(state_);
    return rows<std::int64_t>(size, width, Dtype::int64, [&](std::int64_t* out, std::int64_t count) {
        eager::draw_multivariate_hypergeometric(&stream, total, of_colors, nsample, out, width, count);
    });
}

array Generator::dirichlet(const array& alpha, const std::optional<Shape>& size) {
    refuse_recordings();
    const array weights = line_of(alpha, float64, "alpha");
    const auto* const a = static_cast<const double*>(weights.data());
    const std::int64_t width = weights.size();
    if (std::any_of(a, a + width, [](double each) { return !(each >= 0); })) throw ValueError("alpha < 0");
    BitStream stream = eager::stream_of(state_);
    return rows<double>(size, width, Dtype::float64, [&](double* out, std::int64_t count) { eager::draw_dirichlet(&stream, a, width, out, count); });
}

array Generator::choice(const array& a, const std::optional<Shape>& size, const ChoiceOptions& options) {
    refuse_recordings();
    const bool is_count = a.ndim() == 0;
    if (is_count && !is_integer(a.dtype())) throw ValueError("a must be a sequence or an integer, not <class 'float'>");
    const int axis = is_count ? 0 : ops::normalize_axis(options.axis, a.ndim());
    const std::int64_t population = is_count ? a.item<std::int64_t>() : a.shape(axis), count = size ? shape::count(*size) : 1;
    if (population <= 0 && count != 0)
        throw ValueError(is_count ? "a must be a positive integer unless no samples are taken" : "a cannot be empty unless no samples are taken");
    const std::optional<array> p = options.p ? std::optional(checked(*options.p, population)) : std::nullopt;
    array places = zeros({0}, int64);
    if (options.replace) {
        places = p ? searchsorted(bins_of(*p), random({count}), Side::right) : integers(0, population, {count});
    } else if (count > population || count < 0) {
        throw ValueError("Cannot take a larger sample than population when replace is False");
    } else if (p) {
        places = without_repeats_by(*p, count);
    } else {
        BitStream stream = eager::stream_of(state_);
        places = as_array(without_repeats(stream, population, count, options.shuffle));
    }
    if (!size) places = places(0);
    else if (is_count) places = places.reshape(*size);
    if (is_count) return places;
    if (!size) return take(a, places, axis);
    if (axis == 0 || size->size() == 1) {
        const array taken = take(a, places, axis);
        Shape shape;
        for (int i = 0; i < a.ndim(); ++i) {
            if (i != axis) shape.push_back(a.shape(i));
            else
                for (const std::int64_t each : *size) shape.push_back(each);
        }
        return taken.reshape(shape);
    }
    return take(a, places.reshape(*size), axis);
}

// Draws until there are enough different ones; what was found is no candidate any more.
array Generator::without_repeats_by(const array& p, std::int64_t count) {
    if (sum((p > 0.0).astype(int64)).item<std::int64_t>() < count) throw ValueError("Fewer non-zero entries in p than size");
    array chances = p.copy();
    std::vector<std::int64_t> found;
    while (static_cast<std::int64_t>(found.size()) < count) {
        const array drawn = random({count - static_cast<std::int64_t>(found.size())});
        if (!found.empty()) set_at(chances, {as_array(found)}, 0.0);
        const array places = searchsorted(bins_of(chances), drawn, Side::right);
        for (std::int64_t i = 0; i < places.size(); ++i) {  // the first of equal ones
            const auto place = places(i).item<std::int64_t>();
            if (std::find(found.begin(), found.end(), place) == found.end()) found.push_back(place);
        }
    }
    return as_array(found);
}

array Generator::permutation(std::int64_t n) {
    refuse_recordings();
    BitStream stream = eager::stream_of(state_);
    return as_array(shuffled(stream, std::max<std::int64_t>(n, 0)));
}

array Generator::permutation(const array& x, int axis) {
    const int along = ops::normalize_axis(axis, x.ndim());
    return take(x, permutation(x.shape(along)), along);
}

void Generator::shuffle(const array& x, int axis) {
    const array source = x.copy();
    copyto(x, permutation(source, axis));
}

array Generator::permuted(const array& x, std::optional<int> axis) {
    refuse_recordings();
    if (!axis) return permutation(x.copy().reshape({-1})).reshape(x.shape());
    const int along = ops::normalize_axis(*axis, x.ndim());
    const array lines = moveaxis(x, along, -1).copy(Order::c);
    const std::int64_t length = lines.shape(-1), count = length == 0 ? 0 : lines.size() / length;
    BitStream stream = eager::stream_of(state_);
    std::vector<std::int64_t> places;
    for (std::int64_t line = 0; line < count; ++line) {
        for (const std::int64_t place : shuffled(stream, length)) places.push_back(line * length + place);
    }
    return moveaxis(take(lines.reshape({-1}), as_array(places)).reshape(lines.shape()), -1, along).copy(Order::c);
}

std::string Generator::bytes(std::int64_t length) {
    if (length < 0) throw ValueError("negative dimensions are not allowed");
    const array words = integers(0, 0x100000000, {(length - 1) / 4 + 1}, uint32);  // one for no bytes, too, as NumPy
    return {static_cast<const char*>(words.data()), static_cast<std::size_t>(length)};
}

}  // namespace fastnp::random
