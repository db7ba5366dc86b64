// Seat tokens of this browser, where the server asks for them: they come with a link (#token=...&seat=1) or with a game begun here.
// They are kept as {seat: token}; `seats` is null where none are known, for then none are asked for, or the server says no.

const key = (id) => `carc tokens ${id}`;

export class Tokens {
  constructor(id) {
    this.id = id;
    this.known = kept(id);
    this.fromLink();
  }

  get seats() {
    return Object.keys(this.known).length ? Object.keys(this.known).map(Number) : null;
  }

  // The token for what is done on a seat; any other where only looking is wanted.
  of(seat = null) {
    return this.known[seat] ?? Object.values(this.known)[0] ?? null;
  }

  // The token of a link is kept and taken out of the address.
  fromLink() {
    const link = new URLSearchParams(location.hash.slice(1)), token = link.get("token");
    if (!token) return;
    this.known = { ...this.known, [link.get("seat") ?? 0]: token };
    remember(this.id, this.known);
    history.replaceState(null, "", location.pathname + location.search);
  }
}

export function remember(id, tokens) {
  localStorage.setItem(key(id), JSON.stringify({ ...tokens }));
}

function kept(id) {
  try {
    return JSON.parse(localStorage.getItem(key(id))) ?? {};
  } catch {
    return {};
  }
}
