// @ts-check
// Two charts as SVG: the parts of a need, and price against time. Each stands beside a text or table that says the same.
import { memory } from "./format.js";

const COLOURS = 6; // classes part-0 to part-5 in the style sheet

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * The parts of a memory need side by side; the classes of the colours are those of the legend.
 * @param {{name: string, gib: number}[]} parts
 */
export function memoryBar(parts) {
  const total = parts.reduce((sum, part) => sum + part.gib, 0);
  const told = parts.map((part) => `${part.name} ${memory(part.gib)}`).join(", ");
  const bar = svg("svg", { class: "bar", viewBox: "0 0 1000 36", preserveAspectRatio: "none", role: "img", "aria-label": `Memory: ${told}` });
  let x = 0;
  parts.forEach((part, place) => {
    const width = (1000 * part.gib) / total;
    bar.append(svg("rect", { x, y: 0, width: Math.max(0, width - 2), height: 36, class: partClass(place) }, svg("title", {}, `${part.name}: ${memory(part.gib)}`)));
    x += width;
  });
  return bar;
}

/** @param {number} place */
export function partClass(place) {
  return `part-${place % COLOURS}`;
}

/**
 * What a machine has and what of it is needed.
 * @param {number} needed_gib @param {number} available_gib
 */
export function fitBar(needed_gib, available_gib) {
  const share = Math.min(1, needed_gib / available_gib);
  return svg(
    "svg",
    { class: "bar fit", viewBox: "0 0 1000 20", preserveAspectRatio: "none", role: "img", "aria-label": `${memory(needed_gib)} of ${memory(available_gib)} needed` },
    svg("rect", { x: 0, y: 0, width: 1000, height: 20, class: "room" }),
    svg("rect", { x: 0, y: 0, width: 1000 * share, height: 20, class: share > 0.9 ? "taken near" : "taken" }),
  );
}

/**
 * @typedef {object} Point
 * @property {number} time_h
 * @property {number} price_usd
 * @property {string} mark what stands beside the point
 * @property {string} name
 */

/**
 * The points that no other one beats in both: cheaper and no slower, or faster and no dearer. Fastest first.
 * @param {Point[]} points
 */
export function front(points) {
  /** @type {Point[]} */
  const kept = [];
  const byTime = [...points].sort((a, b) => a.time_h - b.time_h || a.price_usd - b.price_usd);
  for (const point of byTime) {
    if (!kept.length || point.price_usd < kept[kept.length - 1].price_usd) kept.push(point);
  }
  return kept;
}

const HEIGHT = 340;
const PAD = { left: 66, right: 24, top: 18, bottom: 52 };

/**
 * Price against time on logarithmic axes, with the front as a line.
 * @param {Point[]} points at least one
 * @param {{time: string, price: string, tellTime: (h: number) => string, tellPrice: (usd: number) => string}} words
 */
export function priceChart(points, words) {
  const best = front(points);
  const width = innerWidth < 560 ? 360 : 640; // so that the words stay readable on a phone
  const x = axis(points.map((each) => each.time_h), PAD.left, width - PAD.right);
  const y = axis(points.map((each) => each.price_usd), HEIGHT - PAD.bottom, PAD.top);
  const told = best.map((each) => `${each.name}, ${words.tellTime(each.time_h)}, ${words.tellPrice(each.price_usd)}`).join("; ");
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${words.price} against ${words.time}. Not beaten in both: ${told}.` });
  for (const tick of x.ticks) {
    const at = x.place(tick);
    chart.append(svg("line", { x1: at, x2: at, y1: PAD.top, y2: HEIGHT - PAD.bottom, class: "grid" }), svg("text", { x: at, y: HEIGHT - PAD.bottom + 18, "text-anchor": "middle" }, words.tellTime(tick)));
  }
  for (const tick of y.ticks) {
    const at = y.place(tick);
    chart.append(svg("line", { x1: PAD.left, x2: width - PAD.right, y1: at, y2: at, class: "grid" }), svg("text", { x: PAD.left - 8, y: at + 4, "text-anchor": "end" }, words.tellPrice(tick)));
  }
  chart.append(svg("text", { x: (PAD.left + width - PAD.right) / 2, y: HEIGHT - 8, "text-anchor": "middle", class: "axis" }, words.time));
  chart.append(svg("text", { x: -HEIGHT / 2 + 18, y: 14, transform: "rotate(-90)", "text-anchor": "middle", class: "axis" }, words.price));
  chart.append(svg("polyline", { points: best.map((each) => `${x.place(each.time_h)},${y.place(each.price_usd)}`).join(" "), class: "front" }));
  for (const each of points) {
    const [cx, cy] = [x.place(each.time_h), y.place(each.price_usd)];
    const title = svg("title", {}, `${each.name}: ${words.tellTime(each.time_h)}, ${words.tellPrice(each.price_usd)}`);
    chart.append(svg("g", { class: best.includes(each) ? "point best" : "point" }, title, svg("circle", { cx, cy, r: 11 }), svg("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, each.mark)));
  }
  return chart;
}

/** Steps within a power of ten, from wide to narrow; the first that gives three ticks is taken. */
const STEPS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7]];

/**
 * A logarithmic axis over values, with round ticks.
 * @param {number[]} values @param {number} from @param {number} to
 */
function axis(values, from, to) {
  const low = Math.log10(Math.min(...values) / 1.4);
  const high = Math.log10(Math.max(...values) * 1.4);
  const within = (/** @type {number[]} */ steps) => {
    const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, place) => Math.floor(low) + place);
    return powers.flatMap((power) => steps.map((step) => step * 10 ** power)).filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
  };
  const ticks = STEPS.map(within).find((each) => each.length > 2) ?? within(STEPS[STEPS.length - 1]);
  return {
    ticks,
    place: (/** @type {number} */ value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}
