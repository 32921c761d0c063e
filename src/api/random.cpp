#include "fastnp/random.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "api/primitives.h"
#include "device/raw_stream.h"
#include "eager/draw.h"
#include "fastnp/error.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::random {

using detail::BitGenerator;
using detail::Draw;

namespace {

void check_scale(double scale) {
    if (std::signbit(scale) && !std::isnan(scale)) throw ValueError("scale < 0");
}

struct Limits {
    std::int64_t low, high;  // of uint64: what int64 has of it
};

Limits limits_of(Dtype dtype) {
    if (dtype == bool_) return {0, 1};
    const int bits = 8 * static_cast<int>(itemsize_of(dtype));
    const bool is_signed = kind_of(dtype) == 'i';
    if (bits == 64) return {is_signed ? std::numeric_limits<std::int64_t>::min() : 0, std::numeric_limits<std::int64_t>::max()};
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    return is_signed ? Limits{-half, half - 1} : Limits{0, 2 * half - 1};
}

std::string bounds_text(std::int64_t low, bool endpoint) {
    if (low == 0) return endpoint ? "high < 0" : "high <= 0";
    return endpoint ? "low > high" : "low >= high";
}

}  // namespace

array Generator::draw(const Draw& draw, const Shape& shape) {
    if (trace::Recorder* recorder = trace::Recorder::active()) recorder->refuse(RecordError("draws random numbers"));
    const std::int64_t count = shape::count(shape);
    if (count >= detail::least_drawn_on_device) {
        if (std::optional<array> drawn = detail::draw_on_device(state_, draw, shape)) return std::move(*drawn);
    }
    const device::Memory memory = api::allocate(draw.dtype, shape);
    if (count > 0) eager::draw(state_, draw, memory.data, count);
    return api::wrap(memory);
}

array Generator::draw_reals(Draw::Kind kind, Dtype dtype, const char* name, const Shape& shape) {
    if (dtype != float64 && dtype != float32) throw TypeError("Unsupported dtype dtype('" + std::string(name_of(dtype)) + "') for " + name);
    return draw({.kind = kind, .dtype = dtype}, shape);
}

array Generator::random(const Shape& shape, Dtype dtype) { return draw_reals(Draw::Kind::uniform, dtype, "random", shape); }
array Generator::standard_normal(const Shape& shape, Dtype dtype) { return draw_reals(Draw::Kind::normal, dtype, "standard_normal", shape); }
array Generator::standard_exponential(const Shape& shape, Dtype dtype) {
    return draw_reals(Draw::Kind::exponential, dtype, "standard_exponential", shape);
}

array Generator::uniform(double low, double high, const Shape& shape) {
    const double range = high - low;
    if (!std::isfinite(range)) throw OverflowError("high - low range exceeds valid bounds");
    if (std::signbit(range)) throw ValueError("high - low < 0");
    return draw({.kind = Draw::Kind::uniform, .shift = low, .scale = range}, shape);
}

array Generator::normal(double loc, double scale, const Shape& shape) {
    check_scale(scale);
    return draw({.kind = Draw::Kind::normal, .shift = loc, .scale = scale}, shape);
}

array Generator::exponential(double scale, const Shape& shape) {
    check_scale(scale);
    return draw({.kind = Draw::Kind::exponential, .scale = scale}, shape);
}

array Generator::integers(std::int64_t low, std::int64_t high, const Shape& shape, Dtype dtype, bool endpoint) {
    if (dtype != bool_ && !is_integer(dtype)) throw TypeError("Unsupported dtype dtype('" + std::string(name_of(dtype)) + "') for integers");
    const Limits limits = limits_of(dtype);
    if (low < limits.low) throw ValueError("low is out of bounds for " + std::string(name_of(dtype)));
    const std::int64_t last = endpoint || high == std::numeric_limits<std::int64_t>::min() ? high : high - 1;
    if (last > limits.high) throw ValueError("high is out of bounds for " + std::string(name_of(dtype)));
    const bool is_empty = endpoint ? low > high : low >= high;
    if (is_empty) throw ValueError(bounds_text(low, endpoint));
    const auto first = static_cast<std::uint64_t>(low), range = static_cast<std::uint64_t>(last) - first;
    if (range == 0) return full(shape, low, dtype);  // which takes no draws
    return draw({.kind = Draw::Kind::integers, .dtype = dtype, .low = first, .range = range}, shape);
}

namespace {

/// numpy.random.SeedSequence: a pool of four words that a seed is mixed into, and words made of it. (After M. O'Neill's seed_seq_fe.)
class SeedSequence {
public:
    explicit SeedSequence(std::uint64_t seed) {
        const std::array words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0U, 0U};
        std::uint32_t factor = 0x43b0d7e5;
        const auto hashed = [&factor](std::uint32_t word) {
            word ^= factor;
            factor *= 0x931e8875;
            word *= factor;
            return word ^ word >> 16;
        };
        for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hashed(words[i]);
        for (std::size_t from = 0; from < pool_.size(); ++from) {
            for (std::size_t to = 0; to < pool_.size(); ++to) {
                if (from == to) continue;
                const std::uint32_t mixed = 0xca01f9ddU * pool_[to] - 0x4973f715U * hashed(pool_[from]);
                pool_[to] = mixed ^ mixed >> 16;
            }
        }
    }

    /// The first words, pairs of which are one, the low half first.
    std::array<std::uint64_t, 4> words() const {
        std::array<std::uint64_t, 4> made{};
        std::uint32_t factor = 0x8b51f9dd;
        for (std::size_t i = 0; i < 2 * made.size(); ++i) {
            std::uint32_t word = pool_[i % pool_.size()] ^ factor;
            factor *= 0x58f38ded;
            word *= factor;
            word ^= word >> 16;
            made[i / 2] |= static_cast<std::uint64_t>(word) << (i % 2 * 32);
        }
        return made;
    }

private:
    std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

Generator default_rng(std::uint64_t seed) {
    const std::array<std::uint64_t, 4> words = SeedSequence(seed).words();
    const device::Affine step{device::Pcg64::factor, device::wide(words[2], words[3]) << 1 | 1};
    const device::Wide state = step(step(0) + device::wide(words[0], words[1]));
    BitGenerator made;
    made.words = {static_cast<std::uint64_t>(state), static_cast<std::uint64_t>(state >> 64), static_cast<std::uint64_t>(step.term),
                  static_cast<std::uint64_t>(step.term >> 64)};
    return Generator(made);
}

}  // namespace fastnp::random
