// A curve over the moves of a game. It shows the expected margin and, for two players, the chance to win. After an analysis, bars below the curve show the points
// that moves lost. The plot is also a slider.

import { svg } from "./dom.js";

const SHARE = 0.62; // the part of the height that the curve takes if bars of lost points are shown below it
const GAP = 8, LEFT = 30, RIGHT = 8, TOP = 6; // pixels
const SNAP = 7; // pixels; a click this close to a bar counts as a click on the bar
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

export class Plot {
  constructor(frame, go) {
    Object.assign(this, { frame, go, curve: null, losses: [] }); // `go(move)` goes to a move
    frame.addEventListener("pointerdown", (event) => { frame.setPointerCapture(event.pointerId); this.point(event); });
    frame.addEventListener("pointermove", (event) => frame.hasPointerCapture(event.pointerId) && this.point(event, 0));
    frame.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.curve && this.draw()).observe(frame);
  }

  // Draw a game of `length` moves. `curve` lists the evaluated positions [{n, margins, chances}]. `losses` lists the judged moves [{move, player, lost}]; null without an analysis.
  show(curve, losses, length, players) {
    Object.assign(this, { curve, losses: losses ?? [], isJudged: losses !== null, length, players });
    this.frame.setAttribute("aria-valuemax", length);
    this.draw();
  }

  // Mark the move that is shown.
  mark(at, words) {
    this.at = at;
    this.frame.setAttribute("aria-valuenow", at);
    this.frame.setAttribute("aria-valuetext", words);
    this.cursor?.setAttribute("transform", `translate(${this.across(at)} 0)`);
  }

  draw() {
    [this.wide, this.high] = [this.frame.clientWidth, this.frame.clientHeight];
    if (!this.wide || !this.curve) return;
    this.middle = this.isJudged ? TOP + SHARE * (this.high - TOP) : this.high - TOP + GAP;
    const known = this.curve.flatMap(({ margins }) => margins.filter((margin) => margin !== null)), most = Math.max(5, ...known.map(Math.abs));
    const up = axis(-most, most, this.middle - GAP, TOP), ends = [TOP, this.middle - GAP];
    this.cursor = svg("g", { class: "cursor", transform: `translate(${this.across(this.at ?? 0)} 0)` }, svg("path", { d: `M0 0V${this.high}` }));
    this.frame.replaceChildren(svg("svg", { width: this.wide, height: this.high, "aria-hidden": "true" }, this.chances(...ends), this.lines(up), this.margins(up),
      this.players.length === 2 ? [this.ahead("▲", 0, TOP + 9), this.ahead("▼", 1, this.middle - GAP - 3), this.legend()] : this.named("expected margin", TOP + 9),
      this.isJudged ? this.lost() : [], this.cursor));
  }

  across(move) {
    return LEFT + ((this.wide - LEFT - RIGHT) * move) / Math.max(1, this.length);
  }

  lines(along) {
    return svg("g", { class: "lines" }, along.ticks.map((value) => [svg("path", { d: `M${LEFT} ${along.at(value)}H${this.wide - RIGHT}` }),
      svg("text", { x: LEFT - 5, y: along.at(value) + 3.5 }, String(value).replace("-", "−"))]).flat());
  }

  named(words, y) {
    return svg("text", { x: LEFT + 4, y, class: "named" }, words);
  }

  // Who is ahead if the line is on this side of zero. The arrow has the player's colour, because the area behind the words has the colour of the other player.
  ahead(arrow, player, y) {
    const { name, colour } = this.players[player];
    return this.named([svg("tspan", { fill: colour }, arrow), ` ${name} ahead`], y);
  }

  // The legend of the line and the coloured areas, if the plot is wide enough.
  legend() {
    if (this.wide < 480) return null;
    return svg("text", { x: this.wide - RIGHT - 4, y: TOP + 9, class: "named", "text-anchor": "end" }, "line: expected margin; areas: chances to win");
  }

  // The chances of two players, one above the other in their colours. Equal chances meet in the middle, where nobody is ahead.
  chances(top, bottom) {
    const known = this.curve.filter(({ chances }) => this.players.length === 2 && chances[0] !== null);
    if (known.length < 2) return [];
    const points = known.map(({ n, chances }) => `L${this.across(n).toFixed(1)} ${(bottom - (bottom - top) * chances[0]).toFixed(1)}`).join("");
    const first = this.across(known[0].n), last = this.across(known.at(-1).n);
    return [bottom, top].map((edge, player) => svg("path", { class: "chance", "data-player": player, fill: this.players[player].colour, d: `M${first} ${edge}${points}L${last} ${edge}Z` }));
  }

  // With two players, the margin of the first player. With more players, the margin of each player in the player's colour, on a dark line so that it is visible everywhere.
  margins(up) {
    const two = this.players.length === 2;
    return (two ? [0] : this.players.map((_, player) => player)).flatMap((player) => {
      const points = this.curve.filter(({ margins }) => margins[player] !== null).map(({ n, margins }) => `${this.across(n).toFixed(1)} ${up.at(margins[player]).toFixed(1)}`);
      if (!points.length) return [];
      const d = `M${points.join("L")}${points.length === 1 ? "h.1" : ""}`;
      return two ? [svg("path", { d, class: "margin lead" })] : [svg("path", { d, class: "under" }), svg("path", { d, class: "margin", stroke: this.players[player].colour, "data-player": player })];
    });
  }

  // --- points lost -----------------------------------------------------------------------------------------
  lost() {
    const down = axis(0, Math.max(2, ...this.losses.map(({ lost }) => lost ?? 0)), this.middle + GAP, this.high - 6);
    return [this.lines(down), this.bars(down), this.named("points lost", this.high - 4)];
  }

  bars(down) {
    const half = Math.min(3, Math.max(0.8, 0.4 * (this.across(1) - this.across(0))));
    return svg("g", {}, this.losing.map(({ move, player, lost }) => svg("rect", {
      class: "lost", "data-move": move, x: this.across(move) - half, width: 2 * half, y: down.at(0), height: Math.max(2, down.at(lost) - down.at(0)), fill: this.players[player].colour,
    })));
  }

  get losing() {
    return this.losses.filter(({ lost }) => lost > 0);
  }

  // --- mouse, fingers and keys -----------------------------------------------------------------------------
  // Go to the move at the pointer. Below the curve, go to the move of a bar that is near the pointer, if there is one.
  point(event, snap = SNAP) {
    const { left, top } = this.frame.getBoundingClientRect(), x = event.clientX - left, low = this.isJudged && event.clientY - top > this.middle;
    const move = Math.round(((x - LEFT) * this.length) / (this.wide - LEFT - RIGHT)), away = (answer) => Math.abs(this.across(answer.move) - x);
    const near = low ? this.losing.filter((answer) => away(answer) <= snap).sort((a, b) => b.lost - a.lost)[0] : null;
    this.go(Math.min(this.length, Math.max(0, near?.move ?? move)));
  }

  key(event) {
    const { at = this.length, length } = this;
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: length,
      PageUp: this.losing.find(({ move }) => move > at)?.move ?? at, PageDown: this.losing.findLast(({ move }) => move < at)?.move ?? at }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(Math.min(length, Math.max(0, to)));
  }
}

// An axis that maps numbers from `low` to `high` to positions between `first` and `last`, with round numbers as ticks.
function axis(low, high, first, last) {
  const step = STEPS.find((size) => (high - low) / size <= 4.5) ?? STEPS.at(-1), ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return { at: (value) => first + ((last - first) * (value - low)) / (high - low), ticks };
}
