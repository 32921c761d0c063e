"""Small programs in plain NumPy, as people write them: each takes two arrays, and may read and change what is around it (see test_semantics.py)."""

from __future__ import annotations

import linecache
import math  # noqa: F401
import warnings  # noqa: F401
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[..., Any]] = {}

SCALE = 2.0
COUNT = 0
NAME = "sum"
FLAG = True
WEIGHTS = np.array([0.5, -1.0, 2.0])
TABLE: dict[str, Any] = {"scale": 3.0, "bias": np.array([1.0, 2.0, 3.0]), "seen": 0}
ITEMS: list[Any] = [1.0, 2.0, 3.0]
LOG: list[Any] = []


class Model:
    """Something with attributes."""

    def __init__(self) -> None:
        self.weight = np.array([1.0, 2.0, 3.0])
        self.bias = 0.5
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        return x * self.weight[: x.shape[-1]].sum() + self.bias

    @property
    def doubled(self) -> float:
        return self.bias * 2


MODEL = Model()


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


def helper(x: Any, scale: float = 1.0) -> Any:
    return x * scale + SCALE


def family(template: str, choices: dict[str, str]) -> None:
    """One program a choice: the template is its body, with the choice in place of CHOICE. It may use what this file imports."""
    for name, choice in choices.items():
        body = template.replace("CHOICE", choice).strip("\n")
        scope: dict[str, Any] = {}
        text, file = f"def {name}(x, y):\n{body}\n", f"{__file__}:{name}"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # where the source is looked for
        exec(compile(text, file, "exec"), globals(), scope)  # noqa: S102  # the text is of this file
        program(scope[name])


# Expressions.
family(
    """
    return CHOICE
""",
    {
        "expression_sum": "(x * 2 + y).sum()",
        "expression_mean_axis": "x.mean(axis=0) - y.mean(axis=-1, keepdims=True)",
        "expression_outer": "x.reshape(-1)[:, None] * y.reshape(-1)[None, :]",
        "expression_where": "np.where(x > y.mean(), x, -y)",
        "expression_clip": "np.clip(x, -1, 1) + np.abs(y)",
        "expression_softmax": "np.exp(x - x.max()) / np.exp(x - x.max()).sum()",
        "expression_norm": "np.sqrt((x * x).sum() + (y * y).sum())",
        "expression_sort": "np.sort(x, axis=-1)[..., ::-1]",
        "expression_concatenate": "np.concatenate([x, y], axis=0)",
        "expression_stack": "np.stack([x, y]).max(axis=0)",
        "expression_cumsum": "np.cumsum(x, axis=-1) - y",
        "expression_argmax": "x.argmax(), y.argmin()",
        "expression_views": "x[::-1], x.T, x.reshape(-1)[1:]",
        "expression_alias": "x, x[:1], x",
        "expression_copy": "x.copy(), x * 1, +x",
        "expression_tuple": "{'a': x + 1, 'b': [y, (x, 3)]}",
        "expression_shape": "np.zeros(x.shape) + x.ndim + len(x) + x.size",
        "expression_matmul": "x.reshape(-1) @ x.reshape(-1)",
        "expression_compare": "(x > y.min()).any(), (x == x).all()",
        "expression_cast": "x.astype('f4').astype('i4') // 2",
        "expression_bool_sum": "(x > 0).sum() + (y < 0).mean()",
        "expression_power": "x**2 + y**0.5",
        "expression_arange": "np.arange(x.size).reshape(x.shape) * x",
    },
)

# Writes.
family(
    """
    CHOICE
    return x
""",
    {
        "write_all": "x[...] = 7",
        "write_row": "x[0] = y[-1]",
        "write_slice": "x[1:] = 0.5",
        "write_reversed": "x[::-1] = np.arange(len(x)).reshape((-1,) + (1,) * (x.ndim - 1))",
        "write_step": "x[::2] += 1",
        "write_shifted": "x[1:] = x[:-1] * 2",
        "write_shifted_back": "x[:-1] += x[1:]",
        "write_transposed": "x.T[..., 0] = 3",
        "write_flat": "x.reshape(-1)[1:3] = -1",
        "write_in_place_add": "x += y.mean()",
        "write_in_place_multiply": "x *= 2; x -= 1; x /= 3",
        "write_out": "np.add(x, 1, out=x)",
        "write_out_part": "np.multiply(x[:1], 2, out=x[:1])",
        "write_where": "np.copyto(x, 0, where=x < 0)",
        "write_mask": "x[x > 1] = 1",
        "write_mask_and_value": "x[x < x.mean()] = x.mean()",
        "write_negative_index": "x[-1] = x[0]",
        "write_ellipsis": "x[..., -1] = y[..., 0].sum()",
        "write_new_axis": "x[None][0, 0] = 4",
        "write_both": "x[0] = 1; y[0] = x[0] + 1; x[-1] = y[0]",
        "write_cast": "x[...] = (y.sum() > 0)",
        "write_fill": "x.fill(2.5)",
        "write_list": "x.reshape(-1)[:2] = [1, 2]",
        "write_twice": "x[0] = 1; x[0] = 2; x[0] += 3",
        "write_loop": "\n    for i in range(1, len(x)): x[i] = 0.5 * x[i - 1] + x[i]",
        "write_views_of_views": "v = x[1:]; w = v[::-1]; w += 1; v *= 2",
    },
)
family(
    """
    CHOICE
""",
    {
        "own_zeros": "z = np.zeros(4); z[1:3] = x.sum(); return z, z[::2]",
        "own_empty": "z = np.empty_like(x); z[...] = 1; z[0] = y[0].sum(); return z",
        "own_array": "z = np.array([1.0, 2.0, 3.0]); z[0] = x.sum(); return z",
        "own_array_updated": "z = np.array([1.0, 2.0, 3.0]); z += x.sum(); return z",
        "own_list": "z = np.asarray([1.0, 2.0]); z[:] += 1; z[1] *= 3; return z + y.mean()",
        "own_copy": "z = x.copy(); z[0] = 0; return z + x",
        "own_result": "z = x + 1; w = z[1:]; z *= 2; return z, w",
        "own_two_alike": "a = x + 1; b = x + 1; a[0] = 0; return a, b",
        "old_and_new": "old = x.copy(); x += 1; return old + x",
        "old_expression": "t = x * 2; x[0] = 0; return t + x",
        "old_view_sees_write": "v = x[1:]; x *= 2; return v + 0",
        "old_scalar_does_not": "s = x.reshape(-1)[0]; x += 1; return s",
        "swap_rows": "t = x[0].copy(); x[0] = x[-1]; x[-1] = t; return x",
        "jacobi": "\n    for _ in range(3):\n        x[1:-1] = 0.5 * (x[:-2] + x[2:])\n    return x.sum()",
        "adam": "y *= 0.9; y += 0.1 * x.mean(); x -= 0.01 * y.mean() / (np.sqrt((y * y).mean()) + 1e-8); return None",
        "running_mean": "m = np.zeros(x.shape)\n    for i in range(3): m += (x - m) / (i + 1)\n    return m",
        "return_written_view": "x[0] = 5; return x[:1], x.T",
        "write_argument_of_argument": "helper_write(x[1:]); return x",
        "normalise": "x /= np.abs(x).max() + 1; return x",
    },
)

# Values that are read.
family(
    """
    CHOICE
""",
    {
        "read_branch": "return -x if x.sum() < 0 else x * 2",
        "read_branch_statement": "\n    if (x > 0).all(): return x\n    if (x < 0).any(): return -x\n    return x + 1",
        "read_while": "\n    while np.abs(x).max() > 1: x = x / 2\n    return x",
        "read_while_count": "n = 0\n    while np.abs(x).sum() > 0.5 and n < 6: x = x * 0.5; n += 1\n    return x, n",
        "read_int": "return x * int(x.max())",
        "read_float": "return float(x.reshape(-1)[0]), x",
        "read_item": "return x.sum().item() + y.reshape(-1)[0].item()",
        "read_tolist": "return x.reshape(-1)[:3].tolist()",
        "read_iteration": "return sum(float(v) for v in x.reshape(-1))",
        "read_python_max": "return max(x.reshape(-1)), min(y.reshape(-1)), sorted(x.reshape(-1))[0]",
        "read_in": "return (2.0 in x), (99 in y)",
        "read_fstring": "return f'{x.sum():.3f} {x.reshape(-1)[0]}'",
        "read_assert": "assert x.size < 1000, f'too large: {x.size}'; return x",
        "read_assert_fails": "assert x.sum() > 1, f'sum is {float(x.sum()):.2f}'; return x",
        "read_and_or": "return x if x.sum() > 0 and y.sum() > 0 or x.max() > 3 else y",
        "read_not": "return x if not (x == 0).any() else x + 1",
        "read_index": "return x[int(abs(x.reshape(-1)[0])) % len(x)]",
        "read_str": "return str(x.reshape(-1)[:2]), repr(x.sum())",
        "read_round": "return round(float(x.mean()), 2)",
        "read_after_write": "x += 1\n    if x.sum() > 3: x *= 10\n    return x",
        "read_between_writes": "\n    x[0] = 1\n    if y.sum() > 0: x[-1] = 5\n    y[0] = x.sum()\n    return x.sum() > 2 and bool(y[0].sum() > 0)",
        "read_convergence": "k = 0\n    while k < 5:\n        old = x.copy(); x *= 0.5; k += 1\n        if abs(x - old).max() < 0.3: break\n    return k",
        "read_continue": "t = 0.0\n    for v in x.reshape(-1)[:4]:\n        if v < 0: continue\n        t = t + v\n    return t",
        "read_dict_of_values": "return {int(v): i for i, v in enumerate(x.reshape(-1)[:3])}",
        "read_math": "return math.sqrt(abs(x.sum())) + math.floor(y.reshape(-1)[0])",
        "read_nan": "return x if math.isnan(float(x.sum())) else x + 1",
        "read_chained": "return x if 0 < x.mean() < 1 else y",
        "read_any_python": "return any(v > 1 for v in x.reshape(-1)), all(v < 9 for v in x.reshape(-1))",
        "read_argmax": "return y.reshape(-1)[int(x.argmax()) % y.size]",
        "read_len": "return x * len(x) + len(y.shape)",
        "read_numpy_function": "return np.unique(x), np.nonzero(x > 0)[0]",
        "read_mask": "return x[x > 0], x[x > 0].sum()",
        "read_mask_length": "z = x[x > 0]; return z.mean() if len(z) > 1 else z",
        "read_mask_twice": "z = x[x > 0]; z = z[z < 1]; return z * 2, np.arange(len(z))",
        "read_mask_write": "x[x > 0] = x[x > 0] * 2; return np.count_nonzero(x > 1)",
        "read_unique_counts": "return np.unique(np.round(x), return_counts=True)",
        "read_size_from_value": "n = np.count_nonzero(x > 0); return np.zeros(n), x.ravel()[:n]",
    },
)

# What is around the function.
family(
    """
    global COUNT, SCALE
    CHOICE
""",
    {
        "around_global": "return x * SCALE",
        "around_global_array": "return x.sum() * WEIGHTS",
        "around_global_array_item": "return x + WEIGHTS[0]",
        "around_table": "return x * TABLE['scale'] + TABLE['bias'][0]",
        "around_items": "return x + ITEMS[0] + len(ITEMS)",
        "around_items_loop": "\n    for item in ITEMS: x = x + item\n    return x",
        "around_attribute": "return x * MODEL.bias",
        "around_attribute_array": "return MODEL.weight * x.sum()",
        "around_call": "return MODEL(x)",
        "around_property": "return x + MODEL.doubled",
        "around_helper": "return helper(x) + helper(y, 3).sum()",
        "around_flag": "return x if FLAG else -x",
        "around_name": "return getattr(np, NAME)(x)",
        "around_closure": "s = SCALE\n    def inner(v): return v * s\n    return inner(x) + inner(y).sum()",
        "around_lambda": "return list(map(lambda v: v * SCALE, [x, y]))",
        "around_comprehension": "return [x * item for item in ITEMS if item > SCALE - 2]",
        "around_get": "return x * TABLE.get('scale', 1) + TABLE.get('missing', 5)",
        "around_membership": "return x if 'bias' in TABLE else y",
        "around_default": "return helper(x)",
        "around_math": "return x * math.pi + math.sin(SCALE)",
        "around_counter": "COUNT += 1; return x + COUNT",
        "around_set_scale": "SCALE = SCALE + 1; return x * SCALE",
        "around_write_global_array": "WEIGHTS[0] += 1; return WEIGHTS * x.sum()",
        "around_write_attribute_array": "MODEL.weight *= 2; return MODEL.weight",
        "around_write_table_array": "TABLE['bias'][1:] = 0; return TABLE['bias'] + 1",
    },
)

# Effects.
family(
    """
    global COUNT, WEIGHTS
    CHOICE
    return x + 1
""",
    {
        "effect_print": "print('woo')",
        "effect_print_value": "print('sum', float(x.sum()))",
        "effect_print_array": "print(x)",
        "effect_print_branch": "\n    if y.sum() < 0: print('woo')\n    else: print('hoo')",
        "effect_append": "LOG.append(1)",
        "effect_append_value": "LOG.append(float(x.sum()))",
        "effect_append_array": "LOG.append(x * 2)",
        "effect_attribute": "MODEL.calls += 1",
        "effect_attribute_array": "MODEL.last = x * 2",
        "effect_dict": "TABLE['seen'] += 1",
        "effect_dict_new": "TABLE['new'] = x.sum()",
        "effect_global": "COUNT = COUNT + 1",
        "effect_loop": "\n    for i in range(3): print(i)",
        "effect_order": "print('a'); x[0] = 1; print('b', x.sum()); x[0] = 2",
        "effect_clear": "LOG.clear()",
        "effect_nested": "helper_effect(x)",
        "effect_rebind_attribute": "MODEL.weight = MODEL.weight * 2",
        "effect_rebind_global": "WEIGHTS = WEIGHTS + x.sum()",
        "effect_rebind_item": "TABLE['bias'] = TABLE['bias'] - y.mean()",
        "effect_rebind_list_item": "ITEMS[0] = x.sum()",
        "effect_delete": "MODEL.extra = x; del MODEL.extra",
        "effect_append_same": "LOG.append(x); LOG.append(x)",
        "effect_append_written": "z = x * 1; LOG.append(z); z[0] = 5; LOG.append(z[0] * 1)",
        "effect_append_view": "z = x * 1; LOG.append(z[1:]); z[1] = 5",
        "effect_append_and_read": "LOG.append(x.sum()); x = x * len(LOG)",
        "effect_append_list": "LOG.append([x * 2, {'y': y.sum()}])",
        "effect_extend": "LOG.extend([x * 2, 3]); LOG.extend(range(2))",
        "effect_iadd": "log = LOG; log += [x * 2]",
        "effect_store_result": "MODEL.last = x; return MODEL.last",
        "effect_store_function": "MODEL.calls = helper",
        "effect_print_options": "print(1, 2, x, sep='-', end='!')",
        "effect_print_list": "print([x, {'k': y}], (1, x.sum()))",
        "effect_print_written": "z = x * 1; print(z); z[0] = 100; print(z)",
        "effect_print_in_try": "\n    try: print(x)\n    finally: pass",
        "effect_print_in_with": "\n    with np.printoptions(precision=1): print(x / 3)",
        "effect_print_type": "print(type(x))",
        "effect_print_then_error": "print('before'); x = x + np.zeros(17)",
        "effect_print_then_raise": "print('before')\n    if x.sum() < 0: raise ValueError('negative')",
        "effect_print_then_read": "print('before', x)\n    if y.sum() > 0: x = x * 2\n    print('after', x)",
        "effect_print_in_loop": "\n    while abs(x).sum() > 1:\n        x = x / 2\n        print(x.max())",
        "effect_print_in_comprehension": "[print(i, x[0]) for i in range(2)]",
        "effect_print_model": "MODEL.bias = 3.0; print(MODEL.bias)",
        "effect_print_item": "print('loss', x.sum(), y.shape, x.dtype)",
        "effect_set_then_use": "MODEL.weight = x * 2; y = MODEL.weight + 1; x = x + y.sum()",
        "effect_swap": "TABLE['scale'], TABLE['seen'] = TABLE['seen'], TABLE['scale']",
        "effect_printoptions": "np.set_printoptions(precision=8)",
        "effect_warn": "warnings.warn('careful')",
        "effect_isinstance": "x = x + isinstance(LOG, list) + (type(LOG) is list)",
        "effect_nonlocal": "\n    def inner():\n        nonlocal x\n        x = x * 2\n    inner()",
    },
)

# Errors.
family(
    """
    CHOICE
    return x
""",
    {
        "error_shape": "x = x + np.zeros(17)",
        "error_raise": "raise ValueError('as it is')",
        "error_raise_on_value": "\n    if x.sum() < 0: raise ValueError(f'negative: {float(x.sum()):.1f}')",
        "error_index": "x = x[100]",
        "error_axis": "x = x.sum(axis=7)",
        "error_caught": "\n    try: x = x + np.zeros(17)\n    except ValueError: x = x + 1",
        "error_caught_value": "\n    try:\n        if x.sum() < 0: raise KeyError('k')\n        x = x * 2\n    except KeyError: x = x + 1",
        "error_after_write": "x[0] = 9; y = y + np.zeros(17)",
        "error_finally": "\n    try: x = x * 2\n    finally: y[0] = 3",
        "error_key": "x = x * TABLE['nothing']",
        "error_attribute": "x = x.nothing",
        "error_division": "x = x / int(x.sum() * 0)",
        "error_truth": "x = x if np.concatenate([x, x]) else y",
        "error_cast": "z = np.arange(3); z += 0.5",
        "error_take": "x = np.take(x, [0, 5], axis=0)",
        "error_assert": "assert FLAG, 'flag'",
    },
)


def helper_write(view: Any) -> None:
    view[...] = 8
    view *= 2


def helper_effect(x: Any) -> None:
    print("inside", x.shape)
    LOG.append("inside")
