// Animations of a move: a tile slides in, a figure appears or returns to the supply, and ingots and points fly to the players who get them.

import { calm, make } from "./dom.js";
import { step } from "./pace.js";

const LONGEST = 650, SHORTEST = 260; // milliseconds
const FROM = { tiles: [0, -260], figures: [0, -80], ingots: [0, -50] }; // where new pieces come from, in units
const MOST_COMING = 4, MOST_GOING = 12; // pieces; if more appear or leave at once, they are not animated
const ingots = ({ holdings }) => holdings.find(({ sign }) => sign === "ingot")?.count ?? 0;

export class Motion {
  // `home(player)` returns the element to which a player's pieces and points fly.
  constructor(board, home) {
    Object.assign(this, { board, home });
  }

  // Return a function to call for each layer that changes between two views; null if nothing should move.
  of(view, old) {
    if (calm() || document.hidden) return null;
    this.time = Math.max(SHORTEST, Math.min(LONGEST, 0.8 * step()));
    const taker = view.players.findIndex((player, seat) => ingots(player) > ingots(old.players[seat]));
    requestAnimationFrame(() => this.points(view));
    return (name, fresh, gone) => this.layer(view, taker, name, fresh, gone);
  }

  layer(view, taker, name, fresh, gone) {
    if (FROM[name] && fresh.length <= MOST_COMING) for (const node of fresh) this.come(node, FROM[name]);
    if (gone.length > MOST_GOING) return;
    if (name === "ingots" && taker >= 0) for (const node of gone) this.leave(node, taker);
    if (name === "figures") for (const node of gone) this.leave(node, view.players.findIndex(({ colour }) => node.outerHTML.includes(colour)));
  }

  come(node, [x, y]) {
    node.animate([{ translate: `${x}px ${y}px`, opacity: 0 }, { translate: "0 0", opacity: 1 }], { duration: this.time, easing: "cubic-bezier(.2, .8, .3, 1)" });
  }

  // Let a copy of a removed piece fly to its owner.
  leave(node, owner) {
    const copy = node.cloneNode(true), target = this.home(owner);
    if (!target) return;
    this.board.over.parentElement.querySelector("#leaving").append(copy);
    const from = copy.getBoundingClientRect(), to = target.getBoundingClientRect(), { k } = this.board.at;
    const way = [(to.x + to.width / 2 - from.x - from.width / 2) / k, (to.y + to.height / 2 - from.y - from.height / 2) / k];
    const going = copy.animate([{ translate: "0 0", opacity: 1 }, { opacity: 1, offset: 0.8 }, { translate: `${way[0]}px ${way[1]}px`, opacity: 0 }], { duration: 1.5 * this.time, easing: "ease-in" });
    going.finished.finally(() => copy.remove());
  }

  points(view) {
    view.events.filter(({ points, player }) => points && player !== null).forEach((event, number) => this.fly(view, event, number));
  }

  fly(view, { x, y, points, player }, number) {
    const target = this.home(player), { left, top, width, height } = this.board.frame.getBoundingClientRect();
    if (!target) return;
    const [dx, dy] = x === null ? [width / 2, height / 2] : this.board.onScreen([100 * x + 50, 100 * y + 50]);
    const from = [left + Math.min(width, Math.max(0, dx)), top + Math.min(height, Math.max(0, dy))], to = target.getBoundingClientRect();
    const label = make("span", { class: "flying", "aria-hidden": "true" }, points > 0 ? `+${points}` : String(points).replace("-", "−"));
    label.style.setProperty("--player", view.players[player].colour);
    document.body.append(label);
    const at = (px, py, scale) => ({ translate: `${px}px ${py}px`, scale });
    const frames = [{ ...at(...from, 0.6), opacity: 0 }, { ...at(from[0], from[1] - 24, 1.3), opacity: 1, offset: 0.25 }, { ...at(from[0], from[1] - 24, 1.3), opacity: 1, offset: 0.55 },
      { ...at(to.x + to.width / 2, to.y + to.height / 2, 0.8), opacity: 0.2 }];
    label.animate(frames, { duration: 2.2 * this.time, delay: 90 * number, fill: "backwards", easing: "ease-in-out" }).finished.finally(() => label.remove());
  }
}
