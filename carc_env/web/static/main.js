// Opens the start page, a game, a position or the puzzles.

import { Server } from "./api.js";
import { byId } from "./dom.js";
import { Play } from "./play.js";
import { Position } from "./position.js";
import { whyNoPosition } from "./position_text.js";
import { Puzzles } from "./puzzles.js";
import { Setup } from "./setup.js";
import { forget } from "./tokens.js";

const asked = new URLSearchParams(location.search), id = asked.get("game");

function open(game) {
  location.assign(`?game=${encodeURIComponent(game)}`);
}

async function start() {
  if (id) return new Play(id).begin();
  if (asked.has("position")) return new Position(asked.get("position").trim()).begin();
  if (asked.has("puzzles")) return new Puzzles(asked.get("puzzles")).begin();
  const tiles = ["GM1", "N", "FE2", "E", "SH2", "A", "D", "TB1", "O", "RU1", "C", "V"];
  byId("home").querySelector(".hero-tiles").append(...tiles.map((tile) => Object.assign(new Image(), { src: `api/tiles/${tile}`, alt: "", onerror() { this.remove(); } })));
  return new Setup(new Server(), open).show();
}

// Report an error, with a link to the start page if the game or position cannot be shown.
function failed(error) {
  if (asked.has("position") && error.status === 422) return sorry("Invalid position", `The address of this page contains no valid position. ${whyNoPosition(asked.get("position"), error)}`);
  if (!id || !error.status) {
    byId("lost").textContent = error.message;
    byId("lost").hidden = false;
    return;
  }
  if (error.status === 404) forget(id);
  if (error.status === 404) sorry("Game not found", "The game was deleted, or the address is wrong.");
  else sorry("You have no access to this game", `To play or watch, ask a player of this game for a link. (${error.message})`);
}

function sorry(title, words) {
  document.title = `${title} · Carcassonne`;
  byId("game").hidden = true;
  byId("sorry").hidden = false;
  byId("sorry-title").textContent = title;
  byId("sorry-words").textContent = words;
}

start().catch(failed);
