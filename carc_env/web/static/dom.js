// Small helpers over the document.

export const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children; `onclick` and the like are listeners, what is null or false is left out.
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

// SVG elements from their texts, one each.
export function drawn(fragments) {
  const holder = svg("g");
  holder.innerHTML = fragments.join("");
  return [...holder.children];
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Black or white, whichever can be read on a colour.
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.27 ? "#201a12" : "#ffffff";
}

// Give an element, and what is in it, the colour of a player.
export function paint(element, colour) {
  element.style.setProperty("--player", colour);
  element.style.setProperty("--on-player", inkOn(colour));
}

export function say(words) {
  byId("live").textContent = words;
}

export const counted = (number, one, several = `${one}s`) => `${number} ${number === 1 ? one : several}`;

// A bot as people call it, a program by its name alone, and a value with its standard error where that is known.
export const botName = (spec) => spec?.replace(/^level:(\d)$/, "level $1").replace(/^cmd:(?:\S*\/)?(\S+)[^]*$/, "$1") ?? "";
export const signed = (value) => value.toFixed(1).replace("-", "−").replace(/^−0\.0$/, "0.0");
export const withError = (value, error) => (error === null || error === undefined ? signed(value) : `${signed(value)} ± ${error.toFixed(1)}`);
// A chance to win behind a value, never broken across lines; nothing where none is known.
export const toWin = (chance) => (chance === null || chance === undefined ? "" : `, ${Math.round(100 * chance)}\u00a0%\u00a0to\u00a0win`);
