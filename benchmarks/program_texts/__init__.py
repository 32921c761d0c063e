"""Whole programs as people write them with NumPy, by what they are about. `benchmarks/programs.py` measures them."""

from program_texts import filters, games, images, learning, simulations, texts

PROGRAMS = {**simulations.PROGRAMS, **filters.PROGRAMS, **learning.PROGRAMS, **games.PROGRAMS, **images.PROGRAMS, **texts.PROGRAMS}
