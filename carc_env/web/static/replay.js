// The replay: a slider over the moves of a game.

import { byId } from "./dom.js";
import { step } from "./pace.js";

const LEAST = 250; // the shortest time in milliseconds per move while the replay plays by itself

export class Replay {
  constructor(show) {
    this.show = show; // `show(n)` shows the game after n moves; `show(null)` shows the current position
    this.length = 0;
    this.on = false;
    byId("replay-slider").addEventListener("input", () => this.go(Number(byId("replay-slider").value)));
    byId("replay-back").addEventListener("click", () => this.go(this.at - 1));
    byId("replay-on").addEventListener("click", () => this.go(this.at + 1));
    byId("replay-play").addEventListener("click", () => this.toggle());
    byId("replay-close").addEventListener("click", () => this.close());
  }

  get at() {
    return Number(byId("replay-slider").value);
  }

  open(length, at = length) {
    this.length = length;
    this.on = true;
    byId("replay").hidden = false;
    byId("replay-slider").max = length;
    byId("look-back").setAttribute("aria-pressed", "true");
    this.go(at);
  }

  // Show the moves from `first` to the end again, and then close the replay.
  again(first, length) {
    this.open(length, first);
    this.play(true, () => this.close());
  }

  close() {
    this.play(false);
    this.on = false;
    byId("replay").hidden = true;
    byId("look-back").setAttribute("aria-pressed", "false");
    this.show(null);
  }

  go(number) {
    const at = Math.min(this.length, Math.max(0, number)), slider = byId("replay-slider");
    slider.value = at;
    slider.setAttribute("aria-valuetext", `after ${at} of ${this.length} moves`);
    byId("replay-number").textContent = `${at}/${this.length}`;
    this.show(at);
  }

  toggle() {
    if (!this.playing && this.at === this.length) this.go(0);
    this.play(!this.playing);
  }

  // Start or stop the automatic replay. `then` is called at the end.
  play(on, then = () => this.play(false)) {
    clearTimeout(this.playing);
    this.playing = on ? setTimeout(() => this.further(then), Math.max(LEAST, step())) : null;
    byId("replay-play").textContent = on ? "❚❚" : "▶";
    byId("replay-play").setAttribute("aria-label", on ? "Pause" : "Play");
  }

  further(then) {
    if (this.at >= this.length) return then();
    this.go(this.at + 1);
    this.play(true, then);
  }
}
