// The other people in the game: their links, undo requests, messages, clocks, the rematch, and leaving the game.

import { botName, byId, make, paint } from "./dom.js";

const STAND_IN = "greedy"; // replaces a person who leaves
const HURRY = 30; // a clock with fewer seconds is highlighted

export class Company {
  constructor({ id, server, tokens, post, follow }) {
    Object.assign(this, { id, server, tokens, post, follow }); // `post(what, body)` changes the game, `follow(id)` opens another one
    this.alone = false; // true if the person has said that everybody plays at this screen
    byId("talk-form").addEventListener("submit", (event) => { event.preventDefault(); this.say(); });
    byId("leave").addEventListener("click", () => this.leave());
    byId("rematch").addEventListener("click", () => this.rematch());
    byId("invite-close").addEventListener("click", () => { this.alone = true; this.showInvitations(this.view); });
    setInterval(() => this.tick(), 500);
  }

  // The seats of the people at this screen. If the server uses no tokens, these are the seats of all people.
  own(view) {
    return view.players.map((_, seat) => seat).filter((seat) => view.players[seat].bot === null && (!this.tokens.guarded || this.tokens.seats.includes(seat)));
  }

  show(view) {
    this.view = view;
    this.showInvitations(view);
    this.showWish(view);
    this.showTalk(view);
    this.showNext(view);
    this.tick();
  }

  // --- links -----------------------------------------------------------------------------------------------
  // Show links for the seats that nobody has taken yet. The person at this screen keeps the first seat.
  showInvitations(view) {
    const open = this.tokens.guarded ? this.own(view).slice(1).filter((seat) => !view.company.claims[seat]) : [];
    byId("invite").hidden = this.alone || view.over || !open.length;
    byId("invite-links").replaceChildren(...open.map((seat) => this.invitation(`Link for ${view.players[seat].name}`, this.tokens.link(seat))));
  }

  // Show all links of this browser, in the dialog "This game".
  showLinks(view) {
    const seats = this.tokens.guarded ? this.own(view) : [], watching = this.tokens.link();
    byId("seat-links").hidden = !seats.length && !watching;
    byId("seat-links").replaceChildren(make("p", { class: "faint" }, "The person who opens a link takes the seat of this link. After that, you can no longer play in this seat."),
      ...seats.map((seat) => this.invitation(view.players[seat].name, this.tokens.link(seat))), watching ? this.invitation("Only to watch", watching) : "");
  }

  invitation(words, path) {
    const address = new URL(path, location.href).href;
    const copy = async (event) => {
      event.preventDefault();
      const link = event.currentTarget;
      try {
        await navigator.clipboard.writeText(address);
        link.querySelector("small").textContent = "copied";
      } catch {
        link.querySelector("small").textContent = address;
      }
    };
    return make("a", { class: "button invitation", href: address, onclick: copy }, make("span", {}, words), make("small", {}, "copy the link"));
  }

  // --- undo requests ---------------------------------------------------------------------------------------
  showWish(view) {
    const { wish } = view.company, own = this.own(view), card = byId("wish");
    card.hidden = !wish;
    if (!wish) return;
    const waiting = view.players.map((_, seat) => seat).filter((seat) => view.players[seat].bot === null && !wish.agreed.includes(seat));
    const isAsked = own.some((seat) => waiting.includes(seat)), isOwn = own.includes(wish.seat);
    const button = (words, agree) => make("button", { type: "button", class: agree ? "primary" : null, onclick: () => this.post("undo/reply", { wish: wish.number, agree }) }, words);
    const buttons = isAsked ? [button("Agree", true), button("No", false)] : isOwn ? [button("Never mind", false)] : [];
    card.replaceChildren(make("p", {}, this.wishInWords(view, waiting, isAsked, isOwn)), make("div", { class: "row" }, buttons));
  }

  wishInWords(view, waiting, isAsked, isOwn) {
    const who = view.players[view.company.wish.seat].name, names = waiting.map((seat) => view.players[seat].name).join(", ");
    if (isAsked) return `${who} would like to undo a move. Tiles and chips that were revealed after this move go back and are drawn again at random.`;
    if (isOwn) return `You have asked to undo a move. Waiting for ${names}.`;
    return `${who} would like to undo a move. ${names} must agree.`;
  }

  // --- messages --------------------------------------------------------------------------------------------
  showTalk(view) {
    const { talk } = view.company, own = this.own(view), may = this.tokens.guarded && own.length > 0;
    byId("talk").hidden = !talk.length && !may;
    byId("talk-form").hidden = !may;
    byId("talk-lines").replaceChildren(...talk.map(({ text, seat }) => this.line(view, text, seat)).reverse());
  }

  line(view, text, seat) {
    if (seat === null) return make("li", { class: "faint" }, text);
    const item = make("li", {}, make("b", {}, `${view.players[seat].name}: `), text);
    paint(item, view.players[seat].colour);
    return item;
  }

  async say() {
    const input = byId("talk-text"), text = input.value.trim(), [seat] = this.own(this.view);
    if (!text || !await this.post("messages", { seat, text })) return;
    input.value = "";
  }

  // The messages since an older view, for screen readers.
  since(view, old) {
    const known = old?.company.talk.at(-1)?.told ?? -Infinity, words = ({ text, seat }) => (seat === null ? text : `${view.players[seat].name} says: ${text}`);
    return old ? view.company.talk.filter(({ told }) => told > known).map(words) : [];
  }

  // --- clocks ----------------------------------------------------------------------------------------------
  tick() {
    const { clock } = this.view?.company ?? {};
    if (!clock) return;
    const now = (Date.now() + this.server.ahead) / 1000, { player, players, over } = this.view;
    for (const element of document.querySelectorAll(".clock")) {
      const seat = Number(element.dataset.seat), runs = !over && seat === player && players[seat].bot === null;
      const left = Math.max(0, clock.left[seat] - (runs ? Math.max(0, now - clock.since) : 0));
      element.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
      element.classList.toggle("hurry", runs && left < HURRY);
    }
  }

  // --- after the game --------------------------------------------------------------------------------------
  showNext(view) {
    const may = view.over && this.own(view).length > 0 || view.over && !this.tokens.guarded;
    byId("rematch").hidden = view.entries !== undefined || !may && !view.company.rematch; // a game with cardboard tiles has no rematch
    byId("rematch").textContent = view.company.rematch ? "To the rematch" : "Rematch";
    const link = this.tokens.guarded ? this.tokens.link() : `?game=${this.id}`;
    byId("final-link").replaceChildren(...(view.over && link ? [this.invitation("Link to this game", link)] : []));
    byId("leave").hidden = view.over || !this.tokens.guarded || !this.own(view).length;
  }

  async rematch() {
    const { rematch } = this.view.company, id = rematch ?? (await this.post("rematch", {}))?.id;
    if (!id) return;
    if (this.tokens.guarded) this.tokens.followed(id, this.view.players.length);
    this.follow(id);
  }

  async leave() {
    const seats = this.own(this.view), names = seats.map((seat) => this.view.players[seat].name).join(", ");
    if (!confirm(`Leave the table? ${botName(STAND_IN)} takes over from ${names}.`)) return;
    byId("more-dialog").close();
    for (const seat of seats) await this.post(`seats/${seat}`, { bot: STAND_IN });
  }
}
