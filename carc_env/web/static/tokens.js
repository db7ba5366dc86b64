// What this browser knows of its games: which ones it has opened and, where the server asks for tokens, whose seats it holds.
// A token comes with a link (#seat=1&token=...&watch=...) or with a game begun here. A link's token is given in return for one of the browser's own, so that nobody
// else can sit down by it; from then on other browsers that had it know that the seat is not theirs any more.

const PREFIX = "carc game ";
const MOST = 150; // games whose tokens are sent to list them

export class Tokens {
  constructor(id) {
    this.id = id;
    const { seats, watcher, beginner } = kept(PREFIX + id) ?? {};
    Object.assign(this, { held: seats ?? {}, watcher: watcher ?? null, beginner: beginner ?? null }); // held: {seat: {token, claims}}
    this.keep();
  }

  // Whether the server asks for tokens here.
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

  // Give up the seats that have another token by now. Returns them.
  heed(claims) {
    const gone = this.seats.filter((seat) => claims[seat] > this.held[seat].claims);
    for (const seat of gone) delete this.held[seat];
    if (gone.length) this.keep();
    return gone;
  }

  // The address at which a seat is taken, or from which one looks on; none where there is no token for it.
  link(seat = null) {
    const parts = new URLSearchParams();
    if (seat !== null) Object.entries({ seat, token: this.held[seat]?.token }).forEach(([name, value]) => parts.set(name, value));
    if (this.watcher) parts.set("watch", this.watcher);
    return (seat === null ? this.watcher : this.held[seat]) ? `?game=${this.id}#${parts}` : null;
  }

  // Take what the address brings along, and out of it. Returns why the seat cannot be had, or null.
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

  // The tokens for the game that follows, whose seats are turned by one.
  followed(id, players) {
    const next = new Tokens(id);
    for (const [seat, { token }] of Object.entries(this.held)) next.held[(Number(seat) + players - 1) % players] = { token, claims: 0 };
    Object.assign(next, { watcher: this.watcher, beginner: this.beginner });
    next.keep();
  }
}

// Keep the tokens that come with a new game, if any.
export function remember(id, { tokens = [], watcher = null, beginner = null }) {
  const known = new Tokens(id);
  tokens.forEach((token, seat) => { known.held[seat] = { token, claims: 0 }; });
  Object.assign(known, { watcher, beginner });
  known.keep();
}

export function forget(id) {
  localStorage.removeItem(PREFIX + id);
}

// The games that this browser has opened, the latest first, and all tokens for them.
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
