// The board: layers that change by differences, and a camera that pans and zooms over them.
// Coordinates are in units of the board, with 100 units per cell. The camera has the position of the origin on the screen (x, y) and the number of pixels per unit (k).

import { calm, drawn, svg } from "./dom.js";

const NEAREST = 2.4, FURTHEST = 0.08; // pixels per unit
const DRAG = 7; // pixels that the pointer may move during a click
const SETTLED = 180; // milliseconds after a movement until the board is drawn sharply again
const ROOM = 24; // pixels around the board when the whole board is shown

export class Board {
  constructor(frame, { click, hover, leave, fitted }) {
    this.fitted = fitted; // called when the size of the frame has changed and the whole board has been shown again
    this.frame = frame;
    this.camera = frame.querySelector("#camera");
    this.drawing = frame.querySelector("#drawing");
    this.definitions = document.querySelector("#art defs");
    this.layers = new Map();
    this.over = frame.querySelector("#over"); // drawn over all layers: the places to click
    this.at = { x: 0, y: 0, k: 1 };
    this.mark = null;
    this.marked = []; // points outside the drawing that the whole board includes
    this.pointers = new Map();
    this.listen(click, hover, leave);
    new ResizeObserver(() => this.resized()).observe(frame);
    this.resized();
  }

  // --- drawing ---------------------------------------------------------------------------------------------
  // True if a drawing can be shown. A difference can be shown only if the older drawing is on the screen.
  fits(drawing) {
    return drawing.from === null || drawing.from === this.mark;
  }

  // Show a drawing. For each layer that changes, `moved(name, fresh, gone)` is called with the new and the removed elements.
  show(drawing, moved = null) {
    this.onChange = moved;
    for (const [id, art] of Object.entries(drawing.definitions)) this.define(id, art);
    if (drawing.from === null) this.whole(drawing);
    for (const layer of drawing.layers) if (drawing.from !== null) this.change(layer);
    this.mark = drawing.mark;
    this.grow(drawing.box);
  }

  define(id, art) {
    if (document.getElementById(id)) return;
    const group = svg("g", { id });
    group.innerHTML = art;
    this.definitions.append(group);
  }

  whole(drawing) {
    const known = new Map([...this.layers].map(([name, layer]) => [name, layer.items]));
    if (!known.size) for (const { name } of drawing.layers) this.add(name);
    for (const { name, items } of drawing.layers) this.patch(this.layers.get(name), items, changes(known.get(name) ?? [], items));
  }

  add(name) {
    const group = svg("g", { "data-layer": name });
    this.layers.set(name, { group, items: [], nodes: [] });
    this.drawing.append(group);
  }

  change({ name, items }) {
    const layer = this.layers.get(name);
    const now = items.flatMap((item) => (typeof item === "string" ? [item] : layer.items.slice(item[0], item[1] + 1)));
    this.patch(layer, now, items);
  }

  // Insert the new items of a layer and remove old ones, without touching the elements that stay.
  patch(layer, items, difference) {
    const fresh = drawn(difference.filter((item) => typeof item === "string")), came = [...fresh];
    const nodes = difference.flatMap((item) => (typeof item === "string" ? [fresh.shift()] : layer.nodes.slice(item[0], item[1] + 1)));
    const kept = new Set(nodes), gone = layer.nodes.filter((node) => !kept.has(node));
    for (const node of gone) node.remove();
    let place = layer.group.firstChild;
    for (const node of nodes) {
      if (node === place) place = place.nextSibling;
      else layer.group.insertBefore(node, place);
    }
    Object.assign(layer, { items, nodes });
    if (came.length || gone.length) this.onChange?.(layer.group.dataset.layer, came, gone);
  }

  // --- camera ----------------------------------------------------------------------------------------------
  resized() {
    [this.wide, this.high] = [this.frame.clientWidth, this.frame.clientHeight];
    if (!this.box || this.moved) return;
    this.fit();
    this.fitted();
  }

  grow(box) {
    const first = !this.box;
    this.box = box;
    if (first || !this.moved) this.fit(!first);
  }

  fit(smoothly = false) {
    const [left, top, width, height] = around(this.box, this.marked), { wide, high } = this;
    if (!wide || !high) return;
    const k = limited(Math.min((wide - 2 * ROOM) / width, (high - 2 * ROOM) / height, 1.25));
    this.moved = false;
    this.go({ k, x: wide / 2 - k * (left + width / 2), y: high / 2 - k * (top + height / 2) }, smoothly);
  }

  // Show a point. `least` and `most` are limits of the zoom, in pixels per unit.
  reveal(point, least = 0, most = NEAREST) {
    this.revealAll([point], least, most);
  }

  // Show several points together. If they are far apart, the zoom is smaller than `least`.
  revealAll(points, least = 0, most = NEAREST) {
    const { wide, high } = this, [left, top, width, height] = spanned(points), edge = Math.min(60, wide / 5, high / 5);
    const together = Math.min((wide - 2 * edge) / width, (high - 2 * edge) / height), k = limited(Math.min(Math.max(this.at.k, least), most, together));
    const inside = points.map((point) => this.onScreen(point)).every(([x, y]) => x > edge && y > edge && x < wide - edge && y < high - edge);
    if (inside && k === this.at.k) return;
    this.go({ k, x: wide / 2 - k * (left + width / 2), y: high / 2 - k * (top + height / 2) }, true);
  }

  go(at, smoothly = false) {
    if (at.x === this.at.x && at.y === this.at.y && at.k === this.at.k) return;
    this.at = at;
    this.camera.classList.toggle("smooth", smoothly && !calm());
    this.camera.classList.add("moving");
    this.camera.style.transform = `translate(${at.x}px, ${at.y}px) scale(${at.k})`;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.camera.classList.remove("moving", "smooth"), SETTLED + 100 * smoothly);
  }

  pan(dx, dy) {
    this.moved = true;
    this.go({ ...this.at, x: this.at.x + dx, y: this.at.y + dy });
  }

  zoom(factor, [sx, sy] = [this.wide / 2, this.high / 2]) {
    const k = limited(this.at.k * factor), ratio = k / this.at.k;
    this.moved = true;
    this.go({ k, x: sx - ratio * (sx - this.at.x), y: sy - ratio * (sy - this.at.y) });
  }

  onBoard(event) {
    const { left, top } = this.frame.getBoundingClientRect();
    return [(event.clientX - left - this.at.x) / this.at.k, (event.clientY - top - this.at.y) / this.at.k];
  }

  onScreen([x, y]) {
    return [this.at.x + this.at.k * x, this.at.y + this.at.k * y];
  }

  // --- mouse and fingers -----------------------------------------------------------------------------------
  listen(click, hover, leave) {
    const frame = this.frame;
    frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.press(event));
    frame.addEventListener("pointermove", (event) => {
      if (this.pointers.has(event.pointerId)) this.drag(event);
      else if (event.pointerType === "mouse") hover(this.onBoard(event), event);
    });
    frame.addEventListener("pointerup", (event) => {
      const press = this.release(event);
      if (press && !press.dragged && event.button === 0) click(this.onBoard(event), event);
    });
    frame.addEventListener("pointercancel", (event) => this.release(event));
    frame.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
  }

  wheel(event) {
    event.preventDefault();
    const { left, top } = this.frame.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), [event.clientX - left, event.clientY - top]);
  }

  press(event) {
    if (event.button !== 0) return;
    this.frame.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, fromX: event.clientX, fromY: event.clientY, dragged: this.pointers.size > 0 });
    for (const pointer of this.pointers.values()) pointer.dragged ||= this.pointers.size > 1;
  }

  drag(event) {
    const pointer = this.pointers.get(event.pointerId), before = [...this.pointers.values()].map(({ x, y }) => [x, y]);
    pointer.dragged ||= Math.hypot(event.clientX - pointer.fromX, event.clientY - pointer.fromY) > DRAG;
    [pointer.x, pointer.y] = [event.clientX, event.clientY];
    if (!pointer.dragged) return;
    const after = [...this.pointers.values()].map(({ x, y }) => [x, y]);
    const [from, to] = [middle(before), middle(after)];
    if (after.length > 1) {
      const { left, top } = this.frame.getBoundingClientRect();
      this.zoom(spread(after) / Math.max(1, spread(before)), [to[0] - left, to[1] - top]);
    }
    this.pan(to[0] - from[0], to[1] - from[1]);
  }

  release(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    return pointer;
  }
}

// Describe items as a difference from old items, in the same form as the server.
function changes(old, items) {
  const places = new Map();
  old.forEach((item, number) => places.set(item, [...(places.get(item) ?? []), number]));
  return items.map((item) => {
    const number = places.get(item)?.shift();
    return number === undefined ? item : [number, number];
  });
}

// The smallest rectangle with the given points, as [left, top, width, height].
export function spanned(points) {
  const ends = [0, 1].map((axis) => [Math.min, Math.max].map((end) => end(...points.map((point) => point[axis]))));
  return [ends[0][0], ends[1][0], ends[0][1] - ends[0][0], ends[1][1] - ends[1][0]];
}

// A rectangle that includes a box and the cells around the given points.
function around([left, top, width, height], points) {
  const cells = points.flatMap(([x, y]) => [[x - 55, y - 55], [x + 55, y + 55]]);
  return spanned([[left, top], [left + width, top + height], ...cells]);
}

const limited = (k) => Math.min(NEAREST, Math.max(FURTHEST, k));
const middle = (points) => [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
const spread = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
