// @ts-check
// The machines of a recommendation: the first ones as cards, all of them in a table that can be sorted, and the rejected.
import { fitBar, priceChart } from "./charts.js";
import { counted, el } from "./dom.js";
import { duration, memory, money, short } from "./format.js";

const CARDS = 3;
const PLACES = { rent: "Rent", own: "Own already", buy: "Buy" };
const FITS = { comfortable: "Fits well", tight: "Fits tightly", no: "Does not fit" };

/** @typedef {(quotes: any[], host: HTMLElement) => (Node | string)[]} Marks citations of quotes as marks */

/** @param {any} option */
function nameOf(option) {
  return `${option.count} × ${option.device}`;
}

/** @param {any} option */
function placeOf(option) {
  const seller = [option.provider, option.instance].filter(Boolean).join(" ");
  const where = PLACES[/** @type {keyof typeof PLACES} */ (option.where)] ?? option.where;
  return [where, seller, option.region].filter(Boolean).join(", ");
}

/** @param {any} option */
function priceOf(option) {
  const cost = option.cost;
  if (!cost) return "no price known";
  if (cost.billing === "purchase" && cost.total_usd) return `${money(cost.total_usd)} to buy`;
  return cost.usd_per_hour === null ? "no price known" : `${money(cost.usd_per_hour)} an hour`;
}

/** @param {any} option */
function timeOf(option) {
  if (option.hours) return duration(option.hours.value);
  return option.speed ? `${short(option.speed.value)} ${option.speed.unit}` : "not known";
}

/**
 * The first options as cards.
 * @param {any[]} options @param {Marks} marks
 */
export function optionCards(options, marks) {
  const cards = options.slice(0, CARDS).map((option) => {
    const host = el("div", { class: "statement" });
    const words = option.reasons.map((/** @type {any} */ reason) => el("p", {}, reason.text, ...marks(reason.quotes, host)));
    host.append(...words);
    const total = option.hours && option.cost?.total_usd ? `, ${money(option.cost.total_usd)} in all` : "";
    return el(
      "li",
      { class: option.rank === 1 ? "option first" : "option" },
      el("h4", {}, el("span", { class: "rank" }, String(option.rank)), nameOf(option)),
      el("p", { class: "hint" }, placeOf(option)),
      el("p", { class: "price" }, priceOf(option), total),
      option.hours || option.speed ? el("p", {}, timeOf(option)) : null,
      fitBar(option.fit.needed_gib, option.fit.available_gib),
      el("p", { class: "hint" }, `${FITS[/** @type {keyof typeof FITS} */ (option.fit.verdict)]}: ${memory(option.fit.needed_gib)} of ${memory(option.fit.available_gib)} needed`),
      words.length ? el("details", {}, el("summary", {}, "Why"), host) : null,
    );
  });
  return el("ul", { class: "options" }, ...cards);
}

/** @type {{name: string, text: (option: any) => string, key: (option: any) => number | string}[]} */
const COLUMNS = [
  { name: "Rank", text: (o) => String(o.rank), key: (o) => o.rank },
  { name: "Machine", text: nameOf, key: (o) => o.device },
  { name: "Where", text: placeOf, key: (o) => `${o.where} ${o.provider}` },
  { name: "Price", text: priceOf, key: (o) => o.cost?.usd_per_hour ?? o.cost?.total_usd ?? Infinity },
  { name: "In all", text: (o) => (o.cost?.total_usd ? money(o.cost.total_usd) : ""), key: (o) => o.cost?.total_usd ?? Infinity },
  { name: "Time or speed", text: timeOf, key: (o) => o.hours?.value ?? (o.speed ? 1 / o.speed.value : Infinity) },
  { name: "Memory left", text: (o) => memory(o.fit.headroom_gib), key: (o) => o.fit.headroom_gib },
];

/**
 * All options in a table; a click on a heading sorts by it, another one turns the order.
 * @param {any[]} options
 */
export function optionTable(options) {
  const body = el("tbody");
  const heads = COLUMNS.map((column) => el("th", { scope: "col" }, el("button", { type: "button", class: "sort" }, column.name)));
  const fill = (/** @type {any[]} */ rows) => body.replaceChildren(...rows.map((option) => el("tr", {}, ...COLUMNS.map((column) => el("td", {}, column.text(option))))));
  heads.forEach((head, place) => {
    head.firstElementChild?.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      fill(sorted(options, COLUMNS[place].key, down));
    });
  });
  heads[0].setAttribute("aria-sort", "ascending");
  fill(options);
  const table = el("table", { class: "sortable" }, el("caption", {}, `${counted(options.length, "machine")} that fit. Choose a heading to sort by it.`), el("thead", {}, el("tr", {}, ...heads)), body);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All options" }, table);
}

/** @param {any[]} options @param {(option: any) => number | string} key @param {boolean} down */
function sorted(options, key, down) {
  const order = [...options].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return left < right ? -1 : left > right ? 1 : a.rank - b.rank;
  });
  return down ? order.reverse() : order;
}

/**
 * Options on price against time, or why there is no chart.
 * @param {any[]} options
 */
export function optionChart(options) {
  const whole = pointsOf(options, (o) => o.hours?.value, (o) => o.cost?.total_usd);
  if (whole.length) {
    return figure(whole, options, { time: "Time for the whole run", price: "Price of the run", tellTime: duration, tellPrice: money });
  }
  const million_h = (/** @type {any} */ o) => o.speed && 1e6 / o.speed.value / 3600;
  const served = pointsOf(options, million_h, (o) => o.cost?.usd_per_hour && million_h(o) * o.cost.usd_per_hour);
  const tokens = options.some((o) => o.speed?.unit.startsWith("tokens"));
  if (served.length && tokens) {
    return figure(served, options, { time: "Time for a million tokens", price: "Price of a million tokens", tellTime: duration, tellPrice: money });
  }
  return el("p", { class: "hint" }, "Price against time is drawn here once the time is known: state how many tokens to train on.");
}

/** @param {any[]} options @param {(o: any) => number | undefined | null} time @param {(o: any) => number | undefined | null} price */
function pointsOf(options, time, price) {
  return options.flatMap((option) => {
    const [time_h, price_usd] = [time(option), price(option)];
    return time_h && price_usd ? [{ time_h, price_usd, mark: String(option.rank), name: nameOf(option) }] : [];
  });
}

/** @param {import("./charts.js").Point[]} points @param {any[]} options @param {any} words */
function figure(points, options, words) {
  const missing = options.length - points.length;
  const left = missing ? ` ${counted(missing, "option")} without a price or time of this kind ${missing === 1 ? "is" : "are"} left out.` : "";
  const caption = `Numbers are ranks. Filled: no other option is both cheaper and faster. Both axes are logarithmic.${left}`;
  return el("figure", {}, priceChart(points, words), el("figcaption", { class: "hint" }, caption));
}

/**
 * What a reader would expect and what fails, with the reason.
 * @param {any[]} rejected @param {Marks} marks
 */
export function rejectedView(rejected, marks) {
  const rows = rejected.map((each) => {
    const host = el("li", { class: "statement" });
    host.append(el("p", {}, each.statement.text, ...marks(each.statement.quotes, host)));
    return host;
  });
  return el("details", {}, el("summary", {}, `Ruled out (${rejected.length})`), el("ul", {}, ...rows));
}
