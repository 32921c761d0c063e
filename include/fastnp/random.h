// numpy.random: numbers of a Generator over NumPy's default bit generator, PCG64, bit for bit NumPy's for the same seed, on the host and on devices.
//
// A Generator is used by one thread at a time. In a function that is recorded (compile() and the transforms) draws are a RecordError, so compile() runs
// it as written.
#pragma once

#include <cstdint>

#include "fastnp/array.h"
#include "fastnp/detail/draws.h"

namespace fastnp::random {

/// \addtogroup random
/// @{

/// numpy.random.Generator. A copy goes on by itself, from where the other one is. Arrays are of the shape that is asked for; in a device_scope they are at
/// home there, and large ones are drawn there.
class FASTNP_API Generator {
public:
    /// Goes on from a state (of numpy.random.PCG64, PCG64DXSM or Philox).
    explicit Generator(const detail::BitGenerator& state) : state_(state) {}

    /// From 0 up to 1, without it: float64 or float32. TypeError in NumPy's words for other dtypes. (Generator.random)
    array random(const Shape& shape, Dtype dtype = float64);
    /// From low up to high, in float64. OverflowError where that is no finite range, ValueError where it is negative. (Generator.uniform)
    array uniform(double low, double high, const Shape& shape);
    /// Of mean 0 and deviation 1, float64 or float32, by the ziggurat method. TypeError as random(). (Generator.standard_normal)
    array standard_normal(const Shape& shape, Dtype dtype = float64);
    /// In float64. ValueError for a negative scale. (Generator.normal)
    array normal(double loc, double scale, const Shape& shape);
    /// Of scale 1, float64 or float32, by the ziggurat method. TypeError as random(). (Generator.standard_exponential)
    array standard_exponential(const Shape& shape, Dtype dtype = float64);
    /// In float64. ValueError for a negative scale. (Generator.exponential)
    array exponential(double scale, const Shape& shape);
    /// Whole numbers of a dtype (bool or an integer's) from low up to high, without it; with `endpoint`, and high, too. ValueError in NumPy's words where
    /// there are none, or the dtype has them not; TypeError for other dtypes. (Generator.integers)
    array integers(std::int64_t low, std::int64_t high, const Shape& shape, Dtype dtype = int64, bool endpoint = false);

    /// What the next draws depend on: `bit_generator.state`.
    const detail::BitGenerator& state() const { return state_; }

private:
    array draw(const detail::Draw& draw, const Shape& shape);
    array draw_reals(detail::Draw::Kind kind, Dtype dtype, const char* name, const Shape& shape);

    detail::BitGenerator state_;
};

/// numpy.random.default_rng(seed), seeded through its SeedSequence.
FASTNP_API Generator default_rng(std::uint64_t seed);

/// @}

}  // namespace fastnp::random
