// The pace of bots: each of their moves stays on the screen for a while before the next one is shown.

import { byId, make } from "./dom.js";

const KEY = "carc pace", USUAL = "normal";
export const STEPS = { "at once": 0, quick: 350, [USUAL]: 800, slow: 1800 }; // milliseconds per move

export const step = () => STEPS[localStorage.getItem(KEY)] ?? STEPS[USUAL];

export class Pace {
  // `show(view)` shows a view. `isWatched(view)` is true if the view on the screen should stay for a while before this one is shown.
  constructor(show, isWatched) {
    Object.assign(this, { show, isWatched, waiting: [], timer: null, since: -Infinity });
    const select = byId("pace"), chosen = localStorage.getItem(KEY);
    select.replaceChildren(...Object.keys(STEPS).map((name) => make("option", { value: name, selected: name === (chosen in STEPS ? chosen : USUAL) }, name)));
    select.addEventListener("change", () => { localStorage.setItem(KEY, select.value); this.restart(); });
    document.addEventListener("visibilitychange", () => document.hidden && this.hurry());
  }

  add(view) {
    this.waiting.push(view);
    this.next();
  }

  next() {
    while (this.waiting.length && !this.timer) {
      const rest = this.since + step() - performance.now();
      if (rest > 0 && !document.hidden && this.isWatched(this.waiting[0])) this.timer = setTimeout(() => this.restart(), rest);
      else this.showNext();
    }
  }

  restart() {
    clearTimeout(this.timer);
    this.timer = null;
    this.next();
  }

  showNext() {
    this.since = performance.now();
    this.show(this.waiting.shift());
  }

  // Show all waiting views now.
  hurry() {
    clearTimeout(this.timer);
    this.timer = null;
    while (this.waiting.length) this.showNext();
  }

  // Discard all waiting views, because a later view has arrived.
  forget() {
    clearTimeout(this.timer);
    Object.assign(this, { timer: null, waiting: [] });
  }
}
