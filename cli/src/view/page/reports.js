// The time, explanations, statistics, SQL and programs.

import { json } from "/server.js";
import { button, bytesText, choice, dimensionOf, element, failure, list, nameOf, numberText, rangesOf, save, table, timeText, valueText } from "/elements.js";
import { EVENTS, swatches } from "/colors.js";
import { coordinateText } from "/map.js";

export async function time(shared, panel, loader) {
  const { state } = shared;
  const found = await loader.run(shared.early ? "the names of files" : "fragments, schemas and deletes", (options) =>
    json("/api/history", { uri: state.uri, names: shared.early ? 1 : "" }, options));
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
  // A box of strings has no ranges.
  if (state.plane) return [];
  const axes = schema.dimensions.filter((dimension) => !dimension.axis.ranked);
  const [first, second] = dense && axes.length > 1 ? [axes[1], axes[0]] : axes;
  const x = axes.find((axis) => axis.name === state.x) ?? first;
  const y = state.y === "-" ? undefined : axes.find((axis) => axis.name === state.y && axis !== x) ?? (x === second ? first : second);
  const named = new Set(rangesOf(state.ranges, schema.dimensions).map((range) => dimensionOf(range, schema.dimensions)));
  return [[x, box[0], box[1]], [y, box[2], box[3]]].flatMap(([axis, low, high]) => {
    if (!axis || named.has(axis.name)) return [];
    const { first: least, last: most, real } = axis.axis;
    const from = Math.max(real ? low : Math.floor(low), least);
    const to = Math.min(real ? high : Math.ceil(high) - 1, most);
    if (from > to || (from <= least && to >= most)) return [];
    return [`${axis.name}=${coordinateText(from, axis.axis)}..${coordinateText(to, axis.axis)}`];
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

// Returns the parts in an order that spreads over the array: the bits of their numbers reversed.
function* partOrder(parts) {
  const bits = Math.round(Math.log2(parts));
  for (let index = 0; index < parts; index += 1) {
    let [rest, part] = [index, 0];
    for (let bit = 0; bit < bits; bit += 1) {
      part = part * 2 + (rest % 2);
      rest = Math.floor(rest / 2);
    }
    yield part;
  }
}

// Makes bins wider, so that they contain two bounds: neighbours are joined.
function widen(bins, least, greatest) {
  if (!(bins.high > bins.low)) {
    const [low, high] = [Math.min(bins.low, least), Math.max(bins.high, greatest)];
    const number = bins.counts.length;
    const index = Math.min(Math.floor(((bins.low - low) / (high - low)) * number), number - 1);
    const cells = bins.counts.reduce((sum, count) => sum + count, 0);
    return { low, high, counts: bins.counts.map((_, other) => (other === index ? cells : 0)) };
  }
  let { low, high, counts } = bins;
  const half = counts.length / 2;
  while (least < low || greatest > high) {
    const width = high - low;
    const joined = counts.slice(0, half).map((_, index) => counts[2 * index] + counts[2 * index + 1]);
    const empty = joined.map(() => 0);
    if (greatest > high) {
      high += width;
      counts = [...joined, ...empty];
    } else {
      low -= width;
      counts = [...empty, ...joined];
    }
    if (!Number.isFinite(high - low)) break;
  }
  return { low, high, counts };
}

// Returns whether a value is before another one. Texts of integers are exact.
function isBefore(one, other) {
  if (/^-?\d+$/.test(one.text) && /^-?\d+$/.test(other.text)) return BigInt(one.text) < BigInt(other.text);
  return one.number !== null && other.number !== null ? one.number < other.number : one.text < other.text;
}

// Adds the statistics of a part to those of other parts.
function addPart(sums, part) {
  for (const name of ["cells", "nulls", "numbers", "sum"]) sums[name] += part[name];
  if (part.least && (!sums.least || isBefore(part.least, sums.least))) sums.least = part.least;
  if (part.greatest && (!sums.greatest || isBefore(sums.greatest, part.greatest))) sums.greatest = part.greatest;
  if (!part.bins) return;
  if (!sums.bins) sums.bins = part.bins;
  else sums.bins = { ...part.bins, counts: part.bins.counts.map((count, index) => count + sums.bins.counts[index]) };
}

export async function statistics(shared, panel, loader) {
  const { schema, session } = shared;
  const dense = schema.array_type === "dense";
  const all = [...(dense ? [] : schema.dimensions), ...schema.attributes.items].map((field) => field.name);
  const shown = all.slice(0, 24);
  const total = (dense ? 0 : schema.dimensions.length) + schema.attributes.total;
  const place = element("div");
  const progress = element("p", { class: "note" });
  const more = button("Read more", () => refine(), { hidden: true });
  const whole = button("Read all fragments", () => start(1), { hidden: true });
  panel.append(
    total > shown.length ? element("p", { class: "note" }, `The first ${shown.length} of ${numberText(total)} fields.`) : "",
    progress, element("div", { class: "controls" }, more, whole), place);
  // What the metadata states, the parts in their order, and what those have that were read.
  let [found, parts, order, sums, isAll] = [];
  let done = 0;
  let stored = 0;
  const paint = () => {
    const { sample } = found;
    const isExact = done === parts;
    const ofSample = sample ? ` of ${numberText(sample)} of the ${numberText(found.fragments)} fragments, spread over the times of writes` : "";
    progress.textContent = !found.plan ? "There are no cells."
      : isExact && sample ? `Statistics of the cells${ofSample}; those that other fragments replaced count as well.`
        : isExact ? `Statistics of all selected cells${shared.newest ? " of these fragments" : ""}.`
          : done ? `Statistics of the cells in ${numberText(done)} of ${numberText(parts)} parts of the array, spread over it${ofSample ? `,${ofSample}` : ""}.`
            : `Bounds from the metadata of ${numberText(found.fragments)} fragments with ${numberText(found.cells)} cells; values that later writes replaced or deletes removed count as well.`;
    place.replaceChildren(...found.fields.map((field) => summary(field, sums.get(field.name), done > 0)));
  };
  // Begins with the metadata. If an object store needs many requests for the cells, they are those of
  // a sample of the fragments, until the user asks for all.
  const start = async (isWhole) => {
    [more.hidden, whole.hidden] = [true, true];
    const stated = await loader.run("the metadata of fragments", (options) => json("/api/statistics", shared.selection({ field: shown, all: isWhole }), options));
    if (!stated) return;
    [found, isAll, done, stored] = [stated, isWhole, 0, 0];
    parts = Number(found.parts);
    order = partOrder(parts);
    sums = new Map(shown.map((name) => [name, { cells: 0, nulls: 0, numbers: 0, sum: 0 }]));
    paint();
    if (found.plan) await refine();
  };
  // Reads the fields of a part; again where values are outside of the bins of other parts.
  const read = async (names, part, options) => {
    const bins = names.map((name) => {
      const { bins: own } = sums.get(name);
      const stated = found.fields.find((field) => field.name === name);
      const [low, high] = own ? [own.low, own.high] : [stated.least?.number ?? null, stated.greatest?.number ?? null];
      return low === null || high === null ? "-" : `${low}:${high}`;
    });
    const result = await json("/api/statistics", shared.selection({ field: names, part: String(part), sides: found.sides.join(","), sample: found.sample, bins }), options);
    const outside = result.fields.filter((field) => field.bins?.outside);
    for (const field of outside) {
      const own = sums.get(field.name);
      if (own.bins) own.bins = widen(own.bins, field.least.number, field.greatest.number);
      else own.bins = { low: field.least.number, high: field.greatest.number, counts: field.bins.counts.map(() => 0) };
    }
    const again = outside.length ? await read(outside.map((field) => field.name), part, options) : { fields: [] };
    const complete = result.fields.filter((field) => !field.bins?.outside);
    return { fields: [...complete, ...again.fields], plan: result.plan };
  };
  const refine = async () => {
    [more.hidden, whole.hidden] = [true, true];
    const limit = stored + session.limits.stored_bytes;
    // Requests of an object store are as many as tiles and fields.
    const group = found.remote ? Math.max(1, Math.floor(1024 / Math.max(found.plan.tiles, 1))) : shown.length;
    const mostRequests = found.remote && !isAll ? session.limits.requests : Infinity;
    let [cells, requests] = [0, 0];
    try {
      await loader.run("the cells of a part", async (options, wait) => {
        while (done < (shared.newest ? 1 : parts) && stored < limit && cells < session.limits.cells && requests < mostRequests) {
          const { value: part } = order.next();
          const fields = [];
          for (let first = 0; first < shown.length; first += group) {
            const names = shown.slice(first, first + group);
            wait(`cells: part ${numberText(done + 1)} of ${numberText(parts)}${names.length < shown.length ? `, ${names.join(", ")}` : ""}`);
            const result = await read(names, part, options);
            fields.push(...result.fields);
            stored += result.plan.stored_bytes;
            requests += result.plan.tiles * names.length;
            cells = Math.max(cells, done * result.plan.cells);
          }
          for (const field of fields) addPart(sums.get(field.name), field);
          done += 1;
          paint();
          shared.ready();
        }
        return true;
      });
      more.hidden = done >= parts;
      whole.hidden = !found.sample;
      shared.say(` · read ${bytesText(stored)}`);
    } catch (error) {
      panel.prepend(failure(error));
    }
  };
  await start();
}

// Returns the statistics of a field: of the cells that were read, or those that the metadata has.
function summary(stated, sums, isRead) {
  const { name, datatype } = stated;
  const facts = [["datatype", datatype]];
  const { least, greatest } = isRead ? sums : stated;
  if (isRead) facts.unshift(["cells", numberText(sums.cells)]);
  if (least) facts.push(["minimum", least.text]);
  if (greatest) facts.push(["maximum", greatest.text]);
  if (isRead && sums.numbers && !/^(DATETIME|TIME)/.test(datatype)) facts.push(["mean", String(Number((sums.sum / sums.numbers).toPrecision(10)))]);
  if (isRead && sums.nulls) facts.push(["nulls", numberText(sums.nulls)]);
  if (!isRead && !least) facts.push(["bounds", "not in the metadata"]);
  const section = element("section", {}, element("h2", {}, name), list(facts));
  const { bins } = sums;
  if (!bins || !sums.numbers) return section;
  const most = Math.max(...bins.counts, 1);
  const short = (value) => (/^DATETIME/.test(datatype) ? valueText(value, datatype) : String(Number(value.toPrecision(6))));
  const bound = (index) => bins.low + ((bins.high - bins.low) / bins.counts.length) * index;
  const ends = `${short(bins.low)} to ${short(bins.high)}`;
  const bars = element("div", { class: "bars", role: "img", "aria-label": `Histogram of ${name} from ${ends}` },
    bins.counts.map((count, index) => {
      const bar = element("i", { title: `${short(bound(index))} to ${short(bound(index + 1))}: ${numberText(count)}` });
      bar.style.height = `${(100 * count) / most}%`;
      return bar;
    }));
  section.append(bars, element("p", { class: "note" }, ends),
    element("details", {}, element("summary", {}, "Histogram as a table"),
      table(`Histogram of ${name}`, [{ name: "from", number: true }, { name: "to", number: true }, { name: "cells", number: true }],
        bins.counts.map((count, index) => [short(bound(index)), short(bound(index + 1)), numberText(count)]))));
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

const SUFFIXES = { Shell: "sh", Python: "py", Rust: "rs", C: "c", SQL: "sql" };

export async function programs(shared, panel, loader) {
  const fields = (shared.state.fields ?? "").split("\n").filter(Boolean);
  const found = await loader.run("the programs", (options) => json("/api/program", shared.selection({ field: fields, range: boxRanges(shared) }), options));
  if (!found) return;
  for (const [language, text] of Object.entries(found)) {
    panel.append(element("h2", {}, language), element("pre", { tabindex: "0", "aria-label": language }, text),
      element("div", { class: "controls" },
        button(`Copy ${language}`, () => navigator.clipboard.writeText(text)),
        button(`Save ${language}`, () => save(new Blob([text], { type: "text/plain" }), `read.${SUFFIXES[language] ?? "txt"}`))));
  }
}

