"""Filters of an image: a blur takes the noise out, and Sobel's filters find the edges.

A loop over the kernel's elements becomes one pass.
"""

import numpy

import fastnp as np


def convolve(image, kernel):
    """Each pixel the sum of its neighbourhood times the kernel; edges are left out."""
    height, width = image.shape[0] - len(kernel) + 1, image.shape[1] - len(kernel[0]) + 1
    result = 0.0
    for i, row in enumerate(kernel):
        for j, weight in enumerate(row):
            if weight != 0:
                result = result + weight * image[i : i + height, j : j + width]
    return result


BELL = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
SOBEL = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]


def blur(image):
    return convolve(convolve(image, [BELL]), [[weight] for weight in BELL])


@np.compile
def edges(image):
    smooth = blur(blur(image))
    across, down = convolve(smooth, SOBEL), convolve(smooth, list(zip(*SOBEL, strict=True)))
    return smooth, np.hypot(across, down)


y, x = numpy.mgrid[:240, :320].astype(float)
scene = 0.2 + 0.0005 * x
scene[(x - 100) ** 2 + (y - 110) ** 2 < 70**2] = 0.9
scene[(x - 100) ** 2 + (y - 110) ** 2 < 35**2] = 0.5
scene[60:190, 200:290] = 0.7
scene[100:150, 225:265] = 0.1
image = scene + 0.1 * np.random.default_rng(4).standard_normal((240, 320))

smooth, strength = edges(image)
inner = scene[4:-4, 4:-4]
noise = [float(numpy.std(picture[:20] - inner[:20])) for picture in (image[4:-4, 4:-4], smooth)]
outline = strength > 0.6
assert noise[1] < 0.4 * noise[0]
found = f"{int(outline.sum())} pixels of {outline.size} are edges"
print(f"edges: noise of {noise[0]:.5f}, {noise[1]:.5f} after two blurs; {found}")
print(f"edges: strength {strength.max():.5f} at most, {strength.mean():.6f} on average")
