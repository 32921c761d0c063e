"""Two whistles in noise: a spectrogram finds them, and a filter by Fourier transforms takes out what is not theirs."""

import numpy

import fastnp as np

RATE, FRAME, HOP = 8000, 512, 128


@np.compile
def spectrogram(x):
    """The power of each frequency, frame after frame."""
    starts = np.arange((x.shape[0] - FRAME) // HOP + 1) * HOP
    frames = x[starts[:, None] + np.arange(FRAME)]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    return np.abs(np.fft.rfft(frames * window, axis=1)) ** 2


@np.compile
def between(x, low, high):
    """What of x lies between two frequencies."""
    spectrum = np.fft.rfft(x)
    frequency = np.fft.rfftfreq(x.shape[0], 1 / RATE)
    return np.fft.irfft(np.where((frequency >= low) & (frequency <= high), spectrum, 0), x.shape[0])


t = numpy.arange(4 * RATE) / RATE
rising = 600 + 200 * t  # Hz
wavering = 2200 + 300 * numpy.sin(2 * t)
phases = [2 * numpy.pi * numpy.cumsum(frequency) / RATE for frequency in (rising, wavering)]
clean = numpy.sin(phases[0]) + 0.7 * numpy.sin(phases[1])
heard = clean + np.random.default_rng(5).standard_normal(t.size)

power = spectrogram(heard)
middles = (numpy.arange(len(power)) * HOP + FRAME // 2) / RATE
step = RATE / FRAME
split = round(1700 / step)
found = [power[:, :split].argmax(axis=1) * step, (split + power[:, split:].argmax(axis=1)) * step]
true = [600 + 200 * middles, 2200 + 300 * numpy.sin(2 * middles)]
off = [float(numpy.median(numpy.abs(one - other))) for one, other in zip(found, true, strict=True)]
assert max(off) < step

filtered = between(heard, 550.0, 1450.0) + between(heard, 1850.0, 2550.0)
noise = [10 * numpy.log10(numpy.mean((x - clean) ** 2) / numpy.mean(clean**2)) for x in (heard, filtered)]
assert noise[1] < noise[0] - 3
print(f"spectrogram: {power.shape[0]} frames of {power.shape[1]} frequencies, {power.sum():.6e} in all")
print(f"spectrogram: the whistles are found within {off[0]:.2f} and {off[1]:.2f} Hz (median)")
print(f"spectrogram: noise of {noise[0]:.2f} dB before the filter, {noise[1]:.2f} dB after it")
