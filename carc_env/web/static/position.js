// A position that belongs to no game, given as text in the address. It is shown with hints and an evaluation. The first move begins a game that continues from the position.

import { Server } from "./api.js";
import { byId } from "./dom.js";
import { Play } from "./play.js";
import { forget, remember } from "./tokens.js";

const ID = "position";

class PositionServer extends Server {
  constructor(position) {
    super();
    this.position = position;
  }

  // A request about a game goes to the address of the game. A request about a position is a POST request that contains the text of the position.
  get(path) {
    const [what, words] = path.split("?"), asked = what.match(/^api\/games\/position(?:\/moves\/\d+)?\/(features|hints|evaluation)$/);
    if (!asked) return super.get(path);
    const bot = new URLSearchParams(words).get("bot");
    return this.post(`api/positions/${asked[1]}`, { position: this.position, ...(bot ? { bot } : {}) });
  }

  async text(path) {
    return path.endsWith("/position") ? this.position : super.text(path);
  }
}

export class Position extends Play {
  constructor(position) {
    super(ID);
    forget(ID); // no game has this id
    this.server = new PositionServer(position);
    this.position = position;
  }

  async begin() {
    const view = await this.server.post("api/positions", { position: this.position });
    this.open();
    byId("game").classList.add("posed");
    this.take(view);
  }

  followAhead() {
    this.evaluation.follow(this.view.n_moves, false, this.view.n_moves);
    this.showAhead();
  }

  panel() {
    super.panel();
    document.title = `Position: ${this.view.question}`;
    byId("branch").hidden = this.view.over;
    byId("replay").hidden = false;
  }

  load(seats) {
    return this.server.begin("api/games/load", { position: this.position, seats });
  }

  // Begin a game with the first move. All seats belong to people at this screen.
  async answer(text) {
    const game = await this.attempt(() => this.load(this.view.players.map(({ name }) => ({ name }))));
    if (!game) return;
    remember(game.id, game);
    await this.attempt(() => new Server(() => game.tokens ?? []).post(`api/games/${game.id}/answers`, { version: game.version, answer: text }));
    this.follow(game.id);
  }

  branchAt() {
    return this.branch.ask(this.view, false);
  }

  beginBranch(seats) {
    return this.load(seats);
  }

  offerSeats() {
    byId("seats-now").hidden = true;
  }

  keyAction(key, shift, target) {
    return ["u", "l", "b"].includes(key.toLowerCase()) ? null : super.keyAction(key, shift, target);
  }
}
