// The panel beside the board: the decision with the tile in hand, the players, the score track, the latest moves, the tiles left, and the final table.

import { botName, byId, counted, inkOn, make, paint, svg, toWin, withError } from "./dom.js";

const icon = (name, colour, box = "-15 -15 30 30") => svg("svg", { viewBox: box, class: "icon", "aria-hidden": "true" }, svg("use", { href: `#${name}`, fill: colour }));

// --- the decision --------------------------------------------------------------------------------------------
export function showBanner(view, mine, you) {
  const banner = byId("banner"), player = view.players[view.player];
  const colour = player?.colour ?? best(view).colour;
  paint(banner, colour);
  byId("board").style.setProperty("--frame", colour);
  byId("question").textContent = mine && you !== null ? `Your turn: ${view.asked}` : view.question;
  byId("question").title = view.question;
  showThinking(view);
  banner.classList.toggle("yours", mine);
  banner.classList.toggle("draft", view.player !== null && view.player !== view.active);
  byId("table").classList.toggle("yours", mine);
  byId("table").classList.toggle("draft", view.player !== null && view.player !== view.active);
}

// Show that a bot is thinking, or how many games are ahead of its game in the queue. Also show if the last bot had less time than usual.
export function showThinking({ thinking, tables_before: before, hurried }) {
  const isThere = thinking !== null && thinking !== undefined, had = byId("hurried");
  byId("thinking").hidden = !isThere;
  byId("thinking").firstChild.textContent = before ? `waits for ${counted(before, "other game")}` : "thinking";
  had.hidden = !hurried;
  had.textContent = hurried ? `Many games are waiting, so a bot had ${(hurried.ms / 1000).toFixed(2)} s for its move instead of ${hurried.own / 1000} s.` : "";
}

const best = (view) => view.players.reduce((a, b) => (b.score > a.score ? b : a));

// `at` is the action at the cursor; null if there is none.
export function showHand(view, mine, choices, choice, act, hints, at = null) {
  const hand = byId("hand"), held = document.activeElement?.dataset?.key;
  hand.hidden = view.over;
  if (view.over) return;
  const parts = mine ? [...tilesInHand(view, choices, choice, act), ...figures(view, choices, choice, act), advice(view, choices, choice)] : [...placedTile(view), waiting(view, act)];
  hand.replaceChildren(make("div", { class: "hand-row" }, parts), make("p", { id: "means", class: mine && view.answers.some(({ means }) => means) ? "kept" : null }, at?.means ? `${capital(at.words)}: ${at.means}.` : ""),
    make("div", { class: "row buttons" }, mine ? buttons(view, act, hints) : []), ...(mine ? reason(view) : []));
  if (held) hand.querySelector(`[data-key="${held}"]`)?.focus();
}

const capital = (words) => words[0].toUpperCase() + words.slice(1);
const USUAL = ["PLACE_TILE", "PLACE_FIGURE"]; // decisions of every turn, which need no explanation
let explained = null; // true or false once a person has opened or closed an explanation; null: only unusual decisions are explained

// Why the player has to decide, with a link to the rules of the box.
function reason({ why, boxes, phase }) {
  if (!why) return [];
  const details = make("details", { class: "why", open: explained ?? !USUAL.includes(phase) }, make("summary", { onclick: () => { explained = !details.open; } }, "Why this decision?"),
    make("p", {}, `${why.words} `, ruleLink(why.box, `The rules: ${boxes[why.box] ?? why.box}`)));
  return [details];
}

const ruleLink = (box, words) => make("a", { href: `rules.html#${box}`, target: "_blank", rel: "noopener" }, words);

export function showRules({ boxes }) {
  const links = Object.entries(boxes).flatMap(([box, title], number) => [number ? ", " : "", ruleLink(box, title)]);
  byId("rule-links").replaceChildren(...links);
}

function waiting(view, act) {
  if (view.fault) {
    return make("p", { class: "error", role: "alert" }, `${view.fault} `, make("button", { type: "button", onclick: () => act.handOver(view.player, "greedy") }, "Let greedy take over"));
  }
  if (view.replay) return make("p", { class: "faint" }, "You are looking at an earlier position.");
  const { name, bot } = view.players[view.player], also = bot && botName(bot) !== name ? ` (${botName(bot)})` : "";
  return make("p", { class: "faint" }, `${name}${also} has to move.`);
}

function tilesInHand(view, { tiles, rotations }, choice, act) {
  return tiles.map((tile, number) => {
    const chosen = tile === choice.tile, rotation = chosen ? choice.rotation : rotations[tile][0], turns = rotations[tile].length > 1;
    const words = view.tiles[tile][rotation], label = !chosen ? `Choose the tile: ${words}` : turns ? `Tile: ${words}; turn it` : `Tile: ${words}`;
    const picture = make("button", { type: "button", class: chosen ? "tile chosen" : "tile", "aria-label": label, "data-key": `tile-${tile}`,
      title: turns ? `${capital(words)}: turn the tile (R, click or wheel)` : capital(words), onclick: () => (chosen ? act.turn(1) : act.choose({ tile })) }, tilePicture(view, tile, rotation));
    picture.addEventListener("wheel", (event) => turnByWheel(event, act), { passive: false });
    return make("div", { class: "in-hand" }, picture, make("small", {}, tiles.length > 1 ? `${number + 1}` : turns ? "↻" : ""));
  });
}

let turnedAt = -Infinity;

// Turn the tile by one step, even if the mouse wheel sends several events.
function turnByWheel(event, act) {
  event.preventDefault();
  if (event.timeStamp - turnedAt < 120) return;
  turnedAt = event.timeStamp;
  act.turn(Math.sign(event.deltaY));
}

// Advice to the player in a few words.
function advice(view, choices, { tile, figure }) {
  if (choices.tiles.length) return make("p", { class: "advice" }, "Choose a glowing square.", choices.rotations[tile].length > 1 ? make("span", { class: "faint" }, " Click the tile or press R to turn it.") : null);
  if (view.answers.every(({ passes, stands }) => passes || stands)) return make("p", { class: "advice" }, `Click the ${view.called[figure] ?? figure} to take it back.`);
  if (figure) return make("p", { class: "advice" }, view.phase === "PLACE_FIGURE" ? "Click a spot on the tile to place the figure there." : "Click one of the glowing spots.");
  if (view.answers.some(({ how }) => how === "cell")) return make("p", { class: "advice" }, "Click one of the tiles in a golden frame.");
  return make("p", { class: "advice" }, "Click a glowing place on the board, or choose an action here.");
}

function placedTile(view) {
  return view.tile && !view.replay ? [make("div", { class: "in-hand" }, make("div", { class: "tile", role: "img", "aria-label": `Tile: ${view.tiles[view.tile][0]}`, title: capital(view.tiles[view.tile][0]) }, tilePicture(view, view.tile, 0)))] : [];
}

function tilePicture(view, tile, rotation) {
  const wide = view.doubles.includes(tile) ? 200 : 100, [width, height] = rotation % 180 ? [100, wide] : [wide, 100];
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, svg("use", { href: `#tile-${tile}-${rotation}` }));
}

function figures(view, choices, choice, act) {
  const { colour, figures: stock } = view.players[view.player], called = (figure) => view.called[figure] ?? figure;
  if (!choices.figures.length) return [];
  return [make("div", { class: "figures", role: "group", "aria-label": "Which figure" }, choices.figures.map((figure, number) => make("button", {
    type: "button", "aria-pressed": String(figure === choice.figure), "data-key": `figure-${figure}`, title: `${called(figure)} (${number + 1})`,
    "aria-label": `${called(figure)}, ${stock[figure] ?? 0} in supply`, onclick: () => act.choose({ figure }) },
  icon(figure, colour), make("small", {}, String(stock[figure] ?? "")))))];
}

function buttons(view, act, hints) {
  return view.answers.map((answer, number) => ({ ...answer, hint: hints?.get(number) })).filter(({ how }) => how === "button")
    .map(({ text, words, passes, brings, hint }) => make("button", { type: "button", "data-key": text, class: passes ? "pass" : null, onclick: () => act.play(text) },
      capital(words), brings ? make("b", { class: "brings" }, `+${brings}`, make("span", { class: "unseen" }, " points")) : null, passes ? make("kbd", {}, "P") : null, hint ? make("b", { class: "hint-value" }, withError(hint.value, hint.error)) : null));
}

// --- players -------------------------------------------------------------------------------------------------
export function showPlayers(view, you) {
  const { clock } = view.company;
  byId("players-now").classList.toggle("many", view.players.length > 3);
  byId("players-now").replaceChildren(...view.players.map((player, number) => {
    const asked = number === view.player, card = make("article", { class: `card player${asked ? " asked" : ""}`, "aria-current": asked ? "true" : null, "data-seat": number });
    paint(card, player.colour);
    const kinds = Object.entries(player.figures).map(([figure, left]) => make("li", { class: left === 0 ? "none" : null, title: `${view.called[figure] ?? figure}: ${left}` }, icon(figure, player.colour),
      make("span", {}, make("span", { class: "unseen" }, `${view.called[figure] ?? figure} `), String(left))));
    const things = player.holdings.map(holding);
    const about = [number === you ? "you" : null, asked ? "to play" : player.bot ? botName(player.bot) : null].filter(Boolean).join(", ");
    card.append(make("header", {}, icon("meeple", player.colour), make("h2", { title: player.name }, player.name),
      about ? make("small", { class: asked ? "turn" : null, title: player.bot ? botName(player.bot) : null }, about) : null,
      clock && !player.bot ? make("span", { class: "clock", "data-seat": number, role: "timer" }) : null,
      make("strong", { class: "score" }, String(player.score), make("span", { class: "unseen" }, " points"))),
    make("ul", { class: "supply" }, kinds, things));
    return card;
  }));
}

function holding({ name, tile, count, art, half }) {
  const height = tile ? 12 : 11;
  const picture = svg("svg", { viewBox: `${-half - 1} ${-height} ${2 * half + 2} ${2 * height}`, class: "thing", "aria-hidden": "true" });
  picture.innerHTML = art;
  picture.style.setProperty("--wide", (half + 1) / height);
  return make("li", { title: name, class: count === 0 ? "none" : null }, picture, make("span", {}, make("span", { class: "unseen" }, `${name} `), count === null ? "" : String(count)));
}

// --- the score track -----------------------------------------------------------------------------------------
const ACROSS = 16, DOWN = 11, FIELD = 20, LAP = 2 * (ACROSS + DOWN) - 4; // fifty fields around a rectangle

export function fieldOf(points) {
  const at = ((points % LAP) + LAP) % LAP;
  if (at < ACROSS) return [at, 0];
  if (at < ACROSS + DOWN - 1) return [ACROSS - 1, at - ACROSS + 1];
  if (at < 2 * ACROSS + DOWN - 2) return [2 * ACROSS + DOWN - 3 - at, DOWN - 1];
  return [0, LAP - at];
}

export function showTrack(view) {
  const words = view.players.map(({ name, score }) => `${name} ${score}`).join(", ");
  const fields = Array.from({ length: LAP }, (_, at) => {
    const [x, y] = fieldOf(at), five = at % 5 === 0;
    return svg("g", { class: five ? "field five" : "field" }, svg("rect", { x: FIELD * x + 1, y: FIELD * y + 1, width: FIELD - 2, height: FIELD - 2, rx: 4 }),
      five ? svg("text", { x: FIELD * (x + 0.5), y: FIELD * (y + 0.5) + 3.2 }, String(at)) : "");
  });
  const crowd = new Map();
  const pieces = view.players.map(({ colour, score }) => {
    const at = ((score % LAP) + LAP) % LAP, many = crowd.get(at) ?? 0, [x, y] = fieldOf(score), laps = Math.floor(score / LAP);
    crowd.set(at, many + 1);
    const piece = svg("g", { transform: `translate(${FIELD * (x + 0.5) + 5 * many} ${FIELD * (y + 0.5) - 5 * many})`, class: "piece" }, svg("use", { href: "#meeple", fill: colour, transform: "scale(1.05)" }));
    if (laps > 0) piece.append(badge(`+${LAP * laps}`, colour));
    return piece;
  });
  const middle = [svg("text", { x: FIELD * ACROSS / 2, y: FIELD * DOWN / 2 - 2, class: "many" }, String(view.tiles_left)),
    svg("text", { x: FIELD * ACROSS / 2, y: FIELD * DOWN / 2 + 20, class: "what" }, "tiles left")];
  byId("track").replaceChildren(svg("svg", { viewBox: `-8 -16 ${FIELD * ACROSS + 18} ${FIELD * DOWN + 20}`, role: "img", "aria-label": `Score track: ${words}. ${counted(view.tiles_left, "tile")} left.` }, fields, middle, pieces));
  byId("supplies").textContent = view.supplies.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`).join(" ");
}

// The points of completed rounds of the score track, shown beside a piece.
function badge(words, colour) {
  const wide = 4.8 * words.length + 5;
  return svg("g", { class: "badge" }, svg("rect", { x: 9 - wide / 2, y: -17, width: wide, height: 15, rx: 7.5, fill: colour, stroke: "#fff" }),
    svg("text", { x: 9, y: -6.6, fill: inkOn(colour), class: "laps" }, words));
}

// --- what happened -------------------------------------------------------------------------------------------
export function showLog(entries, act) {
  byId("log").replaceChildren(...entries.map((entry) => {
    const attributes = { class: entry.points ? "points" : null, style: null };
    if (entry.x === null || entry.x === undefined) return dotted(make("li", attributes, make("span", {}, entry.words)), entry);
    const light = (on) => () => act.light(on ? entry : null);
    return dotted(make("li", attributes, make("button", { type: "button", onmouseenter: light(true), onmouseleave: light(false), onfocus: light(true), onblur: light(false),
      onclick: () => act.look(entry) }, entry.words)), entry);
  }));
}

function dotted(item, { colour }) {
  if (colour) item.style.setProperty("--player", colour);
  return item;
}

export function showLeft(view) {
  const details = byId("left"), kinds = Object.entries(view.left);
  details.querySelector("summary").textContent = `Tiles left: ${view.tiles_left}, of ${counted(kinds.length, "kind")}`;
  if (!details.open) return;
  byId("left-tiles").replaceChildren(...kinds.map(([tile, count]) => make("li", { title: `${capital(view.left_words[tile])} (${tile})` }, make("img", { src: `api/tiles/${encodeURIComponent(tile)}`, alt: view.left_words[tile], loading: "lazy", width: 52, height: 52 }), `×${count}`)));
}

export function showAnswers(view, mine, hints, act) {
  const details = byId("all-answers");
  details.hidden = !mine;
  details.querySelector("summary").textContent = `All legal moves: ${view.answers.length}`;
  if (!mine || !details.open) return;
  const order = view.answers.map((answer, number) => ({ ...answer, number, hint: hints?.get(number) }));
  if (hints) order.sort((a, b) => (b.hint?.value ?? -Infinity) - (a.hint?.value ?? -Infinity));
  byId("answer-list").replaceChildren(...order.map((answer) => {
    const light = () => act.light(answer);
    return make("li", {}, make("button", { type: "button", onclick: () => act.play(answer.text), onmouseenter: light, onfocus: light, onmouseleave: () => act.light(null), onblur: () => act.light(null) },
      make("span", {}, answer.words, answer.means ? make("small", { class: "faint" }, answer.means) : null), answer.hint ? make("b", {}, withError(answer.hint.value, answer.hint.error) + toWin(answer.hint.chance)) : null));
  }));
}

// --- the end -------------------------------------------------------------------------------------------------
export function showFinal(view) {
  const final = byId("final");
  final.hidden = !view.over;
  if (!view.over) return;
  const sources = [...new Set(view.players.flatMap(({ final: points }) => Object.keys(points)))];
  const total = (name) => view.players.reduce((sum, player) => sum + (player.final[name] ?? 0), 0);
  sources.sort((a, b) => total(b) - total(a));
  const head = view.players.map(({ name, colour }) => make("th", { scope: "col", title: name }, icon("meeple", colour), make("span", {}, name)));
  const rows = sources.map((name) => make("tr", {}, make("th", { scope: "row" }, view.sources[name]), view.players.map(({ final: points }) => make("td", {}, String(points[name] ?? 0)))));
  const sums = make("tr", {}, make("th", { scope: "row" }, "points"), view.players.map(({ score }) => make("td", {}, String(score))));
  byId("final-title").textContent = view.question;
  byId("final-table").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, make("td", {}), head)), make("tbody", {}, rows), make("tfoot", {}, sums)));
}
