// The map of fragments and tiles over two dimensions.

import { json } from "/server.js";
import { bytesText, choice, element, failure, numberText, table, timeText, valueText } from "/elements.js";
import { USES, colorAt, css, scale, swatches } from "/colors.js";
import { Plane, positionText } from "/plane.js";

// Returns the dimensions as axes. Those of strings are for the map only, which has the bounds of
// tiles in the order of their ranks.
export const axesOf = (schema, withRanks = false) => schema.dimensions.filter((dimension) => withRanks || !dimension.axis.ranked)
  .map((dimension) => ({ name: dimension.name, datatype: dimension.datatype, ...dimension.axis }));

// Returns the two axes of the state, or those that are drawn by default: a dense array like a matrix.
export function chosenAxes(shared, withRanks = false) {
  const { schema, state } = shared;
  const axes = axesOf(schema, withRanks);
  const dense = schema.array_type === "dense";
  const [first, second] = dense && axes.length > 1 ? [axes[1], axes[0]] : axes;
  const x = axes.find((axis) => axis.name === state.x) ?? first;
  const others = axes.filter((axis) => axis !== x);
  const y = state.y === "-" ? undefined : others.find((axis) => axis.name === state.y) ?? (others.includes(second) ? second : others[0]);
  return { axes, x, y, down: dense && Boolean(y) };
}

// Returns a coordinate as a bound of a range. Numbers of 64 bits are rounded, and the bounds of the
// domain are exact. The sign distinguishes a number from a year.
export function coordinateText(value, { real, ends }) {
  if (real) return String(value);
  const [least, most] = ends.map(BigInt);
  const whole = BigInt(Math.floor(value));
  const inside = whole < least ? least : whole > most ? most : whole;
  return `${inside < 0n ? "" : "+"}${inside}`;
}

// Returns the text of the state for the axes of its box; none if all have numbers.
export const planeOf = (x, y) => (x.ranked || y?.ranked ? JSON.stringify([x.name, y?.name ?? ""]) : "");

// Keeps the box that a plane shows in the state. All of the newest fragments is not all.
export function keepBox({ state, remember, newest }, { x, y, bounds, whole }) {
  if (newest && String(bounds) === String(whole)) return;
  state.box = bounds.map((bound) => Number(bound.toPrecision(15))).join(",");
  state.plane = planeOf(x, y);
  remember();
}

// Returns the bounds of everything and of the state.
export function boundsOf(shared, x, y) {
  const ends = (axis) => [axis.low, axis.real ? axis.high : axis.high + 1];
  const widened = ([low, high]) => (high > low ? [low, high] : [low - 0.5, low + 0.5]);
  const whole = [...widened(ends(x)), ...(y ? widened(ends(y)) : [0, 1])];
  const { state } = shared;
  const kept = (state.box ?? "").split(",").map(Number);
  // The box of a map of strings is none of a picture.
  const isOfAxes = (state.plane ?? "") === planeOf(x, y);
  const isValid = isOfAxes && kept.length === 4 && kept.every(Number.isFinite) && kept[1] > kept[0] && kept[3] > kept[2];
  return { whole, bounds: isValid ? kept : [...whole] };
}

export function axisChoices(shared, axes, x, y) {
  const { state } = shared;
  const change = (name) => (value) => {
    state[name] = value;
    if (state.x === state.y) state.y = "";
    delete state.box;
    shared.show();
  };
  const names = axes.map((axis) => axis.name);
  return [
    choice("Horizontal", names, x.name, change("x")),
    choice("Vertical", [...names.filter((name) => name !== x.name), ["-", "none"]], y?.name ?? "-", change("y")),
  ];
}

export async function map(shared, panel, loader) {
  const { schema, state } = shared;
  const { axes, x, y, down } = chosenAxes(shared, true);
  const { whole, bounds } = boundsOf(shared, x, y);
  const coloring = state.color ?? "age";
  let found;
  const legend = element("div");
  const tableBox = element("details", {}, element("summary", {}, "Fragments as a table"));
  const draw = (pen, view) => found && paint(pen, view, found, coloring, x, y);
  const load = async () => {
    keepBox(shared, plane);
    const [x0, x1, y0, y1] = plane.bounds;
    try {
      const loaded = await loader.run("the metadata of fragments and tiles", (options) =>
        json("/api/map", { ...shared.selection(), x: x.name, y: y?.name, x0, x1, y0, y1, use: coloring === "read" ? 1 : "" }, options));
      if (!loaded) return;
      found = loaded;
    } catch (error) {
      legend.replaceChildren(failure(error));
      return;
    }
    x.labels = found.labels[0];
    if (y) y.labels = found.labels[1];
    plane.paint();
    legend.replaceChildren(...legendOf(found, coloring));
    const rows = found.fragments.slice(0, 500).map((fragment) => [
      timeText(fragment.start), timeText(fragment.end), numberText(fragment.cells), numberText(fragment.tiles), bytesText(fragment.bytes),
      rangeText(fragment.bounds[0], fragment.bounds[1], x, fragment.texts[0]), y ? rangeText(fragment.bounds[2], fragment.bounds[3], y, fragment.texts[1]) : "",
    ]);
    tableBox.replaceChildren(tableBox.firstChild, table("Fragments in the map", [{ name: "from" }, { name: "to" }, { name: "cells", number: true }, { name: "tiles", number: true }, { name: "size", number: true }, { name: x.name }, { name: y?.name ?? "" }], rows));
    const order = x.ranked || y?.ranked ? "; strings are at equal distances in the order of the bounds of tiles" : "";
    shared.say(` · ${numberText(found.fragments.length)} of ${numberText(found.fragments_total)} fragments, ${tilesText(found)}; reads metadata only${order}`);
  };
  const plane = new Plane({
    label: `Map of fragments and tiles of ${state.uri}`,
    x, y, down, bounds, whole, draw, onmove: load,
    describe: (px, py) => found && describe(found, px, py, x, y),
  });
  panel.append(
    element("div", { class: "controls" }, axisChoices(shared, axes, x, y),
      choice("Color", [["age", "age of fragments"], ["size", "bytes per cell"], ["cells", "density of cells"], ["read", "what the read does"]], coloring, (value) => {
        state.color = value;
        shared.show();
      })),
    plane.root, legend, tableBox);
  await load();
  return () => plane.end();
}

const rangeText = (low, high, axis, texts) => (texts ? texts.join(" to ")
  : `${valueText(low, axis.datatype)} to ${valueText(axis.real ? high : Math.max(high - 1, low), axis.datatype)}`);

function tilesText(found) {
  const number = found.tiles.length / 7;
  return found.tiles_cut
    ? `more than ${numberText(found.max_tiles)} tiles here: zoom in to see them`
    : `${numberText(number)} of ${numberText(found.tiles_total)} tiles`;
}

// Returns the value of a fragment or tile that determines its color.
function valueOf(coloring, fragment, bounds, cells) {
  if (coloring === "size") return fragment.bytes / Math.max(fragment.cells, 1);
  if (coloring === "cells") {
    const area = Math.max(bounds[1] - bounds[0], 1e-9) * Math.max(bounds[3] - bounds[2], 1e-9);
    return Math.log10(Math.max(cells, 1) / area);
  }
  return fragment.end;
}

// Returns the shapes of a map: tiles, or fragments if there are too many tiles.
function shapes(found, coloring) {
  const byIndex = new Map(found.fragments.map((fragment) => [fragment.index, fragment]));
  const all = [];
  for (let at = 0; at < found.tiles.length; at += 7) {
    const [index, left, right, bottom, top, cells, used] = found.tiles.slice(at, at + 7);
    const fragment = byIndex.get(index);
    if (!fragment) continue;
    const bounds = [left, right, bottom, top];
    all.push({ fragment, bounds, cells, used, value: valueOf(coloring, fragment, bounds, cells) });
  }
  if (all.length) return all;
  return found.fragments.map((fragment) => ({
    fragment, bounds: fragment.bounds, cells: fragment.cells, value: valueOf(coloring, fragment, fragment.bounds, fragment.cells),
  }));
}

function ends(all) {
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of all) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

function paint(pen, { toX, toY, color }, found, coloring, x, y) {
  const all = shapes(found, coloring);
  const [low, high] = ends(all);
  const rows = found.fragments.length;
  const order = new Map(found.fragments.map((fragment, row) => [fragment, row]));
  const outline = color("--text");
  for (const shape of all) {
    const [left, right, bottom, top] = shape.bounds;
    const row = order.get(shape.fragment);
    const [a, b] = y ? [toY(bottom), toY(top)] : [toY(row / rows), toY((row + 1) / rows)];
    const start = toX(left);
    const width = Math.max(toX(right) - start, 1);
    const height = Math.max(Math.abs(b - a), 1);
    pen.globalAlpha = 0.8;
    pen.fillStyle = coloring === "read"
      ? (USES[shape.used] ?? ["", "#8f98a3"])[1]
      : css(colorAt("viridis", high > low ? (shape.value - low) / (high - low) : 0.5));
    pen.fillRect(start, Math.min(a, b), width, height);
    pen.globalAlpha = 1;
    if (width > 4 && height > 4) {
      pen.strokeStyle = outline;
      pen.strokeRect(start + 0.5, Math.min(a, b) + 0.5, width - 1, height - 1);
    }
  }
  if (!y) return;
  if (x.ranked || y.ranked) return;
  // The grid of cells, when cells can be seen.
  const [x0, x1, y0, y1] = found.frame;
  const sizeX = toX(1) - toX(0);
  const sizeY = Math.abs(toY(1) - toY(0));
  if (sizeX < 8 || sizeY < 8 || x1 - x0 > 400) return;
  pen.fillStyle = color("--line");
  for (let cell = Math.ceil(x0); cell <= x1; cell += 1) pen.fillRect(toX(cell), Math.min(toY(y0), toY(y1)), 1, Math.abs(toY(y1) - toY(y0)));
  for (let cell = Math.ceil(y0); cell <= y1; cell += 1) pen.fillRect(toX(x0), toY(cell), toX(x1) - toX(x0), 1);
}

function legendOf(found, coloring) {
  if (coloring === "read") {
    if (found.has_uses) return [swatches(USES)];
    return [element("p", { class: "note" }, "The array has too many tiles to show what the read does with each.")];
  }
  const all = shapes(found, coloring);
  if (!all.length) return [element("p", { class: "note" }, "There are no cells here.")];
  const [low, high] = ends(all);
  const text = {
    age: timeText,
    size: (value) => `${value.toFixed(2)} bytes per cell`,
    cells: (value) => `${(10 ** value).toPrecision(3)} cells per unit of area`,
  }[coloring] ?? timeText;
  return [scale("viridis", text(low), text(high))];
}

function describe(found, px, py, x, y) {
  const inside = ([left, right, bottom, top]) => px >= left && px <= right && (!y || (py >= bottom && py <= top));
  const hits = shapes(found, "age").filter((shape) => inside(shape.bounds));
  const place = y ? `${positionText(px, x)}, ${positionText(py, y)}` : positionText(px, x);
  if (!hits.length) return place;
  const last = hits[hits.length - 1];
  const used = USES[last.used] ? `\n${USES[last.used][0]}` : "";
  return `${place}\n${hits.length} ${found.tiles.length ? "tiles" : "fragments"}; newest: ${timeText(last.fragment.end)}, ${numberText(last.cells)} cells${used}`;
}
