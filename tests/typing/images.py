"""Pictures as arrays of small integers: histograms, thresholds, blurs, masks."""

import fastnp as np
from fastnp.typing import NDArray

Image = NDArray[np.uint8]


def checkerboard(size: int, square: int) -> Image:
    rows, columns = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    return (((rows // square + columns // square) % 2) * 255).astype(np.uint8)


@np.compile
def blur(image: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.pad(image, 1, mode="edge")
    height, width = image.shape
    return sum((padded[i : i + height, j : j + width] for i in range(3) for j in range(3)), start=np.zeros((height, width))) / 9.0


def otsu(image: Image) -> int:
    counts, edges = np.histogram(image, bins=256, range=(0, 256))
    weights = np.cumsum(counts)
    sums = np.cumsum(counts * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (sums[-1] * weights / weights[-1] - sums) ** 2 / (weights * (weights[-1] - weights))
    assert len(edges) == 257
    return int(np.nanargmax(between))


def mask(image: Image, threshold: int) -> NDArray[np.bool]:
    return image > threshold


def main() -> None:
    image = checkerboard(16, 4)
    assert image.dtype == np.uint8
    threshold = otsu(image)
    white = mask(image, threshold)
    assert int(white.sum()) == 128
    assert int(np.count_nonzero(white & ~mask(image, 254))) == 0
    soft = blur(image.astype(np.float64))
    assert soft.shape == (16, 16) and 0.0 <= float(soft.min()) <= float(soft.max()) <= 255.0
    soft[white] = 0.0
    assert float(soft[white].sum()) == 0.0
    assert np.unique(image).tolist() == [0, 255]
    assert np.where(white)[0].shape == (128,)
    assert np.rot90(image).shape == (16, 16)


if __name__ == "__main__":
    main()
