"""Tests of the documentation of the interface: OpenAPI describes all routes with models and examples, docs/http.md
lists the same routes, and the program in docs/http.md plays a game.
"""

import json
import re
import shlex

import pytest

from carc_env.commands.cli import parser
from carc_env.web import models, understanding
from carc_env.web.view import features_view
from tests.web.asking import begin, refused
from tests.web.conftest import ROOT

PAGE = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
REMATCH = "/api/games/{id}/rematch"


@pytest.fixture(scope="module")
def described(client):
    return client.get("/openapi.json").json()


def operations(described):
    return {
        (method.upper(), path): operation
        for path, found in described["paths"].items()
        for method, operation in found.items()
    }


def test_the_page_lists_the_routes(described):
    rows = re.findall(r"^\| `([A-Z]+) (/api[^`]*)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert {(method, path): words for method, path, words in rows} == {
        key: found["summary"] for key, found in operations(described).items()
    }
    assert len(rows) == len(operations(described))


def test_the_page_lists_the_bodies(described):
    """Each example of a body is valid. Together with the optional fields in its row, it has all fields of the body."""
    schemas, posts = described["components"]["schemas"], {}
    for (method, path), operation in operations(described).items():
        if method == "POST" and "requestBody" in operation:
            reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            posts[path] = reference.rpartition("/")[2]
    rows = re.findall(r"^\| `(/api[^`]*)` \| `(\{[^`]*\})`[^|]* \| ([^|]*)\|$", PAGE, re.MULTILINE)
    assert [path for path, *_ in rows] == list(posts) and f"`POST {REMATCH}` has no body" in PAGE
    for path, example, more in rows:
        schema, sent = schemas[posts[path]], json.loads(example)
        optional = set(re.findall("`(.*?)`", more)) - set(sent)
        assert set(schema.get("required", ())) <= set(sent), path
        assert set(sent) | optional == set(schema["properties"]), path
        getattr(models, posts[path], getattr(understanding, posts[path], None)).model_validate(sent)


def test_every_route_has_models_and_errors(described):
    for (method, path), operation in operations(described).items():
        where = f"{method} {path}"
        good = next(iter(operation["responses"].values()))
        assert [media.get("schema") != {} for media in good["content"].values()] or "stream" in path, where
        for status, response in operation["responses"].items():
            assert int(status) < 400 or response["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Error"
            }, where
        assert ("404" in operation["responses"]) == ("{" in path), where
        assert ("409" in operation["responses"]) == (
            method == "POST" and "{id}" in path or path.endswith(("/record", "/analysis"))
        ), where
        assert operation["operationId"] == operation["operationId"].lower() and "_" in operation["operationId"], where


def test_a_token_in_the_address_is_listed_where_it_is_accepted(described):
    for (method, path), operation in operations(described).items():
        names = {each["name"] for each in operation.get("parameters", ())}
        assert ("token" in names) == (method == "GET" and "authorization" in names), f"{method} {path}"
        assert ("authorization" in names) or "/api/games/{id}" not in path, f"{method} {path}"


def test_what_is_sent_has_examples_that_hold(client, described):
    sent = [
        found["requestBody"]["content"]["application/json"]["schema"]
        for found in operations(described).values()
        if "requestBody" in found
    ]
    names = {schema["$ref"].rpartition("/")[2] for schema in sent}
    assert names == {
        *("NewGame", "LoadedGame", "Answer", "Undo", "Reply", "SeatChange", "Claim", "Message"),
        *("Branch", "Position", "JudgedPosition"),
    }
    schemas = described["components"]["schemas"]
    for name in names:
        assert schemas[name]["examples"] and schemas[name]["additionalProperties"] is False, name
    for name, path in (("NewGame", "/api/games"), ("LoadedGame", "/api/games/load")):
        for example in schemas[name]["examples"]:
            assert client.post(path, json=example).status_code == 201, example
    for name, path in (("Position", "/api/positions"), ("JudgedPosition", "/api/positions/evaluation")):
        for example in schemas[name]["examples"]:
            assert client.post(path, json=example).status_code == 200, example
    view = begin(client)
    change = schemas["SeatChange"]["examples"][0]
    assert client.post(f"/api/games/{view['id']}/seats/0", json=change).json()["players"][0]["bot"] == change["bot"]


def test_the_commands_of_the_page_are_commands():
    block = re.search(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]
    assert [parser().parse_args(shlex.split(line, comments=True)[1:]).bot for line in block.splitlines()][-1] == [
        "my_bots:Patient",
        "cmd:./my_bot --fast",
    ]


def test_the_program_of_the_page_plays_a_game(client, capsys):
    program = re.search(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]
    assert "http://127.0.0.1:8000" in program
    exec(
        compile(program.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/")), "docs/http.md", "exec"), {}
    )
    assert re.fullmatch(r"(Ada|greedy) wins \[\d+, \d+\]\n", capsys.readouterr().out)


def test_tiles_are_pictures(client):
    response = client.get("/api/tiles/D")
    assert response.headers["content-type"] == "image/svg+xml" and response.text.startswith("<svg")
    refused(client.get("/api/tiles/ZZ"), 404)


def test_features_are_json(client):
    view = begin(client, "everything")
    assert client.get(f"/api/games/{view['id']}/features").json()["features"] == [
        {
            key: [list(each) if isinstance(each, tuple) else each for each in value]
            if isinstance(value, list)
            else value
            for key, value in feature.items()
        }
        for feature in features_view(client.tables.find(view["id"]).now.game)
    ]
