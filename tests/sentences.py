"""Draws sentences at random from what people read, so that somebody can judge the English.

`python -m tests.sentences --draw 100 --seed 0` prints 100 sentences, each with its file and line. They come from the
documentation, docstrings, comments, help texts, error messages and the web page. Code, headings and the changelog are
left out.
"""

import argparse
import ast
import io
import random
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PRODUCT = ("carc_env", "training")
FEWEST_WORDS = 4  # shorter texts are labels
# Calls whose texts people read: those that define the command line, and those that print.
SPEAKING = {"add_argument", "add_parser", "ArgumentParser", "command", "complain", "error", "Parser", "print", "warn"}

FENCE = re.compile(r"^( *)(`{3,}|:{3,}).*?^\1\2 *$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
EXAMPLE = re.compile(r"^ *>>>.*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SECTION = re.compile(r"^ *(?:Args|Attributes|Raises|Returns|Yields):$", re.MULTILINE)  # of a docstring
NEW_PASSAGE = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |[|#])|\s{4,}[\w, ]+: )")
END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bp\.)(?<!\bpp\.)[\"')*]*\s+(?=[\"'(*`\[]*[A-Z0-9`])")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
CODE = re.compile(r"`[^`]*`")
MARKUP = re.compile(r"<(?:script|style).*?</(?:script|style)>|<[^>]*>", re.DOTALL)
LABEL = re.compile(r'\b(?:title|aria-label|placeholder|content)="([^"]*)"')
JAVASCRIPT = re.compile(r'"([^"\n]*)"|`([^`\n]*)`')
LOOKS_LIKE_CODE = re.compile(r"[<={}#]|\b\w+\.\w|;$|^\w+/")


TO_PROGRAMS = re.compile(r"#!|#\s*(?:-{3}|noqa|type:|fmt:|pragma|ruff)")


class Sentence(NamedTuple):
    """A sentence and the place where it begins."""

    path: str
    line: int
    text: str


def everything() -> list[Sentence]:
    """All sentences that people read, in the order of the files."""
    found: list[Sentence] = []
    for path in files():
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        found += [Sentence(name, line, sentence) for line, sentence in READERS[path.suffix](text)]
    return found


def files() -> list[Path]:
    """The files whose sentences are read."""
    pages = [path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
    pages += [*ROOT.glob("docs/**/*.md"), ROOT / "benchmarks" / "README.md", *ROOT.glob("checkpoints/*.md")]
    sources = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")]
    static = ROOT / "carc_env" / "web" / "static"
    return sorted({*pages, *sources, *static.glob("*.html"), *static.glob("*.js")})


# --- one reader for each kind of file ---------------------------------------------------------------------------------
def in_markdown(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a page, without its code, its headings, and the cells of tables that hold only code."""
    text = blanked(COMMENT, blanked(FENCE, text))
    for line, passage in passages(text):
        if passage.startswith("|"):
            for cell in passage.strip("|").split("|"):
                yield from sentences(cell, line)
        elif not passage.startswith("#"):
            yield from sentences(passage, line)


def in_python(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of docstrings, help texts, messages and comments."""
    seen = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node) and isinstance(node.body[0], ast.Expr):
                docstring = blanked(SECTION, blanked(EXAMPLE, str(ast.get_docstring(node, clean=False))))
                for line, passage in passages(docstring):
                    yield from sentences(passage, node.body[0].lineno + line - 1)
        elif isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and called(node) in SPEAKING):
            for line, message in strings(node):
                if (line, message) not in seen:
                    seen.add((line, message))
                    yield from sentences(message, line, of_one_line=True)
    for line, comment in comments(text):
        yield from sentences(comment, line)


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Return the comments of a source file, each with its line. Lines that contain only a comment and follow each other
    are one comment. Headings of sections and instructions to programs, such as `noqa`, are left out.
    """
    found: list[tuple[int, int, str]] = []  # the first line, the last line (0 if it has code as well), and the text
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not TO_PROGRAMS.match(token.string):
            line, words = token.start[0], token.string.lstrip("# ")
            is_alone = not token.line[: token.start[1]].strip()
            if found and is_alone and found[-1][1] == line - 1:
                first, _, before = found.pop()
                found.append((first, line, f"{before}\n{words}"))
            else:
                found.append((line, line * is_alone, words))
    yield from ((first, words) for first, _, words in found)


def in_html(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a page for the browser: its texts and labels."""
    labels = [(match.start(1), match[1]) for match in LABEL.finditer(text)]
    texts = [(match.start(), match[0]) for match in re.finditer(r"[^\x00]+", MARKUP.sub(hidden, text))]
    for at, found in sorted(labels + texts):
        yield from sentences(found, text.count("\n", 0, at) + 1)


def in_javascript(text: str) -> Iterator[tuple[int, str]]:
    """The sentences among the strings of a script."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in JAVASCRIPT.finditer(re.sub(r"^\s*//.*", "", line)):
            words = re.sub(r"\$\{[^}]*\}", "...", match[1] or match[2] or "")
            if not LOOKS_LIKE_CODE.search(words):
                yield from sentences(words, number)


READERS = {".md": in_markdown, ".py": in_python, ".html": in_html, ".js": in_javascript}


# --- from texts to sentences ------------------------------------------------------------------------------------------
def passages(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and rows of tables, each with its line."""
    start = 0
    for end in [*(match.start() for match in NEW_PASSAGE.finditer(text)), len(text)]:
        passage = text[start:end]
        bare = passage.lstrip()
        if bare:
            yield text.count("\n", 0, start + len(passage) - len(bare)) + 1, bare.rstrip()
        start = end


def sentences(passage: str, line: int, of_one_line: bool = False) -> Iterator[tuple[int, str]]:
    """The sentences of a passage that begins on a line, each with its own line."""
    start = 0
    for end in [*(match.end() for match in END.finditer(passage)), len(passage)]:
        sentence = passage[start:end]
        words = re.sub(r"^(?:[-*]|\d+\.) ", "", " ".join(LINK.sub(r"\1", sentence).split()))
        if len(WORD.findall(CODE.sub("", words))) >= FEWEST_WORDS:
            begun = start + len(sentence) - len(sentence.lstrip())
            yield line + (0 if of_one_line else passage.count("\n", 0, begun)), words
        start = end


def strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts in a statement; what an f-string fills in is shown in braces."""
    if isinstance(node, ast.JoinedStr):
        parts = [
            f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else ast.literal_eval(part)
            for part in node.values
        ]
        yield node.lineno, "".join(parts)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.lineno, node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from strings(child)


def called(call: ast.Call) -> str:
    """The name of the function that is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text without what a pattern matches, with as many lines as before."""
    return pattern.sub(lambda match: "\n" * match[0].count("\n"), text)


def hidden(match: re.Match[str]) -> str:
    """As many zero characters as were matched, so that every place in the text stays where it is."""
    return "\0" * len(match[0])


def main() -> None:
    """Print the sentences drawn."""
    parser = argparse.ArgumentParser(description="Draw sentences at random from what people read.")
    parser.add_argument("--draw", type=int, default=100, metavar="N", help="how many sentences (100)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same sentences (0)")
    parser.add_argument("--within", default="", metavar="PATH", help="only from files whose path begins with this")
    arguments = parser.parse_args()
    found = [sentence for sentence in everything() if sentence.path.startswith(arguments.within)]
    drawn = random.Random(arguments.seed).sample(found, min(arguments.draw, len(found)))
    for sentence in drawn:
        print(f"{sentence.path}:{sentence.line}: {sentence.text}")


if __name__ == "__main__":
    main()
