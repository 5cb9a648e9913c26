// Cells as a table, of which a page is loaded at a time.

import { blob, json } from "/server.js";
import { button, countText, element, failure, nameOf, save, visible } from "/elements.js";

export async function rows(shared, panel, loader) {
  const { schema, state } = shared;
  const dense = schema.array_type === "dense";
  const count = Math.max(10, Math.min(60, Math.floor((window.innerHeight - 330) / 27)));
  const names = [...schema.dimensions, ...schema.attributes.items].map((field) => field.name);
  const chosen = (state.fields ?? "").split("\n").filter(Boolean);
  const box = element("div", { class: "wide cells", tabindex: "0", role: "region", "aria-label": "Cells" });
  const slider = element("input", { type: "range", min: "0", max: "1000", value: "0", "aria-label": "Position in the array", "aria-orientation": "vertical" });
  const place = element("p", { class: "note" });
  // For sparse arrays, the pages before this one.
  const before = [];
  let position = state.position ? JSON.parse(state.position) : {};
  let page;

  // Loads a page. One of a sparse array with a condition may come in parts: each has the cells that
  // were found within a time, and the share of the array that was searched.
  const load = async (next, kept = []) => {
    const read = { stored_bytes: 0, cells: 0, tiles: 0 };
    try {
      const done = await loader.run("cells", async (options, wait) => {
        let [from, rows] = [next, kept];
        for (;;) {
          const found = await json("/api/cells", { ...shared.selection({ field: chosen }), start: from.start, from: from.from, skip: from.skip, share: from.share, count: count - rows.length }, options);
          for (const name of Object.keys(read)) read[name] += found.plan[name];
          rows = [...rows, ...found.rows];
          // The first part has the position of the page.
          const first = from === next && !kept.length ? found : page;
          page = { ...found, rows, from: first.from, share: first.share };
          fill();
          if (rows.length) shared.ready();
          const isOver = dense || !found.next || rows.length >= count;
          if (isOver || shared.newest || read.stored_bytes > shared.session.limits.stored_bytes) return true;
          from = { from: found.next.from, skip: found.next.skip };
          wait(`cells that satisfy the condition: ${scanned(found.next)}, ${rows.length} found`);
        }
      });
      if (!done) return false;
      position = kept.length ? position : next;
    } catch (error) {
      box.replaceChildren(failure(error));
      return false;
    }
    // Positions among the newest fragments are not those among all.
    if (!shared.newest) {
      state.position = JSON.stringify(position);
      shared.remember();
    }
    shared.say(shared.taken(read));
    further.hidden = dense || !page.next || page.rows.length >= count;
    return true;
  };
  const scanned = ({ share, from }) => (share === null
    ? `searched up to ${schema.dimensions[0].name} ${from}` : `searched ${(100 * share).toFixed(1)}% of ${schema.dimensions[0].name}`);
  const further = button("Continue the search", () => load({ from: page.next.from, skip: page.next.skip }, page.rows), { hidden: true });

  const fill = () => {
    const head = page.columns.map((column) => element("th", { scope: "col", class: column.number ? "number" : "", title: column.datatype }, column.name));
    const body = page.rows.map((row) => element("tr", {}, row.map((cell, index) => cell === null
      ? element("td", { class: page.columns[index].number ? "number null" : "null" }, "null")
      : element("td", { class: page.columns[index].number ? "number" : "", title: cell.length > 40 ? cell : null }, cell))));
    box.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, body)));
    if (dense) {
      const last = Number(page.start) + page.rows.length;
      place.textContent = `rows ${countText(String(page.start))} to ${countText(String(last - 1))} of ${countText(page.total)}, in row-major order`;
      slider.value = String(Math.round((1000 * Number(page.start)) / Math.max(Number(page.total) - count, 1)));
    } else {
      const name = schema.dimensions[0].name;
      place.textContent = visible(page.rows.length
        ? `${page.rows.length} cells from ${name} ${page.rows[0][page.columns.findIndex((column) => column.name === name)] ?? page.from} on, ordered by the dimensions${page.next ? "" : "; the end of the array"}`
        : page.next ? `no cells yet: ${scanned(page.next)}` : "no cells from here on");
      if (page.share !== null) slider.value = String(Math.round(1000 * page.share));
    }
  };

  const down = async () => {
    if (!page) return;
    if (dense) {
      const next = BigInt(page.start) + BigInt(page.rows.length);
      if (next < BigInt(page.total)) await load({ start: String(next) });
    } else if (page.next) {
      before.push(position);
      if (!(await load(page.next))) before.pop();
    }
  };
  const up = async () => {
    if (!page) return;
    if (dense) {
      const start = BigInt(page.start) - BigInt(count);
      await load({ start: String(start < 0n ? 0n : start) });
    } else {
      await load(before.pop() ?? {});
    }
  };
  const to = async (share) => {
    before.length = 0;
    if (!dense) return load(share > 0 ? { share } : {});
    const rest = BigInt(page?.total ?? 0) - BigInt(count);
    const start = rest > 0n ? (rest * BigInt(Math.round(share * 1000))) / 1000n : 0n;
    return load({ start: String(start) });
  };

  let busy = false;
  box.addEventListener("wheel", async (event) => {
    if (event.deltaX || busy) return;
    event.preventDefault();
    busy = true;
    await (event.deltaY > 0 ? down() : up());
    busy = false;
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const action = { PageDown: down, ArrowDown: down, PageUp: up, ArrowUp: up, Home: () => to(0), End: () => to(1) }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  slider.addEventListener("change", () => to(slider.value / 1000));

  const picker = element("details", {}, element("summary", {}, `Fields (${chosen.length || Math.min(names.length, 64)} of ${countText(String(schema.dimensions.length + schema.attributes.total))} shown)`),
    element("fieldset", {}, element("legend", {}, "Fields of the table"), names.slice(0, 500).map((name, index) => {
      const isShown = chosen.length ? chosen.includes(name) : index < 64;
      const input = element("input", { type: "checkbox", checked: isShown, value: name });
      return element("label", { class: "check" }, input, name);
    }), button("Show these", () => {
      const checked = [...picker.querySelectorAll("input:checked")].map((input) => input.value);
      state.fields = checked.length === names.length ? "" : checked.join("\n");
      shared.show();
    })));
  const exported = async (format) => {
    try {
      const content = await loader.run(`the ${format} file`, (options) =>
        blob("/api/export", { ...shared.selection({ field: chosen }), newest: "", format }, options));
      if (content) save(content, `${nameOf(state.uri)}.${format}`);
    } catch (error) {
      panel.prepend(failure(error));
    }
  };
  panel.append(
    element("div", { class: "controls" },
      button("First", () => to(0)), button("Previous page", up), button("Next page", down), button("Last", () => to(1)),
      button("CSV of the selection", () => exported("csv")), button("Parquet of the selection", () => exported("parquet"))),
    element("div", { class: "scroller" }, box, slider), place, further, picker);
  if (dense && state.where) {
    panel.append(element("p", { class: "note" }, "Cells of a dense array that do not satisfy the condition have the fill value."));
  }
  await load(position);
}
