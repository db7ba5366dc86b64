// The games that this browser has opened and, if the server uses tokens, its tokens for them.
// A token comes from a link (#seat=1&token=...&watch=...) or from a game begun in this browser. The token of a link is exchanged for a new one, so that nobody else
// can take the seat with the link. Other browsers that have the old token then lose the seat.

const PREFIX = "carc game ";
const HERE = location.pathname.replace(/[^/]*$/, ""); // the path of this server; other servers may have the same origin
const MOST_GAMES = 40, MOST_TOKENS = 128; // limits for one request, because proxies accept only 8 kB of headers
const LONG = 30 * 86400e3; // a game that the server does not have is forgotten after this many milliseconds

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
    localStorage.setItem(PREFIX + this.id, JSON.stringify({ seats, watcher, beginner, opened: Date.now(), at: HERE }));
  }

  hold(seat, token, claims) {
    this.held[seat] = { token, claims };
    this.keep();
  }

  // Remove the seats whose tokens have changed since this browser received them. Returns these seats.
  heed(claims) {
    const gone = this.seats.filter((seat) => claims[seat] > this.held[seat].claims);
    for (const seat of gone) delete this.held[seat];
    if (gone.length) this.keep();
    return gone;
  }

  // The link for taking a seat, or for watching if `seat` is null. Null if this browser has no token for the link.
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

// The games of this server that this browser has opened, the latest first, with their tokens.
export function games() {
  const found = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => ({ id: key.slice(PREFIX.length), ...kept(key) }));
  return found.filter(({ at = HERE }) => at === HERE).sort((a, b) => (b.opened ?? 0) - (a.opened ?? 0));
}

// The tokens that this browser has for a game.
export function tokensOf(id) {
  const { seats, watcher, beginner } = kept(PREFIX + id) ?? {};
  return [...Object.values(seats ?? {}).map(({ token }) => token), watcher, beginner].filter(Boolean);
}

// The games that this browser has tokens for, in groups. The tokens of a group fit into one request.
export function groups() {
  const found = [];
  for (const { id } of games()) {
    const tokens = tokensOf(id), last = found.at(-1);
    if (!tokens.length) continue;
    if (last && last.ids.length < MOST_GAMES && last.tokens.length + tokens.length <= MOST_TOKENS) {
      last.ids.push(id);
      last.tokens.push(...tokens);
    } else found.push({ ids: [id], tokens });
  }
  return found;
}

// Forget the games in `ids` that the server does not list. Games that were opened recently are kept, because the server may have been started with a wrong folder.
export function forgetUnlisted(ids, listed) {
  const unlisted = (id) => !listed.some((game) => game.id === id);
  for (const id of ids.filter(unlisted)) {
    const { at = "/", opened = 0 } = kept(PREFIX + id) ?? {};
    if (at === HERE && Date.now() - opened > LONG) forget(id);
  }
}

export function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
