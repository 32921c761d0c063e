"""What the makers of arguments share."""

from __future__ import annotations

import logging

import numpy as np

log = logging.getLogger(__name__)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(42).normal(size=shape)


log = logging.getLogger(__name__)
