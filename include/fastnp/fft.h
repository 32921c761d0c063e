// numpy.fft: discrete Fourier transforms, with NumPy's results to the bit, on concrete arrays at once and on recorded ones by recording. All have
// derivatives in both modes.
//
// Results of float32, 16-bit floating and complex64 arrays are in single precision, all others in double. ValueError for transforms of fewer than one
// point, AxisError for axes out of bounds.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp::fft {

/// \addtogroup fft
/// @{

/// Which direction is divided by the number of points: the backward one, each by its square root, or the forward one.
enum class Norm : std::uint8_t { backward, ortho, forward };

/// Keyword arguments of transforms along one axis.
struct Options {
    /// Points to transform: x is cut to as many, or gets zeros behind; as many as there are unless given.
    std::optional<std::int64_t> n = std::nullopt;
    int axis = -1;               ///< that is transformed
    Norm norm = Norm::backward;  ///< what is divided by the number of points
};

/// Keyword arguments of transforms along several axes.
struct GridOptions {
    /// Points along each of the axes (-1: as many as there are). Without axes these are the last ones.
    std::optional<Shape> s = std::nullopt;
    /// All unless given, of fft2() and its kin the last two; one that is there twice is transformed twice.
    Axes axes = {};
    Norm norm = Norm::backward;  ///< what is divided by the number of points
};

/// numpy.fft.fft: complex, of x's shape with n points along the axis. ValueError for fewer than one point, AxisError.
///
///     fft::fft(x, {.n = 64, .axis = 0});
FASTNP_API array fft(const array& x, const Options& options = {});
/// numpy.fft.ifft: what fft() takes to x.
FASTNP_API array ifft(const array& x, const Options& options = {});
/// numpy.fft.rfft: of real numbers, the n / 2 + 1 elements of the transform that are not conjugates of others. TypeError for complex ones.
FASTNP_API array rfft(const array& x, const Options& options = {});
/// numpy.fft.irfft: the n real points (2 (m - 1) of m elements, unless given) of such a transform.
FASTNP_API array irfft(const array& x, const Options& options = {});
/// numpy.fft.hfft: the n real points that are the transform of an array of which every second half is the conjugate of the first.
FASTNP_API array hfft(const array& x, const Options& options = {});
/// numpy.fft.ihfft: what hfft() takes to x. TypeError for complex arrays.
FASTNP_API array ihfft(const array& x, const Options& options = {});

/// numpy.fft.fftn: fft() along one axis after the other, all unless given. ValueError where there are not as many sizes as axes.
FASTNP_API array fftn(const array& x, const GridOptions& options = {});
/// numpy.fft.ifftn: what fftn() takes to x.
FASTNP_API array ifftn(const array& x, const GridOptions& options = {});
/// numpy.fft.rfftn: rfft() along the last of the axes, fft() along the others. TypeError for complex arrays, IndexError for no axes.
FASTNP_API array rfftn(const array& x, const GridOptions& options = {});
/// numpy.fft.irfftn: what rfftn() takes to x, real. IndexError for no axes.
FASTNP_API array irfftn(const array& x, const GridOptions& options = {});
/// numpy.fft.fft2: fftn() along the last two axes.
FASTNP_API array fft2(const array& x, const GridOptions& options = {});
/// numpy.fft.ifft2: ifftn() along the last two axes.
FASTNP_API array ifft2(const array& x, const GridOptions& options = {});
/// numpy.fft.rfft2: rfftn() along the last two axes.
FASTNP_API array rfft2(const array& x, const GridOptions& options = {});
/// numpy.fft.irfft2: irfftn() along the last two axes.
FASTNP_API array irfft2(const array& x, const GridOptions& options = {});

/// numpy.fft.fftfreq: the frequencies of n points a distance d apart, as float64, (n,). ZeroDivisionError for n d = 0.
FASTNP_API array fftfreq(std::int64_t n, double d = 1.0);
/// numpy.fft.rfftfreq: those that rfft() has, (n / 2 + 1,).
FASTNP_API array rfftfreq(std::int64_t n, double d = 1.0);
/// numpy.fft.fftshift: frequency 0 moved to the middle of the axes (all unless given).
FASTNP_API array fftshift(const array& x, const Axes& axes = {});
/// numpy.fft.ifftshift: takes fftshift() back.
FASTNP_API array ifftshift(const array& x, const Axes& axes = {});

/// @}

}  // namespace fastnp::fft
