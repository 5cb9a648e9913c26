// The page: the tree of objects, the tabs, and the state of the view in the address.

import { Loader, json, link, stay } from "/server.js";
import { button, bytesText, countOf, element, failure, nameOf, numberText, rangesOf, visible } from "/elements.js";
import { fragments, overview } from "/overview.js";
import { map } from "/map.js";
import { rows } from "/rows.js";
import { picture } from "/picture.js";
import { explain, programs, sql, statistics, time } from "/reports.js";

const VIEWS = [
  ["overview", "Overview", overview],
  ["map", "Map", map],
  ["cells", "Cells", rows],
  ["picture", "Picture", picture],
  ["time", "Time", time],
  ["explain", "Explain", explain],
  ["statistics", "Statistics", statistics],
  ["sql", "SQL", sql],
  ["programs", "Programs", programs],
];
const WITH_SELECTION = new Set(["map", "cells", "picture", "explain", "statistics", "programs"]);
// Views of cells: those of an object store show the newest fragments first.
const OF_CELLS = new Set(["cells", "statistics"]);
// Views that need no fragments.
const OF_SCHEMA = new Set(["sql", "programs"]);

const find = (id) => document.getElementById(id);
const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
let session;
let schema;
let outline;
let kind = "array";
let current;
let sizes = Promise.resolve();

// Returns whether two URIs are the same; one may be the path of a local file.
const isSame = (one, other) => one?.replace(/^file:\/\//, "") === other?.replace(/^file:\/\//, "");

function status(text, busy) {
  const place = find("status");
  place.textContent = visible(text);
  place.classList.toggle("busy", busy);
}

function remember() {
  for (const [name, value] of Object.entries(state)) {
    if (value === undefined || value === "") delete state[name];
  }
  history.replaceState(null, "", "#" + new URLSearchParams(state));
}

// What the views share.
const shared = {
  state,
  get schema() { return schema; },
  get session() { return session; },
  remember,
  // Returns the parameters of the selection.
  selection(more = {}) {
    const range = rangesOf(state.ranges, schema?.dimensions ?? []);
    return { uri: state.uri, at: state.at, where: state.where, newest: this.newest, ...more, range: [...range, ...(more.range ?? [])] };
  },
  // Returns what a read took of what it may take.
  taken(plan) {
    if (!plan) return "";
    const limit = bytesText(session.limits.stored_bytes);
    return ` · reads ${bytesText(plan.stored_bytes)} of at most ${limit}, ${numberText(plan.cells)} cells in ${numberText(plan.tiles)} tiles`;
  },
  // Shows the state at another time.
  reopen() {
    [schema, outline] = [];
    return show();
  },
  say: (text) => { find("status").textContent += text; },
  // Called by a view that has content and continues to load.
  ready() {},
  show,
};

// Returns how many of the reads are done that a request waits for.
async function progress() {
  const { done, expected } = await json("/api/progress", {});
  if (!done && !expected) return "";
  return expected ? `: ${numberText(Math.min(done, expected))} of about ${numberText(expected)} reads` : `: ${numberText(done)} reads`;
}

// What the panel shows: its loaders, and what ends its parts.
class Shown {
  loaders = [];
  ends = [];

  get isOver() { return current !== this; }

  loader() {
    const loader = new Loader(status, session.remote ? progress : undefined);
    this.loaders.push(loader);
    return loader;
  }

  request(waits, path, parameters) {
    return this.loader().run(waits, (options) => json(path, { uri: state.uri, at: state.at, ...parameters }, options));
  }

  stop() {
    for (const loader of this.loaders.splice(0)) loader.stop();
    for (const end of this.ends.splice(0)) end?.();
  }

  // Runs a view in place of the one before it, as soon as it has content.
  async run(view, more, note) {
    const panel = find("panel");
    const place = element("div", { hidden: panel.children.length > 0 });
    const earlier = [...panel.children];
    const [loaders, ends] = [[...this.loaders], [...this.ends]];
    panel.append(place);
    if (note) place.append(element("p", { class: "note early" }, note));
    const ready = () => {
      if (!place.hidden || this.isOver) return;
      const focus = focused(earlier);
      for (const loader of loaders) loader.stop();
      for (const end of ends) end?.();
      this.ends = this.ends.filter((end) => !ends.includes(end));
      place.hidden = false;
      for (const node of earlier) node.remove();
      focus?.(place);
    };
    const parts = Object.create(shared, Object.getOwnPropertyDescriptors({ ...more, ready }));
    const end = await view(parts, place, this.loader());
    ready();
    if (this.isOver) end?.();
    else this.ends.push(end);
  }
}

// Returns a function that focuses the element of a place that corresponds to the focused one.
function focused(nodes) {
  const active = document.activeElement;
  const old = nodes.find((node) => node.contains(active));
  if (!old) return undefined;
  const nameOfElement = (node) => node.tagName + (node.getAttribute("aria-label") ?? node.textContent);
  const all = (place) => [...place.querySelectorAll(active.tagName)].filter((node) => nameOfElement(node) === nameOfElement(active));
  const index = all(old).indexOf(active);
  return (place) => (all(place)[index] ?? find("panel")).focus({ preventScroll: true });
}

// Shows the view of the state.
async function show() {
  current?.stop();
  const mine = new Shown();
  current = mine;
  remember();
  const panel = find("panel");
  const view = VIEWS.find(([name]) => name === state.view) ?? VIEWS[0];
  tabs(view[0]);
  find("selection").hidden = !WITH_SELECTION.has(view[0]) || kind !== "array";
  find("where").value = state.where ?? "";
  find("ranges").value = state.ranges ?? "";
  find("title").textContent = visible(nameOf(state.uri ?? ""));
  document.title = `${visible(nameOf(state.uri ?? ""))} – ${view[1]}`;
  panel.replaceChildren();
  panel.setAttribute("aria-labelledby", `tab-${view[0]}`);
  status("", false);
  try {
    if (kind === "array" && !(await early(mine, view))) return;
    if (!mine.isOver) await mine.run(view[2], {});
  } catch (error) {
    if (!mine.isOver) panel.append(failure(error));
  }
}

// Shows what is known of an array in an object store before its fragments are open, and loads the
// schema with what the fragments state. Returns whether the view is to be shown after that.
async function early(mine, [name, , view]) {
  if (name === "time") {
    if (session.remote) await mine.run(view, { early: true });
    return !mine.isOver;
  }
  if (session.remote && !outline) {
    if (name === "overview") {
      const names = await mine.request("the names of fragments", "/api/names", {});
      if (!names || mine.isOver) return false;
      if (names.fragments) await mine.run((_, place) => fragments(names, place), {});
    }
    outline = await mine.request("the schema", "/api/outline", {});
    if (!outline || mine.isOver) return false;
    if (outline.outline) complete(outline);
  }
  const known = outline?.outline;
  if (known && OF_SCHEMA.has(name)) {
    await mine.run(view, { schema: outline, newest: 1 });
    return false;
  }
  if (known && name === "overview" && !schema) await mine.run(view, { schema: outline, early: true });
  else if (known?.newest && (!schema || OF_CELLS.has(name))) {
    const found = await mine.request(`the ${known.newest} newest fragments`, "/api/schema", { newest: 1 });
    if (!found || mine.isOver) return false;
    const note = `The ${numberText(known.newest)} newest of ${numberText(known.fragments)} fragments are shown until the others are read.`;
    await mine.run(view, { schema: found, newest: 1 }, note);
  }
  if (mine.isOver) return false;
  if (!schema) {
    const waits = known ? countOf(known.fragments, "fragment") : "the schema";
    const loaded = await mine.request(waits, "/api/schema", {});
    if (!loaded || mine.isOver) return false;
    schema = loaded;
    complete(schema);
  }
  return true;
}

// Offers the names of fields in the condition.
function complete(found) {
  const names = [...found.dimensions, ...found.attributes.items].map((field) => field.name);
  find("names").replaceChildren(...names.slice(0, 200).map((name) => element("option", { value: name })));
}

function tabs(selected) {
  const shown = VIEWS.filter(([name]) => (kind === "array" || name === "overview") && (name !== "sql" || session.sql));
  find("tabs").replaceChildren(...shown.map(([name, text]) => button(text, () => {
    state.view = name;
    show();
  }, {
    role: "tab",
    id: `tab-${name}`,
    "aria-selected": String(name === selected),
    "aria-controls": "panel",
    tabindex: name === selected ? "0" : "-1",
  })));
}

find("tabs").addEventListener("keydown", (event) => {
  const all = [...find("tabs").children];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const index = (all.indexOf(document.activeElement) + step + all.length) % all.length;
  const id = all[index].id;
  all[index].click();
  document.getElementById(id).focus();
});

// Opens another object.
function open(uri, found) {
  const kept = { uri, view: state.view };
  for (const name of Object.keys(state)) delete state[name];
  Object.assign(state, kept);
  kind = found;
  [schema, outline] = [];
  find("tree").classList.remove("open");
  find("tree-toggle").setAttribute("aria-expanded", "false");
  for (const item of find("tree").querySelectorAll("button[data-uri]")) {
    item.setAttribute("aria-current", String(isSame(item.dataset.uri, uri)));
  }
  show();
}

// Returns the list item of an object, whose members are loaded when it is opened.
function treeItem(object) {
  const item = element("li");
  const note = element("small");
  const name = button(object.name, () => open(object.uri, object.type), {
    "data-uri": object.uri,
    "aria-current": String(isSame(object.uri, state.uri)),
  });
  if (object.type === "array") {
    item.append(name, note);
    // One after another: the views need the other connections.
    sizes = sizes.then(() => json("/api/size", { uri: object.uri })).then((size) => {
      const cells = size.cells === undefined ? "" : `${countOf(size.cells, "cell")}, `;
      note.textContent = `${bytesText(size.bytes)}, ${cells}${countOf(size.fragments, "fragment")}`;
    }, (error) => { note.textContent = error.message; });
    return item;
  }
  const inner = element("ul", { hidden: true });
  const toggle = button("▸", () => expand(inner.hidden), {
    "aria-expanded": "false",
    "aria-label": `Members of ${object.name}`,
  });
  const expand = async (isOpen) => {
    inner.hidden = !isOpen;
    toggle.textContent = isOpen ? "▾" : "▸";
    toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && !inner.children.length) await fill(inner, object.uri, 0);
  };
  item.append(toggle, name, note, inner);
  item.expand = expand;
  return item;
}

async function fill(place, uri, from) {
  try {
    const members = await json("/api/members", { uri, from });
    place.append(...members.items.map(treeItem));
    const next = from + members.items.length;
    if (next < members.total) {
      const more = element("li", {}, button(`${numberText(members.total - next)} more`, () => {
        more.remove();
        fill(place, uri, next);
      }));
      place.append(more);
    }
    if (!members.total) place.append(element("li", { class: "note" }, "no members"));
  } catch (error) {
    place.append(element("li", {}, failure(error)));
  }
}

async function start() {
  try {
    session = await json("/api/session", {});
    const members = await json("/api/members", { uri: session.root });
    state.uri ??= session.root;
    kind = members.type;
    if (!isSame(state.uri, session.root)) kind = (await json("/api/members", { uri: state.uri })).type;
    if (members.type === "array") find("layout").classList.add("single");
    if (members.type === "array") find("tree-toggle").hidden = true;
    else {
      const root = treeItem({ name: nameOf(session.root), uri: session.root, type: members.type });
      find("tree").append(element("ul", {}, root));
      root.expand(true);
    }
    stay(() => {
      status("", false);
      find("panel").prepend(failure({ message: "The tool has ended.", hint: "Start tiledb-rs view again." }));
    });
    await show();
  } catch (error) {
    find("panel").replaceChildren(failure(error));
  }
}

find("selection").addEventListener("submit", (event) => {
  event.preventDefault();
  state.where = find("where").value.trim();
  state.ranges = find("ranges").value.trim();
  delete state.position;
  show();
});
find("clear").addEventListener("click", () => {
  delete state.where;
  delete state.ranges;
  delete state.position;
  show();
});

// Completes the last word of the condition by the names of fields.
find("where").addEventListener("input", () => {
  const text = find("where").value;
  const word = /("[^"]*|[\p{L}\p{N}_.]*)$/u.exec(text)[0];
  const before = text.slice(0, text.length - word.length);
  const quoted = (name) => (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
  const known = schema ?? outline;
  const names = known?.dimensions ? [...known.dimensions, ...known.attributes.items].map((field) => field.name) : [];
  const start = word.replace(/^"/, "").toLowerCase();
  const matching = names.filter((name) => start && name.toLowerCase().startsWith(start)).slice(0, 30);
  find("names").replaceChildren(...matching.map((name) => element("option", { value: before + quoted(name) })));
});

find("renew").addEventListener("click", async () => {
  [schema, outline] = [];
  delete state.at;
  try {
    if (kind === "array") await json("/api/size", { uri: state.uri, renew: 1 });
  } catch {
    // The view reports the error.
  }
  show();
});
find("link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(link(state));
    status("The link is copied. It works while the tool runs.", false);
  } catch {
    status(link(state), false);
  }
});
document.querySelector(".skip").addEventListener("click", (event) => {
  // The address has the state of the view.
  event.preventDefault();
  find("panel").focus();
});
find("tree-toggle").addEventListener("click", () => {
  const isOpen = find("tree").classList.toggle("open");
  find("tree-toggle").setAttribute("aria-expanded", String(isOpen));
});
window.addEventListener("hashchange", () => location.reload());

start();
