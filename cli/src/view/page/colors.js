// Color maps that people with color blindness can read, and colors of categories (Okabe and Ito).

const MAPS = {
  viridis: [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]],
  cividis: [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]],
  gray: [[20, 20, 20], [245, 245, 245]],
  "blue to orange": [[5, 75, 150], [120, 170, 215], [240, 240, 240], [240, 165, 95], [170, 75, 0]],
};

export const mapNames = Object.keys(MAPS);

// Returns the color of a share between 0 and 1 as three bytes.
export function colorAt(name, share) {
  const stops = MAPS[name] ?? MAPS.viridis;
  const position = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const first = Math.min(Math.floor(position), stops.length - 2);
  const part = position - first;
  return stops[first].map((low, channel) => Math.round(low + (stops[first + 1][channel] - low) * part));
}

export const css = (color) => `rgb(${color.join(",")})`;

// What a read does with a tile, in the order of the numbers of the tool.
export const USES = [
  ["outside of the ranges", "#8f98a3"],
  ["hidden by newer tiles", "#cc79a7"],
  ["excluded by statistics", "#0072b2"],
  ["read without results", "#e69f00"],
  ["read", "#009e73"],
];

export const EVENTS = {
  creation: ["creation", "#56b4e9"],
  write: ["write", "#0072b2"],
  delete: ["delete", "#d55e00"],
  evolution: ["evolution of the schema", "#cc79a7"],
  consolidation: ["consolidation", "#009e73"],
  replaced: ["replaced, not vacuumed", "#8f98a3"],
  metadata: ["metadata", "#e69f00"],
};

// Returns a legend of a color map.
export function scale(name, low, high) {
  const canvas = document.createElement("canvas");
  canvas.width = 180;
  canvas.height = 1;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `colors from ${low} to ${high}`);
  const pen = canvas.getContext("2d");
  for (let x = 0; x < 180; x += 1) {
    pen.fillStyle = css(colorAt(name, x / 179));
    pen.fillRect(x, 0, 1, 1);
  }
  const legend = document.createElement("div");
  legend.className = "legend";
  legend.append(low, canvas, high);
  return legend;
}

export function swatches(pairs) {
  const legend = document.createElement("div");
  legend.className = "legend";
  for (const [text, color] of pairs) {
    const item = document.createElement("span");
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = color;
    item.append(swatch, text);
    legend.append(item);
  }
  return legend;
}
