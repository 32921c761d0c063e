"""Settings of the site: `bash docs/build.sh` builds it."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import reference  # noqa: E402  # which lies in the folder of the line above

sys.path.append(str(ROOT / "benchmarks"))
import site_pages  # noqa: E402  # as above

project = "fastnp"
author = "the authors of fastnp"
copyright = "the authors of fastnp"
_found = re.search(r"project\(fastnp\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
version = release = _found[1] if _found else ""

extensions = ["myst_nb", "sphinx_design", "breathe"]
myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 3
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_build"]

# Notebooks (docs/notebooks) run at each build, if this Python has the package (docs/build.sh sees to it); their errors are the build's.
nb_execution_mode = "force" if importlib.util.find_spec("fastnp") else "off"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_title = "fastnp"
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
pygments_style = "sphinx"
nitpicky = True
nitpick_ignore_regex = [("(py|cpp):.*", ".*")]  # types in docstrings are words, and those of std are elsewhere
add_module_names = False
maximum_signature_line_length = 100

# What doxygen wrote of the C++ headers (docs/build.sh).
breathe_projects = {"fastnp": str(ROOT / "build" / "docs" / "doxygen")}
breathe_default_project = "fastnp"
breathe_show_include = False


def without_links_out(app: Any, name: str, source: list[str]) -> None:
    """Pages of the repository that are none of the site's (`../CHANGELOG.md`) are named, without a link."""
    folder = Path(app.srcdir, name).parent

    def shown(link: re.Match[str]) -> str:
        is_here = (folder / link[2]).resolve().is_relative_to(app.srcdir)
        return link[0] if is_here else link[1]

    source[0] = re.sub(r"\[([^\]]+)\]\(([^)#:]+\.md)(?:#[^)]*)?\)", shown, source[0])


def setup(app: Any) -> None:
    app.connect("source-read", without_links_out)
    app.connect("builder-inited", reference.make)
    app.connect("builder-inited", site_pages.make)
