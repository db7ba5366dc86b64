"""What tests ask the page's server, in a word each."""

import time

PERSONS = [{"name": "Ada"}, {"name": "Ben"}]
AGAINST_GREEDY = [{"name": "Ada"}, {"bot": "greedy"}]


def begin(client, config="goldmines", seats=PERSONS, seed=7, **more):
    response = client.post("/api/games", json={"config": config, "seats": seats, "seed": seed} | more)
    assert response.status_code == 201, response.text
    return response.json()


def look(client, view, **parameters):
    response = client.get(f"/api/games/{view['id']}", params=parameters)
    assert response.status_code == 200, response.text
    return response.json()


def answer(client, view, text=None, **parameters):
    """The first legal answer, or that of a text."""
    wish = {"version": view["version"], "answer": text or view["answers"][0]["text"]}
    return client.post(f"/api/games/{view['id']}/answers", json=wish, params=parameters)


def settled(client, view, seconds=300):
    """The view once no bot thinks any more."""
    until = time.monotonic() + seconds
    while (view := look(client, view, drawing=False))["thinking"] is not None:
        assert time.monotonic() < until, "the bot still thinks"
        time.sleep(0.01)
    return view


def refused(response, status):
    """The reason why something was refused."""
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"} and "\n" not in response.json()["error"]
    return response.json()["error"]
