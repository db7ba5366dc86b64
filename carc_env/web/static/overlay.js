// What is drawn over the board: places to click, a preview of the tile at the cursor, hints as a heat map, and highlights.

import { svg } from "./dom.js";
import { meant, placesOf } from "./places.js";

const RADIUS = 12;
const BESIDE = 22, ROW = 18.5; // units from a tile to the labels of its spots, and between two labels

export function drawPlaces(places, choice, cursor, colour, hints) {
  const labels = hints ? placed(places.map((place) => ({ place, value: hintAt(place, meant(place, choice), hints) })).filter(({ value }) => value)) : new Map();
  return places.map((place) => {
    const answer = meant(place, choice), label = labels.get(place);
    const states = ["place", place.how, answer ? "fits" : "dim", place === cursor && "cursor", label && "heat"].filter(Boolean).join(" ");
    const group = svg("g", { class: states, "data-answer": (answer ?? place.answers[0]).text });
    group.append(...ways(place, answer, place === cursor));
    group.append(...(place.cells.length ? cellShapes(place, answer, place === cursor) : spotShapes(place, answer ?? place.answers[0], colour)));
    if (label) group.append(...label);
    return group;
  });
}

// The road that a ferry would make. It is faint unless the cursor is on its place.
function ways({ answers }, answer, isCursor) {
  const { way } = answer ?? answers[0];
  return way ? [svg("path", { d: way, class: isCursor ? "way-under here" : "way-under" }), svg("path", { d: way, class: isCursor ? "way here" : "way" })] : [];
}

function cellShapes(place, answer, isCursor) {
  const [[x, y]] = place.cells, [lastX, lastY] = place.cells.at(-1);
  const box = { x: 100 * x + 5, y: 100 * y + 5, width: 100 * (lastX - x) + 90, height: 100 * (lastY - y) + 90, rx: 9 };
  const shapes = [svg("rect", box)];
  if (place.how === "cell") shapes.unshift(svg("rect", { ...box, class: "under" }));
  if (isCursor && answer?.how === "tile") shapes.unshift(svg("use", { href: `#tile-${answer.tile}-${answer.rotation}`, x: 100 * x, y: 100 * y, class: "ghost" }));
  return shapes;
}

function spotShapes({ point: [x, y], how }, answer, colour) {
  const shapes = [svg("circle", { cx: x, cy: y, r: RADIUS })];
  const { sign, lies, scale } = answer;
  if (sign) shapes.push(svg("use", { href: `#${sign}`, fill: colour, transform: `translate(${x} ${y})${lies ? " rotate(90)" : ""} scale(${scale})` }));
  if (how === "button") shapes.push(...choiceShapes(x, y, answer));
  return shapes;
}

// The shape of a button on the board: a few letters, and for some buttons a coloured circle and a second line of text.
function choiceShapes(x, y, { label, below, colour }) {
  if (!colour) return label ? [svg("text", { x, y: y + 4.5, class: "sign" }, label)] : [];
  return [svg("circle", { cx: x, cy: y, r: RADIUS - 2, class: `wine ${colour}` }), svg("text", { x, y: y + 1, class: "sign small" }, label),
    svg("text", { x, y: y + 8, class: "sign tiny" }, below)];
}

// --- hints ---------------------------------------------------------------------------------------------------
// The hint for a place: the value of the chosen action there. If no action is chosen, the value of the best one.
function hintAt(place, answer, hints) {
  if (!hints) return null;
  const known = (answer ? [answer] : place.answers).map(({ number }) => hints.get(number)).filter(Boolean);
  return known.sort((a, b) => b.value - a.value)[0] ?? null;
}

// The labels with the values of places. On an empty cell, the label is in the middle. On a tile, it is at the northern edge. The labels of spots are to
// the left and right of the tile, one below the other, so that no label covers another label or a figure.
function placed(known) {
  const onCells = known.filter(({ place }) => place.cells.length), spots = known.filter(({ place }) => !place.cells.length);
  const labels = new Map(onCells.map(({ place, value }) => [place, [cellHeat(place, value)]]));
  if (!spots.length) return labels;
  const across = spots.map(({ place }) => place.point[0]), low = Math.min(...across), high = Math.max(...across);
  const left = Math.min(100 * Math.floor(low / 100), low - 20) - BESIDE, right = Math.max(100 * Math.ceil(high / 100), high + 20) + BESIDE;
  const [west, east] = halves(spots, (low + high) / 2);
  for (const [side, x] of [[west, left], [east, right]]) {
    const centre = side.reduce((sum, { place }) => sum + place.point[1], 0) / side.length;
    side.forEach(({ place, value }, row) => labels.set(place, aside(place.point, [x, centre + ROW * (row - (side.length - 1) / 2)], value)));
  }
  return labels;
}

// Divide spots into those to the west and those to the east of a middle, each from north to south. Spots in the middle go to the side with fewer spots.
function halves(spots, middle) {
  const west = [], east = [];
  for (const spot of [...spots].sort((a, b) => a.place.point[0] - b.place.point[0])) {
    const x = spot.place.point[0], isWest = x < middle || (x === middle && west.length <= east.length);
    (isWest ? west : east).push(spot);
  }
  return [west, east].map((side) => side.sort((a, b) => a.place.point[1] - b.place.point[1]));
}

// A label, and a line from the spot to the label.
function aside([x, y], at, value) {
  const way = [at[0] - x, at[1] - y], start = RADIUS / Math.hypot(...way);
  return [svg("path", { class: "leader", d: `M${x + start * way[0]} ${y + start * way[1]}L${at[0]} ${at[1]}` }), heat(at, 12, value)];
}

// The label on a cell. On a tile that lies on the table, it is small, so that the tile and its figures can be seen.
const cellHeat = ({ how, point: [x, y] }, value) => (how === "cell" ? heat([x, y - 36], 15, value) : heat([x, y], 22, value));

function heat([x, y], size, { value, share, best }) {
  const words = value.toFixed(1).replace("-", "−").replace(/^−0\.0$/, "0.0");
  const label = svg("text", { x, y: y + size / 3, "font-size": size, class: "value" }, words);
  const width = size * (0.64 * words.length + 0.6), height = 1.32 * size;
  const back = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: size / 2.4, class: "back" });
  back.style.setProperty("--share", share);
  return svg("g", { class: best ? "hint best" : "hint" }, back, label);
}

// --- analysis ------------------------------------------------------------------------------------------------
// Draw the move that was played and the best move, each at its place with its value. If both have the same place, only the best move is drawn.
export function drawJudged({ given, better, value, best_value }, colour) {
  const both = [better && [better, { value: best_value, share: 1, best: true }], given && [given, { value, share: 0, best: false }]].filter((each) => each?.[0].point);
  const apart = both.filter(([answer], number) => !number || `${answer.point}` !== `${both[0][0].point}`);
  return apart.map(([answer, told]) => judgedShape(placesOf([answer])[0], answer, told, colour));
}

function judgedShape(place, answer, told, colour) {
  const shapes = place.cells.length ? cellShapes(place, answer, told.best) : spotShapes(place, answer, colour);
  const label = place.cells.length ? cellHeat(place, told) : heat([place.point[0], place.point[1] - RADIUS - 8], 12, told);
  return svg("g", { class: `place ${place.how} ${told.best ? "better" : "given"}`, "data-answer": answer.text }, shapes, label);
}

// --- highlights ----------------------------------------------------------------------------------------------
export function frameAround(x, y) {
  return svg("rect", { class: "lit-tile", x: 100 * x + 1, y: 100 * y + 1, width: 98, height: 98, rx: 4 });
}
