"""Products of matrices, and convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import fastnp as np
from fastnp.onnx._read_shapes import padded
from fastnp.onnx._read_values import Node, Op, Value, as_array, like, product, wide


def _matmul(node: Node, x: Value, y: Value) -> Any:
    return np.matmul(as_array(x), as_array(y))


def _gemm(node: Node, a: Value, b: Value, c: Value = None) -> Any:
    left, right = as_array(a), as_array(b)
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    result = np.matmul(left.T if node.get("transA", 0) else left, right.T if node.get("transB", 0) else right)
    if alpha != 1:
        result = (result * alpha).astype(result.dtype)
    if c is None or beta == 0:
        return result
    return result + (as_array(c) if beta == 1 else (as_array(c) * beta).astype(result.dtype))


def _einsum(node: Node, *values: Value) -> Any:
    given = [as_array(value) for value in values]
    return like(np.einsum(node.get("equation").replace(" ", ""), *map(wide, given)), given[0])


def _swapped(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def _fused_matmul(node: Node, a: Value, b: Value) -> Any:
    left, right = as_array(a), as_array(b)
    if node.get("transBatchA", 0):
        left = np.moveaxis(left, 0, -2)
    if node.get("transBatchB", 0):
        right = np.moveaxis(right, 0, -2)
    result = np.matmul(_swapped(left) if node.get("transA", 0) else left, _swapped(right) if node.get("transB", 0) else right)
    alpha = node.get("alpha", 1.0)
    return result if alpha == 1 else result * alpha


class Window:
    """How a kernel moves over the axes of space: `pads` are those before, then those after."""

    def __init__(self, node: Node, kernel: Sequence[int], size: Sequence[Any]) -> None:
        count = len(kernel)
        self.kernel = list(kernel)
        self.strides = node.get("strides") or [1] * count
        self.dilations = node.get("dilations") or [1] * count
        self.reach = [step * (width - 1) + 1 for width, step in zip(kernel, self.dilations, strict=True)]
        self.size = list(size)
        self.low, self.high = self._pads(node, node.get("auto_pad", "NOTSET"))
        self.count = [
            (length + low + high - reach) // stride + 1
            for length, low, high, reach, stride in zip(self.size, self.low, self.high, self.reach, self.strides, strict=True)
        ]
        self.is_rounded_up = bool(node.get("ceil_mode", 0))
        if self.is_rounded_up:
            self._round_up()

    def _pads(self, node: Node, auto: str) -> tuple[list[Any], list[Any]]:
        count = len(self.kernel)
        if auto == "NOTSET":
            pads = node.get("pads") or [0] * (2 * count)
            return list(pads[:count]), list(pads[count:])
        if auto == "VALID":
            return [0] * count, [0] * count
        low, high = [], []
        for length, reach, stride in zip(self.size, self.reach, self.strides, strict=True):
            total = max((-(-length // stride) - 1) * stride + reach - length, 0) if stride != 1 else reach - 1
            first, last = total // 2, total - total // 2
            low.append(first if auto == "SAME_UPPER" else last)
            high.append(last if auto == "SAME_UPPER" else first)
        return low, high

    def _round_up(self) -> None:
        """A last window that isn't whole counts where it begins inside of the array or of the pads before it."""
        for axis, (length, stride) in enumerate(zip(self.size, self.strides, strict=True)):
            if stride == 1:
                continue
            whole = length + self.low[axis] + self.high[axis] - self.reach[axis]
            count = -(-whole // stride) + 1
            if (count - 1) * stride >= length + self.low[axis]:
                count = count - 1
            self.count[axis] = count

    def beyond(self, axis: int) -> int:
        """How many elements a last window that isn't whole may need beyond the pads."""
        return self.strides[axis] - 1 if self.is_rounded_up else 0

    def pieces(self, x: Any) -> list[Any]:
        """Of a padded array the elements at each place of the kernel, for all windows."""
        found = []
        for offset in itertools.product(*map(range, self.kernel)):
            key = [slice(None)] * (x.ndim - len(self.kernel))
            for place, step, count, stride in zip(offset, self.dilations, self.count, self.strides, strict=True):
                start = place * step
                key.append(slice(start, start + (count - 1) * stride + 1, stride))
            found.append(x[tuple(key)])
        return found


def convolved(node: Node, x: Any, weights: Any) -> Any:
    """The products of all windows, without a bias."""
    kernel, groups = [int(size) for size in weights.shape[2:]], node.get("group", 1)
    window = Window(node, kernel, x.shape[2:])
    inner = padded(x, [0, 0, *window.low], [0, 0, *window.high])
    n, channels, count = x.shape[0], int(weights.shape[1]), int(weights.shape[0])
    pieces = window.pieces(inner)
    if channels == 1 and groups > 1:  # each channel has a kernel of its own: sums, as products of matrices would be of vectors
        flat = np.reshape(weights, (groups, count // groups, -1, *[1] * len(kernel)))
        parts = [np.expand_dims(piece, 2) * flat[:, :, place] for place, piece in enumerate(pieces)]
        return np.reshape(_sum(parts), (n, count, *window.count))
    length = product(window.count)
    columns = pieces[0] if len(pieces) == 1 else np.stack(pieces, axis=2)
    if groups == 1:
        columns = np.reshape(columns, (n, channels * len(pieces), length))
        return np.reshape(np.matmul(np.reshape(weights, (count, -1)), columns), (n, count, *window.count))
    columns = np.reshape(columns, (n, groups, channels * len(pieces), length))
    return np.reshape(np.matmul(np.reshape(weights, (groups, count // groups, -1)), columns), (n, count, *window.count))


def _sum(parts: Sequence[Any]) -> Any:
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def with_bias(x: Any, bias: Value) -> Any:
    return x if bias is None else x + np.reshape(as_array(bias), (-1, *[1] * (x.ndim - 2)))


def _conv(node: Node, x: Value, weights: Value, bias: Value = None) -> Any:
    return with_bias(convolved(node, as_array(x), as_array(weights)), bias)


def _transposed_sizes(node: Node, size: Sequence[Any], reach: Sequence[int]) -> tuple[list[Any], list[Any], list[Any]]:
    """Of a transposed convolution the sizes of the result, and how much is cut off before and after."""
    count = len(reach)
    strides, extra = node.get("strides") or [1] * count, node.get("output_padding") or [0] * count
    whole = [(length - 1) * stride + width + more for length, stride, width, more in zip(size, strides, reach, extra, strict=True)]
    auto, wanted = node.get("auto_pad", "NOTSET"), node.get("output_shape")
    pads = node.get("pads") or [0] * (2 * count)
    low, high = list(pads[:count]), list(pads[count:])
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [length * stride for length, stride in zip(size, strides, strict=True)]
    if wanted is not None:
        total = [full - length for full, length in zip(whole, wanted[-count:], strict=True)]
        half = [each // 2 for each in total]
        rest = [each - part for each, part in zip(total, half, strict=True)]
        low, high = (half, rest) if auto == "SAME_UPPER" else (rest, half)
    return [full - before - after for full, before, after in zip(whole, low, high, strict=True)], low, high


def _conv_transpose(node: Node, x: Value, weights: Value, bias: Value = None) -> Any:
    """What each element adds to its window, added up at the places of the kernel."""
    given, kernels, groups = as_array(x), as_array(weights), node.get("group", 1)
    kernel = [int(size) for size in kernels.shape[2:]]
    dilations, strides = node.get("dilations") or [1] * len(kernel), node.get("strides") or [1] * len(kernel)
    reach = [step * (width - 1) + 1 for width, step in zip(kernel, dilations, strict=True)]
    size, low, _ = _transposed_sizes(node, given.shape[2:], reach)
    n, channels, count = given.shape[0], int(kernels.shape[0]), int(kernels.shape[1])
    columns = np.reshape(given, (n, groups, channels // groups, product(given.shape[2:])))
    matrix = np.swapaxes(np.reshape(kernels, (groups, channels // groups, count * product(kernel))), 1, 2)
    parts = np.reshape(np.matmul(matrix, columns), (n, groups * count, product(kernel), *given.shape[2:]))
    whole = [
        max((length - 1) * stride + width, before + out)
        for length, stride, width, before, out in zip(given.shape[2:], strides, reach, low, size, strict=True)
    ]
    result = np.zeros((n, groups * count, *whole), dtype=given.dtype)
    for place, offset in enumerate(itertools.product(*map(range, kernel))):
        spans = zip(offset, dilations, given.shape[2:], strides, strict=True)
        key = [slice(each * step, each * step + (length - 1) * stride + 1, stride) for each, step, length, stride in spans]
        result[(slice(None), slice(None), *key)] += parts[:, :, place]
    cut = [slice(before, before + length) for before, length in zip(low, size, strict=True)]
    return with_bias(result[(slice(None), slice(None), *cut)], bias)


OPS: dict[str, Op] = {"Conv": _conv, "ConvTranspose": _conv_transpose, "Einsum": _einsum, "Gemm": _gemm, "MatMul": _matmul}

MICROSOFT: dict[str, Op] = {"FusedMatMul": _fused_matmul}
