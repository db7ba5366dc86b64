// The way in: a new game, the games there are, records and positions.

import { byId, counted, make } from "./dom.js";
import { realWish, showRealForm } from "./real.js";
import { remember } from "./tokens.js";

const ABOUT = { // presets in the order of the form; others follow by their own titles
  base: ["Base game", "The game as it began, for a first evening."],
  goldmines: ["The Goldmines", "Gold on the tiles: ingots to put, to wait for and to pick."],
  expansions: ["Expansions", "Inns, cathedrals, traders, builders, ingots and the abbot."],
  carcassonne: ["Map and gold", "A map of France (a reconstruction), with wine to sell, and the ingots."],
  france: ["Map of France", "That map and its wine, without gold."],
  everything: ["Everything", "Every box at once: ferries, castles, abbeys, shrines and more."],
  "goldmines-c1": ["First edition", "The Goldmines as first printed, with its crop circles."],
};
const COLOURS = ["Red", "Blue", "Yellow", "Black", "Green", "Pink"]; // of the seats, as the drawing has them
const MOST_SEATS = COLOURS.length;
const spoken = (name) => name.replaceAll("_", " ");

export class Setup {
  constructor(server, open) {
    this.server = server;
    this.open = open; // opens a game by its id
  }

  async show() {
    byId("home").hidden = false;
    this.choices = await this.server.get("api/choices");
    this.fill();
    this.listen();
    await this.list();
  }

  // --- a new game ------------------------------------------------------------------------------------------
  fill() {
    const { presets, boxes, titles, settings, sheets } = this.choices;
    const place = ({ name }) => (Object.keys(ABOUT).indexOf(name) + 1 || Infinity);
    const known = [...presets].sort((a, b) => place(a) - place(b)).map(({ name, title }) => [name, ...(ABOUT[name] ?? [title, ""])]);
    const options = [...known, ["", "Own table", "Choose the boxes and the rules yourself."]];
    byId("presets").append(make("div", { class: "choices" }, options.map(([name, title, about]) => make("label", { class: "choice" },
      make("input", { type: "radio", name: "preset", value: name, checked: name === "goldmines" }), make("span", {}, make("b", {}, title), make("small", {}, about))))));
    byId("boxes").append(...boxes.map((box) => make("label", {}, make("input", { type: "checkbox", name: "box", value: box, checked: box === "base" }), titles[box] ?? spoken(box))));
    const sheet = ["sheet", [null, ...sheets.map(({ name }) => name)]];
    byId("settings").append(...[sheet, ...Object.entries(settings)].filter(([name]) => name !== "players").map(([name, values]) => choice(name, values)));
    this.seats = Array.from({ length: MOST_SEATS }, (_, number) => ({ name: "", bot: number ? "greedy" : null }));
    this.renew();
  }

  listen() {
    byId("setup").addEventListener("change", () => this.renew());
    byId("setup").addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt("setup-error", async () => this.begun(await this.server.post("api/games", this.wanted())));
    });
    byId("record-file").addEventListener("change", (event) => this.attempt("load-error", () => this.load(event.target)));
    byId("load-position").addEventListener("click", () => this.attempt("load-error", async () => this.begun(await this.server.post("api/games/load", { position: byId("position-text").value.trim() }))));
  }

  get preset() {
    return this.choices.presets.find(({ name }) => name === byId("setup").elements.preset.value) ?? null;
  }

  // Show what goes with what is chosen.
  renew() {
    byId("own").hidden = Boolean(this.preset);
    showRealForm(this.preset);
    const [least, most] = this.preset?.players ?? [2, MOST_SEATS], select = byId("players"), before = Number(select.value) || 2;
    select.replaceChildren(...Array.from({ length: most - least + 1 }, (_, i) => make("option", { value: least + i, selected: least + i === Math.min(most, before) }, String(least + i))));
    this.keepSeats();
    byId("seat-list").replaceChildren(...this.seats.slice(0, Number(select.value)).map((seat, number) => this.seatRow(seat, number)));
  }

  keepSeats() {
    for (const row of byId("seat-list").children) {
      const [name, bot] = row.querySelectorAll("input, select"), seat = this.seats[Number(row.dataset.seat)];
      [seat.name, seat.bot] = [name.value, bot.value || null];
    }
  }

  seatRow(seat, number) {
    const colour = COLOURS[number];
    const fits = ({ presets }) => !presets || !this.preset || presets.includes(this.preset.name);
    const bots = this.choices.bots.filter(fits), chosen = seat.bot === null || bots.some(({ spec }) => spec === seat.bot) ? seat.bot : "greedy";
    const options = [["", "person"], ...bots.map(({ spec, name }) => [spec, name ?? spec])];
    return make("li", { "data-seat": number, class: `seat ${colour.toLowerCase()}` },
      make("input", { "aria-label": `Name of player ${number + 1}`, placeholder: colour, value: seat.name, maxlength: 24, autocomplete: "off" }),
      make("select", { "aria-label": `Who plays ${colour}` }, options.map(([value, words]) => make("option", { value, selected: value === (chosen ?? "") }, words))));
  }

  wanted() {
    this.keepSeats();
    const players = Number(byId("players").value), seats = this.seats.slice(0, players), seed = byId("seed").value.trim();
    const names = seats.map(({ name, bot }, number) => ({ bot, name: name.trim() || COLOURS[number] }));
    return { config: this.preset ? this.preset.name : this.ownConfig(players), seats: names, ...(seed ? { seed: Number(seed) } : {}), ...realWish() };
  }

  ownConfig(players) {
    const boxes = [...byId("boxes").querySelectorAll("input:checked")].map(({ value }) => value), config = { players, boxes };
    for (const select of byId("settings").querySelectorAll("select")) if (select.selectedIndex > 0) config[select.name] = JSON.parse(select.value);
    return config;
  }

  begun({ id, tokens }) {
    if (tokens) remember(id, tokens);
    this.open(id);
  }

  async attempt(where, action) {
    const error = byId(where);
    error.hidden = true;
    try {
      await action();
    } catch (refusal) {
      error.textContent = refusal.message;
      error.hidden = false;
    }
  }

  // --- records ---------------------------------------------------------------------------------------------
  async load(input) {
    const [file] = input.files, text = await file.text();
    input.value = "";
    let record;
    try {
      record = JSON.parse(text.trim().split("\n")[0]);
    } catch {
      throw new Error(`${file.name} is no record: its first line should be a game as JSON`);
    }
    this.begun(await this.server.post("api/games/load", { record }));
  }

  // --- games -----------------------------------------------------------------------------------------------
  async list() {
    const { games } = await this.server.get("api/games").catch(() => ({ games: [] }));
    byId("no-games").hidden = games.length > 0;
    byId("games").replaceChildren(...games.map((game) => this.gameRow(game)));
  }

  gameRow({ id, title, seats, over, scores, n_moves }) {
    const names = seats.map(({ name }, number) => `${name} ${scores[number]}`).join(", "), state = over ? "over" : counted(n_moves, "answer");
    return make("li", {}, make("a", { href: `?game=${id}` }, make("b", {}, title), make("span", {}, names), make("small", { class: "faint" }, state)),
      make("button", { type: "button", "aria-label": `Delete ${title}: ${names}`, title: "Delete", onclick: () => this.remove(id, `${title}: ${names}`) }, "✕"));
  }

  async remove(id, what) {
    if (!confirm(`Delete the game ${what}?`)) return;
    await this.attempt("load-error", () => this.server.ask(`api/games/${id}`, { method: "DELETE" }));
    await this.list();
  }
}

function choice(name, values) {
  return make("label", {}, make("span", {}, spoken(name)), make("select", { name }, values.map((value) => make("option", { value: JSON.stringify(value) }, value === null ? "none" : spoken(String(value))))));
}
