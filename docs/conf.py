"""The configuration of Sphinx, which makes a website of the pages in this folder: `make docs`.

The pages are Markdown and can also be read in the repository. Docstrings have Google's style and Markdown's markup.
"""

import importlib.metadata
import os
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.pycode import ModuleAnalyzer

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

project = author = "carc_env"
project_copyright = "the carc_env authors; an unofficial fan implementation"
release = version = importlib.metadata.version("carc_env")
extensions = ["myst_parser", "sphinx.ext.autodoc"]
nitpicky = True
# names of other projects: links to their documentation would need a download
nitpick_ignore_regex = [
    ("py:.*", r"(?!carc_env\b).*"),
    # types in signatures that have no entry in the API reference
    (
        "py:class",
        r"carc_env\.(envs\.saving\.Saved|observing\.encode\.ObservationSpec|render\.(facts\.Table|svg\.Layout)|envs\.common\..*)",
    ),
]

myst_heading_anchors = 3  # links such as `page.md#title`, which also work in the repository

default_role = "code"  # `x` in a docstring is code, as in Markdown
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120

html_theme = "furo"
pygments_dark_style = "github-dark"  # Furo's default underlines modules like links
html_title = f"carc_env {release}"
html_copy_source = False
html_show_sphinx = False

# --- links ------------------------------------------------------------------------------------------------------------
LINK = re.compile(r"\[([^\]]*)\]\(([^()\s#:]+)(#[^()\s]*)?\)")
PAGES = {
    "README.md": "docs/readme.md",
    "CHANGELOG.md": "docs/changelog.md",
    "checkpoints": "docs/agents.md",
    "docs/rules": "docs/rules/index.md",
}  # files and folders whose page on the site has another name


def on_site(text: str, folder: Path, page: Path) -> str:
    """Return a Markdown text with links that are relative to `page` instead of `folder`.

    A link to a file that is not on the site is replaced by its text.
    """

    def link(found: re.Match) -> str:
        words, target, anchor = found.groups("")
        target = Path(os.path.normpath(folder / target))
        if not target.exists() or not target.is_relative_to(ROOT):  # it is code, not a link
            return found[0]
        target = ROOT / PAGES.get(target.relative_to(ROOT).as_posix(), target)
        return f"[{words}]({os.path.relpath(target, page.parent)}{anchor})" if target.is_relative_to(DOCS) else words

    return LINK.sub(link, text)


def read_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Correct the links of a page to files that have another name on the site or are not on it."""
    page = DOCS / f"{docname}.md"
    source[0] = on_site(source[0], page.parent, page)


def read_included(app: Sphinx, relative: Path, parent: str, source: list[str]) -> None:
    """Correct the links of a file that a page includes."""
    source[0] = on_site(source[0], (DOCS / relative).resolve().parent, DOCS / f"{parent}.md")


# --- docstrings -------------------------------------------------------------------------------------------------------
STYLE = Config(napoleon_use_param=False, napoleon_use_rtype=False)
COMMENTED = (
    "carc_env.arena.analysis",
    "carc_env.games.open_game",
    "carc_env.setup.config",
    "carc_env.systems.base.words",
    "carc_env.arena.match",
    "carc_env.rules.state",
    "carc_env.notation.placed",
    "training.config",
)  # modules in which comments document the fields


def read_comments(app: Sphinx) -> None:
    """Let autodoc use comments after or above the fields of dataclasses, named tuples and enumerations.

    autodoc reads comments that begin with `#:`, so the function changes `#` to `#:` in its copy of the sources.
    """
    for name in COMMENTED:
        file, source = ModuleAnalyzer.get_module_source(name)
        source = re.sub(r"^(    \w+(?::| =) [^#\n]*?  #) ", r"\1: ", source, flags=re.MULTILINE)
        source = re.sub(r"(  #: .+;)\n    # (.+)$", r"\1 \2", source, flags=re.MULTILINE)
        source = re.sub(r"^    # (.+\n    \w+: )", r"    #: \1", source, flags=re.MULTILINE)
        ModuleAnalyzer.cache["module", name] = ModuleAnalyzer(source, name, str(file))


def read_docstring(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Convert a docstring with Google's style and Markdown's tables and links to reStructuredText."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\.md[^)]*\)", r"\1", "\n".join(lines))
    text = re.sub(r"^\|.*\n\|[-|]+\n(?:\|.*(?:\n|\Z))+", as_list_table, text, flags=re.MULTILINE)
    # of an attribute or a property, napoleon would take the words before a colon as the type
    kind = "object" if what in ("attribute", "property") else what
    lines[:] = GoogleDocstring((text[:1].upper() + text[1:]).split("\n"), STYLE, app, kind, name, thing).lines()


def as_list_table(found: re.Match) -> str:
    """Return a Markdown table as a table of reStructuredText."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in found[0].rstrip().split("\n")
    ]
    body = "".join(
        f"   * - {first}\n" + "".join(f"     - {cell}\n" for cell in more) for first, *more in [rows[0], *rows[2:]]
    )
    return f".. list-table::\n   :header-rows: 1\n\n{body}\n"


def by_short_name(
    app: Sphinx, env: BuildEnvironment, wanted: addnodes.pending_xref, words: nodes.Element
) -> nodes.Element | None:
    """Resolve a link to a name such as `carc_env.games.game.Game`, which is documented as `carc_env.Game`."""
    domain, name = env.domains.python_domain, wanted.get("reftarget", "").rpartition(".")[2]
    if (
        wanted.get("refdomain") != "py"
        or not wanted["reftarget"].startswith("carc_env.")
        or f"carc_env.{name}" not in domain.objects
    ):
        return None
    return domain.resolve_xref(env, wanted["refdoc"], app.builder, "obj", f"carc_env.{name}", wanted, words)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the functions of this file to Sphinx's events."""
    app.connect("builder-inited", read_comments)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("missing-reference", by_short_name)
    return {"parallel_read_safe": True}
