// A picture of cells: an image of a dense array, points or a density map of a sparse one.

import { picture as load } from "/server.js";
import { choice, element, failure, table, valueText, visible } from "/elements.js";
import { colorAt, mapNames, scale } from "/colors.js";
import { Plane } from "/plane.js";
import { axesOf, axisChoices, boundsOf, chosenAxes, coordinateText, keepBox } from "/map.js";

const isDrawn = (attribute) => /^(U?INT|FLOAT|BOOL|DATETIME|TIME)/.test(attribute.datatype) && attribute.values_per_cell === "1";

export async function picture(shared, panel, loader) {
  const { schema, state } = shared;
  const dense = schema.array_type === "dense";
  const { axes, x, y, down } = chosenAxes(shared);
  const fields = schema.attributes.items.filter(isDrawn);
  if (!x || (dense && !fields.length)) {
    const reason = x ? "No attribute has numbers, which a picture needs." : "All dimensions have strings, which have no place in a picture.";
    panel.append(element("p", {}, `${reason} The cells show the array.`));
    return undefined;
  }
  const { whole, bounds } = boundsOf(shared, x, y);
  const fieldNames = fields.map((field) => field.name);
  if (!dense) fieldNames.unshift("");
  const field = fieldNames.includes(state.field) ? state.field : fieldNames[0];
  const datatype = fields.find((other) => other.name === field)?.datatype ?? "UINT64";
  const colors = mapNames.includes(state.colors) ? state.colors : "viridis";
  const fixed = (state.fixed ?? "").split(",").filter(Boolean).map((part) => part.split(":"));
  const sliders = new Map(fixed.map(([index, value]) => [Number(index), Number(value)]));
  const others = dense ? axesOf(schema).filter((axis) => axis !== x && axis.name !== x.name && axis.name !== y?.name) : [];
  let shown;
  let image;
  const legend = element("div");
  const note = element("p", { class: "note" });
  const tableBox = element("details", {}, element("summary", {}, "Values as a table"));
  const retry = () => shared.show();
  const range = (name) => element("input", {
    type: "number", step: "any", value: state[name] ?? "", placeholder: "automatic",
    onchange: (event) => { state[name] = event.target.value; retry(); },
  });

  const ends = () => {
    let [low, high] = [Infinity, -Infinity];
    const values = shown.points ? shown.points.filter((_, index) => index % 3 === 2 && _ !== null) : shown.numbers;
    for (const value of values) {
      if (Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    const own = (text, value) => (text !== undefined && text !== "" && Number.isFinite(Number(text)) ? Number(text) : value);
    return [own(state.low, low), own(state.high, high)];
  };

  const build = () => {
    const [low, high] = ends();
    image = document.createElement("canvas");
    image.width = shown.columns;
    image.height = shown.rows;
    const pen = image.getContext("2d");
    const pixels = pen.createImageData(shown.columns, shown.rows);
    shown.numbers.forEach((value, index) => {
      if (Number.isNaN(value)) return;
      // The first row is at the bottom, unless the axis points downwards.
      const row = Math.floor(index / shown.columns);
      const to = ((down ? row : shown.rows - 1 - row) * shown.columns + (index % shown.columns)) * 4;
      const share = high > low ? (value - low) / (high - low) : 0.5;
      const color = colorAt(colors, Number.isFinite(share) ? share : value > 0 ? 1 : 0);
      pixels.data.set([...color, 255], to);
    });
    pen.putImageData(pixels, 0, 0);
    const text = (value) => valueText(value, field ? datatype : "FLOAT64");
    legend.replaceChildren(low <= high ? scale(colors, text(low), text(high)) : element("p", { class: "note" }, "There are no values here."));
    const what = field ? `${shown.is_density ? "cells" : field}` : "number of cells";
    note.textContent = `${visible(what)}: ${shown.source}. Cells without a value have the color of the background.${shown.limited ? " The cells in view exceed the limits: zoom in to read them." : ""}`;
    tableBox.replaceChildren(tableBox.firstChild, values());
  };

  const values = () => {
    const [left, right, bottom, top] = shown.bounds;
    const rows = [];
    const width = (right - left) / shown.columns;
    const height = (top - bottom) / shown.rows;
    for (let index = 0; index < shown.numbers.length && rows.length < 200; index += 1) {
      if (Number.isNaN(shown.numbers[index])) continue;
      const column = index % shown.columns;
      const row = Math.floor(index / shown.columns);
      rows.push([
        valueText(left + column * width, x.datatype), y ? valueText(bottom + row * height, y.datatype) : "",
        field && !shown.is_density ? valueText(shown.numbers[index], datatype) : String(Number(shown.numbers[index].toPrecision(6))),
      ]);
    }
    return table(`The first ${rows.length} values of the picture`, [{ name: x.name }, { name: y?.name ?? "" }, { name: field || "cells", number: true }], rows);
  };

  const draw = (pen, { toX, toY }) => {
    if (!image) return;
    const [left, right, bottom, top] = shown.bounds;
    const [a, b] = y ? [toY(bottom), toY(top)] : [toY(0), toY(1)];
    if (!y && field && !shown.is_density) {
      plot(pen, toX, toY);
      return;
    }
    if (shown.points && shown.points.length) {
      const [low, high] = ends();
      for (let index = 0; index < shown.points.length; index += 3) {
        const [px, py, value] = shown.points.slice(index, index + 3);
        const share = value === null ? 0 : high > low ? (value - low) / (high - low) : 0.5;
        pen.fillStyle = value === null ? "#8f98a3" : `rgb(${colorAt(colors, share).join(",")})`;
        const center = (axis, point) => (axis.real ? point : point + 0.5);
        pen.fillRect(toX(center(x, px)) - 3, (y ? toY(center(y, py)) : (a + b) / 2) - 3, 6, 6);
      }
      return;
    }
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, toX(left), Math.min(a, b), toX(right) - toX(left), Math.abs(b - a));
  };

  // The values along one dimension: higher is greater.
  const plot = (pen, toX, toY) => {
    const [low, high] = ends();
    const [left, right] = shown.bounds;
    const step = (right - left) / shown.columns;
    const half = x.real ? 0 : 0.5;
    const found = shown.points
      ? Array.from({ length: shown.points.length / 3 }, (_, index) => [shown.points[3 * index] + half, shown.points[3 * index + 2]])
      : Array.from(shown.numbers, (value, column) => [left + (column + 0.5) * step, value]);
    for (const [place, value] of found) {
      if (value === null || Number.isNaN(value)) continue;
      const share = high > low ? (value - low) / (high - low) : 0.5;
      pen.fillStyle = `rgb(${colorAt(colors, share).join(",")})`;
      pen.fillRect(toX(place) - 2, toY(0.04 + 0.92 * share) - 2, 4, 4);
    }
  };

  const describe = (px, py) => {
    if (!shown) return "";
    const [left, right, bottom, top] = shown.bounds;
    const column = Math.floor(((px - left) / (right - left)) * shown.columns);
    const row = y ? Math.floor(((py - bottom) / (top - bottom)) * shown.rows) : 0;
    if (column < 0 || row < 0 || column >= shown.columns || row >= shown.rows) return "";
    const value = shown.numbers[row * shown.columns + column];
    const place = y ? `${valueText(px, x.datatype)}, ${valueText(py, y.datatype)}` : valueText(px, x.datatype);
    return `${place}\n${field && !shown.is_density ? valueText(value, datatype) : valueText(value, "FLOAT64")}`;
  };

  const refine = async () => {
    keepBox(shared, plane);
    const [x0, x1, y0, y1] = plane.bounds;
    const slice = others.map((axis) => {
      const value = sliders.get(schema.dimensions.findIndex((other) => other.name === axis.name)) ?? axis.low;
      const text = coordinateText(value, axis);
      return `${axis.name}=${text}..${text}`;
    });
    try {
      // Statistics and few cells first; the condition needs cells.
      const levels = (state.where ? [1, 2, 3] : [0, 1, 2, 3]).filter((level) => level < 2 || !shared.newest);
      const whole_ = await loader.run("statistics of tiles", async (options, wait) => {
        for (const level of levels) {
          if (level > 0) wait(`cells (step ${level} of 3)`);
          const found = await load({ ...shared.selection({ range: slice }), field, x: x.name, y: y?.name, x0, x1, y0, y1, level }, options);
          // What has no numbers does not replace what has some.
          const isEmpty = found.limited && shown && !found.numbers.some((value) => !Number.isNaN(value));
          if (isEmpty) {
            shown.limited = true;
            build();
            return found.plan;
          }
          shown = found;
          build();
          plane.paint();
          shared.ready();
          if (found.limited && level > 0) return found.plan;
          if ((found.exact && level > 0) || level === 3) return found.plan;
        }
        return undefined;
      });
      if (whole_) shared.say(shared.taken(whole_));
    } catch (error) {
      legend.replaceChildren(failure(error));
    }
  };

  const plane = new Plane({
    label: `Picture of ${field || "the number of cells"} of ${state.uri}`,
    x, y, down, bounds, whole, draw, onmove: refine, describe,
  });
  const sliderControls = others.map((axis) => {
    const index = schema.dimensions.findIndex((other) => other.name === axis.name);
    const value = sliders.get(index) ?? axis.low;
    const text = element("span", {}, `${axis.name}: ${valueText(value, axis.datatype)}`);
    const input = element("input", { type: "range", min: String(axis.low), max: String(axis.high), step: "1", value: String(value), "aria-label": axis.name });
    input.addEventListener("input", () => {
      sliders.set(index, Number(input.value));
      text.textContent = `${axis.name}: ${valueText(Number(input.value), axis.datatype)}`;
      state.fixed = [...sliders].map(([key, number]) => `${key}:${number}`).join(",");
      clearTimeout(input.timer);
      input.timer = setTimeout(refine, 150);
    });
    return element("label", {}, text, input);
  });
  panel.append(
    element("div", { class: "controls" }, axisChoices(shared, axes, x, y),
      choice("Values", fieldNames.map((name) => [name, name || "number of cells"]), field, (name) => { state.field = name; retry(); }),
      choice("Colors", mapNames, colors, (name) => { state.colors = name; retry(); }),
      element("label", {}, "Least", range("low")), element("label", {}, "Greatest", range("high")), sliderControls),
    plane.root, legend, note, tableBox);
  await refine();
  return () => plane.end();
}

