// Places: where the legal answers are given. A place is a cell, a point on a tile or a choice over it, with the answers that are given there.
// A choice, {tile, rotation, figure}, says which of them is meant.

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

// The answer that is given at a place by a choice; undefined where it does not fit there.
export function meant(place, choice) {
  return place.answers.find((answer) => (answer.how === "tile"
    ? answer.tile === choice.tile && answer.rotation === choice.rotation
    : answer.figure === null || answer.figure === choice.figure));
}

// What can be chosen: the tiles of which one may be laid, the rotations of each, the figures.
export function choicesOf(answers) {
  const tiles = unique(answers.map((answer) => answer.how === "tile" && answer.tile));
  const rotations = Object.fromEntries(tiles.map((tile) => [tile,
    unique(answers.map((answer) => answer.tile === tile && String(answer.rotation))).map(Number).sort((a, b) => a - b)]));
  return { tiles, rotations, figures: unique(answers.map((answer) => answer.how === "spot" && answer.figure)) };
}

const unique = (values) => [...new Set(values.filter(Boolean))];

// A choice that is possible, as near as can be to the one before.
export function choiceAmong(choices, before) {
  const tile = choices.tiles.includes(before.tile) ? before.tile : choices.tiles[0] ?? null;
  const rotations = choices.rotations[tile] ?? [0];
  const rotation = rotations.includes(before.rotation) && tile === before.tile ? before.rotation : rotations[0];
  return { tile, rotation, figure: choices.figures.includes(before.figure) ? before.figure : choices.figures[0] ?? null };
}

// The choice that makes a place fit: turned as little as possible.
export function choiceFor(place, choice) {
  if (meant(place, choice)) return choice;
  const turns = (answer) => (((answer.rotation ?? 0) - choice.rotation + 360) % 360);
  const nearest = [...place.answers].sort((a, b) => turns(a) - turns(b))[0];
  return nearest.how === "tile" ? { ...choice, tile: nearest.tile, rotation: nearest.rotation } : { ...choice, figure: nearest.figure };
}

// The place at a point of the board; `reach` is how far beside a spot one may click.
export function placeAt(places, [px, py], choice, reach) {
  const near = places.map((place) => ({ place, away: Math.hypot(place.point[0] - px, place.point[1] - py), fits: meant(place, choice) ? 0 : 1 }))
    .filter(({ place, away }) => (place.cells.length
      ? place.cells.some(([x, y]) => px >= 100 * x && px < 100 * x + 100 && py >= 100 * y && py < 100 * y + 100)
      : away <= reach));
  near.sort((a, b) => (a.place.cells.length ? a.fits - b.fits || a.away - b.away : a.away - b.away));
  return near[0]?.place ?? null;
}

// The next place in a direction from a point: straight ahead counts more than near.
export function placeTowards(places, [fromX, fromY], [dx, dy]) {
  let best = null, least = Infinity;
  for (const place of places) {
    const x = place.point[0] - fromX, y = place.point[1] - fromY, along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
    const cost = along + 2.2 * aside;
    if (along > 0.5 && cost < least) [best, least] = [place, cost];
  }
  return best;
}
