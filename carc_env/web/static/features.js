// The road, city, field or building under the mouse: its shape on every tile, its owners and its points.

import { byId, counted, make, svg } from "./dom.js";

const BUILDING = 17; // units; a point this close to the middle of a building counts as the building
const ROAD = 15; // width in units of the strip that counts as a road
let doubled = new Set(); // the tiles that cover two squares
const measure = document.createElement("canvas").getContext("2d");

export class Features {
  constructor(list, doubles) {
    this.list = list;
    doubled = new Set(doubles);
    this.at = new Map(list.flatMap((feature) => feature.places.map(([x, y, spot]) => [`${x},${y},${spot}`, feature])));
  }

  // The feature at a point of the board; null if there is none.
  under([px, py]) {
    const x = Math.floor(px / 100), y = Math.floor(py / 100), lying = tileOn(x, y);
    if (!lying) return null;
    const segment = segmentAt(lying, px - 100 * lying.x, py - 100 * lying.y);
    return segment ? this.ofSegment(lying, segment) : null;
  }

  ofSegment(lying, segment) {
    for (const spot of segment.dataset.spots.split(" ")) {
      const [x, y] = squareOf(lying, spot), feature = this.at.get(`${x},${y},${spot.replace(/^2/, "")}`);
      if (feature) return feature;
    }
    return null;
  }

  // The features with figures, the most valuable first.
  get owned() {
    return this.list.filter((feature) => feature.owners.length).sort((a, b) => b.worth - a.worth);
  }
}

// The highlighted shape of a feature.
export function shapeOf(feature) {
  const shapes = feature.places.map(([x, y, spot]) => {
    const lying = tileOn(x, y), named = lying && (lying.x === x && lying.y === y ? spot : `2${spot}`);
    const segment = lying && segments(lying).find((part) => part.dataset.spots.split(" ").includes(named));
    return segment && svg("g", { transform: `translate(${100 * lying.x} ${100 * lying.y})` }, outline(segment));
  });
  return svg("g", { class: "lit" }, ...shapes.filter(Boolean));
}

function outline(segment) {
  const kind = segment.dataset.kind;
  if (segment.tagName === "use") return svg("circle", { cx: segment.getAttribute("x") ?? 0, cy: segment.getAttribute("y") ?? 0, r: 21, class: "building" });
  if (kind === "field") return svg("g", { class: "field" }, tufts(segment).map(([cx, cy]) => svg("circle", { cx, cy, r: 5 })));
  return svg("path", { d: segment.querySelector("path").getAttribute("d"), class: kind });
}

// --- which segment -------------------------------------------------------------------------------------------
function tileOn(x, y) {
  const here = document.querySelector(`#drawing .tile[data-x="${x}"][data-y="${y}"]`);
  if (here) return lie(here);
  return [[x - 1, y, 0], [x, y - 1, 90]].map(([a, b, quarter]) => {
    const beside = document.querySelector(`#drawing .tile[data-x="${a}"][data-y="${b}"]`);
    return beside && doubled.has(beside.dataset.tile) && lie(beside).rotation % 180 === quarter ? lie(beside) : null;
  }).find(Boolean);
}

const lie = ({ dataset: { tile, x, y, rotation } }) => ({ tile, x: Number(x), y: Number(y), rotation: Number(rotation) });
const segments = ({ tile, rotation }) => [...document.getElementById(`tile-${tile}-${rotation}`).querySelectorAll("[data-spots]")];

function squareOf({ x, y, rotation }, spot) {
  if (!spot.startsWith("2")) return [x, y];
  return rotation % 180 ? [x, y + 1] : [x + 1, y];
}

function segmentAt(lying, px, py) {
  const all = segments(lying), away = ([x, y]) => Math.hypot(x - px, y - py);
  const building = all.find((part) => part.tagName === "use" && away([part.getAttribute("x") ?? 0, part.getAttribute("y") ?? 0].map(Number)) < BUILDING);
  const within = (part) => {
    const shape = new Path2D(part.querySelector("path").getAttribute("d"));
    measure.lineWidth = ROAD;
    return part.dataset.kind === "road" ? measure.isPointInStroke(shape, px, py) : measure.isPointInPath(shape, px, py);
  };
  const built = all.filter((part) => part.tagName === "g").reverse().find(within);
  const fields = all.filter((part) => part.dataset.kind === "field").map((part) => [Math.min(...tufts(part).map(away)), part]);
  return building ?? built ?? fields.sort((a, b) => a[0] - b[0])[0]?.[1];
}

// The coordinates of the tufts of grass on a field.
const tufts = (field) => [...field.getAttribute("d").matchAll(/M(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

// --- in words ------------------------------------------------------------------------------------------------
export function tell(feature, players) {
  const { kind, tiles, open, complete, owners, worth } = feature;
  const names = owners.map((player) => players[player].name).join(" and ");
  const state = kind === "field" ? "" : complete ? ", complete" : `, ${open} open`;
  return `${kind[0].toUpperCase()}${kind.slice(1)}, ${counted(tiles, "tile")}${state}. ${names ? `Owned by ${names}` : "Nobody is here"}. Worth ${counted(worth, "point")} now.`;
}

export function showCard(feature, players) {
  const card = byId("feature");
  card.hidden = !feature;
  if (!feature) return;
  const { kind, tiles, open, complete, owners, strength, worth, each } = feature;
  const state = kind === "field" ? [] : [complete ? "complete" : `${open} open`];
  card.replaceChildren(
    make("strong", {}, kind), make("span", { class: "faint" }, ` ${[counted(tiles, "tile"), ...state].join(" · ")}`),
    make("p", {}, owners.length ? owners.map((player) => owner(players[player], strength[player], each[player], each[player] > worth)) : make("span", { class: "faint" }, "nobody is here")),
    make("p", {}, make("b", {}, String(worth)), ` ${worth === 1 ? "point" : "points"} if scored now`));
}

function owner({ name, colour }, strength, points, withPig) {
  const icon = svg("svg", { viewBox: "-14 -14 28 28", class: "icon", "aria-hidden": "true" }, svg("use", { href: "#meeple", fill: colour }));
  return make("span", { class: "owner" }, icon, `${name} ${strength > 1 ? `×${strength} ` : ""}+${points}${withPig ? " with the pig" : ""}`);
}
