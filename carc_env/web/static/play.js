// A game on the screen, and its control by mouse, touch and keyboard.

import { Analysis } from "./analysis.js";
import { Refusal, Server } from "./api.js";
import { Board, spanned } from "./board.js";
import { Branch } from "./branch.js";
import { Company } from "./company.js";
import { JUDGE, SLOW_WORDS, botName, byId, calm, counted, make, patiently, say, toWin, withError } from "./dom.js";
import { Evaluation } from "./evaluation.js";
import { Features, shapeOf, showCard, tell } from "./features.js";
import { drawJudged, drawPlaces, frameAround } from "./overlay.js";
import {
  showAnswers, showBanner, showFinal, showHand, showLeft, showLog, showPlayers, showRules, showThinking, showTrack
} from "./panel.js";
import { choiceAmong, choiceFor, choicesOf, meant, placeAt, placesOf, placeTowards } from "./places.js";
import { Motion } from "./motion.js";
import { Pace } from "./pace.js";
import { Plot } from "./plot.js";
import { showDraws } from "./real.js";
import { Replay } from "./replay.js";
import { Tab } from "./tab.js";
import { Tokens } from "./tokens.js";

const SPOT_REACH = 15; // units; a click this close to a spot counts as a click on the spot
const FINGER = 22; // pixels that a finger covers to each side
const coarse = matchMedia("(pointer: coarse)");
const nearEnough = () => (coarse.matches ? 1.3 : 1); // pixels per unit at which points on a tile can be distinguished
const MOST_TOLD = 60; // entries in the list of what happened
// True if only the chat or another part of the company has changed since the old view, not the game.
const isToldOnly = (view, old) => view.drawing.mark === old.drawing.mark && ["n_moves", "phase", "player", "thinking", "fault", "question"].every((key) => view[key] === old[key]);
// The last moves and their events, in the order of the game.
const happened = ({ moves, players }) => moves.flatMap(({ events, ...move }) => [move, ...events.map((event) => ({ ...event, n: move.n, points: event.points !== null }))])
  .map((entry) => ({ ...entry, colour: players[entry.player]?.colour ?? null }));
// The tile, rotation or figure of an action.
const chosen = ({ how, tile, rotation, figure }) => (how === "tile" ? { tile, rotation } : figure ? { figure } : {});
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Play {
  constructor(id) {
    this.id = id;
    this.tokens = new Tokens(id);
    this.server = new Server(() => this.tokens.all);
    this.view = null; // the current view of the game
    this.past = null; // the view of an earlier position, while the replay shows it
    this.choice = { tile: null, rotation: 0, figure: null };
    this.told = [];
    this.ended = new AbortController();
  }

  async begin() {
    const trouble = await this.tokens.fromLink(this.server);
    this.open();
    if (trouble) this.complain(trouble);
    window.addEventListener("hashchange", () => location.reload()); // another link to this game was opened here
    await this.server.follow(this.id, (view) => this.pace.add(view), (connected) => this.connected(connected), (queue) => this.queued(queue), this.ended.signal);
  }

  open() {
    byId("game").hidden = false;
    this.board = new Board(byId("board"), { click: (point, event) => this.click(point, event), hover: (point) => this.hover(point), leave: () => this.hover(null), fitted: () => this.aim() });
    this.replay = new Replay((at) => this.lookAt(at));
    this.analysis = new Analysis(this.server, this.id, (move) => this.goTo(move));
    this.curve = new Plot(byId("curve"), (move) => this.goTo(move));
    this.evaluation = new Evaluation((n, bot) => this.server.get(`api/games/${this.id}/moves/${n}/evaluation?bot=${encodeURIComponent(bot)}`), () => this.showAhead());
    this.branch = new Branch({ begin: (seats, same) => this.beginBranch(seats, same), bots: () => this.allBots(), open: (id) => this.follow(id) });
    this.motion = new Motion(this.board, (seat) => document.querySelector(`.player[data-seat="${seat}"] .score`));
    this.tab = new Tab();
    this.pace = new Pace((view) => this.take(view), (view) => this.isWatched(view));
    const post = (what, body) => this.post(what, body);
    this.company = new Company({ id: this.id, server: this.server, tokens: this.tokens, post, follow: (id) => this.follow(id) });
    this.listen();
    window.addEventListener("pagehide", () => { this.ended.abort(); this.analysis.stop(); });
  }

  // Open another game.
  follow(id) {
    location.assign(`?game=${encodeURIComponent(id)}`);
  }

  connected(connected) {
    byId("lost").hidden = connected;
    byId("lost").textContent = connected ? "" : "The connection to the server is lost. Trying to reconnect …";
  }

  // Show how many games are ahead of this game in the queue for bots.
  queued(queue) {
    if (!this.view || this.past) return;
    Object.assign(this.view, queue);
    showThinking(this.view);
  }

  // --- views -----------------------------------------------------------------------------------------------
  get shown() {
    return this.past ?? this.view;
  }

  // Show a new view. Old views are ignored, because a view can arrive both in a response and in the stream.
  take(view) {
    if (this.view && view.version <= this.view.version && view.drawing.from !== null) return;
    if (this.view && view.version < this.view.version) return;
    const old = this.view, again = old?.version === view.version, told = old && !again && isToldOnly(view, old);
    this.view = view;
    if (this.tokens.heed(view.company.claims).length) say("Somebody has opened a link to this game and taken a seat.");
    if (this.past) return this.remembered(view, old);
    if (!this.board.fits(view.drawing)) return void this.refresh();
    if (told) return this.toldOnly(view, old);
    if (old && !again) this.forgetAnalysis();
    const came = performance.now();
    if (this.asked) performance.measure("server", { start: this.asked, end: came });
    if (!again) this.tell(view, old);
    this.show(view, again ? null : old);
    performance.measure("page", { start: came, end: performance.now() });
    this.shownSince();
  }

  // Show a view in which the board has not changed. The choice of the person is kept.
  toldOnly(view, old) {
    say(this.company.since(view, old).join(". "));
    this.choices = choicesOf(this.mine ? view.answers : []);
    this.places = this.mine ? placesOf(view.answers) : [];
    this.choice = choiceAmong(this.choices, this.choice);
    this.cursor = this.places.find(({ key }) => key === this.cursor?.key) ?? null;
    this.panel();
    this.overlay();
  }

  // True if a view shows a move of a bot. Before such a view is shown, the view on the screen stays for a while.
  isWatched(view) {
    return !this.past && !view.over && this.view !== null && view.n_moves > this.view.n_moves && this.view.thinking !== null;
  }

  // Accept a new view while the replay shows an earlier position. The board does not change.
  remembered(view, old) {
    this.tell(view, old);
    this.replay.length = view.n_moves;
    byId("replay-slider").max = view.n_moves;
    this.company.show(view);
    this.tab.show(view, this.isMine(view));
  }

  async refresh() {
    const view = await this.attempt(() => this.server.get(`api/games/${this.id}`));
    if (!view || view.version < this.view.version) return;
    this.pace.forget();
    this.view = view;
    if (!this.past) this.show(view);
  }

  // Show a view. Changes since an old view are animated.
  show(view, old = null) {
    this.board.show(view.drawing, old && this.motion.of(view, old));
    this.places = this.mine ? placesOf(view.answers) : [];
    this.choices = choicesOf(this.mine ? view.answers : []);
    this.choice = choiceAmong(this.choices, this.choice);
    this.cursor = null;
    this.features = null;
    this.values = null;
    showCard(null);
    this.panel();
    this.overlay();
    this.aim();
    if (this.hinting && this.mine) this.askHints();
  }

  panel() {
    const view = this.shown, mine = this.mine, actions = this.actions;
    this.tab.show(this.view, this.isMine(this.view));
    Object.assign(byId("game").dataset, { version: this.view.version, mine, phase: view.phase, moves: view.n_moves });
    byId("game-title").textContent = `Carcassonne: ${view.title ?? ""}`;
    showBanner(view, mine, this.you);
    if (!showDraws(view, actions)) showHand(view, mine, this.choices, this.choice, actions, this.values);
    showFinal(view);
    showPlayers(view, this.you);
    this.company.show(this.view);
    const [token] = this.tokens.all;
    Object.assign(byId("download"), { href: `api/games/${this.id}/record${token ? `?token=${encodeURIComponent(token)}` : ""}` });
    showTrack(view);
    showLeft(view);
    showAnswers(view, mine, this.values, actions);
    showLog(this.past ? happened(this.past).reverse() : this.told, actions);
    byId("undo").disabled = Boolean(this.past) || !(view.n_moves || view.entries) || !this.company.own(this.view).length;
    byId("hints").disabled = !mine;
    byId("look-back").disabled = !this.view.n_moves;
    byId("last-turn").disabled = this.view.n_moves < 1;
    byId("analyse").hidden = !this.view.over;
    byId("branch").hidden = !this.view.over && this.view.players.some(({ bot }) => bot === null) || view.over;
    showRules(view);
    this.followAhead();
  }

  followAhead() {
    this.evaluation.follow(this.view.n_moves, this.plays);
    this.showAhead();
  }

  // True if a person at this screen plays and the game is not over.
  get plays() {
    return !this.view.over && this.company.own(this.view).length > 0;
  }

  // Show who is ahead in the position shown, and the curve of all positions. The curve is hidden if the analysis shows its own.
  showAhead() {
    if (!this.shown) return;
    const { shown, evaluation } = this, { curve } = evaluation, hidden = !evaluation.on || curve.length < 2 || this.analysis.answers.length > 0;
    evaluation.show(shown.n_moves, shown.players);
    byId("curve").hidden = hidden;
    if (hidden) return;
    this.curve.show(curve, null, this.view.n_moves, this.view.players);
    this.curve.mark(shown.n_moves, `${shown.n_moves} of ${this.view.n_moves}. ${byId("ahead-words").textContent}`);
  }

  // True if a person at this screen has to act.
  get mine() {
    return !this.past && this.isMine(this.view);
  }

  isMine(view) {
    return !view.over && view.answers.length > 0 && this.company.own(view).includes(view.player);
  }

  // The seat of the person at this screen; null if several people or nobody plays here.
  get you() {
    const own = this.company.own(this.view);
    return own.length === 1 ? own[0] : null;
  }

  get actions() {
    this.known ??= {
      play: (text) => this.answer(text), draw: (text) => this.change("answers", { answer: text }), turn: (step) => this.turn(step), choose: (some) => this.choose(some), light: (entry) => this.light(entry),
      look: ({ x, y }) => this.board.reveal([100 * x + 50, 100 * y + 50]), handOver: (seat, bot) => this.change(`seats/${seat}`, { bot }),
    };
    return this.known;
  }

  // Add the news of a view to the list of what happened, and report them to screen readers.
  tell(view, old) {
    const since = old?.n_moves ?? -1;
    if (view.n_moves < since) this.told = this.told.filter((entry) => entry.n <= view.n_moves);
    const fresh = happened(view).filter(({ n }) => n > since);
    this.told = [...[...fresh].reverse(), ...this.told].slice(0, MOST_TOLD);
    const aloud = old ? fresh.map(({ words }) => words) : [];
    say([...aloud, ...this.company.since(view, old), view.fault, view.question].filter(Boolean).join(". "));
  }

  // Measure the time from a move to the frame that shows it.
  shownSince() {
    if (!this.asked) return;
    const from = this.asked;
    this.asked = null;
    requestAnimationFrame(() => setTimeout(() => performance.measure("move shown", { start: from, end: performance.now() })));
  }

  // --- actions ---------------------------------------------------------------------------------------------
  async answer(text) {
    if (!this.mine || this.sent === this.view.version) return;
    this.asked = performance.now();
    await this.change("answers", { answer: text });
  }

  async undo() {
    if (!byId("undo").disabled) await this.change("undo", {});
  }

  // Send a request that changes the current version, at most one request for each version. The response may arrive after the next view, when the person has already acted again.
  async change(what, body) {
    this.pace.hurry();
    const { version } = this.view;
    if (this.sent === version) return;
    this.sent = version;
    await this.post(what, { version, ...body });
    if (this.sent === version) this.sent = null;
  }

  // Send a request, and show the view in the response. Returns the view; null if the server rejects the request.
  async post(what, body) {
    const view = await this.attempt(() => this.server.post(`api/games/${this.id}/${what}`, body));
    if (view?.token) this.tokens.hold(Number(what.split("/")[1]), view.token, view.company.claims[Number(what.split("/")[1])]);
    if (view?.id === this.id) this.pace.add(view);
    return view;
  }

  // Perform a request that the server may reject. If it does, show the reason and the current view. If the response takes long, tell the person.
  async attempt(action) {
    this.complain("");
    try {
      return await patiently(action, (words) => this.complain(words));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.complain(error.message);
      if (error.status === 409) await this.refresh();
      return null;
    } finally {
      if (byId("notice").textContent === SLOW_WORDS) this.complain("");
    }
  }

  complain(words) {
    byId("notice").textContent = words;
    byId("notice").hidden = !words;
  }

  // --- choosing --------------------------------------------------------------------------------------------
  choose(some) {
    this.choice = choiceAmong(this.choices, { ...this.choice, ...some });
    if (some.tile && this.cursor?.how === "tile" && this.cursor.answers[0].tile !== some.tile) this.cursor = null;
    this.again();
  }

  turn(step) {
    const rotations = this.choices.rotations[this.choice.tile] ?? [];
    if (rotations.length < 2) return;
    const at = rotations.indexOf(this.choice.rotation);
    this.choose({ rotation: rotations[(at + step + rotations.length) % rotations.length] });
    const fitting = this.places.filter((place) => meant(place, this.choice)).length;
    say(`${this.view.tiles[this.choice.tile][this.choice.rotation]}, fits in ${counted(fitting, "place")}`);
  }

  again() {
    showHand(this.shown, this.mine, this.choices, this.choice, this.actions, this.values, this.cursor && meant(this.cursor, this.choice));
    this.overlay();
  }

  overlay() {
    const colour = this.shown.players[this.shown.player]?.colour ?? "#888";
    const places = this.mine ? drawPlaces(this.places, this.choice, this.cursor, colour, this.values) : [];
    const judged = this.past && this.judged ? drawJudged(this.judged, this.past.players[this.judged.player].colour) : [];
    this.board.over.replaceChildren(...[this.shape, ...places, ...judged, this.frame].filter(Boolean));
    byId("board").classList.toggle("asks", places.length > 0);
  }

  // Show the places to click, large enough to distinguish points on a tile.
  aim() {
    const spots = this.mine ? this.places.filter(({ how }) => how === "spot" || how === "button") : [];
    if (spots.length) {
      const [left, top, width, height] = spanned(spots.map(({ point }) => point));
      const all = (0.8 * Math.min(this.board.wide, this.board.high)) / (Math.max(width, height) + 60);
      this.board.reveal([left + width / 2, top + height / 2], Math.min(nearEnough(), all), all);
    } else if (!this.board.moved) this.board.fit(true);
  }

  click(point, event) {
    const place = this.under(point, event.pointerType);
    if (!place) return this.hover(point);
    const wasThere = this.cursor === place;
    if (!meant(place, this.choice)) return this.stand(place, choiceFor(place, this.choice));
    if (event.pointerType !== "mouse" && place.how === "tile" && !wasThere) return this.stand(place);
    this.answer(meant(place, this.choice).text);
  }

  under(point, pointer) {
    const reach = pointer === "mouse" ? SPOT_REACH : Math.max(SPOT_REACH, FINGER / this.board.at.k);
    return placeAt(this.places ?? [], point, this.choice, reach);
  }

  stand(place, choice = this.choice, aloud = true) {
    this.cursor = place;
    this.choice = choice;
    this.again();
    const answer = place && meant(place, choice);
    if (answer && aloud) say([answer.words, answer.means, `${this.places.indexOf(place) + 1} of ${this.places.length}`].filter(Boolean).join(", "));
  }

  hover(point) {
    const place = point && this.under(point, "mouse");
    if (place !== this.cursor && (place || this.cursor)) this.stand(place ?? null, this.choice, false);
    byId("board").classList.toggle("over-place", Boolean(place));
    this.inspect(point && !(place?.how === "tile") ? point : null);
  }

  // --- features --------------------------------------------------------------------------------------------
  async inspect(point) {
    this.resting = point;
    if (!point || !this.shown || this.past) return this.lightFeature(null);
    const features = await this.allFeatures();
    if (features && this.resting === point) this.lightFeature(features.under(point));
  }

  async allFeatures() {
    if (this.features) return this.features;
    const version = this.view.version;
    this.asking ??= this.server.get(`api/games/${this.id}/features`).catch(() => null).finally(() => { this.asking = null; });
    const reply = await this.asking;
    if (reply && reply.version === version && version === this.view.version) this.features = new Features(reply.features, this.view.doubles);
    return this.features;
  }

  lightFeature(feature) {
    if (feature === this.lit) return;
    this.lit = feature;
    this.shape = feature ? shapeOf(feature) : null;
    showCard(feature, this.shown.players);
    this.overlay();
  }

  async nextFeature() {
    const features = await this.allFeatures(), owned = features?.owned ?? [];
    if (!owned.length) return say("There are no figures on the board.");
    const next = owned[(owned.indexOf(this.lit) + 1) % owned.length];
    this.lightFeature(next);
    if (next.points[0]) this.board.reveal(next.points[0]);
    say(tell(next, this.shown.players));
  }

  // Highlight the cell of an entry in a list.
  light(entry) {
    const has = entry && entry.x !== null && entry.x !== undefined;
    this.frame = has ? frameAround(entry.x, entry.y) : null;
    this.overlay();
  }

  // --- hints -----------------------------------------------------------------------------------------------
  async toggleHints() {
    this.hinting = !this.hinting;
    byId("hints").setAttribute("aria-pressed", String(this.hinting));
    this.values = null;
    if (this.hinting && this.mine) return this.askHints();
    this.panel();
    this.overlay();
  }

  async askHints() {
    const { choice } = this, { version } = this.view, bot = byId("hint-bot").value || JUDGE;
    const hints = await this.attempt(() => this.server.get(`api/games/${this.id}/hints?bot=${encodeURIComponent(bot)}`));
    if (!hints || hints.version !== this.view.version || version !== this.view.version || !this.hinting) return;
    const all = hints.values.map(([, value]) => value), top = Math.max(...all), bottom = Math.min(...all);
    this.values = new Map(hints.values.map(([number, value], at) => [number, { value, error: hints.errors[at], chance: hints.chances[at], best: value === top, share: 1 - (top - value) / Math.max(top - bottom, 1) }]));
    const best = this.view.answers[hints.values[0][0]];
    if (this.choice === choice && !this.cursor) this.choice = choiceAmong(this.choices, { ...choice, ...chosen(best) }); // nobody has turned the tile yet
    this.panel();
    this.overlay();
    say(`${botName(hints.bot)} would play: ${best.words}, ${withError(hints.values[0][1], hints.errors[0])} points${toWin(hints.chances[0])}`);
  }

  // --- replay ----------------------------------------------------------------------------------------------
  async lookAt(at) {
    this.wanted = at;
    if (at === null) {
      this.past = null;
      this.board.mark = null;
      this.board.marked = [];
      return this.refresh();
    }
    if (this.fetching) return;
    this.fetching = true;
    const view = await this.attempt(() => this.server.get(`api/games/${this.id}/moves/${at}`));
    this.fetching = false;
    if (view && this.wanted !== null) {
      const before = this.past;
      this.past = { ...view, replay: true, drawing: { ...view.drawing, from: null } };
      this.show(this.past, before?.n_moves === at - 1 ? before : null);
      say(this.judge(at) || (view.moves.at(-1)?.words ?? "The beginning"));
    }
    if (this.wanted !== at) this.lookAt(this.wanted);
  }

  // Show again what has happened since the last move of a person at this screen. If there is no such move, show the last turn again.
  async lastTurn() {
    if (this.past || !this.view.n_moves) return;
    const own = this.company.own(this.view), mine = this.view.moves.findLast(({ player }) => own.includes(player))?.n ?? 0;
    const first = mine < this.view.n_moves && mine ? mine : Math.max(0, this.view.moves.findLast(({ player }) => player !== this.view.moves.at(-1).player)?.n ?? 0);
    this.replay.again(first, this.view.n_moves);
  }

  // --- analysis --------------------------------------------------------------------------------------------
  analyseNow() {
    if (!this.replay.on) this.replay.open(this.view.n_moves);
    if (!this.analysis.running) this.analyse();
  }

  analyse() {
    if (this.analysis.running) return this.analysis.stop();
    this.analysis.begin(this.view, byId("hint-bot").value || JUDGE, (id, art) => this.board.define(id, art), () => {
      this.showAhead();
      if (this.past) this.judge(this.replay.at);
    });
  }

  forgetAnalysis() {
    this.judged = null;
    this.board.marked = [];
    this.analysis.clear();
  }

  // Show the game after a move, in the replay.
  goTo(move) {
    window.scrollTo({ top: 0, behavior: calm() ? "auto" : "smooth" }); // on a narrow screen, lists are below the board
    if (this.replay.on) this.replay.go(move);
    else this.replay.open(this.view.n_moves, move);
  }

  // Show the bot's judgement of the move shown, also on the board. Returns the judgement in words.
  judge(at) {
    const { answer, words } = this.analysis.mark(at), before = this.judged;
    this.judged = answer?.lost ? answer : null;
    this.overlay();
    const marked = this.judged ? [this.judged.better, this.judged.given].filter((each) => each?.point) : [];
    this.board.marked = marked.map(({ point }) => point);
    if (marked.length && this.judged !== before) this.board.revealAll(this.board.marked, marked.some(({ how }) => how === "spot" || how === "button") ? nearEnough() : 0);
    return words;
  }

  // --- keys and buttons ------------------------------------------------------------------------------------
  listen() {
    const press = (id, action) => byId(id).addEventListener("click", (event) => this.view && action(event)); // nothing happens before the first view
    press("undo", () => this.undo());
    press("hints", () => this.toggleHints());
    press("look-back", () => this.toggleReplay());
    press("analyse", () => this.analyse());
    press("analyse-now", () => this.analyseNow());
    press("last-turn", () => this.lastTurn());
    press("more", () => this.openMore());
    press("branch", () => this.branchAt());
    press("show-help", () => { byId("more-dialog").close(); byId("help").showModal(); });
    press("copy-position", (event) => this.copyPosition(event.target));
    press("zoom-in", () => this.board.zoom(1.3));
    press("zoom-out", () => this.board.zoom(1 / 1.3));
    press("zoom-fit", () => this.board.fit(true));
    byId("left").addEventListener("toggle", () => showLeft(this.shown));
    byId("all-answers").addEventListener("toggle", () => this.panel());
    byId("hint-bot").addEventListener("change", () => this.hinting && this.mine && this.askHints());
    byId("board").addEventListener("contextmenu", (event) => { event.preventDefault(); this.turn(1); });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  toggleReplay() {
    if (this.replay.on) this.replay.close();
    else this.replay.open(this.view.n_moves);
  }

  key(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || target.closest("input, select, textarea")) return;
    if (!this.view) return;
    const act = this.keyAction(key, event.shiftKey, target);
    if (!act) return;
    event.preventDefault();
    act();
  }

  keyAction(key, shift, target) {
    const onBoard = !target.closest("button, a, summary, #log");
    if (key in ARROWS && (onBoard || target.closest("#board"))) return () => (shift ? this.board.pan(...ARROWS[key].map((step) => -60 * step)) : this.step(ARROWS[key]));
    if ((key === "Enter" || key === " ") && onBoard) return () => this.enter();
    if (/^[1-9]$/.test(key)) return () => this.number(Number(key) - 1);
    const keys = {
      r: () => this.turn(shift ? -1 : 1), u: () => this.undo(), l: () => this.lastTurn(), h: () => this.toggleHints(), b: () => this.toggleReplay(), p: () => this.pass(),
      e: () => this.evaluation.toggle(), o: () => this.nextFeature(), f: () => this.board.fit(true), "+": () => this.board.zoom(1.3), "=": () => this.board.zoom(1.3), "-": () => this.board.zoom(1 / 1.3),
      "?": () => byId("help").showModal(),
    };
    return keys[key.toLowerCase()];
  }

  // Go to the next place in a direction. Places that fit the current rotation of the tile are preferred.
  step(direction) {
    const fitting = this.places.filter((place) => meant(place, this.choice)), among = fitting.length ? fitting : this.places;
    if (!among.length) return this.board.pan(...direction.map((step) => -60 * step));
    const [x, y] = this.shown.placed ?? [0, 0];
    const place = this.cursor ? placeTowards(among, this.cursor.point, direction) : placeTowards(among, [100 * x + 50, 100 * y + 50], direction) ?? among[0];
    if (!place) return;
    this.stand(place);
    this.board.reveal(place.point);
  }

  enter() {
    if (!this.cursor) return this.places.length ? this.step([1, 0]) : undefined;
    const answer = meant(this.cursor, this.choice);
    if (answer) this.answer(answer.text);
    else this.stand(this.cursor, choiceFor(this.cursor, this.choice));
  }

  number(at) {
    const { tiles, figures } = this.choices ?? { tiles: [], figures: [] };
    if (figures[at]) this.choose({ figure: figures[at] });
    else if (tiles[at]) this.choose({ tile: tiles[at] });
    else return;
    say(figures[at] ?? this.view.tiles[tiles[at]][this.choice.rotation]);
  }

  pass() {
    const passing = this.mine && this.view.answers.find(({ passes }) => passes);
    if (passing) this.answer(passing.text);
  }

  // --- this game -------------------------------------------------------------------------------------------
  async openMore() {
    const dialog = byId("more-dialog"), view = this.view;
    byId("about").textContent = `${view.title ?? "A game"}, ${counted(view.players.length, "player")}, ${counted(view.n_moves, "move")} so far.`;
    byId("no-download").hidden = view.over;
    this.company.showLinks(view);
    dialog.showModal();
    const judges = (await this.allBots()).filter((spec) => spec !== "random");
    for (const id of ["hint-bot", "judge-bot"]) {
      if (!byId(id).options.length) byId(id).append(...judges.map((spec) => make("option", { value: spec, selected: spec === JUDGE }, botName(spec))));
    }
    this.offerSeats();
  }

  // The specs of all bots.
  async allBots() {
    this.bots ??= (await this.server.get("api/choices").catch(() => ({ bots: [] }))).bots.map(({ spec }) => spec);
    return this.bots;
  }

  // --- another move ----------------------------------------------------------------------------------------
  branchAt() {
    return this.branch.ask(this.shown, this.view.over);
  }

  beginBranch(seats, same) {
    return this.server.begin(`api/games/${this.id}/moves/${this.shown.n_moves}/branch`, { seats, same });
  }

  // Offer the people and bots who can take over each seat.
  offerSeats() {
    byId("seats-now").hidden = this.view.over;
    byId("seats-now").replaceChildren(make("p", { class: "faint" }, "Who plays:"), ...this.view.players.map(({ name, bot }, seat) => {
      const options = ["", ...this.bots].map((spec) => make("option", { value: spec, selected: spec === (bot ?? "") }, botName(spec) || "person"));
      const select = make("select", { onchange: () => this.change(`seats/${seat}`, { bot: select.value || null, ...(bot === null ? { name } : {}) }) }, options);
      return make("label", { class: "seat-now" }, name, select);
    }));
  }

  async copyPosition(button) {
    const text = await this.attempt(() => this.server.text(`api/games/${this.id}/position`));
    if (text === null) return;
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text.trim());
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow the page to copy the position.";
    }
    say(button.textContent);
    setTimeout(() => { button.textContent = before; }, 2000);
  }
}
