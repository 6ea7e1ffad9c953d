"""How Sphinx builds the site: `make docs` writes it to docs/_build/html. Warnings are errors; no network is needed."""

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers
from sphinx_gallery.sorting import ExplicitOrder

import kernelbandits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "kernelbandits"
author = "The kernelbandits developers"
project_copyright = author
version = release = kernelbandits.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "plain_docstrings",
    "reference_pages",
]
exclude_patterns = ["_build", "_templates", "gallery/*.ipynb", "gallery/*.py", "gallery/*.zip"]
templates_path = ["_templates"]
nitpicky = True
# Types of other libraries and private ones have no page here; every public name has.
nitpick_ignore_regex = [(r"py:.*", r"(?!kernelbandits\.[A-Z][A-Za-z]*$).*")]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False

lexers["crontab"] = TextLexer()  # Pygments has none

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

EXAMPLES = (
    "first_bandit",
    "table_to_decision",
    "figure_1",
    "diagnose_and_budget",
    "when_interpolation_wins",
    "when_linear_is_enough",
    "own_kernel_and_policy",
    "million_rows",
    "arms_that_share",
)
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder([f"{name}.py" for name in EXAMPLES] + ["*"]),
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 10_000,
    "show_signature": False,
    "download_all_examples": False,
    "matplotlib_animations": False,
    "notebook_images": False,
    "thumbnail_size": (480, 320),
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"kernelbandits {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "kernelbandits"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": [], "start": []}
