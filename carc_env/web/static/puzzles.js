// Puzzles: positions in which one move is clearly best, in order of difficulty. People move as in a game.

import { Server } from "./api.js";
import { byId, calm, counted, make, say, signed, withError } from "./dom.js";
import { Play } from "./play.js";
import { kept } from "./tokens.js";

const KEPT = "carc puzzles"; // {id: {text, gain}}: the first move in each puzzle
const CHOSEN = "carc puzzle preset"; // the preset that was chosen last; base at first
const SHOWN = 8; // moves that are listed

class PuzzleServer extends Server {
  get(path) {
    return super.get(path.replace(/^api\/games\//, "api/puzzles/"));
  }
}

export class Puzzles extends Play {
  constructor(id) {
    super(id);
    this.server = new PuzzleServer();
    this.tally = kept(KEPT) ?? {};
    this.preset = id ? "" : kept(CHOSEN) ?? "base"; // the preset of the puzzles to solve; empty for all presets
    this.solution = null;
    this.known = { ...this.actions, handOver: () => {} };
  }

  get you() {
    return this.view.player;
  }

  async begin() {
    this.open();
    byId("game").classList.add("puzzling");
    byId("side").prepend(make("section", { id: "puzzle", class: "card", "aria-labelledby": "puzzle-title" }));
    ({ puzzles: this.puzzles } = await this.server.get("api/puzzles"));
    await this.pose(this.puzzles.find(({ id }) => id === this.id) ?? this.nextOne());
  }

  // A puzzle does not show who is ahead, because this would help to solve it.
  followAhead() {}

  // --- which puzzle ------------------------------------------------------------------------------------------
  get fitting() {
    return this.puzzles.filter(({ preset }) => !this.preset || preset === this.preset);
  }

  // The easiest puzzle that has not been tried yet; undefined if there is none.
  nextOne() {
    return this.fitting.find(({ id }) => !(id in this.tally));
  }

  async pose(puzzle) {
    this.puzzle = puzzle;
    if (!puzzle) return this.showPuzzle();
    const view = await this.attempt(() => this.server.get(`api/puzzles/${puzzle.id}`));
    if (!view) return;
    Object.assign(this, { id: puzzle.id, view: null, told: [], solution: null, given: null, lit: null, shape: null });
    Object.assign(this.board, { mark: null, box: null, moved: false });
    history.replaceState(null, "", `?puzzles=${puzzle.id}`);
    this.take(view);
  }

  next() {
    return this.pose(this.nextOne());
  }

  async filter(preset) {
    this.preset = preset;
    localStorage.setItem(CHOSEN, JSON.stringify(preset));
    if (this.puzzle && (!preset || this.puzzle.preset === preset)) return this.showPuzzle();
    await this.next();
  }

  // Forget the moves in the puzzles of the chosen preset.
  async anew() {
    for (const { id } of this.fitting) delete this.tally[id];
    localStorage.setItem(KEPT, JSON.stringify(this.tally));
    await this.next();
  }

  // --- moves -------------------------------------------------------------------------------------------------
  // The first move counts. Each later move only shows its own value.
  async answer(text) {
    if (this.solution) return this.explain(text);
    const solution = await this.attempt(() => this.server.get(`api/puzzles/${this.id}/solution`));
    if (!solution || this.solution) return;
    Object.assign(this, { solution, given: text, explained: text });
    this.keep(this.valued(text));
    const gains = solution.answers.map(({ gain }) => gain), worst = Math.min(...gains);
    this.values = new Map(solution.answers.map(({ number, gain, error }) => [number, { value: gain, error: gain === 0 ? null : error, best: gain === 0, share: worst ? 1 - gain / worst : 1 }]));
    this.panel();
    this.overlay();
    byId("puzzle").scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
    say([this.verdict, ...this.valued(text).why].join(" "));
  }

  keep({ text, gain }) {
    if (this.id in this.tally) return;
    this.tally[this.id] = { text, gain };
    localStorage.setItem(KEPT, JSON.stringify(this.tally));
  }

  valued(text) {
    return this.solution.answers.find((answer) => answer.text === text);
  }

  get verdict() {
    const [best, second] = this.solution.answers, { gain } = this.valued(this.given);
    return gain === 0 ? `Correct: your move is ${signed(-second.gain)} points better than the second-best move.` : `${signed(-gain)} points lost. The best move is: ${best.words}.`;
  }

  explain(text) {
    this.explained = text;
    this.showPuzzle();
    const { words, gain, error, why } = this.valued(text);
    say([words, gain === 0 ? "the best move" : `${withError(gain, error)} points`, ...why].join(", "));
  }

  // --- what is shown -----------------------------------------------------------------------------------------
  panel() {
    super.panel();
    document.title = `Puzzle: ${this.view.question}`;
    this.showPuzzle();
  }

  showPuzzle() {
    const held = document.activeElement?.dataset?.puzzle;
    byId("puzzle").replaceChildren(...this.heading(), ...(this.solution ? this.solved() : [make("p", {}, this.puzzle
      ? "One move is at least 4 points better than all other moves. A bot that looks one turn ahead does not find this move. Which move is the best?"
      : "You have tried all of these puzzles.")]), this.buttons());
    if (held) byId("puzzle").querySelector(`[data-puzzle="${held}"]`)?.focus();
  }

  heading() {
    const tried = this.fitting.filter(({ id }) => id in this.tally).map(({ id }) => this.tally[id]);
    const solved = tried.filter(({ gain }) => gain === 0).length, lost = tried.reduce((sum, { gain }) => sum - gain, 0);
    const number = this.fitting.indexOf(this.puzzle) + 1;
    const presets = [...new Set(this.puzzles.map(({ preset }) => preset))].sort();
    const choose = make("select", { "data-puzzle": "preset", onchange: (event) => this.filter(event.target.value) },
      ["", ...presets].map((preset) => make("option", { value: preset, selected: preset === this.preset }, preset || "all presets")));
    return [make("h2", { id: "puzzle-title" }, this.puzzle ? `Puzzle ${number} of ${this.fitting.length}` : "Puzzles"),
      this.puzzle ? make("p", { class: "faint" }, `${this.puzzle.preset}, ${this.puzzle.grade}`) : null,
      make("p", { id: "tally" }, tried.length ? `Solved ${solved} of ${tried.length} puzzles. On average, you lost ${signed(lost / tried.length)} points per puzzle.` : "None tried yet."),
      make("label", { class: "row" }, "From", choose)].filter(Boolean);
  }

  solved() {
    const { answers, greedy } = this.solution, place = answers.findIndex(({ text }) => text === this.explained);
    const shown = answers.filter(({ text }, number) => number < SHOWN || text === greedy || text === this.given || number === place);
    const { words, gain, error, why } = this.valued(this.explained);
    const about = gain === 0 ? [`${words}: the best move.`] : [`${words}: ${withError(gain, error)} points compared with the best move.`, ...why];
    return [make("p", { id: "verdict" }, make("strong", {}, this.verdict)),
      make("ol", { class: "valued" }, shown.map((answer) => this.row(answer, greedy))),
      answers.length > shown.length ? make("p", { class: "faint" }, `${counted(answers.length - shown.length, "move")} not listed. Click a move on the board to see its value.`) : null,
      make("div", { id: "why" }, about.map((line) => make("p", {}, line)))].filter(Boolean);
  }

  row({ text, words, gain, error }, greedy) {
    const marks = [text === this.given ? "yours" : null, text === greedy ? "greedy" : null].filter(Boolean).join(", ");
    return make("li", {}, make("button", { type: "button", "data-puzzle": text, "aria-pressed": String(text === this.explained), onclick: () => this.explain(text) },
      make("span", {}, words, marks ? make("small", {}, ` (${marks})`) : null), make("b", {}, gain === 0 ? "best" : withError(gain, error))));
  }

  buttons() {
    const done = !this.nextOne();
    return make("div", { class: "row buttons" },
      this.solution && !done ? make("button", { type: "button", class: "primary", "data-puzzle": "next", onclick: () => this.next() }, "Next puzzle ", make("kbd", {}, "N")) : null,
      done && (this.solution || !this.puzzle) ? make("button", { type: "button", "data-puzzle": "again", onclick: () => this.anew() }, "Try them again") : null,
      make("a", { class: "button", href: "./" }, "Home"));
  }

  // --- keys ----------------------------------------------------------------------------------------------------
  keyAction(key, shift, target) {
    const own = { n: () => this.solution && this.next(), u: null, h: null, b: null, e: null };
    return key.toLowerCase() in own ? own[key.toLowerCase()] : super.keyAction(key, shift, target);
  }
}
