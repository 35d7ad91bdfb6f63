// @ts-check
// The questions that were asked in this browser. They are kept here and nowhere else, and can be deleted.
import { byId, el } from "./dom.js";

const STORED = "rigwise.history";
const KEPT = 50;

/** @typedef {{id: string, question: string, at: string}} Entry */

/** @returns {Entry[]} newest first */
function entries() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(stored) ? stored.filter((each) => typeof each?.question === "string" && typeof each?.id === "string") : [];
  } catch {
    return [];
  }
}

/** @param {Entry[]} kept */
function store(kept) {
  localStorage.setItem(STORED, JSON.stringify(kept.slice(0, KEPT)));
}

/**
 * Keep an answer in the list.
 * @param {any} answer
 */
export function remember(answer) {
  store([{ id: answer.id, question: answer.question, at: new Date().toISOString() }, ...entries()]);
}

/**
 * Show the list; a question opens its answer.
 * @param {(entry: Entry) => void} open
 */
export function showHistory(open) {
  const kept = entries();
  const section = byId("history");
  section.hidden = kept.length === 0;
  const remove = (/** @type {Entry[]} */ rest) => {
    store(rest);
    showHistory(open);
    section.querySelector("summary")?.focus();
  };
  const rows = kept.map((entry) =>
    el(
      "li",
      {},
      el("button", { type: "button", class: "link", onclick: () => open(entry) }, entry.question),
      el("span", { class: "hint" }, ` ${new Date(entry.at).toLocaleString()} `),
      el("button", { type: "button", class: "quiet small", "aria-label": `Delete: ${entry.question}`, onclick: () => remove(entries().filter((each) => each.id !== entry.id)) }, "Delete"),
    ),
  );
  byId("history-list").replaceChildren(...rows);
  byId("history-count").textContent = String(kept.length);
  byId("history-clear").onclick = () => remove([]);
}
