"""The command that draws sentences finds those that people read, and says where each begins."""

import functools
import sys

import pytest

from tests import sentences
from tests.sentences import ROOT, everything, in_html, in_javascript, in_markdown, in_python

PAGE = """# A heading of many plain words

The first sentence stands here. The second one
follows [on the next line](there.md), e.g. Here. `Code` may begin the third one.

- An item is read alone.
```python
print("no code is read at all")
```
<!-- nor is a comment read at all -->
| a head of some words | `code only` |
"""
SOURCE = '''"""A module that says what it holds.

>>> an example of what is not read
"""


def function():
    """Do something useful with words.

    Args:
        words: all that should be said
            in this text.
        most: the greatest number of words.

    Raises:
        ValueError: if the words are too long.
    """
    ordinary = "a text that nobody is shown"  # a comment beside the code
    # A comment of two lines
    # that belong together.
    raise ValueError(f"there are {len(ordinary)} letters in it")


parser.add_argument("--words", help="how many words there are")
'''


def test_a_page_gives_its_sentences_and_no_code():
    assert list(in_markdown(PAGE)) == [
        (3, "The first sentence stands here."),
        (3, "The second one follows on the next line, e.g. Here."),
        (4, "`Code` may begin the third one."),
        (6, "An item is read alone."),
        (11, "a head of some words"),
    ]


def test_a_module_gives_docstrings_comments_help_and_messages():
    assert sorted(in_python(SOURCE)) == [
        (1, "A module that says what it holds."),
        (8, "Do something useful with words."),
        (11, "words: all that should be said in this text."),
        (13, "most: the greatest number of words."),
        (16, "ValueError: if the words are too long."),
        (18, "a comment beside the code"),
        (19, "A comment of two lines that belong together."),
        (21, "there are {len(ordinary)} letters in it"),
        (24, "how many words there are"),
    ]


def test_the_web_page_gives_its_texts_and_labels():
    html = '<p>All that people\nread here.</p>\n<a title="Where this link leads to">go</a><script>var a = "is not read"</script>'
    assert list(in_html(html)) == [(1, "All that people read here."), (3, "Where this link leads to")]
    script = (
        'say("Choose one of these tiles.");\n// not "in a comment like this"\nbyId("a").b = `${n} of all the games`;'
    )
    assert list(in_javascript(script)) == [(1, "Choose one of these tiles."), (3, "... of all the games")]


def test_every_kind_of_text_is_read_and_found_at_its_line():
    found = everything()
    for start in ("README.md", "CONTRIBUTING.md", "docs/", "carc_env/games/", "training/", "carc_env/web/static/"):
        assert any(sentence.path.startswith(start) for sentence in found), start
    lines_of = functools.cache(lambda path: (ROOT / path).read_text(encoding="utf-8").splitlines())
    for path, line, text in found:
        word = text.split()[0].strip('`[*"({,:;')
        if not text.startswith("{") and "..." not in word:  # what is put in at run time is written otherwise
            nearby = lines_of(path)[line - 1 : line + 2]  # a literal of several pieces begins up to two lines before
            assert any(word in each for each in nearby), (path, line, text)


def test_the_same_seed_draws_the_same_sentences(monkeypatch, capsys):
    def drawn(*words: str) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["sentences", "--draw", "5", *words])
        sentences.main()
        return capsys.readouterr().out.splitlines()

    monkeypatch.setattr(sentences, "everything", functools.cache(everything))
    assert drawn("--seed", "3") == drawn("--seed", "3") != drawn("--seed", "4")
    within = drawn("--within", "training/")
    assert len(within) == 5 and all(line.startswith("training/") for line in within)


@pytest.mark.parametrize("text", ["three short words", "`much code in it` but few words"])
def test_labels_are_left_out(text):
    assert list(in_markdown(text)) == []
