// The plot of a judged game: the points of every player over its answers and, below, the points that answers lost. It is also a slider.

import { byId, svg } from "./dom.js";

const SHARE = 0.62; // of the height that the points have
const GAP = 8, LEFT = 26, RIGHT = 8, TOP = 6; // pixels
const SNAP = 7; // pixels beside a bar within which it is meant
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

export class Plot {
  constructor(go) {
    this.go = go; // asked to go to an answer
    this.frame = byId("plot");
    this.frame.addEventListener("pointerdown", (event) => { this.frame.setPointerCapture(event.pointerId); this.point(event); });
    this.frame.addEventListener("pointermove", (event) => this.frame.hasPointerCapture(event.pointerId) && this.point(event, 0));
    this.frame.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.answers && this.draw()).observe(this.frame);
  }

  // Draw judged answers of a game of `length` answers, by players with their colours.
  show(answers, length, players) {
    Object.assign(this, { answers, length, players });
    this.frame.setAttribute("aria-valuemax", length);
    this.draw();
  }

  // Mark the answer that is looked at.
  mark(at, words) {
    this.at = at;
    this.frame.setAttribute("aria-valuenow", at);
    this.frame.setAttribute("aria-valuetext", words);
    this.cursor?.setAttribute("transform", `translate(${this.across(at)} 0)`);
  }

  draw() {
    [this.wide, this.high] = [this.frame.clientWidth, this.frame.clientHeight];
    if (!this.wide) return;
    const middle = TOP + SHARE * (this.high - TOP), scores = this.answers.flatMap((answer) => answer.scores), losses = this.answers.map(({ lost }) => lost ?? 0);
    const up = axis(Math.min(0, ...scores), Math.max(10, ...scores), middle - GAP, TOP), down = axis(0, Math.max(2, ...losses), middle + GAP, this.high - 3);
    this.cursor = svg("g", { class: "cursor", transform: `translate(${this.across(this.at ?? 0)} 0)` }, svg("path", { d: `M0 0V${this.high}` }));
    this.frame.replaceChildren(svg("svg", { width: this.wide, height: this.high, "aria-hidden": "true" }, this.lines(up), this.lines(down),
      this.players.flatMap((_, player) => this.curve(player, up)), this.bars(down), this.named("points", TOP + 8), this.named("points lost", this.high - 4), this.cursor));
  }

  across(move) {
    return LEFT + ((this.wide - LEFT - RIGHT) * move) / this.length;
  }

  lines(along) {
    return svg("g", { class: "lines" }, along.ticks.map((value) => [svg("path", { d: `M${LEFT} ${along.at(value)}H${this.wide - RIGHT}` }),
      svg("text", { x: LEFT - 5, y: along.at(value) + 3.5 }, String(value))]).flat());
  }

  named(words, y) {
    return svg("text", { x: LEFT + 4, y, class: "named" }, words);
  }

  // Steps in the player's colour, on a line of ink so that every colour can be seen on every ground.
  curve(player, up) {
    const d = `M${LEFT} ${up.at(0)}` + this.answers.map(({ move, scores }) => `H${this.across(move).toFixed(1)}V${up.at(scores[player]).toFixed(1)}`).join("");
    return [svg("path", { d, class: "under" }), svg("path", { d, class: "points", stroke: this.players[player].colour, "data-player": player })];
  }

  bars(down) {
    const half = Math.min(3, Math.max(0.8, 0.4 * (this.across(1) - this.across(0))));
    return this.answers.filter(({ lost }) => lost > 0).map(({ move, player, lost }) => svg("rect", {
      class: "lost", "data-move": move, x: this.across(move) - half, width: 2 * half, y: down.at(0), height: Math.max(2, down.at(lost) - down.at(0)), fill: this.players[player].colour,
    }));
  }

  // --- mouse, fingers and keys -----------------------------------------------------------------------------
  // Below, the bar next to the pointer is meant; above, the answer there.
  point(event, snap = SNAP) {
    const { left, top } = this.frame.getBoundingClientRect(), x = event.clientX - left, low = event.clientY - top > TOP + SHARE * (this.high - TOP);
    const move = Math.round(((x - LEFT) * this.length) / (this.wide - LEFT - RIGHT)), away = (answer) => Math.abs(this.across(answer.move) - x);
    const near = low ? this.losing.filter((answer) => away(answer) <= snap).sort((a, b) => b.lost - a.lost)[0] : null;
    this.go(near?.move ?? move);
  }

  key(event) {
    const { at, length } = this;
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: length,
      PageUp: this.losing.find(({ move }) => move > at)?.move ?? at, PageDown: this.losing.findLast(({ move }) => move < at)?.move ?? at }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(to);
  }

  get losing() {
    return this.answers.filter(({ lost }) => lost > 0);
  }
}

// Where numbers from `low` to `high` stand between two places, with three or four round ones.
function axis(low, high, first, last) {
  const step = STEPS.find((size) => (high - low) / size <= 3.5) ?? STEPS.at(-1), ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return { at: (value) => first + ((last - first) * (value - low)) / (high - low), ticks };
}
