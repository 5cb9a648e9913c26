// A plane of two dimensions on a canvas: axes, zoom and movement by mouse, touch and keyboard.

import { button, element, isTime, save, secondsOf, valueText, visible } from "/elements.js";

const MARGIN = { left: 78, right: 14, top: 10, bottom: 42 };
const CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
  86400, 172800, 432000, 864000, 1728000, 4320000, 8640000, 31536000, 63072000, 157680000, 315360000, 630720000, 1576800000, 3153600000];

const YEAR = 31536000;

// Returns the beginnings of years between two bounds, at distances of `step` years.
function years(first, step, toValue, low, high) {
  const found = [];
  for (let year = Math.ceil(first / step) * step; found.length < 50; year += step) {
    const tick = toValue(Date.UTC(year, 0, 1));
    if (!(tick <= high)) break;
    if (tick >= low) found.push(tick);
  }
  return found;
}

function ticks(axis, low, high, most) {
  // The length of the domain may be infinite.
  const least = high / most - low / most;
  if (!(least > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  let step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least) ?? 10 * power;
  const seconds = secondsOf(axis.datatype);
  const clock = seconds && CLOCK.find((size) => size >= least * seconds);
  if (clock && least * seconds > 0.5) step = clock / seconds;
  if (!axis.real) step = Math.max(1, Math.round(step));
  if (clock >= YEAR && seconds < YEAR) {
    const first = new Date(low * seconds * 1000).getUTCFullYear();
    if (first >= 100) return years(first, clock / YEAR, (time) => time / 1000 / seconds, low, high);
  }
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high && found.length < 50; tick += step) found.push(tick);
  return found;
}

// Returns the marks of an axis between two bounds: position and text.
function marks(axis, low, high, most) {
  // The positions of strings are those of the tool.
  if (axis.ranked) {
    const inside = (axis.labels ?? []).filter(([position]) => position >= low && position <= high);
    const step = Math.ceil(inside.length / most) || 1;
    return inside.filter((_, index) => index % step === 0).map(([position, text]) => [position, shortened(visible(text))]);
  }
  // A label of an integer is in the middle of its cell.
  const half = axis.real ? 0 : Math.min(0.5, (high - low) / 2);
  return ticks(axis, low, high, most).map((tick) => [tick + half, tickText(tick + 0, axis.datatype)]);
}

// Returns a number as text that fits beside the axis.
function tickText(tick, datatype) {
  const text = valueText(tick, datatype);
  return text.length > 10 && !isTime(datatype) ? tick.toExponential(3).replace(/\.?0*e\+?/, "e") : text;
}

const shortened = (text) => (text.length > 12 ? `${text.slice(0, 11)}…` : text);

// Returns a coordinate as text; of strings, the label before it.
export function positionText(value, axis) {
  if (!axis.ranked) return valueText(value, axis.datatype);
  const before = (axis.labels ?? []).filter(([position]) => position <= value);
  return before.length ? `${before[before.length - 1][1]} …` : "";
}

// Returns the position of a value between two others, whose difference may be infinite.
const shareOf = (value, low, high) => (value / 2 - low / 2) / (high / 2 - low / 2);

const between = (low, high, share) => (Number.isFinite(high - low) ? low + share * (high - low) : low * (1 - share) + high * share);

export class Plane {
  // `onmove` is called with the new bounds; `describe` returns the text for a point.
  constructor({ label, x, y, down, bounds, whole, draw, onmove, describe }) {
    Object.assign(this, { x, y, down, bounds, whole, draw, onmove, describe });
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": label });
    this.tip = element("div", { class: "tip", hidden: true });
    const controls = element("div", { class: "controls" },
      button("Zoom in", () => this.zoom(0.5)),
      button("Zoom out", () => this.zoom(2)),
      button("Everything", () => this.move([...this.whole])),
      button("PNG", () => this.png(label)),
      button("SVG", () => this.svg(label)));
    this.root = element("div", {}, controls, element("div", { class: "plane" }, this.canvas, this.tip),
      element("p", { class: "note" }, "Arrow keys move, + and − zoom, 0 shows everything; the mouse drags and its wheel zooms."));
    this.listen();
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.canvas);
  }

  get area() {
    const width = this.canvas.clientWidth || 600;
    const height = this.y ? Math.round(Math.min(Math.max(width * 0.62, 260), 560)) : 150;
    return {
      width,
      height,
      left: MARGIN.left,
      top: MARGIN.top,
      right: width - MARGIN.right,
      bottom: height - MARGIN.bottom,
    };
  }

  // Returns the functions from coordinates to pixels and back.
  scales() {
    const { left, right, top, bottom } = this.area;
    const [x0, x1, y0, y1] = this.bounds;
    const [first, last] = this.down ? [top, bottom] : [bottom, top];
    return {
      toX: (value) => left + shareOf(value, x0, x1) * (right - left),
      toY: (value) => first + shareOf(value, y0, y1) * (last - first),
      fromX: (pixel) => between(x0, x1, (pixel - left) / (right - left)),
      fromY: (pixel) => between(y0, y1, (pixel - first) / (last - first)),
    };
  }

  zoom(factor, center) {
    const [x0, x1, y0, y1] = this.bounds;
    const [x, y] = center ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    const scaled = (low, high, middle, axis) => {
      const least = axis && !axis.real ? 1 : (Math.abs(middle) || 1) * 1e-12;
      const size = Math.max((high - low) * factor, least);
      const share = (middle - low) / (high - low);
      return [middle - size * share, middle + size * (1 - share)];
    };
    const [left, right] = scaled(x0, x1, x, this.x);
    const [bottom, top] = this.y ? scaled(y0, y1, y, this.y) : [y0, y1];
    this.move([left, right, bottom, top]);
  }

  pan(horizontal, vertical) {
    const [x0, x1, y0, y1] = this.bounds;
    const dx = (x1 - x0) * horizontal;
    const dy = this.y ? (y1 - y0) * vertical : 0;
    this.move([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
  }

  move(bounds) {
    this.bounds = bounds;
    this.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onmove(this.bounds), 120);
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = point(event);
      const { fromX, fromY } = this.scales();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, [fromX(x), fromY(y)]);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { from: point(event), bounds: [...this.bounds] };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = point(event);
      const { fromX, fromY } = this.scales();
      if (drag) {
        const dx = fromX(drag.from[0]) - fromX(x);
        const dy = this.y ? fromY(drag.from[1]) - fromY(y) : 0;
        const [x0, x1, y0, y1] = drag.bounds;
        drag.from = [x, y];
        drag.bounds = [x0 + dx, x1 + dx, y0 + dy, y1 + dy];
        this.move(drag.bounds);
        return;
      }
      const text = this.describe?.(fromX(x), fromY(y));
      this.tip.hidden = !text;
      this.tip.textContent = visible(text ?? "");
      this.tip.style.left = `${Math.min(x + 14, Math.max(this.area.width - 200, 0))}px`;
      this.tip.style.top = `${y + 14}px`;
    });
    const end = () => { drag = null; };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("keydown", (event) => {
      const up = this.down ? -0.2 : 0.2;
      const actions = {
        ArrowLeft: () => this.pan(-0.2, 0),
        ArrowRight: () => this.pan(0.2, 0),
        ArrowUp: () => this.pan(0, up),
        ArrowDown: () => this.pan(0, -up),
        "+": () => this.zoom(0.5),
        "=": () => this.zoom(0.5),
        "-": () => this.zoom(2),
        0: () => this.move([...this.whole]),
      };
      if (actions[event.key]) {
        event.preventDefault();
        actions[event.key]();
      }
    });
  }

  paint() {
    const { width, height } = this.area;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.render(pen);
  }

  render(pen) {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const { width, height, left, right, top, bottom } = this.area;
    const { toX, toY } = this.scales();
    pen.fillStyle = color("--back");
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = color("--empty");
    pen.fillRect(left, top, right - left, bottom - top);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left, bottom - top);
    pen.clip();
    this.draw(pen, { toX, toY, color, ...this.area });
    pen.restore();
    pen.strokeStyle = color("--line");
    pen.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
    pen.fillStyle = color("--text");
    pen.font = "12px system-ui, sans-serif";
    const [x0, x1, y0, y1] = this.bounds;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const [position, text] of marks(this.x, x0, x1, Math.max(2, width / 130))) {
      const x = toX(position);
      if (x > right) continue;
      pen.fillRect(x, bottom, 1, 4);
      pen.fillText(text, Math.min(x, right - 24), bottom + 6);
    }
    pen.fillText(visible(this.x.name), (left + right) / 2, bottom + 24);
    if (!this.y) return;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [position, text] of marks(this.y, y0, y1, Math.max(2, height / 60))) {
      const y = toY(position);
      if (y < top || y > bottom) continue;
      pen.fillRect(left - 4, y, 4, 1);
      pen.fillText(text, left - 7, y);
    }
    pen.save();
    pen.translate(12, (top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(visible(this.y.name), 0, 0);
    pen.restore();
  }

  png(name) {
    this.canvas.toBlob((content) => save(content, `${name}.png`));
  }

  // Draws again, to shapes instead of pixels.
  svg(name) {
    const pen = new SvgPen(this.area.width, this.area.height);
    this.render(pen);
    save(new Blob([pen.text()], { type: "image/svg+xml" }), `${name}.svg`);
  }

  end() {
    this.observer.disconnect();
    clearTimeout(this.timer);
  }
}

const escaped = (text) => String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

// The part of a canvas context that the page draws with, as SVG.
class SvgPen {
  constructor(width, height) {
    this.size = [width, height];
    this.parts = [];
    this.matrix = [];
    this.clips = 0;
    this.open = [0];
  }

  get fill() { return escaped(this.fillStyle); }

  fillRect(x, y, w, h) {
    this.parts.push(`<rect x="${x}" y="${y}" width="${Math.max(w, 0)}" height="${Math.max(h, 0)}" fill="${this.fill}" fill-opacity="${this.globalAlpha ?? 1}"/>`);
  }

  strokeRect(x, y, w, h) {
    this.parts.push(`<rect x="${x}" y="${y}" width="${Math.max(w, 0)}" height="${Math.max(h, 0)}" fill="none" stroke="${escaped(this.strokeStyle)}"/>`);
  }

  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const base = { top: "hanging", middle: "central" }[this.textBaseline] ?? "auto";
    this.parts.push(`<text x="${x}" y="${y}" text-anchor="${anchor}" dominant-baseline="${base}" fill="${this.fill}" font-family="sans-serif" font-size="12">${escaped(text)}</text>`);
  }

  drawImage(image, ...rest) {
    const [x, y, w, h] = rest.slice(-4);
    const part = document.createElement("canvas");
    part.width = image.width;
    part.height = image.height;
    part.getContext("2d").drawImage(image, 0, 0);
    this.parts.push(`<image x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${part.toDataURL()}"/>`);
  }

  save() { this.open.push(0); }

  restore() { this.parts.push("</g>".repeat(this.open.pop())); }

  group(attributes) {
    this.open[this.open.length - 1] += 1;
    this.parts.push(`<g ${attributes}>`);
  }

  translate(x, y) { this.group(`transform="translate(${x} ${y})"`); }

  rotate(angle) { this.group(`transform="rotate(${(angle * 180) / Math.PI})"`); }

  beginPath() { this.path = ""; }

  rect(x, y, w, h) { this.path = `<rect x="${x}" y="${y}" width="${w}" height="${h}"/>`; }

  arc(x, y, radius) { this.path = `<circle cx="${x}" cy="${y}" r="${radius}" fill="${this.fill}"/>`; }

  fillPath() { this.parts.push(this.path); }

  clip() {
    this.clips += 1;
    this.parts.push(`<clipPath id="clip${this.clips}">${this.path}</clipPath>`);
    this.group(`clip-path="url(#clip${this.clips})"`);
  }

  text() {
    const [width, height] = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${this.parts.join("")}</svg>`;
  }
}
