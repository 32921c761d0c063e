"""Settings of the site: `bash docs/build.sh` builds it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

project = "fastnp"
author = "the authors of fastnp"
copyright = "the authors of fastnp"
_found = re.search(r"project\(fastnp\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
version = release = _found[1] if _found else ""

extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

html_theme = "pydata_sphinx_theme"
html_title = "fastnp"
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_static_path: list[str] = []
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
pygments_style = "sphinx"
nitpicky = True
