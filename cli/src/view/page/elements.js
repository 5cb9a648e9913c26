// Elements and texts. Stored texts become text nodes only.

// Returns a text with names in place of the characters that change the direction of writing: a stored
// text does not change the order of what is beside it.
export const visible = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g,
  (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`);

export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) created.addEventListener(key.slice(2), value);
    else if (key in created && typeof value !== "string") created[key] = value;
    else created.setAttribute(key, value);
  }
  const shown = children.flat().filter((child) => child !== null && child !== undefined);
  created.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return created;
}

// Returns the ranges in a text, which ';' divides. A name may have '=', and a name or value ';': a range begins
// with the longest name of a dimension.
export function rangesOf(text, dimensions) {
  const names = dimensions.map((dimension) => dimension.name).sort((one, other) => other.length - one.length);
  const ranges = [];
  for (const part of (text ?? "").split(";")) {
    const last = ranges.at(-1);
    const joined = last === undefined ? part : `${last};${part}`;
    const begins = (range) => names.some((name) => range.trimStart().startsWith(`${name}=`));
    if (last !== undefined && (begins(joined) && !begins(last) || begins(last) && !begins(part) && part.trim())) {
      ranges[ranges.length - 1] = joined;
    } else {
      ranges.push(part);
    }
  }
  return ranges.map((range) => range.trim()).filter(Boolean);
}

// Returns the name of the dimension of a range.
export function dimensionOf(range, dimensions) {
  const names = dimensions.map((dimension) => dimension.name).filter((name) => range.startsWith(`${name}=`));
  return names.sort((one, other) => other.length - one.length)[0];
}

export const numberText = (number) => Number(number).toLocaleString("en-US");

// Returns a number with a noun.
export const countOf = (number, noun) => `${numberText(number)} ${noun}${Number(number) === 1 ? "" : "s"}`;

export function countText(text) {
  // Numbers of cells may exceed what a number represents.
  return typeof text === "string" ? text.replace(/\B(?=(\d{3})+$)/g, ",") : numberText(text);
}

export function bytesText(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${numberText(bytes)} bytes` : `${bytes.toFixed(1)} ${units[unit]}`;
}

export const timeText = (milliseconds) => {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString().replace("T", " ");
};

const UNITS = {
  WEEK: 604800, DAY: 86400, HR: 3600, MIN: 60, SEC: 1, MS: 1e-3, US: 1e-6, NS: 1e-9,
  PS: 1e-12, FS: 1e-15, AS: 1e-18,
};

export const isTime = (datatype) => /^(DATETIME|TIME)_/.test(datatype);

// Returns the seconds of a unit of a datetime; `undefined` for years and months.
export const secondsOf = (datatype) =>
  datatype.startsWith("DATETIME_") ? UNITS[datatype.slice(9)] : undefined;

// Returns a coordinate or a value as text.
export function valueText(value, datatype) {
  if (value === null || Number.isNaN(value)) return "missing";
  if (datatype === "DATETIME_YEAR") return String(1970 + Math.floor(value));
  if (datatype === "DATETIME_MONTH") {
    const month = Math.floor(value);
    return `${1970 + Math.floor(month / 12)}-${String((((month % 12) + 12) % 12) + 1).padStart(2, "0")}`;
  }
  const seconds = secondsOf(datatype);
  if (seconds !== undefined) {
    const date = new Date(Math.floor(value) * seconds * 1000);
    if (!Number.isNaN(date.getTime())) {
      const text = date.toISOString();
      if (seconds >= 86400) return text.slice(0, 10);
      return text.replace("T", " ").slice(0, seconds >= 60 ? 16 : seconds === 1 ? 19 : 23);
    }
  }
  if (datatype.startsWith("FLOAT")) {
    return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3)
      ? value.toExponential(3)
      : String(Number(value.toPrecision(7)));
  }
  return numberText(Math.floor(value));
}

// Returns a table. Columns are `{name, number}`; cells are texts, numbers, elements or null.
export function table(caption, columns, rows) {
  const head = columns.map((column) =>
    element("th", { scope: "col", class: column.number ? "number" : "" }, column.name));
  const body = rows.map((row) => element("tr", {}, row.map((cell, index) => {
    if (cell === null) return element("td", { class: columns[index]?.number ? "number null" : "null" }, "null");
    return element("td", { class: columns[index]?.number ? "number" : "" }, cell);
  })));
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, body)));
}

export const list = (pairs) => element("dl", {}, pairs.flatMap(([name, value]) =>
  [element("dt", {}, name), element("dd", {}, value)]));

export const failure = (error) => element("div", { class: "error", role: "alert" },
  element("div", {}, error.message), error.hint ? element("div", {}, error.hint) : null);

export function choice(label, options, value, onchange) {
  const select = element("select", { onchange: () => onchange(select.value) }, options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return element("option", { value: key, selected: key === value }, text);
  }));
  return element("label", {}, label, select);
}

export const button = (text, onclick, properties = {}) =>
  element("button", { type: "button", onclick, ...properties }, text);

// Returns a stored text within a sentence, whose order of characters it does not change.
export const isolated = (text) => element("bdi", {}, text);

// Asks the user; returns whether the answer is yes.
export function confirmed(...question) {
  return new Promise((answer) => {
    const dialog = element("dialog", { "aria-label": "Confirmation", onclose: () => { dialog.remove(); answer(dialog.returnValue === "yes"); } },
      element("p", {}, ...question),
      element("div", { class: "controls" }, button("Cancel", () => dialog.close("no")), button("Confirm", () => dialog.close("yes"))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Offers a file to the user.
export function save(content, name) {
  const address = URL.createObjectURL(content);
  const anchor = element("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export const nameOf = (uri) => uri.replace(/\/+$/, "").split("/").pop() || uri;
