// @ts-check
// A recommendation: what is needed, the machines that fit, and controls that ask for another one at once.
import { getJson, post } from "./api.js";
import { memoryBar, partClass } from "./charts.js";
import { citationMark } from "./citation.js";
import { controls, workloadWords } from "./controls.js";
import { el } from "./dom.js";
import { memory } from "./format.js";
import { optionCards, optionChart, optionTable, rejectedView } from "./options.js";

const WAIT_MS = 250;

/**
 * The view of a recommendation.
 * @param {any} recommendation
 * @param {any[]} citations
 */
export function recommendationView(recommendation, citations) {
  const result = el("div", { class: "result" });
  const status = el("p", { class: "status", role: "status" });
  const section = el("section", { class: "recommendation" });
  const rerun = runner(result, status);
  result.append(...resultOf(recommendation, citations));
  given(recommendation.workload).then(
    (workload) => section.prepend(el("h3", {}, "Change it"), controls(workload, rerun), status),
    (error) => section.prepend(el("p", { class: "hint" }, `It cannot be changed here: ${error.message}`)),
  );
  section.append(result);
  return section;
}

/**
 * Asks for another recommendation a moment after the last change; only the latest one is shown.
 * @param {HTMLElement} result @param {HTMLElement} status
 */
function runner(result, status) {
  /** @type {number | undefined} */
  let timer;
  /** @type {AbortController | undefined} */
  let running;
  return (/** @type {Record<string, any>} */ workload) => {
    clearTimeout(timer);
    running?.abort();
    const own = new AbortController();
    running = own;
    status.textContent = "Working out what fits now…";
    timer = setTimeout(async () => {
      try {
        const reply = await (await post("v1/recommend", { workload }, { signal: own.signal })).json();
        if (own.signal.aborted) return;
        if (reply.recommendation) result.replaceChildren(...resultOf(reply.recommendation, reply.citations.map(nested)));
        else result.replaceChildren(el("p", { class: "box warn" }, reply.ask));
        status.textContent = reply.recommendation ? told(reply.recommendation) : "One detail is missing.";
      } catch (error) {
        if (own.signal.aborted) return;
        status.textContent = error instanceof Error ? error.message : String(error);
      }
    }, WAIT_MS);
  };
}

/**
 * A citation of /v1/recommend, which names its document flat, as one of an answer.
 * @param {any} citation
 */
function nested(citation) {
  const { document_id, title, path, url, kind, as_of, ...rest } = citation;
  return { ...rest, document: { id: document_id, title, path, url, kind, as_of } };
}

/** @param {any} recommendation */
function told(recommendation) {
  const first = recommendation.options[0];
  if (!first) return "Nothing fits now; the reasons are below.";
  return `First now: ${first.count} × ${first.device}, of ${recommendation.options.length} that fit.`;
}

/**
 * A workload as the route takes it. How many devices it may use at most is left open where nobody said so.
 * @param {Record<string, {value: any, from: string}>} workload
 */
async function given(workload) {
  const schemas = (await getJson("openapi.json")).components.schemas;
  const kept = (/** @type {any} */ value, /** @type {string} */ schema) =>
    Object.fromEntries(Object.entries(value).filter(([name, each]) => name in schemas[schema].properties && each !== null));
  const stated = Object.entries(workload).filter(([name, { from }]) => name !== "device_count_max" || from === "question");
  const plain = kept(Object.fromEntries(stated.map(([name, { value }]) => [name, value])), "WorkloadBody");
  return plain.plan ? { ...plain, plan: kept(plain.plan, "PlanBody") } : plain;
}

/** @param {any} recommendation @param {any[]} citations */
function resultOf(recommendation, citations) {
  const byPlace = new Map(citations.map((each) => [placeOf(each.document.id, each), each]));
  /** @type {import("./options.js").Marks} */
  const marks = (quotes, host) =>
    quotes.flatMap((quote) => {
      const citation = byPlace.get(placeOf(quote.document_id, quote));
      return citation ? [" ", citationMark(citation, host)] : [];
    });
  const { options, rejected, warnings, need } = recommendation;
  const parts = [...warnings.map((/** @type {any} */ each) => el("p", { class: "box warn" }, each.text)), workloadView(recommendation.workload), needView(need)];
  if (options.length) parts.push(el("h3", {}, "Machines that fit"), optionCards(options, marks), optionChart(options), optionTable(options), el("p", { class: "hint" }, `In this order: ${recommendation.order}.`));
  else parts.push(el("p", { class: "box warn" }, "No machine that is known here fits. What is ruled out below says why."));
  if (rejected.length) parts.push(rejectedView(rejected, marks));
  if (recommendation.sensitivity.length) parts.push(listView("What would change it", recommendation.sensitivity.map((/** @type {any} */ each) => each.statement), marks));
  if (recommendation.assumptions.length) parts.push(listView("What is assumed", recommendation.assumptions, marks));
  return parts;
}

/** @param {string} document @param {{start: number, end: number}} span */
function placeOf(document, { start, end }) {
  return `${document}:${start}:${end}`;
}

/** @param {Record<string, any>} workload */
function workloadView(workload) {
  const words = workloadWords(workload).map(({ text, assumed }) => el("li", { class: assumed ? "fact assumed" : "fact" }, assumed ? `${text} (assumed)` : text));
  return el("ul", { class: "facts", "aria-label": "The workload as understood" }, ...words);
}

/** @param {any} need */
function needView(need) {
  if (need.total_gib === null) return el("p", { class: "hint" }, `The memory cannot be computed: ${need.missing.join("; ")}.`);
  const parts = [...need.parts, { name: "runtime", gib: need.context_gib }].filter((part) => part.gib > 0);
  const legend = parts.map((part, place) => el("li", {}, el("span", { class: `swatch ${partClass(place)}`, "aria-hidden": "true" }), `${part.name}: ${memory(part.gib)}`));
  const total = need.total_gib + need.context_gib;
  return el(
    "div",
    { class: "need" },
    el("h3", {}, `Memory on each device: ${memory(total)}`),
    memoryBar(parts),
    el("ul", { class: "legend" }, ...legend),
    el("p", { class: "hint" }, `A run shows between ${memory(need.low_gib)} and ${memory(need.high_gib)}.`),
    formulasView(need.parts),
  );
}

/** @param {any[]} parts */
function formulasView(parts) {
  const rows = parts.map((part) => el("li", {}, `${part.name}: `, el("code", {}, part.computation.formula), el("span", { class: "hint" }, ` (${part.computation.source})`)));
  return el("details", {}, el("summary", {}, "How it is computed"), el("ul", {}, ...rows));
}

/** @param {string} title @param {any[]} statements @param {import("./options.js").Marks} marks */
function listView(title, statements, marks) {
  const rows = statements.map((each) => {
    const host = el("li", { class: "statement" });
    host.append(el("p", {}, each.text, ...marks(each.quotes, host)));
    return host;
  });
  return el("details", {}, el("summary", {}, `${title} (${rows.length})`), el("ul", {}, ...rows));
}
