// What people read if a text is not a valid position.

const NO_POSITION = "This text is not a position. To get one, use “Copy the position” on the page of a game.";

// Return the reason why the server has rejected a text as a position. People do not see the message of a JSON parser.
export function whyNoPosition(text, { status, message }) {
  if (status !== 422) return message;
  return isTable(text) ? `This position is not valid: ${message}.` : NO_POSITION;
}

// Whether a text is a JSON object.
function isTable(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" && !Array.isArray(found);
  } catch {
    return false;
  }
}
