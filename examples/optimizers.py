"""Optimisers as plain functions: they write the next parameters, and what they remember, into the arrays that they are given.

    state = adam_state(parameters)
    adam(parameters, gradients, state, rate=1e-3)

Parameters and gradients are lists of arrays. Called within a compiled function, all updates are a few kernels in place.
"""

from __future__ import annotations

from typing import Any

import numpy

Arrays = list[Any]
State = dict[str, Any]


def momentum_state(parameters: Arrays) -> State:
    return {"velocity": [numpy.zeros_like(p) for p in parameters]}


def sgd(parameters: Arrays, gradients: Arrays, state: State | None = None, rate: float = 0.01, momentum: float = 0.0) -> None:
    """Gradient descent; with `momentum`, along a running sum of the gradients (Polyak 1964)."""
    if state is None:
        for p, g in zip(parameters, gradients, strict=True):
            p -= rate * g
        return
    for p, g, v in zip(parameters, gradients, state["velocity"], strict=True):
        v *= momentum
        v += g
        p -= rate * v


def adam_state(parameters: Arrays) -> State:
    return {
        "mean": [numpy.zeros_like(p) for p in parameters],
        "square": [numpy.zeros_like(p) for p in parameters],
        "decays": numpy.ones(2),  # the powers of the two rates of forgetting so far
    }


def adam(
    parameters: Arrays, gradients: Arrays, state: State, rate: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8
) -> None:
    """Adam (Kingma and Ba 2015, algorithm 1)."""
    adamw(parameters, gradients, state, rate, betas, epsilon, decay=0.0)


def adamw(
    parameters: Arrays,
    gradients: Arrays,
    state: State,
    rate: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    epsilon: float = 1e-8,
    decay: float = 0.01,
) -> None:
    """Adam with weights that decay by themselves (Loshchilov and Hutter 2019, algorithm 2)."""
    state["decays"] *= numpy.array(betas)
    left = 1 - state["decays"]
    for p, g, m, v in zip(parameters, gradients, state["mean"], state["square"], strict=True):
        m *= betas[0]
        m += (1 - betas[0]) * g
        v *= betas[1]
        v += (1 - betas[1]) * g * g
        step = (m / left[0]) / (numpy.sqrt(v / left[1]) + epsilon)
        p -= (rate * (step + decay * p)).astype(p.dtype)
