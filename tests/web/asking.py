"""Short functions with which tests send requests to the page's server."""

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
    """Send the action `text`, or the first legal action. Returns the response."""
    wish = {"version": view["version"], "answer": text or view["answers"][0]["text"]}
    return client.post(f"/api/games/{view['id']}/answers", json=wish, params=parameters)


def settled(client, view, seconds=300):
    """Wait until no bot is thinking. Returns the view."""
    until = time.monotonic() + seconds
    while (view := look(client, view, drawing=False))["thinking"] is not None:
        assert time.monotonic() < until, "the bot still thinks"
        time.sleep(0.01)
    return view


def refused(response, status):
    """Check that a request was refused with this status. Returns the reason."""
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"} and "\n" not in response.json()["error"]
    return response.json()["error"]
