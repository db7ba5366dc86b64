// A bot's estimate of who is ahead: a bar for the position shown, and a curve over all positions. One position is requested at a time, the current one first.

import { JUDGE, botName, byId, make, signed, toWin } from "./dom.js";

const WISH = "carc evaluation"; // the key of the person's choice: "yes", "no", or no entry
const REST = 120, AGAIN = 1500; // milliseconds between two requests, and after a rejected request

export class Evaluation {
  // `ask(n, bot)` requests the evaluation after n moves. `changed()` is called after each new evaluation.
  constructor(ask, changed) {
    Object.assign(this, { ask, changed, known: new Map(), length: -1, age: 0, asking: false, trouble: null });
    byId("judge-bot").addEventListener("change", () => this.anew());
    byId("ahead-toggle").addEventListener("click", () => this.toggle());
    document.addEventListener("visibilitychange", () => this.next());
  }

  // By default, the estimate is shown if nobody at this screen plays.
  isOn(plays) {
    const wish = localStorage.getItem(WISH);
    return wish === null ? !plays : wish === "yes";
  }

  get bot() {
    return byId("judge-bot").value || JUDGE;
  }

  toggle() {
    this.on = !this.on;
    localStorage.setItem(WISH, this.on ? "yes" : "no");
    this.changed();
    this.next();
  }

  // Discard all evaluations, because another bot was chosen.
  anew() {
    this.known.clear();
    this.trouble = null;
    this.changed();
    this.next();
  }

  // Set the number of moves of the game. Positions after at least `first` moves are requested. Evaluations of undone moves are discarded.
  follow(length, plays, first = 0) {
    if (length < this.length) {
      this.age += 1;
      for (const n of this.known.keys()) if (n >= length) this.known.delete(n);
    }
    if (length !== this.length) this.trouble = null;
    Object.assign(this, { length, first, on: this.isOn(plays) });
    this.next();
  }

  // Request the evaluation of the latest position that has not been evaluated.
  async next() {
    if (!this.on || this.asking || this.trouble || document.hidden) return;
    const n = this.wanted;
    if (n === null) return;
    this.asking = true;
    let rest = REST;
    try {
      const { bot, age } = this, found = await this.ask(n, bot);
      if (bot === this.bot && age === this.age) this.known.set(n, found);
    } catch (error) {
      rest = AGAIN;
      if (error.status !== 503 && error.status !== 0) this.trouble = error.message;
    }
    this.asking = false;
    this.changed();
    setTimeout(() => this.next(), rest);
  }

  get wanted() {
    for (let n = this.length; n >= this.first; n -= 1) if (!this.known.has(n)) return n;
    return null;
  }

  // The evaluated positions, in order.
  get curve() {
    return [...this.known].sort(([a], [b]) => a - b).map(([n, { margins, chances }]) => ({ n, margins, chances }));
  }

  // --- what is shown ---------------------------------------------------------------------------------------
  show(n, players) {
    byId("ahead").hidden = !this.on;
    byId("ahead-toggle").setAttribute("aria-pressed", String(Boolean(this.on)));
    if (!this.on) return;
    const found = this.known.get(n), bar = byId("ahead-bar"), words = this.trouble ?? (found ? inWords(found, players, botName(this.bot)) : "…");
    bar.hidden = players.length !== 2;
    byId("ahead-words").textContent = words;
    bar.setAttribute("aria-label", `Chance to win. ${words}`);
    bar.replaceChildren(...(players.length === 2 ? parts(found?.chances ?? [0.5, 0.5], players) : []));
  }
}

function parts(chances, players) {
  return players.map(({ colour }, seat) => {
    const part = make("span", {});
    part.style.width = `${100 * (chances[seat] ?? 0.5)}%`;
    part.style.background = colour;
    return part;
  });
}

// Describe an evaluation: with two players or after the game, for the player who is ahead; otherwise, for the player to act.
export function inWords({ margins, chances, over, player }, players, bot) {
  const most = Math.max(...margins.filter((margin) => margin !== null)), seat = players.length === 2 || over ? margins.indexOf(most) : player;
  if (seat === null || seat < 0) return "";
  const { name } = players[seat], value = margins[seat];
  if (over) return value ? `${name} has won by ${value}.` : "A draw.";
  return `${name} ${signed(value).replace(/^(?=[1-9]|0\.[1-9])/, "+")} expected${toWin(chances[seat])}, says ${bot}`;
}
