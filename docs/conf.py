"""How Sphinx makes a site of these pages: `make docs`. The pages are Markdown that reads as well where they lie;
docstrings are Google's style with Markdown's marks.
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
# what is not ours has its pages elsewhere, and nothing is fetched to find them
nitpick_ignore_regex = [
    ("py:.*", r"(?!carc_env\b).*"),
    # what is only handed on
    (
        "py:class",
        r"carc_env\.(envs\.saving\.Saved|observing\.encode\.ObservationSpec|render\.facts\.Table|envs\.common\..*)",
    ),
]

myst_heading_anchors = 3  # `page.md#title`, as links have it that are read where the pages lie

default_role = "code"  # `x` in a docstring is code, as in Markdown
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120

html_theme = "furo"
pygments_dark_style = "github-dark"  # the usual one underlines modules, as if they were links
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
}  # what of the repository is a page of the site by another name


def on_site(text: str, folder: Path, page: Path) -> str:
    """A text whose links are meant from `folder`, with those that lead somewhere from `page`; what is not on the site
    keeps its words alone.
    """

    def link(found: re.Match) -> str:
        words, target, anchor = found.groups("")
        target = Path(os.path.normpath(folder / target))
        if not target.exists() or not target.is_relative_to(ROOT):  # no link, but code
            return found[0]
        target = ROOT / PAGES.get(target.relative_to(ROOT).as_posix(), target)
        return f"[{words}]({os.path.relpath(target, page.parent)}{anchor})" if target.is_relative_to(DOCS) else words

    return LINK.sub(link, text)


def read_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Links of a page that lead to what the site has by another name, or not at all."""
    page = DOCS / f"{docname}.md"
    source[0] = on_site(source[0], page.parent, page)


def read_included(app: Sphinx, relative: Path, parent: str, source: list[str]) -> None:
    """Links of a file that a page of `docs/` includes."""
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
)  # modules whose fields are told by comments


def read_comments(app: Sphinx) -> None:
    """Comments behind or above the fields of dataclasses, named tuples and enumerations are what autodoc says of
    them.
    """
    for name in COMMENTED:
        file, source = ModuleAnalyzer.get_module_source(name)
        source = re.sub(r"^(    \w+(?::| =) [^#\n]*?  #) ", r"\1: ", source, flags=re.MULTILINE)
        source = re.sub(r"(  #: .+;)\n    # (.+)$", r"\1 \2", source, flags=re.MULTILINE)
        source = re.sub(r"^    # (.+\n    \w+: )", r"    #: \1", source, flags=re.MULTILINE)
        ModuleAnalyzer.cache["module", name] = ModuleAnalyzer(source, name, str(file))


def read_docstring(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """A docstring of Google's style with Markdown's tables and links as reStructuredText."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\.md[^)]*\)", r"\1", "\n".join(lines))
    text = re.sub(r"^\|.*\n\|[-|]+\n(?:\|.*(?:\n|\Z))+", as_list_table, text, flags=re.MULTILINE)
    kind = "object" if what in ("attribute", "property") else what  # else what stands before a colon would be its type
    lines[:] = GoogleDocstring((text[:1].upper() + text[1:]).split("\n"), STYLE, app, kind, name, thing).lines()


def as_list_table(found: re.Match) -> str:
    """A table of Markdown as one of reStructuredText."""
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
    """Where `carc_env.games.game.Game` stands, which users know as `carc_env.Game`."""
    domain, name = env.domains.python_domain, wanted.get("reftarget", "").rpartition(".")[2]
    if (
        wanted.get("refdomain") != "py"
        or not wanted["reftarget"].startswith("carc_env.")
        or f"carc_env.{name}" not in domain.objects
    ):
        return None
    return domain.resolve_xref(env, wanted["refdoc"], app.builder, "obj", f"carc_env.{name}", wanted, words)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls first."""
    app.connect("builder-inited", read_comments)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("missing-reference", by_short_name)
    return {"parallel_read_safe": True}
