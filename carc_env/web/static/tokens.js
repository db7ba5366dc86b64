// The games that this browser has opened and, if the server uses tokens, its tokens for them.
// A token comes from a link (#seat=1&token=...&watch=...) or from a game begun in this browser. The token of a link is exchanged for a new one, so that nobody else
// can take the seat with the link. Other browsers that have the old token then lose the seat.

const PREFIX = "carc game ";
const MOST = 150; // games whose tokens are sent to list them

export class Tokens {
  constructor(id) {
    this.id = id;
    const { seats, watcher, beginner } = kept(PREFIX + id) ?? {};
    Object.assign(this, { held: seats ?? {}, watcher: watcher ?? null, beginner: beginner ?? null }); // held: {seat: {token, claims}}
    this.keep();
  }

  // True if the server uses tokens for this game.
  get guarded() {
    return this.all.length > 0;
  }

  get seats() {
    return Object.keys(this.held).map(Number);
  }

  get all() {
    return [...Object.values(this.held).map(({ token }) => token), this.watcher, this.beginner].filter(Boolean);
  }

  keep() {
    const { held: seats, watcher, beginner } = this;
    localStorage.setItem(PREFIX + this.id, JSON.stringify({ seats, watcher, beginner, opened: Date.now() }));
  }

  hold(seat, token, claims) {
    this.held[seat] = { token, claims };
    this.keep();
  }

  // Remove the seats whose token has changed since. Returns these seats.
  heed(claims) {
    const gone = this.seats.filter((seat) => claims[seat] > this.held[seat].claims);
    for (const seat of gone) delete this.held[seat];
    if (gone.length) this.keep();
    return gone;
  }

  // The link to take a seat, or without a seat, to watch; null if this browser has no token for it.
  link(seat = null) {
    const parts = new URLSearchParams();
    if (seat !== null) Object.entries({ seat, token: this.held[seat]?.token }).forEach(([name, value]) => parts.set(name, value));
    if (this.watcher) parts.set("watch", this.watcher);
    return (seat === null ? this.watcher : this.held[seat]) ? `?game=${this.id}#${parts}` : null;
  }

  // Take the tokens from the address of the page, and remove them from it. Returns the reason if the seat cannot be taken, otherwise null.
  async fromLink(server) {
    const link = new URLSearchParams(location.hash.slice(1)), [seat, token, watch] = ["seat", "token", "watch"].map((name) => link.get(name));
    if (!token && !watch) return null;
    if (watch) this.watcher = watch;
    let trouble = null;
    if (token && !this.all.includes(token)) {
      try {
        const { token: own, company } = await server.claim(this.id, seat ?? 0, token);
        this.hold(Number(seat ?? 0), own, company.claims[seat ?? 0]);
      } catch (refusal) {
        if (![401, 403, 409].includes(refusal.status)) throw refusal;
        trouble = refusal.status === 409 ? refusal.message : "Somebody has already taken a seat with this link. You can only watch.";
      }
    }
    this.keep();
    history.replaceState(null, "", location.pathname + location.search);
    return trouble;
  }

  // Store the tokens for the rematch, in which the seats are rotated by one.
  followed(id, players) {
    const next = new Tokens(id);
    for (const [seat, { token }] of Object.entries(this.held)) next.held[(Number(seat) + players - 1) % players] = { token, claims: 0 };
    Object.assign(next, { watcher: this.watcher, beginner: this.beginner });
    next.keep();
  }
}

// Store the tokens of a new game, if there are any.
export function remember(id, { tokens = [], watcher = null, beginner = null }) {
  const known = new Tokens(id);
  tokens.forEach((token, seat) => { known.held[seat] = { token, claims: 0 }; });
  Object.assign(known, { watcher, beginner });
  known.keep();
}

export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}

// The games that this browser has opened, the latest first, with their tokens.
export function games() {
  const found = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => ({ id: key.slice(PREFIX.length), ...kept(key) }));
  return found.sort((a, b) => (b.opened ?? 0) - (a.opened ?? 0));
}

export function allTokens() {
  const each = ({ seats, watcher, beginner }) => [...Object.values(seats ?? {}).map(({ token }) => token), watcher, beginner];
  return games().slice(0, MOST).flatMap(each).filter(Boolean);
}

export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
