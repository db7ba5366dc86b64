// Small functions that create and change elements of the page, and write values as text.

export const JUDGE = "keen"; // the bot that judges moves and positions, unless people choose another one under More
export const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Return an element with attributes and children. Attributes such as `onclick` become listeners. Values that are null or false are left out.
export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Return SVG elements, one for each text.
export function drawn(fragments) {
  const holder = svg("g");
  holder.innerHTML = fragments.join("");
  return [...holder.children];
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Return black or white, whichever is legible on a colour.
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.27 ? "#201a12" : "#ffffff";
}

// Give an element and its children the colour of a player.
export function paint(element, colour) {
  element.style.setProperty("--player", colour);
  element.style.setProperty("--on-player", inkOn(colour));
}

export function say(words) {
  byId("live").textContent = words;
}

const SLOW = 3000; // milliseconds after which the page says that the server is still working
export const SLOW_WORDS = "The server is still working on your request. After an installation, the server first compiles the rules. This takes a few minutes.";

export const counted = (number, one, several = `${one}s`) => `${number} ${number === 1 ? one : several}`;

// The name of a bot for people (for a program, only its file name), and a value with its standard error if that is known.
export const botName = (spec) => spec?.replace(/^level:(\d)$/, "level $1").replace(/^cmd:(?:\S*\/)?(\S+)[^]*$/, "$1") ?? "";
export const signed = (value) => value.toFixed(1).replace("-", "−").replace(/^−0\.0$/, "0.0");
export const withError = (value, error) => (error === null || error === undefined ? signed(value) : `${signed(value)} ± ${error.toFixed(1)}`);
// A chance to win, to be shown after a value. It is never broken across lines, and empty if the chance is unknown.
export const toWin = (chance) => (chance === null || chance === undefined ? "" : `, ${Math.round(100 * chance)}\u00a0%\u00a0to\u00a0win`);

// Perform a request. If the response takes long, call `tell` with words that say so.
export async function patiently(request, tell) {
  const slow = setTimeout(() => tell(SLOW_WORDS), SLOW);
  try {
    return await request();
  } finally {
    clearTimeout(slow);
  }
}
