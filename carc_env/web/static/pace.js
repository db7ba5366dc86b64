// How fast bots are shown: each of their answers stays on the screen for a while before the next one comes.

import { byId, make } from "./dom.js";

const KEY = "carc pace", USUAL = "normal";
export const STEPS = { "at once": 0, quick: 350, [USUAL]: 800, slow: 1800 }; // milliseconds an answer

export const step = () => STEPS[localStorage.getItem(KEY)] ?? STEPS[USUAL];

export class Pace {
  // `show(view)` shows a view, `isWatched(view)` says whether people would like to see what is shown now for a while before it.
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

  // Show all that waits at once.
  hurry() {
    clearTimeout(this.timer);
    this.timer = null;
    while (this.waiting.length) this.showNext();
  }

  // Show nothing of what waits: a later view is there.
  forget() {
    clearTimeout(this.timer);
    Object.assign(this, { timer: null, waiting: [] });
  }
}
