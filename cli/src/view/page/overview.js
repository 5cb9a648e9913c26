// What an object is: its schema, what each field costs, and its metadata.

import { change, json } from "/server.js";
import { button, confirmed, bytesText, countOf, countText, element, failure, isolated, list, numberText, table, timeText } from "/elements.js";

// A bar next to a number of bytes, relative to the largest one.
function cost(bytes, most) {
  if (bytes === null) return "not known yet";
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${Math.round((100 * bytes) / (most || 1))}px`;
  return element("span", {}, `${bytesText(bytes)} `, bar);
}

export async function overview(shared, panel, loader) {
  const { schema, state } = shared;
  if (schema) fields(schema, state, panel);
  // The latest state can be changed, if the tool was started for that.
  const isChanged = shared.session.changes && !state.at;
  const apply = async (action, question, parameters = {}, value = "") => {
    if (!(await confirmed(...question))) return;
    try {
      const done = await loader.run("the change", (options) => change({ uri: state.uri, action, ...parameters }, value, options));
      if (!done) return;
      await shared.reopen();
      shared.say(` · ${done.text}`);
    } catch (error) {
      panel.prepend(failure(error));
    }
  };
  if (isChanged && schema && !shared.early) {
    panel.append(element("h2", {}, "Fragments"), element("div", { class: "controls" },
      button("Consolidate", () => apply("consolidate", [`Merge the ${numberText(schema.fragments)} fragments of `, isolated(state.uri), " into fewer? The array is written again; the merged fragments stay until it is vacuumed."])),
      button("Vacuum", () => apply("vacuum", ["Remove the fragments of ", isolated(state.uri), " that a consolidation replaced? States of the array before the consolidation cannot be opened after that."]))));
  }
  const metadata = element("section", {}, element("h2", {}, "Metadata"));
  panel.append(metadata);
  const more = async (from) => {
    const found = await loader.run("the metadata", (options) =>
      json("/api/metadata", { uri: state.uri, at: state.at, from }, options));
    if (!found) return;
    const rows = found.items.map((item) => [
      item.key, item.datatype, numberText(item.number), bytesText(item.bytes), item.whole ? item.text : `${item.text}…`,
      ...(isChanged ? [button("Delete", () => apply("delete", ["Delete the metadata ", isolated(item.key), " of ", isolated(state.uri), "?"], { key: item.key }), { "aria-label": `Delete ${item.key}` })] : []),
    ]);
    if (!found.total) metadata.append(element("p", { class: "note" }, "no metadata"));
    else metadata.append(table("Metadata", [{ name: "key" }, { name: "datatype" }, { name: "values", number: true }, { name: "size", number: true }, { name: "value" }, ...(isChanged ? [{ name: "change" }] : [])], rows));
    const next = from + found.items.length;
    if (next < found.total) {
      const rest = button(`${numberText(found.total - next)} more keys`, () => {
        rest.remove();
        more(next).catch((error) => metadata.append(failure(error)));
      });
      metadata.append(rest);
    }
  };
  if (isChanged) {
    const key = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    const value = element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    metadata.append(element("div", { class: "controls" },
      element("label", {}, "Key", key), element("label", {}, "Value (text)", value),
      button("Set", () => apply("set", ["Set the metadata ", isolated(key.value), " of ", isolated(state.uri), " to this text?"], { key: key.value }, value.value))));
  }
  await more(0);
  if (shared.early) fragments(schema.outline, panel);
}

// What the names of files show of fragments.
export function fragments({ fragments: number, last_fragments: last }, panel) {
  const rows = last.slice(-500).reverse().map((fragment) => [fragment.name, timeText(fragment.start), timeText(fragment.end)]);
  panel.append(element("h2", {}, `Fragments (${numberText(number)})`),
    table(rows.length < number ? "The newest fragments" : "Fragments", [{ name: "name" }, { name: "from" }, { name: "to" }], rows));
}

function fields(schema, state, panel) {
  const { outline } = schema;
  const size = outline
    ? [["size", countOf(outline.fragments, "fragment")], ["non-empty domain", "not known yet"]]
    : [["size", `${bytesText(schema.bytes)} in ${countOf(schema.fragments, "fragment")} with ${countText(schema.cells)} cells`], ["non-empty domain", schema.non_empty_domain ?? "no cells"]];
  const timestamp = outline?.timestamp ?? schema.timestamp;
  const facts = [
    ["type", `${schema.array_type} array, format version ${schema.format_version}`],
    ...size,
    ["order", `cells ${schema.cell_order}, tiles ${schema.tile_order}`],
    ["state of", `${new Date(Math.min(timestamp, 8.64e15)).toISOString()} (${timestamp})`],
  ];
  if (schema.array_type === "sparse") {
    facts.push(["capacity", numberText(schema.capacity)], ["duplicates", schema.allows_duplicates ? "allowed" : "no"]);
  }
  if (schema.labels.length) facts.push(["labels", schema.labels.map((label) => `${label.name} of ${label.dimension}`).join(", ")]);
  if (schema.current_domain) facts.push(["current domain", JSON.stringify(schema.current_domain)]);
  const sizes = [...schema.dimensions, ...schema.attributes.items].map((field) => field.bytes);
  const most = Math.max(...sizes);
  panel.append(
    element("h2", {}, "Array"),
    list(facts),
    element("h2", {}, "Dimensions"),
    table("Dimensions", [{ name: "name" }, { name: "datatype" }, { name: "domain" }, { name: "extent", number: true }, { name: "filters" }, { name: "on storage" }],
      schema.dimensions.map((dimension) => [
        dimension.name, dimension.datatype, dimension.domain ? `${dimension.domain[0]} to ${dimension.domain[1]}` : "strings",
        String(dimension.extent ?? ""), dimension.filters, cost(dimension.bytes, most),
      ])),
    element("h2", {}, `Attributes (${numberText(schema.attributes.total)})`));
  const attributes = element("div");
  const add = (part) => {
    attributes.append(table("Attributes", [{ name: "name" }, { name: "datatype" }, { name: "values per cell" }, { name: "nullable" }, { name: "enumeration" }, { name: "filters" }, { name: "on storage" }],
      part.items.map((attribute) => [
        attribute.name, attribute.datatype, attribute.values_per_cell, attribute.nullable ? "yes" : "no",
        attribute.enumeration ?? "", attribute.filters, cost(attribute.bytes, most),
      ])));
    const next = part.from + part.items.length;
    if (next >= part.total) return;
    const rest = button(`${numberText(part.total - next)} more attributes`, async () => {
      rest.remove();
      try {
        add((await json("/api/schema", { uri: state.uri, at: state.at, from: next })).attributes);
      } catch (error) {
        attributes.append(failure(error));
      }
    });
    attributes.append(rest);
  };
  add(schema.attributes);
  panel.append(attributes);
}
