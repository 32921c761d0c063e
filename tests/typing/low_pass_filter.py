"""Filters of signals: a moving average, one in the frequency domain, and convolution."""

import fastnp as np
import fastnp.typing as npt

Signal = npt.NDArray[np.float64]


def moving_average(x: Signal, width: int) -> Signal:
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    return (sums[width:] - sums[:-width]) / width


@np.compile
def low_pass(x: Signal, rate: float, cutoff: float) -> Signal:
    spectrum = np.fft.rfft(x)
    frequencies = np.fft.rfftfreq(x.size, d=1.0 / rate)
    return np.fft.irfft(np.where(frequencies <= cutoff, spectrum, 0.0), n=x.size)


def power(x: Signal) -> Signal:
    transformed: npt.NDArray[np.complex128] = np.fft.fft(x)
    return np.abs(transformed) ** 2


def main() -> None:
    rate = 1000.0
    t = np.arange(1000) / rate
    clean = np.sin(2 * np.pi * 5 * t)
    noisy = clean + 0.5 * np.sin(2 * np.pi * 200 * t)
    filtered = low_pass(noisy, rate, 20.0)
    assert float(np.max(np.abs(filtered - clean))) < 1e-8
    averaged = moving_average(noisy, 5)
    assert averaged.shape == (996,)
    smoothed = np.convolve(noisy, np.ones(5) / 5, mode="valid")
    assert np.allclose(averaged, smoothed)
    strongest = int(np.argmax(power(noisy)[:500]))
    assert strongest == 5


if __name__ == "__main__":
    main()
