// @ts-check
// Below an answer: a link to share it, and what the reader thinks of it.
import { Problem, getJson, post } from "./api.js";
import { el } from "./dom.js";

const REASONS = [
  ["", "Choose a reason"],
  ["wrong", "It is wrong"],
  ["incomplete", "Something is missing"],
  ["outdated", "It is out of date"],
  ["unclear", "I do not understand it"],
  ["no_answer", "It should have answered"],
  ["other", "Something else"],
];

/**
 * Buttons for an answer that was given.
 * @param {any} answer
 */
export function answerActions(answer) {
  const status = el("p", { class: "status", role: "status" });
  const more = el("div");
  const buttons = el(
    "p",
    { class: "actions" },
    el("button", { type: "button", class: "quiet", onclick: () => share(answer, more, status) }, "Share"),
    el("button", { type: "button", class: "quiet", onclick: () => judge(answer, { verdict: "up" }, status).then(() => more.replaceChildren()) }, "Helpful"),
    el("button", { type: "button", class: "quiet", onclick: () => disagree(answer, more, status) }, "Not helpful"),
  );
  return el("div", { class: "below" }, buttons, more, status);
}

/**
 * A link that shows this very answer again; where none are kept, one that asks the question. What follows the # is not
 * sent to any server when the link is opened.
 * @param {any} answer @param {HTMLElement} more @param {HTMLElement} status
 */
async function share(answer, more, status) {
  const page = location.href.split("#")[0];
  try {
    await getJson(`v1/answers/${encodeURIComponent(answer.id)}`);
    await show(`${page}#answer=${encodeURIComponent(answer.id)}`, `It shows this answer as it is now, from index ${answer.generation}.`, more, status);
  } catch (error) {
    const why = error instanceof Problem && error.code === "nothing_kept" ? "This service keeps no answers." : "This answer is not kept.";
    await show(`${page}#ask=${encodeURIComponent(answer.question)}`, `${why} The link holds the question.`, more, status);
  }
}

/** @param {string} link @param {string} what @param {HTMLElement} more @param {HTMLElement} status */
async function show(link, what, more, status) {
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "text", readonly: true, class: "share", value: link, "aria-label": "Link to share" }));
  more.replaceChildren(field);
  field.select();
  try {
    await navigator.clipboard.writeText(link);
    status.textContent = `The link is copied. ${what}`;
  } catch {
    status.textContent = `Copy the link. ${what}`;
  }
}

/** @param {any} answer @param {HTMLElement} more @param {HTMLElement} status */
function disagree(answer, more, status) {
  const reason = /** @type {HTMLSelectElement} */ (el("select", { id: `reason-${answer.id}` }, ...REASONS.map(([name, text]) => el("option", { value: name }, text))));
  const comment = /** @type {HTMLTextAreaElement} */ (el("textarea", { id: `comment-${answer.id}`, rows: "2", maxlength: "2000" }));
  const form = el(
    "form",
    { class: "why" },
    el("label", { for: reason.id }, "What is wrong with it?"),
    reason,
    el("label", { for: comment.id }, "In your own words, if you like"),
    comment,
    el("button", { type: "submit" }, "Send"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = { verdict: "down", reason: reason.value, comment: comment.value };
    judge(answer, body, status).then((taken) => taken && more.replaceChildren());
  });
  more.replaceChildren(form);
  reason.focus();
}

/**
 * @param {any} answer @param {Record<string, string>} body @param {HTMLElement} status
 * @returns {Promise<boolean>} whether the service took it
 */
async function judge(answer, body, status) {
  try {
    await post("v1/feedback", { answer_id: answer.id, ...body });
    status.textContent = "Thank you, it is noted.";
    return true;
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
    return false;
  }
}
