// The time, explanations, statistics, SQL and programs.

import { json } from "/server.js";
import { button, bytesText, choice, element, failure, list, nameOf, numberText, save, table, timeText } from "/elements.js";
import { EVENTS, swatches } from "/colors.js";

export async function time(shared, panel, loader) {
  const { state } = shared;
  const found = await loader.run("the names of fragments, schemas and deletes", (options) => json("/api/history", { uri: state.uri }, options));
  if (!found) return undefined;
  const { events } = found;
  if (!events.length) {
    panel.append(element("p", {}, "Nothing was written yet."));
    return undefined;
  }
  const stops = [...new Set(events.map((event) => event.end))].sort((one, other) => one - other);
  const low = events.reduce((least, event) => Math.min(least, event.start), Infinity);
  const high = stops[stops.length - 1];
  const index = state.at === undefined ? stops.length - 1 : Math.max(0, stops.findLastIndex((stop) => stop <= Number(state.at)));
  const text = element("strong", {}, state.at === undefined ? "now" : timeText(Number(state.at)));
  const slider = element("input", { type: "range", min: "0", max: String(stops.length - 1), step: "1", value: String(index), "aria-label": "State of the array" });
  slider.style.width = "100%";
  slider.addEventListener("input", () => { text.textContent = timeText(stops[slider.value]); });
  const go = (stop) => {
    state.at = stop === undefined ? "" : String(stop);
    shared.reopen();
  };
  slider.addEventListener("change", () => go(stops[slider.value]));
  const canvas = element("canvas", { role: "img", "aria-label": `${events.length} events from ${timeText(low)} to ${timeText(high)}; the table lists them` });
  const paint = () => {
    const lanes = Object.keys(EVENTS).filter((kind) => events.some((event) => event.kind === kind));
    const width = canvas.clientWidth || 600;
    const height = lanes.length * 30 + 24;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const span = Math.max(high - low, 1);
    const toX = (stamp) => 8 + ((stamp - low) / span) * (width - 24);
    pen.font = "12px system-ui, sans-serif";
    lanes.forEach((kind, lane) => {
      pen.fillStyle = style.getPropertyValue("--soft");
      pen.fillRect(0, lane * 30, width, 26);
      pen.fillStyle = EVENTS[kind][1];
      for (const event of events.filter((other) => other.kind === kind)) {
        const x = toX(event.start);
        pen.fillRect(x, lane * 30 + 3, Math.max(toX(event.end) - x, 5), 20);
      }
    });
    pen.fillStyle = style.getPropertyValue("--text");
    pen.textBaseline = "top";
    pen.fillText(timeText(low), 8, lanes.length * 30 + 4);
    pen.textAlign = "right";
    pen.fillText(timeText(high), width - 8, lanes.length * 30 + 4);
  };
  const kinds = [...new Set(events.map((event) => event.kind))];
  panel.append(
    element("p", {}, "The array as of ", text, ". All views show this state."),
    element("label", { class: "long" }, "State of the array: the time of an event", slider),
    element("div", { class: "controls" }, button("Now", () => go(undefined), { disabled: state.at === undefined })),
    element("div", { class: "plane" }, canvas),
    swatches(kinds.map((kind) => EVENTS[kind])),
    table(`Events${found.complete ? "" : " (the last ones)"}`, [{ name: "event" }, { name: "from" }, { name: "to" }, { name: "cells", number: true }, { name: "size", number: true }],
      events.slice(-500).reverse().map((event) => [
        EVENTS[event.kind][0], timeText(event.start), timeText(event.end),
        event.cells === null ? "" : numberText(event.cells), event.bytes === null ? "" : bytesText(event.bytes),
      ])));
  paint();
  const observer = new ResizeObserver(paint);
  observer.observe(canvas);
  return () => observer.disconnect();
}

// Returns the ranges of the box of a picture or map, if the state has one.
function boxRanges({ schema, state }) {
  const box = (state.box ?? "").split(",").map(Number);
  if (box.length !== 4 || !box.every(Number.isFinite)) return [];
  const dense = schema.array_type === "dense";
  const axes = schema.dimensions.filter((dimension) => dimension.axis);
  const [first, second] = dense && axes.length > 1 ? [axes[1], axes[0]] : axes;
  const x = axes.find((axis) => axis.name === state.x) ?? first;
  const y = state.y === "-" ? undefined : axes.find((axis) => axis.name === state.y && axis !== x) ?? (x === second ? first : second);
  const named = new Set((state.ranges ?? "").split(";").map((part) => part.split("=")[0].trim()));
  return [[x, box[0], box[1]], [y, box[2], box[3]]].flatMap(([axis, low, high]) => {
    if (!axis || named.has(axis.name)) return [];
    const { first: least, last: most, real } = axis.axis;
    const from = Math.max(real ? low : Math.floor(low), least);
    const to = Math.min(real ? high : Math.ceil(high) - 1, most);
    if (from > to || (from <= least && to >= most)) return [];
    const sign = (value) => (value >= 0 ? `+${value}` : String(value));
    return [`${axis.name}=${sign(from)}..${sign(to)}`];
  });
}

export async function explain(shared, panel, loader) {
  const range = boxRanges(shared);
  const found = await loader.run("the plan of the read", (options) => json("/api/explain", shared.selection({ range }), options));
  if (!found) return;
  const { explanation, text } = found;
  const plan = explanation.plan;
  const tiles = [
    ["read", plan.tiles_read], ["outside of the ranges", plan.tiles_outside_ranges],
    ["hidden by newer fragments", plan.tiles_hidden], ["excluded by statistics", plan.tiles_excluded_by_statistics],
  ];
  panel.append(
    element("p", { class: "note" }, range.length ? `The read of the box of the map or picture: ${range.join(", ")}.` : "The read of the selection."),
    element("h2", {}, "Hints"),
    explanation.hints.length ? element("ul", {}, explanation.hints.map((hint) => element("li", {}, hint))) : element("p", {}, "none"),
    element("h2", {}, "Plan"),
    list([
      ["reader", explanation.reader], ["order", explanation.order], ["fields", explanation.fields.join(", ")],
      ["fragments", `${numberText(plan.fragments_read)} of ${numberText(plan.fragments)} are read`],
      ["cells in tiles", numberText(plan.cells_in_tiles_read)],
      ["bytes", `${bytesText(plan.stored_bytes)} stored, ${bytesText(plan.decoded_bytes)} decoded`],
      ["memory", `${bytesText(plan.memory)} of a budget of ${bytesText(explanation.memory_budget)}`],
    ]),
    element("h2", {}, "Tiles"),
    table(`Tiles: ${numberText(plan.tiles)}`, [{ name: "use" }, { name: "tiles", number: true }], tiles.map(([name, number]) => [name, numberText(number)])),
    element("details", {}, element("summary", {}, "As text"), element("pre", { tabindex: "0" }, text)));
}

export async function statistics(shared, panel, loader) {
  const { schema } = shared;
  const dense = schema.array_type === "dense";
  const all = [...(dense ? [] : schema.dimensions), ...schema.attributes.items].map((field) => field.name);
  const shown = all.slice(0, 24);
  const place = element("div");
  panel.append(
    element("p", { class: "note" }, all.length > shown.length
      ? `The first ${shown.length} of ${numberText(all.length)} fields. ` : "",
    "A field whose cells exceed the limits is measured in a part in the middle."), place);
  await loader.run("statistics", async (options, wait) => {
    for (const name of shown) {
      wait(`statistics of ${name}`);
      try {
        place.append(field(name, await json("/api/statistics", shared.selection({ field: name }), options)));
      } catch (error) {
        if (error.name === "AbortError") throw error;
        place.append(element("h2", {}, name), failure(error));
      }
    }
    return true;
  });
}

function field(name, { cells, summary, is_sample: isSample, ranges, plan }) {
  const facts = [["cells", `${numberText(cells)}${isSample ? ` in ${ranges.join(", ")}` : ""}`], ["datatype", summary.datatype]];
  for (const [key, text] of [["min", "minimum"], ["max", "maximum"], ["mean", "mean"], ["nulls", "nulls"]]) {
    if (summary[key] !== undefined && summary[key] !== null) facts.push([text, String(summary[key])]);
  }
  if (plan) facts.push(["reads at most", bytesText(plan.stored_bytes)]);
  const section = element("section", {}, element("h2", {}, name), list(facts));
  const bins = summary.histogram ?? [];
  if (!bins.length) return section;
  const most = Math.max(...bins.map((bin) => bin.cells), 1);
  const short = (value) => String(Number(value.toPrecision(6)));
  const bars = element("div", { class: "bars", role: "img", "aria-label": `Histogram of ${name} from ${short(bins[0].from)} to ${short(bins[bins.length - 1].to)}` },
    bins.map((bin) => {
      const bar = element("i", { title: `${short(bin.from)} to ${short(bin.to)}: ${numberText(bin.cells)}` });
      bar.style.height = `${(100 * bin.cells) / most}%`;
      return bar;
    }));
  section.append(bars, element("p", { class: "note" }, `${short(bins[0].from)} to ${short(bins[bins.length - 1].to)}`),
    element("details", {}, element("summary", {}, "Histogram as a table"),
      table(`Histogram of ${name}`, [{ name: "from", number: true }, { name: "to", number: true }, { name: "cells", number: true }],
        bins.map((bin) => [short(bin.from), short(bin.to), numberText(bin.cells)]))));
  return section;
}

export async function sql(shared, panel, loader) {
  const { schema, state } = shared;
  const text = element("textarea", { spellcheck: "false", "aria-label": "Query" });
  const names = [...schema.dimensions, ...schema.attributes.items].map((field) => `"${field.name.replaceAll('"', '""')}"`);
  // Planning a query over thousands of columns takes long.
  const columns = names.length > 32 ? names.slice(0, 16).join(", ") : "*";
  text.value = state.query ?? `SELECT ${columns} FROM array LIMIT 100`;
  const place = element("div");
  let found;
  const run = async () => {
    state.query = text.value;
    shared.remember();
    place.replaceChildren();
    try {
      found = await loader.run("the query", (options) => json("/api/sql", { uri: state.uri }, { ...options, method: "POST", body: text.value }));
      if (!found) return;
      place.append(table(`${numberText(found.rows.length)} rows${found.complete ? "" : ", and more"}`, found.columns, found.rows), plotOf(found));
    } catch (error) {
      place.append(failure(error));
    }
  };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  const csv = () => {
    if (!found) return;
    const quoted = (cell) => (cell === null ? "" : /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const lines = [found.columns.map((column) => column.name), ...found.rows].map((row) => row.map(quoted).join(","));
    save(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }), `${nameOf(state.uri)}.csv`);
  };
  panel.append(
    element("p", { class: "note" }, "The array is the table array; queries only read. Ctrl+Enter runs the query."),
    text, element("div", { class: "controls" }, button("Run", run), button("CSV of the rows", csv)), place);
  await run();
}

// Returns a plot of the last column of numbers by row.
function plotOf({ columns, rows }) {
  const numeric = columns.map((column, index) => [column, index]).filter(([column]) => column.number);
  if (!numeric.length || rows.length < 2) return element("span");
  const place = element("div");
  const draw = (name) => {
    const index = columns.findIndex((column) => column.name === name);
    const values = rows.map((row) => (row[index] === null ? NaN : Number(row[index])));
    const finite = values.filter(Number.isFinite);
    const low = Math.min(0, ...finite);
    const high = Math.max(0, ...finite);
    const canvas = element("canvas", { width: 720, height: 220, role: "img", "aria-label": `${name} by row; the table has the values` });
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    pen.fillStyle = style.getPropertyValue("--accent");
    const y = (value) => 210 - ((value - low) / (high - low || 1)) * 200;
    const width = 720 / values.length;
    values.forEach((value, row) => {
      if (Number.isFinite(value)) pen.fillRect(row * width, Math.min(y(value), y(0)), Math.max(width - 1, 1), Math.max(Math.abs(y(value) - y(0)), 1));
    });
    place.replaceChildren(element("div", { class: "plane" }, canvas),
      element("p", { class: "note" }, `${low} to ${high}`), button("PNG", () => canvas.toBlob((content) => save(content, `${name}.png`))));
  };
  const names = numeric.map(([column]) => column.name);
  draw(names[names.length - 1]);
  return element("div", {}, element("div", { class: "controls" }, choice("Plot", names, names[names.length - 1], draw)), place);
}

export async function programs(shared, panel, loader) {
  const fields = (shared.state.fields ?? "").split("\n").filter(Boolean);
  const found = await loader.run("the programs", (options) => json("/api/program", shared.selection({ field: fields, range: boxRanges(shared) }), options));
  if (!found) return;
  for (const [language, text] of Object.entries(found)) {
    panel.append(element("h2", {}, language), element("pre", { tabindex: "0", "aria-label": language }, text),
      button(`Copy ${language}`, () => navigator.clipboard.writeText(text)));
  }
}

