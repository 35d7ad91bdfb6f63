// @ts-check
// The key of the service: asked for when the service wants one, kept in this tab alone.
import { byId } from "./dom.js";

const STORED = "rigwise.key";
/** @type {Promise<boolean> | null} */
let asking = null;

/** @returns {Record<string, string>} */
export function keyHeaders() {
  const key = sessionStorage.getItem(STORED);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/**
 * Ask for a key; several that want it at once share one dialog.
 * @returns {Promise<boolean>} whether one was given
 */
export function askForKey() {
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}

/** @returns {Promise<boolean>} */
function ask() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("key"));
  const field = /** @type {HTMLInputElement} */ (byId("key-value"));
  if (sessionStorage.getItem(STORED)) {
    byId("key-why").textContent = "The service does not take this key. Check it for missing characters.";
    sessionStorage.removeItem(STORED);
  }
  field.value = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(sessionStorage.getItem(STORED) !== null), { once: true });
  });
}

// Kept before the dialog is gone, so that nothing can be sent without it in between.
byId("key").addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
  const field = /** @type {HTMLInputElement} */ (byId("key-value"));
  const used = event.submitter instanceof HTMLButtonElement && event.submitter.value === "use";
  if (used && field.value.trim()) sessionStorage.setItem(STORED, field.value.trim());
  field.value = "";
});
