// Places: where people click to choose a legal action. A place is a cell, a point on a tile or a button on it, with the actions that belong to it.
// A choice, {tile, rotation, figure}, selects one of these actions.

export function placesOf(answers) {
  const found = new Map();
  answers.forEach((answer, number) => {
    if (!answer.point) return;
    const key = `${answer.how} ${answer.how === "tile" ? answer.tile : ""} ${answer.point}`;
    if (!found.has(key)) found.set(key, { key, how: answer.how, point: answer.point, cells: answer.cells, answers: [] });
    found.get(key).answers.push({ ...answer, number });
  });
  return [...found.values()];
}

// The action that a choice selects at a place; undefined if the choice does not fit there.
export function meant(place, choice) {
  return place.answers.find((answer) => (answer.how === "tile"
    ? answer.tile === choice.tile && answer.rotation === choice.rotation
    : answer.figure === null || answer.figure === choice.figure));
}

// The possible choices: the tiles that may be placed, the rotations of each tile, and the figures.
export function choicesOf(answers) {
  const tiles = unique(answers.map((answer) => answer.how === "tile" && answer.tile));
  const rotations = Object.fromEntries(tiles.map((tile) => [tile,
    unique(answers.map((answer) => answer.tile === tile && String(answer.rotation))).map(Number).sort((a, b) => a - b)]));
  return { tiles, rotations, figures: unique(answers.map((answer) => answer.how === "spot" && answer.figure)) };
}

const unique = (values) => [...new Set(values.filter(Boolean))];

// The possible choice that is most similar to the previous choice.
export function choiceAmong(choices, before) {
  const tile = choices.tiles.includes(before.tile) ? before.tile : choices.tiles[0] ?? null;
  const rotations = choices.rotations[tile] ?? [0];
  const rotation = rotations.includes(before.rotation) && tile === before.tile ? before.rotation : rotations[0];
  return { tile, rotation, figure: choices.figures.includes(before.figure) ? before.figure : choices.figures[0] ?? null };
}

// The choice that fits at a place. The tile is turned as little as possible.
export function choiceFor(place, choice) {
  if (meant(place, choice)) return choice;
  const turns = (answer) => (((answer.rotation ?? 0) - choice.rotation + 360) % 360);
  const nearest = [...place.answers].sort((a, b) => turns(a) - turns(b))[0];
  return nearest.how === "tile" ? { ...choice, tile: nearest.tile, rotation: nearest.rotation } : { ...choice, figure: nearest.figure };
}

// The place at a point of the board. A click within `reach` units of a spot counts as a click on the spot.
export function placeAt(places, [px, py], choice, reach) {
  const near = places.map((place) => ({ place, away: Math.hypot(place.point[0] - px, place.point[1] - py), fits: meant(place, choice) ? 0 : 1 }))
    .filter(({ place, away }) => (place.cells.length
      ? place.cells.some(([x, y]) => px >= 100 * x && px < 100 * x + 100 && py >= 100 * y && py < 100 * y + 100)
      : away <= reach));
  near.sort((a, b) => (a.place.cells.length ? a.fits - b.fits || a.away - b.away : a.away - b.away));
  return near[0]?.place ?? null;
}

// The next place in a direction from a point. Places straight ahead are preferred to nearer ones at the side.
export function placeTowards(places, [fromX, fromY], [dx, dy]) {
  let best = null, least = Infinity;
  for (const place of places) {
    const x = place.point[0] - fromX, y = place.point[1] - fromY, along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
    const cost = along + 2.2 * aside;
    if (along > 0.5 && cost < least) [best, least] = [place, cost];
  }
  return best;
}
