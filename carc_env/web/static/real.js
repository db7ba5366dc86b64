// A game with cardboard tiles: the form for the start of the game, and the draws that people enter.

import { byId, make } from "./dom.js";

// --- during the game ------------------------------------------------------------------------------------------
// Show the possible results of a draw as buttons, which call `act.draw`. Returns false if no draw has to be entered.
export function showDraws(view, act) {
  const card = byId("draws") ?? byId("hand").parentNode.insertBefore(make("section", { id: "draws", class: "card", "aria-label": "What was drawn" }), byId("hand"));
  card.hidden = !view.draws || Boolean(view.replay);
  if (card.hidden) return false;
  byId("hand").hidden = true;
  const list = make("ul", { class: "draws" }), find = make("input", { id: "draw-name", type: "search", autocomplete: "off", placeholder: "the tile's id, such as D, or its features" });
  const fill = () => list.replaceChildren(...view.draws.filter(({ text, words }) => `${text} ${words}`.toLowerCase().includes(find.value.trim().toLowerCase())).map((draw) => drawButton(draw, act)));
  find.addEventListener("input", fill);
  find.addEventListener("keydown", (event) => {
    const named = view.draws.find(({ tile, text }) => [tile, text].some((name) => name?.toLowerCase() === find.value.trim().toLowerCase()));
    if (event.key === "Enter" && named) act.draw(named.text);
  });
  fill();
  card.replaceChildren(...(view.draws[0].tile ? [make("label", { for: "draw-name" }, view.question), find] : [make("p", {}, view.question)]), list);
  return true;
}

function drawButton({ text, tile, words, left }, act) {
  const about = `${text}, ${left} left${tile ? `: ${words}` : ""}`;
  const picture = tile ? make("img", { src: `api/tiles/${encodeURIComponent(tile)}`, alt: "", width: 52, height: 52, loading: "lazy" }) : null;
  return make("li", {}, make("button", { type: "button", "data-draw": text, title: about, "aria-label": about, onclick: () => act.draw(text) }, picture, make("span", {}, tile ? `${tile} ×${left}` : text)));
}

// --- the form --------------------------------------------------------------------------------------------------
// Ask what lies on the table before the game, if people play it with cardboard tiles.
export function showRealForm(preset) {
  const questions = preset?.asked_before ?? [], on = byId("real").checked && preset;
  byId("real").disabled = !preset;
  byId("real-why").textContent = preset ? "" : "Choose a preset instead of 'Own table' to play with cardboard tiles.";
  byId("seed").disabled = Boolean(on);
  const before = Object.fromEntries([...byId("real-lying").querySelectorAll("textarea")].map(({ name, value }) => [name, value]));
  byId("real-lying").replaceChildren(...(on ? questions : []).map(({ key, question, example }) => make("label", {}, question,
    Object.assign(make("textarea", { name: key, rows: 2, placeholder: example, spellcheck: "false" }), { value: before[key] ?? "" }))));
}

// The fields of the request for a game with cardboard tiles; empty for other games.
export function realWish() {
  if (!byId("real").checked || byId("real").disabled) return {};
  return { real_table: Object.fromEntries([...byId("real-lying").querySelectorAll("textarea")].map(({ name, value }) => [name, value])) };
}

