// @ts-check
// The mark of a citation and the card that it opens: by pointer, by focus, and to stay by click, tap or Enter.
import { el, sourceLink } from "./dom.js";
import { aroundQuote, changed, dateOf, documentOf, isOld, openDocument, sourceOf } from "./documents.js";

const OPEN_AFTER_MS = 140;
const CLOSE_AFTER_MS = 260;
const GAP_PX = 6;
const EDGE_PX = 16;
const AROUND = 200; // characters of context on each side

/** @type {{button: HTMLElement, card: HTMLElement, pinned: boolean} | null} */
let open = null;
/** @type {number | undefined} */
let timer;

/**
 * The button of a citation. Its card appears in `host`, which stands around the sentence.
 * @param {any} citation
 * @param {HTMLElement} host
 */
export function citationMark(citation, host) {
  const label = `Source ${citation.n}: ${citation.document.title}, as of ${dateOf(citation)}`;
  const button = el("button", { type: "button", class: "cite", "aria-label": label, "aria-expanded": "false" }, String(citation.n));
  const show = (/** @type {boolean} */ pinned) => showCard(button, citation, host, pinned);
  button.addEventListener("pointerenter", (event) => {
    if (event.pointerType === "mouse") later(() => show(false), OPEN_AFTER_MS);
  });
  button.addEventListener("pointerleave", () => later(closeUnpinned, CLOSE_AFTER_MS));
  button.addEventListener("focus", () => button.matches(":focus-visible") && show(false));
  button.addEventListener("blur", () => later(closeUnpinned, CLOSE_AFTER_MS));
  button.addEventListener("click", () => {
    clearTimeout(timer);
    if (open?.button === button && open.pinned) close();
    else show(true);
  });
  return button;
}

/** @param {HTMLElement} button @param {any} citation @param {HTMLElement} host @param {boolean} pinned */
function showCard(button, citation, host, pinned) {
  clearTimeout(timer);
  if (open?.button === button) {
    open.pinned ||= pinned;
    return;
  }
  close();
  const card = cardOf(citation);
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", () => later(closeUnpinned, CLOSE_AFTER_MS));
  card.addEventListener("focusin", () => {
    if (open?.card === card) open.pinned = true;
  });
  host.append(card);
  card.showPopover(); // above all else, so that no scrolling table cuts it off
  place(card, button);
  button.setAttribute("aria-expanded", "true");
  open = { button, card, pinned };
}

/** @param {() => void} what @param {number} after_ms */
function later(what, after_ms) {
  clearTimeout(timer);
  timer = setTimeout(what, after_ms);
}

function closeUnpinned() {
  if (open && !open.pinned && document.activeElement !== open.button) close();
}

function close() {
  if (!open) return;
  open.button.setAttribute("aria-expanded", "false");
  open.card.remove();
  open = null;
}

/** @param {any} citation */
function cardOf(citation) {
  const passage = el("blockquote", { tabindex: "0", "aria-label": "Passage" }, el("mark", {}, citation.quote));
  const source = el("p", { class: "hint" });
  const date = dateOf(citation);
  const card = el(
    "div",
    { class: "card-source", popover: "manual", role: "group", "aria-label": `Source ${citation.n}` },
    el("p", { class: "card-title" }, citation.document.title),
    el("p", { class: "hint" }, citation.heading_path.slice(1).join(" › ")),
    passage,
    source,
    el("p", { class: isOld(date) ? "hint old" : "hint" }, `As of ${date}${isOld(date) ? ": older than a year" : ""}${citation.page ? `, page ${citation.page}` : ""}`),
    el(
      "p",
      { class: "actions" },
      el("button", { type: "button", class: "quiet", onclick: () => openDocument(citation) }, "Open the document"),
      el("button", { type: "button", class: "quiet", onclick: closeToMark }, "Close"),
    ),
  );
  fill(citation, passage, source).then(() => open?.card === card && place(card, open.button));
  return card;
}

/**
 * Put a card below its mark, or above it where there is more room; never beside the page.
 * @param {HTMLElement} card @param {HTMLElement} button
 */
function place(card, button) {
  const mark = button.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const above = mark.bottom + height > innerHeight && mark.top > height + GAP_PX;
  const left = Math.min(mark.left - 2 * EDGE_PX, document.documentElement.clientWidth - width - EDGE_PX);
  card.style.left = `${Math.max(EDGE_PX, left) + scrollX}px`;
  card.style.top = `${(above ? mark.top - height - GAP_PX : mark.bottom + GAP_PX) + scrollY}px`;
}

function closeToMark() {
  const button = open?.button;
  close();
  button?.focus({ preventScroll: true });
  close(); // the focus would open it again
}

/** @param {any} citation @param {HTMLElement} passage @param {HTMLElement} source */
async function fill(citation, passage, source) {
  try {
    const whole = await documentOf(citation.document.id);
    const parts = aroundQuote(whole, citation);
    if (!parts) {
      passage.before(changed());
      return;
    }
    const mark = el("mark", {}, parts[1]);
    passage.replaceChildren(tail(parts[0]), mark, head(parts[2]));
    passage.scrollTop = mark.offsetTop - 40;
    const named = sourceOf(whole, citation);
    if (named) source.append("Source: ", sourceLink(named.url, named.title));
  } catch (error) {
    source.append(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} text the lines just before a quote */
function tail(text) {
  const near = text.slice(-AROUND);
  const line = near.indexOf("\n");
  return (near.length < text.length && line >= 0 ? near.slice(line + 1) : near).trimStart();
}

/** @param {string} text the lines just after a quote */
function head(text) {
  const near = text.slice(0, AROUND);
  const line = near.lastIndexOf("\n");
  return (near.length < text.length && line >= 0 ? near.slice(0, line) : near).trimEnd();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !open || document.querySelector("dialog[open]")) return;
  if (open.card.contains(document.activeElement)) closeToMark();
  else close();
});
document.addEventListener("pointerdown", (event) => {
  const target = /** @type {Node} */ (event.target);
  const inside = open && (open.card.contains(target) || open.button.contains(target));
  if (open && !inside && !document.querySelector("dialog[open]")) close();
});
