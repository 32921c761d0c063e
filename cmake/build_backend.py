"""The build backend of pyproject.toml: scikit-build-core's, which finds headers of NumPy's sources where it looks (fetch_numpy_sources.py)."""

from typing import Any

from fetch_numpy_sources import fetch
from scikit_build_core import build as backend
from scikit_build_core.build import (
    build_editable as build_editable,
    get_requires_for_build_editable as get_requires_for_build_editable,
    get_requires_for_build_sdist as get_requires_for_build_sdist,
    get_requires_for_build_wheel as get_requires_for_build_wheel,
    prepare_metadata_for_build_editable as prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel,
)


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None) -> str:
    fetch()
    return backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    fetch()  # source distributions have them, so that they build where pip may fetch nothing
    return backend.build_sdist(sdist_directory, config_settings)
