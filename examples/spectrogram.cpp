// Two whistles in noise: a spectrogram finds them, and a filter by Fourier transforms takes out what is not theirs.
#include <cmath>
#include <numbers>

#include "timing.h"

using namespace fastnp;

constexpr double rate = 8000, pi = std::numbers::pi;
constexpr int frame = 512, hop = 128;

// The power of each frequency, frame after frame.
array spectrogram(array x) {
    const array starts = arange((x.shape(0) - frame) / hop + 1) * hop;
    const array frames = take(x, starts(all, newaxis) + arange(frame));
    const array window = 0.5 - 0.5 * cos(2 * pi * arange(frame) / frame);
    return square(absolute(fft::rfft(frames * window, {.axis = 1})));
}

// What of x lies between two frequencies.
array between(array x, double low, double high) {
    const array frequency = fft::rfftfreq(x.shape(0), 1 / rate);
    return fft::irfft(where((frequency >= low) & (frequency <= high), fft::rfft(x), 0), {.n = x.shape(0)});
}

int main() {
    const array t = arange(32'000.0) / rate;
    const auto phase = [](const array& frequency) { return 2 * pi * cumsum(frequency) / rate; };
    const array clean = sin(phase(600 + 200 * t)) + 0.7 * sin(phase(2200 + 300 * sin(2 * t)));
    fastnp::random::Generator rng = fastnp::random::default_rng(5);
    const array heard = clean + rng.standard_normal({t.size()});

    const array power = compile(spectrogram, {.name = "spectrogram"})(heard);
    const array middles = (arange(power.shape(0)) * hop + 256) / rate;
    const double step = rate / frame;
    const int split = static_cast<int>(std::round(1700 / step));
    const array low = argmax(power(all, until(split)), {.axis = 1}) * step, high = (split + argmax(power(all, from(split)), {.axis = 1})) * step;
    const double off[] = {median(absolute(low - (600 + 200 * middles))).item<double>(),
                          median(absolute(high - (2200 + 300 * sin(2 * middles)))).item<double>()};
    example::expect(off[0] < step && off[1] < step, "the whistles are found");

    const auto band = compile(between, {.name = "between"});
    const array filtered = band(heard, 550.0, 1450.0) + band(heard, 1850.0, 2550.0);
    const auto noise = [&](const array& x) { return (10 * log10(mean(square(x - clean)) / mean(square(clean)))).item<double>(); };
    example::expect(noise(filtered) < noise(heard) - 3, "there is less noise");
    std::printf("spectrogram: %d frames of %d frequencies, %.6e in all\n", static_cast<int>(power.shape(0)), static_cast<int>(power.shape(1)),
                sum(power).item<double>());
    std::printf("spectrogram: the whistles are found within %.2f and %.2f Hz (median)\n", off[0], off[1]);
    std::printf("spectrogram: noise of %.2f dB before the filter, %.2f dB after it\n", noise(heard), noise(filtered));
    return 0;
}
