// Begins a new game that continues from a position, after asking who plays it.

import { botName, byId, make } from "./dom.js";
import { remember } from "./tokens.js";

export class Branch {
  // `begin(seats, same)` begins the game and returns its first view. `bots()` returns the specs of all bots. `open(id)` opens a game.
  constructor({ begin, bots, open }) {
    Object.assign(this, { begin, bots, open });
    byId("branch-form").addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    byId("branch-cancel").addEventListener("click", () => byId("branch-dialog").close());
  }

  // Ask who plays the new game. By default, a person plays the seat that has to act, and bots play the others.
  async ask(view, maySame) {
    const bots = await this.bots();
    byId("branch-error").hidden = true;
    byId("branch-same-row").hidden = !maySame;
    byId("branch-same").checked = false;
    this.players = view.players;
    byId("branch-seats").replaceChildren(...view.players.map(({ name, bot }, seat) => {
      const usual = seat === view.player ? "" : bots.includes(bot) ? bot : "greedy";
      const options = ["", ...bots].map((spec) => make("option", { value: spec, selected: spec === usual }, botName(spec) || "person"));
      return make("label", { class: "seat-now" }, name, make("select", { "data-seat": seat, "aria-label": `Who plays for ${name} in the new game` }, options));
    }));
    byId("branch-dialog").showModal();
  }

  async submit() {
    const chosen = [...byId("branch-seats").querySelectorAll("select")].map(({ value }) => value || null);
    const seats = chosen.map((bot, seat) => seatOf(bot, this.players[seat])), error = byId("branch-error");
    try {
      const view = await this.begin(seats, byId("branch-same").checked);
      remember(view.id, view);
      this.open(view.id);
    } catch (refusal) {
      error.textContent = refusal.message;
      error.hidden = false;
    }
  }
}

// A seat of the new game. A bot that replaces a person does not get the person's name.
function seatOf(bot, { name, bot: before }) {
  return { ...(bot ? { bot } : {}), ...(!bot || before ? { name } : {}) };
}
