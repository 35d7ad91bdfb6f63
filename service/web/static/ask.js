// @ts-check
// The page for questions: one box, and the answers of this talk above it.
import { Problem, ask, getJson } from "./api.js";
import { answerView } from "./answer.js";
import { byId, counted } from "./dom.js";
import { remember, showHistory } from "./history.js";

const KEPT_QUESTIONS = 20;
const form = /** @type {HTMLFormElement} */ (byId("ask"));
const box = /** @type {HTMLTextAreaElement} */ (byId("question"));
const send = /** @type {HTMLButtonElement} */ (byId("send"));
const status = byId("status");

/** @type {string[]} the earlier questions of this talk, so that a follow-up is understood */
const earlier = [];
/** @type {AbortController | null} */
let running = null;

/**
 * Ask, and show the answer as it comes. What still runs is stopped.
 * @param {string} question
 */
async function submit(question) {
  running?.abort();
  const own = new AbortController();
  running = own;
  const view = added(question);
  box.value = "";
  send.textContent = "Stop";
  say("Looking for passages…");
  try {
    const body = { question, conversation: earlier.slice(-KEPT_QUESTIONS) };
    for await (const { name, data } of ask(body, own.signal)) {
      if (name === "analysis") view.analysis(data);
      if (name === "evidence") say(`Found ${counted(data.retrieved.length, "passage")}, now checking what they say…`);
      if (name === "statement") view.statement(data);
      if (name === "done") finish(view, data, question);
    }
  } catch (error) {
    if (own.signal.aborted) view.stopped();
    else view.failed(error instanceof Problem ? error : new Problem("page", "The page could not show the answer", String(error)));
    say(own.signal.aborted ? "Stopped." : "There was an error; it is shown above.");
  } finally {
    if (running === own) end();
  }
}

/**
 * A view of an answer at the end of the thread.
 * @param {string} question
 */
function added(question) {
  const view = answerView(question, submit);
  byId("hero").classList.add("unseen"); // the heading stays for those who navigate by headings
  byId("examples").hidden = true;
  byId("anew").hidden = false;
  byId("thread").append(view.element);
  view.element.scrollIntoView({ block: "start" });
  return view;
}

/**
 * Show an answer that was given earlier.
 * @param {string} id
 */
async function replay(id) {
  say("Loading the answer…");
  try {
    const [answer, index] = await Promise.all([getJson(`v1/answers/${encodeURIComponent(id)}`), getJson("v1/index")]);
    added(answer.question).replayed(answer, index.generation);
    say("The answer is shown above as it was given.");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** @param {import("./answer.js").AnswerView} view @param {any} answer @param {string} question */
function finish(view, answer, question) {
  view.done(answer);
  earlier.push(question);
  remember(answer);
  showHistory(openEntry);
  if (answer.abstention) say("There is no answer; the reason and what would help are shown above.");
  else say(`The answer is ready: ${counted(answer.statements.length, "statement")} from ${counted(answer.citations.length, "source")}.`);
}

function end() {
  running = null;
  send.textContent = "Ask";
}

/** @param {string} text */
function say(text) {
  status.textContent = text;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else if (box.value.trim()) submit(box.value.trim());
});
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (!running && box.value.trim()) submit(box.value.trim());
});
byId("examples").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  const chip = /** @type {HTMLElement} */ (event.target).closest("[data-question]");
  if (chip instanceof HTMLElement && chip.dataset.question) submit(chip.dataset.question);
});

/** @param {import("./history.js").Entry} entry the answer as it was given, else the question again */
function openEntry(entry) {
  replay(entry.id).catch(() => submit(entry.question));
}

byId("anew").addEventListener("click", () => location.assign(location.href.split("#")[0]));

/** A link that was shared names an answer, or holds a question that waits in the box. */
function openLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [id, question] = [link.get("answer"), link.get("ask")];
  if (id) replay(id).catch(() => {});
  if (question) box.value = question;
}

/** What stands in the index, at the foot of the page. */
async function about() {
  const index = await getJson("v1/index");
  byId("about").textContent = `${counted(index.counts.documents, "document")}, ${counted(index.counts.devices, "device")}, ${counted(index.counts.offers, "offer")} for rent.`;
}

about().catch(() => {
  byId("about").textContent = "The service has no index yet, or wants a key.";
});
showHistory(openEntry);
openLink();
addEventListener("hashchange", openLink);
