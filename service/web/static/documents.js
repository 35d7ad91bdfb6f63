// @ts-check
// Documents: fetched once each, shown whole with a quote marked.
import { getJson } from "./api.js";
import { byId, cut, el, sourceLink } from "./dom.js";

/** @type {Map<string, Promise<any>>} */
const fetched = new Map();
const OLD_MS = 365 * 24 * 3600 * 1000;

/**
 * A document by its id.
 * @param {string} id
 * @returns {Promise<any>}
 */
export function documentOf(id) {
  let found = fetched.get(id);
  if (!found) {
    found = getJson(`v1/documents/${id.split("/").map(encodeURIComponent).join("/")}`);
    found.catch(() => fetched.delete(id));
    fetched.set(id, found);
  }
  return found;
}

/**
 * The text of a document before, in and after a quote; null when the document has changed since it was quoted.
 * @param {any} whole
 * @param {any} citation
 * @returns {[string, string, string] | null}
 */
export function aroundQuote(whole, citation) {
  const [before, quote, after] = cut(whole.text, citation.start, citation.end);
  return quote === citation.quote ? [before, quote, after] : null;
}

/**
 * The date that counts for a citation: that of the quoted fact where it has one, else that of the document.
 * @param {any} citation
 * @returns {string}
 */
export function dateOf(citation) {
  return /\bas_of: "?(\d{4}(?:-\d\d){0,2})/.exec(citation.quote)?.[1] ?? citation.document.as_of;
}

/**
 * Whether something of this date is older than a year, so that prices and drivers may have changed.
 * @param {string} date as in ISO 8601, perhaps without day or month
 */
export function isOld(date) {
  const time = Date.parse(date);
  return !Number.isNaN(time) && Date.now() - time > OLD_MS;
}

/**
 * The source that the quoted fact names, or the only one of its document.
 * @param {any} whole
 * @param {any} citation
 * @returns {{title: string, url: string} | null}
 */
export function sourceOf(whole, citation) {
  const key = /\bsource: "?([\w.-]+)/.exec(citation.quote)?.[1] ?? footnoteAfter(whole, citation);
  const named = whole.sources.find((/** @type {any} */ each) => each.key === key);
  return named ?? (whole.sources.length === 1 ? whole.sources[0] : null);
}

/** @param {any} whole @param {any} citation */
function footnoteAfter(whole, citation) {
  const parts = aroundQuote(whole, citation);
  return parts ? /^\S{0,2}\[\^([\w.-]+)\]/.exec(parts[2])?.[1] : undefined;
}

/**
 * Show a whole document, with the quote of a citation marked and in sight.
 * @param {any} citation
 */
export async function openDocument(citation) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("document"));
  const paper = byId("document-text");
  byId("document-title").textContent = citation.document.title;
  byId("document-about").replaceChildren(el("p", { class: "hint" }, `${citation.document.path}, as of ${citation.document.as_of}`));
  paper.replaceChildren("Loading the document…");
  if (!dialog.open) dialog.showModal();
  try {
    const whole = await documentOf(citation.document.id);
    const parts = aroundQuote(whole, citation);
    const mark = el("mark", {}, citation.quote);
    if (parts) paper.replaceChildren(parts[0], mark, parts[2]);
    else paper.replaceChildren(changed(), whole.text);
    if (whole.sources.length) byId("document-about").append(sourceList(whole.sources));
    mark.scrollIntoView({ block: "center" });
  } catch (error) {
    paper.replaceChildren(error instanceof Error ? error.message : String(error));
  }
}

/** What is shown when a quote does not stand in its document any more. */
export function changed() {
  return el("p", { class: "box warn" }, "This document has changed since the answer was given. Ask again to see what it says now.");
}

/** @param {any[]} sources */
function sourceList(sources) {
  const rows = sources.map((each) =>
    el("li", {}, sourceLink(each.url, each.title), each.as_of ? `, as of ${each.as_of}` : ""),
  );
  const summary = el("summary", {}, `Where it comes from (${sources.length})`);
  return el("details", {}, summary, el("ul", {}, ...rows));
}

byId("document-close").addEventListener("click", () => byId("document").close());
byId("document").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  if (event.target === byId("document")) byId("document").close(); // a click beside it
});
