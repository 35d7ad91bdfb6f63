// @ts-check
// Facts of devices side by side, each with the passage that states it.
import { citationMark } from "./citation.js";
import { cut, el } from "./dom.js";
import { documentOf } from "./documents.js";

/** What tells two facts of one name apart; the other qualifiers stand behind the value. */
const TELLING = ["precision", "sparsity", "engine", "direction", "term"];
const PROSE = ["note", "software"];
const ABOUT = [
  ["vendor", "Maker"],
  ["architecture", "Architecture"],
  ["form_factor", "Form"],
  ["segment", "Made for"],
  ["released", "Released"],
  ["status", "Status"],
];

/**
 * Head and body of a table with one column a device.
 * @param {any[]} devices with their facts
 * @returns {Promise<HTMLElement[]>}
 */
export async function comparisonTable(devices) {
  const documents = await documentsOf(devices);
  const head = el("tr", {}, el("td"), ...devices.map((device) => el("th", { scope: "col" }, device.name)));
  const about = ABOUT.map(([field, label]) => el("tr", {}, el("th", { scope: "row" }, label), ...devices.map((device) => el("td", {}, device[field] || "not stated"))));
  let n = 0;
  const cell = (/** @type {any[]} */ facts) => {
    const host = el("td", { class: "statement" }, ...(facts.length ? [] : ["not stated"]));
    for (const fact of facts) {
      n += 1;
      const rest = Object.entries(fact.qualifiers).filter(([name]) => !TELLING.includes(name));
      host.append(el("p", {}, fact.text, el("span", { class: "hint" }, rest.map(([name, value]) => ` ${name.replaceAll("_", " ")} ${value}`).join(",")), " ", citationMark(citationOf(fact, documents, n), host)));
    }
    return host;
  };
  const facts = labelsOf(devices).map((label) => el("tr", {}, el("th", { scope: "row" }, label), ...devices.map((device) => cell(device.facts.filter((/** @type {any} */ fact) => labelOf(fact) === label)))));
  return [el("thead", {}, head), el("tbody", {}, ...about, ...facts)];
}

/** @param {any[]} devices every label once, in the order of the first device that has it */
function labelsOf(devices) {
  return [...new Set(devices.flatMap((device) => device.facts.filter((/** @type {any} */ fact) => !PROSE.includes(fact.name)).map(labelOf)))];
}

/** @param {any} fact */
function labelOf(fact) {
  const telling = TELLING.map((name) => fact.qualifiers[name]).filter(Boolean);
  return `${fact.name.replaceAll("_", " ")}${telling.length ? ` (${telling.join(", ")})` : ""}`;
}

/** @param {any[]} devices @returns {Promise<Map<string, any>>} */
async function documentsOf(devices) {
  const ids = [...new Set(devices.flatMap((device) => device.facts.map((/** @type {any} */ fact) => fact.document_id)))];
  return new Map(await Promise.all(ids.map(async (id) => /** @type {[string, any]} */ ([id, await documentOf(id)]))));
}

/** @param {any} fact @param {Map<string, any>} documents @param {number} n */
function citationOf(fact, documents, n) {
  const document = documents.get(fact.document_id);
  const [, quote] = cut(document.text, fact.start, fact.end);
  return { n, document, heading_path: [document.title], page: null, quote, start: fact.start, end: fact.end };
}
