// A bot's analysis of a finished game. It is requested as a stream, and shown as a plot and in words.

import { Refusal } from "./api.js";
import { botName, byId, counted, make, paint, say, signed, svg, toWin, withError } from "./dom.js";
import { Plot } from "./plot.js";

const WORST = 5; // how many of each player's worst moves are listed

export class Analysis {
  constructor(server, game, go) {
    Object.assign(this, { server, game, go }); // `go(move)` shows the game after a move
    this.plot = new Plot(byId("plot"), go);
    this.clear();
  }

  // Forget the analysis, for example when the game continues.
  clear() {
    this.running?.abort();
    Object.assign(this, { running: null, answers: [], byMove: new Map(), totals: null, bot: null, trouble: null });
    this.show();
  }

  stop() {
    this.running?.abort();
  }

  // Request the analysis of a finished game.
  async begin(view, bot, define, look) {
    this.clear();
    const running = new AbortController();
    Object.assign(this, { running, bot, view, look, expected: null });
    this.show();
    try {
      for await (const { type, data } of this.server.events(`api/games/${this.game}/analysis?bot=${encodeURIComponent(bot)}`, running.signal)) {
        this.take(type, JSON.parse(data), define);
      }
      if (!this.totals) this.trouble ??= "The server has stopped the analysis.";
    } catch (error) {
      if (this.running !== running) return; // this analysis was stopped, or another one was begun
      if (!running.signal.aborted) this.trouble = error instanceof Refusal ? error.message : "The server does not answer.";
    }
    if (this.running !== running) return;
    this.running = null;
    this.show();
    this.look();
    say(this.trouble ?? `${this.totals ? "Judged" : "Stopped; judged so far"} by ${botName(this.bot)}. ${this.sums().map(({ words }) => words).join(" ")}`);
  }

  take(type, data, define) {
    if (type === "begin") this.expected = data.answers;
    if (type === "error") this.trouble = data.error;
    if (type === "totals") this.totals = data.totals;
    if (type === "answer") {
      for (const [id, art] of Object.entries(data.definitions)) define(id, art);
      this.answers.push(data);
      this.byMove.set(data.move, data);
    }
    this.drawing ??= requestAnimationFrame(() => { this.show(); this.look(); });
  }

  // --- what is shown ---------------------------------------------------------------------------------------
  show() {
    const { running, answers, expected } = this, begun = answers.length > 0, progress = byId("progress");
    if (this.drawing) cancelAnimationFrame(this.drawing); // otherwise the rows would be replaced once more, perhaps while one is clicked
    this.drawing = null;
    byId("analyse").textContent = running ? "Stop" : "Analyse";
    byId("judging").hidden = !running && !this.trouble;
    byId("judging-words").textContent = this.trouble ?? (expected ? `${answers.length} of ${counted(expected, "move")} judged` : `${botName(this.bot)} begins …`);
    byId("judging-words").classList.toggle("error", Boolean(this.trouble));
    progress.hidden = !running;
    Object.assign(progress, { max: expected ?? 1, value: expected ? answers.length : 0 });
    byId("plot").hidden = byId("judged").hidden = byId("worst").hidden = !begun;
    byId("replay").classList.toggle("judged", begun);
    if (begun) this.draw();
  }

  draw() {
    this.plot.show(this.curve, this.answers, this.view.n_moves, this.view.players);
    byId("worst-title").textContent = `Judged by ${botName(this.bot)}`;
    byId("worst-note").textContent = this.note;
    byId("worst-lists").replaceChildren(...this.sums().map((sum) => this.list(sum)));
  }

  // The expected margins and chances before each move, and the result of the game.
  get curve() {
    const { players, n_moves } = this.view, scores = players.map(({ score }) => score), two = players.length === 2;
    const seen = (player, value, other) => players.map((_, seat) => (seat === player ? value : two ? other : null));
    const moments = this.answers.map(({ move, player, best_value, best_chance }) => ({ n: move - 1, margins: seen(player, best_value, -best_value),
      chances: seen(player, best_chance, best_chance === null ? null : 1 - best_chance) }));
    const margins = scores.map((score, seat) => score - Math.max(...scores.filter((_, other) => other !== seat)));
    return this.totals ? [...moments, { n: n_moves, margins, chances: margins.map((margin) => (margin > 0 ? 1 : margin < 0 ? 0 : 0.5)) }] : moments;
  }

  // A warning if a bot judges its own moves.
  get note() {
    if (!this.view.players.some(({ bot }) => bot === this.bot)) return "";
    return `${botName(this.bot)} also played in this game. A bot finds few faults in its own moves. Under More, you can choose another bot.`;
  }

  // The points that each player has lost so far, in words, and each player's worst moves.
  sums() {
    return this.view.players.map((player, number) => {
      const own = this.answers.filter((answer) => answer.player === number), known = own.filter((answer) => answer.lost !== null), lost = known.reduce((sum, answer) => sum + answer.lost, 0);
      const worst = known.filter((answer) => answer.lost > 0).sort((a, b) => b.lost - a.lost || a.move - b.move).slice(0, WORST);
      return { player, worst, words: `${player.name} lost ${points(lost)} with ${counted(known.length, "move")}.${own.length > known.length ? ` ${counted(own.length - known.length, "further move has", "further moves have")} no value.` : ""}` };
    });
  }

  list({ player, worst, words }) {
    const icon = svg("svg", { viewBox: "-15 -15 30 30", class: "icon", "aria-hidden": "true" }, svg("use", { href: "#meeple", fill: player.colour }));
    const unseen = (text) => make("span", { class: "unseen" }, text);
    const rows = worst.map((answer) => make("li", {}, make("button", { type: "button", onclick: () => this.go(answer.move), "data-move": answer.move },
      make("span", { class: "faint" }, unseen("Move "), String(answer.move)), make("span", {}, answer.words), make("b", {}, `−${answer.lost.toFixed(1)}`, unseen(" points")))));
    const part = make("div", {}, make("h3", {}, icon, words), worst.length ? make("ol", {}, rows) : make("p", { class: "faint" }, "No points were lost."));
    paint(part, player.colour);
    return part;
  }

  // --- one move --------------------------------------------------------------------------------------------
  // Mark the move that is shown. Returns the bot's judgement of this move, and its description in words.
  mark(at) {
    const answer = this.byMove.get(at) ?? null, words = this.wordsAt(at, answer);
    byId("judged").textContent = words;
    this.plot.mark(at, `${at} of ${this.view?.n_moves ?? 0}. ${words}`);
    for (const button of byId("worst-lists").querySelectorAll("button")) button.setAttribute("aria-current", String(Number(button.dataset.move) === at));
    return { answer, words };
  }

  wordsAt(at, answer) {
    if (answer) return sentence(answer, this.view.players[answer.player].name, botName(this.bot));
    if (!this.answers.length) return "";
    if (at === 0) return "The beginning.";
    return this.totals ? "This was the only legal move, so the bot does not judge it." : "The bot has not judged this move.";
  }
}

const points = (value) => `${signed(value)} ${value.toFixed(1) === "1.0" ? "point" : "points"}`;

// A judged move in words: its value, the best move, and the points lost.
function sentence({ words, value, error, chance, best_words, best_value, best_error, best_chance, lost }, name, bot) {
  const worth = withError(value ?? 0, error) + toWin(chance), best = withError(best_value, best_error) + toWin(best_chance);
  if (value === null) return `${name}: ${words}. ${bot} has no value for this move. Best move: ${best_words} (${best}).`;
  if (!lost) return `${name}: ${words}. Its value is ${worth}: no move was better.`;
  return `${name}: ${words}. Value: ${worth}. Best move: ${best_words} (${best}). Points lost: ${lost < 0.05 ? "less than 0.1" : lost.toFixed(1)}.`;
}
