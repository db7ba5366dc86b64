// The start page: the form for a new game, the list of games, records and positions.

import { Server, keepPassword } from "./api.js";
import { byId, counted, make, patiently } from "./dom.js";
import { whyNoPosition } from "./position_text.js";
import { realWish, showRealForm } from "./real.js";
import { forget, forgetUnlisted, games as known, groups, kept, remember, tokensOf } from "./tokens.js";

const ABOUT = { // the presets in the order of the form, with pictures of tiles; all other presets follow, with their own titles
  base: ["Base game", "The original game, a good choice for beginners.", ["E", "V", "A"]],
  goldmines: ["The Goldmines", "Gold on the tiles: place ingots, and take them when you complete features.", ["GM1", "GM4", "GM7"]],
  expansions: ["Expansions", "Inns, cathedrals, traders, builders, ingots and the abbot.", ["IC1", "TB1", "GM2"]],
  carcassonne: ["Map and gold", "A reconstructed map of France, with wine to sell and with ingots.", ["map.svg", "GM1"]],
  france: ["Map of France", "The map of France with its wine, without gold.", ["map.svg", "D"]],
  everything: ["Everything", "Almost all expansions at once: ferries, castles, abbeys, shrines and more.", ["FE1", "SH1", "RU1"]],
  "goldmines-c1": ["First edition", "The first edition of The Goldmines, with its crop circles.", ["GM3", "CR1", "GM6"]],
};
const COLOURS = ["Red", "Blue", "Yellow", "Black", "Green", "Pink"]; // the colours of the seats, as in the drawing
const MOST_SEATS = COLOURS.length;
const CLOCKS = [["", "none"], ["5", "5 minutes each"], ["10", "10 minutes each"], ["20", "20 minutes each"], ["40", "40 minutes each"]];
const BONUS = 5; // seconds that a move adds
const REMEMBERED = "carc form";
const spoken = (name) => name.replaceAll("_", " ");
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export class Setup {
  constructor(server, open) {
    this.server = server;
    this.open = open; // opens a game by its id
  }

  async show() {
    byId("home").hidden = false;
    this.choices = await this.server.get("api/choices");
    this.fill();
    this.restore();
    this.listen();
    await this.list();
  }

  // --- a new game ------------------------------------------------------------------------------------------
  fill() {
    const { presets, boxes, titles, settings, words, sheets, bots } = this.choices;
    const place = ({ name }) => (Object.keys(ABOUT).indexOf(name) + 1 || Infinity);
    const offered = [...presets].sort((a, b) => place(a) - place(b)).map((preset) => [preset.name, ...(ABOUT[preset.name] ?? [preset.title, "", []]), length(preset)]);
    const options = [...offered, ["", "Own table", "Choose the boxes and the rules yourself.", ["W", "U", "I"], ""]];
    byId("presets").append(make("div", { class: "choices" }, options.map((option) => presetChoice(...option))));
    byId("boxes").append(...boxes.map((box) => make("label", {}, make("input", { type: "checkbox", name: "box", value: box, checked: box === "base" }), titles[box] ?? spoken(box))));
    const sheet = choice("sheet", [null, ...sheets.map(({ name }) => name)], { label: "Map sheet", values: ["none", ...sheets.map(({ title }) => title)], about: null });
    byId("settings").append(sheet, ...Object.entries(settings).map(([name, values]) => choice(name, values, withDefault(words[name]))));
    byId("players").append(...Array.from({ length: MOST_SEATS - 1 }, (_, i) => make("option", { value: i + 2 }, String(i + 2))));
    byId("password-row").hidden = !this.choices.password;
    byId("clock").append(...CLOCKS.map(([value, words]) => make("option", { value }, words)));
    byId("seat-list").append(...COLOURS.map((_, number) => seatRow(number, bots)));
  }

  listen() {
    byId("setup").addEventListener("change", () => this.renew());
    byId("setup").addEventListener("input", () => this.remember());
    byId("setup").addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt("setup-error", async () => this.begun(await this.begin("api/games", this.wanted())));
    });
    byId("record-file").addEventListener("change", (event) => this.attempt("load-error", () => this.load(event.target)));
    byId("see-position").addEventListener("click", () => this.attempt("load-error", () => this.withPosition((position) => this.see(position))));
    byId("load-position").addEventListener("click", () => this.attempt("load-error", () => this.withPosition(async (position) => this.begun(await this.begin("api/games/load", { position })))));
  }

  get preset() {
    return this.choices.presets.find(({ name }) => name === byId("setup").elements.preset.value) ?? null;
  }

  // Show the fields that fit the current choice. Existing elements are kept, so that the texts that people have entered are not lost and nothing moves.
  renew() {
    byId("own").hidden = Boolean(this.preset);
    for (const label of byId("settings").children) label.hidden = !applies(label.dataset.about);
    showRealForm(this.preset);
    const [least, most] = this.preset?.players ?? [2, this.mostPlayers()], players = byId("players");
    for (const option of players.options) option.hidden = option.disabled = Number(option.value) < least || Number(option.value) > most;
    if (Number(players.value) > most) players.value = String(most);
    rows().forEach((row, number) => { row.hidden = number >= Number(players.value); });
    for (const { select } of rows().map(parts)) this.offer(select);
    this.remember();
  }

  // The most players that the ticked boxes allow. The base game is part of every game.
  mostPlayers() {
    return Math.max(...["base", ...ticked()].map((box) => this.choices.most_players[box]));
  }

  // Offer the bots that can play the chosen preset.
  offer(select) {
    for (const option of select.options) {
      const presets = this.choices.bots.find(({ spec }) => spec === option.value)?.presets;
      option.hidden = option.disabled = Boolean(presets && this.preset && !presets.includes(this.preset.name));
    }
    if (select.selectedOptions[0]?.disabled) select.value = "greedy";
  }

  wanted() {
    const players = Number(byId("players").value), seed = byId("seed").value.trim(), minutes = Number(byId("clock").value);
    const seats = rows().slice(0, players).map(parts).map(({ input, select }, number) => ({ bot: select.value || null, name: input.value.trim() || COLOURS[number] }));
    const wished = { ...(seed ? { seed: Number(seed) } : {}), ...(minutes ? { clock: { minutes, bonus: BONUS } } : {}), ...realWish() };
    return { config: this.preset ? this.preset.name : this.ownConfig(players), seats, ...wished };
  }

  ownConfig(players) {
    const config = { players, boxes: ticked() };
    for (const select of byId("settings").querySelectorAll("label:not([hidden]) select")) if (select.selectedIndex > 0) config[select.name] = JSON.parse(select.value);
    return config;
  }

  // --- the last choice -------------------------------------------------------------------------------------
  remember() {
    const boxes = ticked();
    const settings = Object.fromEntries([...byId("settings").querySelectorAll("select")].map(({ name, value }) => [name, value]));
    const seats = rows().map(parts).map(({ input, select }) => [input.value, select.value]);
    const values = Object.fromEntries(["players", "clock"].map((id) => [id, byId(id).value]));
    localStorage.setItem(REMEMBERED, JSON.stringify({ preset: this.preset?.name ?? "", boxes, settings, seats, ...values }));
  }

  restore() {
    const { preset = "goldmines", boxes = null, settings = {}, seats = [], players = "2", clock = "" } = kept(REMEMBERED) ?? {};
    const radio = [...byId("setup").elements.preset].find(({ value }) => value === preset);
    if (radio) radio.checked = true;
    for (const input of boxes ? byId("boxes").querySelectorAll("input") : []) input.checked = boxes.includes(input.value);
    for (const select of byId("settings").querySelectorAll("select")) choose(select, settings[select.name]);
    rows().map(parts).forEach(({ input, select }, number) => {
      input.value = seats[number]?.[0] ?? "";
      choose(select, seats[number]?.[1] ?? (number ? "greedy" : ""));
    });
    choose(byId("players"), players);
    choose(byId("clock"), clock);
    this.renew();
  }

  begin(path, wish) {
    if (byId("password").value) keepPassword(byId("password").value);
    return this.server.begin(path, wish);
  }

  begun(view) {
    remember(view.id, view);
    this.open(view.id);
  }

  // Perform a request, and show the reason below the form if the server rejects it. Until the response arrives, the buttons that begin or show a game are disabled.
  async attempt(where, action) {
    const buttons = document.querySelectorAll("#setup button[type=submit], #see-position, #load-position");
    const tell = (words, isError = false) => { byId(where).hidden = !words; byId(where).textContent = words; byId(where).classList.toggle("error", isError); };
    for (const button of buttons) button.disabled = true;
    tell("");
    try {
      await patiently(action, tell);
      tell("");
    } catch (refusal) {
      tell(refusal.message, true);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  // --- records and positions -------------------------------------------------------------------------------
  async load(input) {
    const [file] = input.files, text = await file.text();
    input.value = "";
    let record;
    try {
      record = JSON.parse(text.trim().split("\n")[0]);
    } catch {
      throw new Error(`${file.name} is not a file of game records: its first line is not a game record in JSON`);
    }
    this.begun(await this.begin("api/games/load", { record }));
  }

  // Do something with the position in the form. If the server rejects the position, throw an error with the reason for people.
  async withPosition(action) {
    const text = byId("position-text").value.trim();
    try {
      await action(text);
    } catch (refusal) {
      throw new Error(whyNoPosition(text, refusal));
    }
  }

  // Open the page of a position if the server accepts the position.
  async see(position) {
    await this.server.post("api/positions", { position });
    location.assign(`?position=${encodeURIComponent(position)}`);
  }

  // --- games -----------------------------------------------------------------------------------------------
  // List the games. The games that this browser has opened come before all other games. In both groups, unfinished games come before finished ones.
  async list() {
    const games = await this.games(), own = new Set(known().map(({ id }) => id));
    const mine = games.filter(({ id }) => own.has(id)), others = games.filter(({ id }) => !own.has(id));
    byId("no-games").hidden = games.length > 0;
    const parts = [["Your games", mine.filter(({ over }) => !over)], ["Your finished games", mine.filter(({ over }) => over)],
      ["Other games here", others.filter(({ over }) => !over)], ["Other finished games", others.filter(({ over }) => over)]];
    byId("games").replaceChildren(...parts.filter(([, some]) => some.length).map(([title, some]) => make("section", {}, make("h3", {}, title), make("ul", {}, some.map((game) => this.gameRow(game))))));
  }

  // The games that the server lists, the most recently changed first. If the server uses tokens, each request asks for one group of games.
  async games() {
    if (!this.choices.tokens) return (await this.server.get("api/games").catch(() => ({ games: [] }))).games;
    const found = new Map(), ask = async ({ ids, tokens }) => {
      const { games } = await new Server(() => tokens).get("api/games");
      forgetUnlisted(ids, games);
      for (const game of games) found.set(game.id, { ...game, tokens, yours: [...(found.get(game.id)?.yours ?? []), ...game.yours] });
    };
    await Promise.allSettled(groups().map(ask));
    return [...found.values()].sort((a, b) => b.changed - a.changed);
  }

  gameRow({ id, title, seats, over, scores, n_moves, changed, player, yours, tokens = [] }) {
    const names = seats.map(({ name }, number) => `${name} ${scores[number]}`).join(", "), when = day.format(new Date(1000 * changed));
    const turn = !over && yours.includes(player), state = `${when}${over ? "" : `, ${counted(n_moves, "move")}`}`;
    return make("li", {}, make("a", { href: `?game=${id}`, title: names }, make("b", {}, ABOUT[title]?.[0] ?? title, turn ? make("em", { class: "turn" }, "your turn") : null), make("span", {}, names), make("small", { class: "faint" }, state)),
      make("button", { type: "button", "aria-label": `Delete ${title}: ${names}`, title: "Delete", onclick: () => this.remove(id, `${title}: ${names}`, tokens) }, "✕"));
  }

  // Delete a game. If this browser has no tokens for it, for example because it has never opened this rematch, the request contains the tokens with which the game was listed.
  async remove(id, what, tokens) {
    if (!confirm(`Delete the game ${what}?`)) return;
    const own = tokensOf(id), server = new Server(() => (own.length ? own : tokens));
    await this.attempt("load-error", async () => { await server.ask(`api/games/${id}`, { method: "DELETE" }); forget(id); });
    await this.list();
  }
}

const rows = () => [...byId("seat-list").children];
const parts = (row) => ({ input: row.querySelector("input"), select: row.querySelector("select") });
const ticked = () => [...byId("boxes").querySelectorAll("input:checked")].map(({ value }) => value);

// True if a setting applies to the boxes and the map sheet that are chosen in the form. `about` is the box that the
// setting belongs to, or "sheet".
function applies(about) {
  if (about === "sheet") return byId("settings").querySelector("select[name=sheet]").selectedIndex > 0;
  return !about || ticked().includes(about);
}

// Choose a value if it is offered.
function choose(select, value) {
  if ([...select.options].some((option) => option.value === value)) select.value = value;
}

// The number of tiles and the usual duration of a game, in words.
function length({ tiles, boxes, sheet }) {
  const minutes = Math.max(5, 5 * Math.round((tiles * (18 + 2 * Math.min(10, boxes.length) + (sheet ? 3 : 0))) / 300)), hours = Math.round(minutes / 30) / 2;
  return `${tiles} tiles, about ${minutes < 90 ? `${minutes} minutes` : `${String(hours).replace(".5", "½")} hours`}`;
}

function presetChoice(name, title, about, tiles, long) {
  const pictures = tiles.map((tile) => make("img", { src: tile.includes(".") ? tile : `api/tiles/${tile}`, alt: "", width: 34, height: 34 }));
  return make("label", { class: "choice" }, make("input", { type: "radio", name: "preset", value: name, checked: name === "goldmines" }),
    make("span", {}, make("span", { class: "pictures" }, pictures), make("b", {}, title), make("small", {}, about), long ? make("small", { class: "long" }, long) : null));
}

function seatRow(number, bots) {
  const colour = COLOURS[number], option = ({ spec, name }) => make("option", { value: spec }, name ?? spec);
  const levels = bots.filter(({ rating }) => rating !== null), others = bots.filter(({ rating }) => rating === null);
  return make("li", { "data-seat": number, class: `seat ${colour.toLowerCase()}` },
    make("input", { "aria-label": `Name of player ${number + 1}`, placeholder: colour, maxlength: 40, autocomplete: "off" }),
    make("select", { "aria-label": `Who plays ${colour}` }, make("option", { value: "" }, "person"), make("optgroup", { label: "Levels, by rating" }, levels.map(option)), make("optgroup", { label: "Bots" }, others.map(option))));
}

function choice(name, values, words) {
  const options = values.map((value, number) => make("option", { value: JSON.stringify(value) }, words.values[number]));
  return make("label", { "data-about": words.about }, make("span", {}, words.label), make("select", { name }, options));
}

// The words of a setting, with a note at the default, which is the first value.
function withDefault({ values: [first, ...others], ...words }) {
  return { ...words, values: [`${first} (default)`, ...others] };
}
