// Seat tokens of this browser, where the server asks for them: they come with a link (#token=...) or with a game begun here.

const key = (id) => `carc tokens ${id}`;

export function remember(id, tokens) {
  localStorage.setItem(key(id), JSON.stringify(tokens));
}

export function tokensOf(id) {
  try {
    return JSON.parse(localStorage.getItem(key(id))) ?? [];
  } catch {
    return [];
  }
}

// The token in the link, which is then kept and taken out of the address.
export function tokenFromLink(id) {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return null;
  remember(id, [token]);
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}
