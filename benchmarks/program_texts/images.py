"""Images: smoothed, taken apart, dithered, narrowed, as people write them with NumPy; ``PROGRAMS``: entries, with what makes their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# An image smoothed within its edges


def shifted(image, dy, dx):
    h, w = image.shape
    padded = np.pad(image, 3, mode="edge")
    return padded[3 + dy : 3 + dy + h, 3 + dx : 3 + dx + w]


def bilateral(image, radius, space, tone):
    total = np.zeros_like(image)
    weight = np.zeros_like(image)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            other = shifted(image, dy, dx)
            w = np.exp(-(dy**2 + dx**2) / (2 * space**2)) * np.exp(-((other - image) ** 2) / (2 * tone**2))
            total += w * other
            weight += w
    return total / weight


def denoise(image, rounds):
    history = []
    for _ in range(rounds):
        new = bilateral(image, 2, 1.5, 0.2)
        history.append(np.abs(new - image).mean())
        image = new
        if history[-1] < 1e-4:
            break
    gy, gx = np.gradient(image)
    return image, np.hypot(gx, gy) > 0.1, np.array(history)


# Connected parts of a picture


class Union:
    def __init__(self):
        self.parent = [0]

    def new(self):
        self.parent.append(len(self.parent))
        return self.parent[-1]

    def find(self, a):
        while self.parent[a] != a:
            self.parent[a] = self.parent[self.parent[a]]
            a = self.parent[a]
        return a

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)


def components(mask):
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int32)
    union = Union()
    for y in range(h):
        for x in range(w):
            if not mask[y, x]:
                continue
            up = labels[y - 1, x] if y else 0
            left = labels[y, x - 1] if x else 0
            if up and left:
                labels[y, x] = min(up, left)
                union.join(up, left)
            else:
                labels[y, x] = up or left or union.new()
    roots = np.array([union.find(k) for k in range(len(union.parent))])
    names, labels = np.unique(roots[labels], return_inverse=True)
    labels = labels.reshape(h, w)
    sizes = np.bincount(labels.ravel())[1:]
    boxes = {}
    for k in range(1, len(names)):
        ys, xs = np.nonzero(labels == k)
        boxes[k] = (ys.min(), xs.min(), ys.max(), xs.max())
    return labels, sizes, boxes


# Dithering to a palette


def nearest(palette, colour):
    return int(np.argmin(((palette - colour) ** 2).sum(axis=1)))


def spread(image, y, x, error):
    h, w = image.shape[:2]
    for dy, dx, share in ((0, 1, 7), (1, -1, 3), (1, 0, 5), (1, 1, 1)):
        if 0 <= x + dx < w and y + dy < h:
            image[y + dy, x + dx] += error * share / 16


def dither(picture, palette):
    image = picture.astype(float)
    indices = np.zeros(image.shape[:2], np.uint8)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            old = image[y, x].copy()
            k = nearest(palette, old)
            indices[y, x] = k
            image[y, x] = palette[k]
            spread(image, y, x, old - palette[k])
    return indices, np.bincount(indices.ravel(), minlength=len(palette))


# Dithering of grey, by numbers


def dither_grey(picture):
    image = picture.astype(float)
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            old = image[y, x]
            new = 255.0 if old >= 128 else 0.0
            image[y, x] = new
            error = old - new
            if x + 1 < w:
                image[y, x + 1] += error * 7 / 16
            if y + 1 < h:
                if x > 0:
                    image[y + 1, x - 1] += error * 3 / 16
                image[y + 1, x] += error * 5 / 16
                if x + 1 < w:
                    image[y + 1, x + 1] += error * 1 / 16
    return image.astype(np.uint8)


# Seams of least change taken out of an image


def change(image):
    dy = np.abs(np.diff(image, axis=0, append=image[-1:]))
    dx = np.abs(np.diff(image, axis=1, append=image[:, -1:]))
    return dy + dx


def seam(cost):
    h, w = cost.shape
    total = cost.copy()
    back = np.zeros((h, w), dtype=int)
    for y in range(1, h):
        left = np.concatenate([[np.inf], total[y - 1, :-1]])
        right = np.concatenate([total[y - 1, 1:], [np.inf]])
        options = np.stack([left, total[y - 1], right])
        back[y] = options.argmin(axis=0) - 1
        total[y] += options.min(axis=0)
    path = [int(total[-1].argmin())]
    for y in range(h - 1, 0, -1):
        path.append(path[-1] + back[y, path[-1]])
    return np.array(path[::-1])


def carve_seams(image, count):
    removed = []
    for _ in range(count):
        path = seam(change(image))
        keep = np.ones(image.shape, bool)
        keep[np.arange(len(path)), path] = False
        image = image[keep].reshape(len(image), -1)
        removed.append(path.mean())
    return image, np.array(removed)


def picture(height: int, width: int) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.sin(x / 7) * np.cos(y / 5) + 0.2 * np.random.default_rng(3).normal(size=(height, width))


def blobs(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(4).random((height, width)) < 0.55


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "denoise": (denoise, lambda: (picture(60, 80), 4)),
    "components": (components, lambda: (blobs(60, 80),)),
    "dither": (dither, lambda: ((255 * np.random.default_rng(1).random((20, 24, 3))).astype(np.uint8), np.mgrid[:2, :2, :2].reshape(3, 8).T * 255.0)),
    "dither_grey": (dither_grey, lambda: ((100 + 60 * picture(80, 90)).clip(0, 255).astype(np.uint8),)),
    "seams": (carve_seams, lambda: (picture(50, 60), 12)),
}
