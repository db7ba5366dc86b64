// The connection to the server: requests, and the stream of views.

const PASSWORD = "carc password"; // the key of the server's password, which is kept as long as the tab is open

export const keepPassword = (text) => sessionStorage.setItem(PASSWORD, text);

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Server {
  constructor(tokens = () => []) {
    this.tokens = tokens; // returns the tokens for the next request
    this.ahead = 0; // milliseconds by which the server's clock is ahead of the clock of this machine
  }

  headers(more = {}) {
    const tokens = this.tokens();
    return tokens.length ? { ...more, Authorization: `Bearer ${tokens.join(",")}` } : more;
  }

  async ask(path, options = {}) {
    let reply;
    try {
      reply = await fetch(path, { ...options, headers: this.headers(options.headers) });
    } catch {
      throw new Refusal(0, "The server does not answer.");
    }
    if (!reply.ok) throw new Refusal(reply.status, await reason(reply));
    return reply;
  }

  // Return the content of a response. `kind` is "json" or "text".
  async read(path, kind, options) {
    const reply = await this.ask(path, options);
    return reply[kind]().catch(() => { throw new Refusal(0, "The server's response was cut off."); });
  }

  get(path) {
    return this.read(path, "json");
  }

  text(path) {
    return this.read(path, "text");
  }

  post(path, body, headers = {}) {
    return this.read(path, "json", { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
  }

  // Begin a game. If somebody has entered a password in this tab, send it.
  begin(path, wish) {
    const password = sessionStorage.getItem(PASSWORD);
    return this.post(path, wish, password ? { "Carc-Password": encodeURIComponent(password) } : {});
  }

  // Take a seat with the token in a link.
  claim(id, seat, token) {
    const asking = new Server(() => [token]);
    return asking.post(`api/games/${id}/seats/${seat}/claim`, {});
  }

  // The events of a stream, until the stream ends or `signal` aborts it.
  async* events(path, signal) {
    yield* events((await this.ask(path, { signal })).body);
  }

  // Receive every new view of a game, and reconnect if the connection is lost. Calls `onState(connected)` when the connection is made or lost,
  // and `onQueue` while a bot waits for its turn.
  async follow(id, onView, onState, onQueue, signal) {
    for (let wait = 250; !signal.aborted; wait = Math.min(2 * wait, 4000)) {
      try {
        const reply = await this.ask(`api/games/${id}/stream`, { signal });
        this.ahead = Date.parse(reply.headers.get("date") ?? "") - Date.now() || 0;
        onState(true);
        wait = 250;
        for await (const event of events(reply.body)) {
          if (event.type === "view") shown(onView, JSON.parse(event.data));
          if (event.type === "queue") shown(onQueue, JSON.parse(event.data));
          if (event.type === "gone") throw new Refusal(404, "The game was deleted.");
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
      }
      onState(false);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

// Show a view. An error of the page is reported and does not close the connection.
function shown(onView, view) {
  try {
    onView(view);
  } catch (error) {
    reportError(error);
  }
}

async function reason(reply) {
  try {
    const told = await reply.json();
    return told.error ?? `The server responds with status ${reply.status}.`;
  } catch {
    return `The server responds with status ${reply.status}.`;
  }
}

// The events of a text/event-stream. EventSource is not used, because it cannot send a token.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value.replaceAll("\r", "");
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = parsed(text.slice(0, end));
      if (event) yield event;
    }
  }
}

function parsed(block) {
  const event = { type: "message", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    const [name, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
    if (name === "event") event.type = value;
    if (name === "data") event.data += (event.data && "\n") + value;
  }
  return event.data ? event : null;
}
