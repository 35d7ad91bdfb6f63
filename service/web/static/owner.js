// @ts-check
// The page for those who keep the documents: files and their states, builds, generations, unanswered questions.
import { getJson, post, send } from "./api.js";
import { byId, counted, el } from "./dom.js";
import { acceptUploads, pathOf } from "./uploads.js";

const SHOWN = 100;
const AGAIN_MS = 1000;
const ENDED = ["done", "failed", "cancelled"];

/** @type {any[]} */
let files = [];
/** @type {number | undefined} */
let timer;

/** @param {unknown} error */
function words(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Ask before something that cannot be undone here.
 * @param {string} question
 * @returns {Promise<boolean>}
 */
function sure(question) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("sure"));
  byId("sure-title").textContent = question;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

async function loadFiles() {
  try {
    files = (await getJson("v1/index/documents")).items;
    showFiles();
  } catch (error) {
    byId("states-told").textContent = words(error);
  }
}

function showFiles() {
  const [path, state, whose] = ["path", "state", "whose"].map((id) => byId(id).value.trim());
  const order = ["rejected", "stale", "indexed"];
  const found = files
    .filter((file) => file.path.toLowerCase().includes(path.toLowerCase()) && (!state || file.state === state) && (!whose || file.own))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || Number(b.own) - Number(a.own));
  const more = found.length > SHOWN ? `, the first ${SHOWN} are shown` : "";
  byId("states-told").textContent = `${counted(found.length, "file")}${more}.`;
  byId("states").replaceChildren(...found.slice(0, SHOWN).map(fileRow));
}

/** @param {any} file */
function fileRow(file) {
  const reason = file.reason + (file.line === null ? "" : ` (line ${file.line})`);
  const remove = file.own ? el("button", { type: "button", class: "quiet", "aria-label": `Delete ${file.path}`, onclick: () => removeFile(file) }, "Delete") : null;
  return el("tr", {}, el("th", { scope: "row" }, file.path), el("td", {}, badge(file.state)), el("td", {}, String(file.passages)), el("td", {}, reason), el("td", {}, remove));
}

/** @param {string} state */
function badge(state) {
  return el("span", { class: `state ${state}` }, state);
}

/** @param {any} file */
async function removeFile(file) {
  if (!(await sure(`Delete ${file.path}?`))) return;
  try {
    await send(`v1/documents/${pathOf(file.path)}`, { method: "DELETE" });
    byId("states-told").textContent = `${file.path} is deleted. It is gone from answers when the build is done.`;
    await loadJobs();
  } catch (error) {
    byId("states-told").textContent = words(error);
  }
}

/** Show the jobs, and look again while one is on its way; the files and generations follow when it ends. */
async function loadJobs() {
  clearTimeout(timer);
  try {
    const jobs = (await getJson("v1/index/jobs")).items;
    const running = jobs.some((/** @type {any} */ job) => !ENDED.includes(job.state));
    byId("jobs").replaceChildren(...jobs.slice(0, 10).map(jobRow));
    if (!jobs.length) byId("jobs").append(el("tr", {}, el("td", { colspan: "5" }, "None yet.")));
    if (running) timer = setTimeout(loadJobs, AGAIN_MS);
    else await Promise.all([loadFiles(), loadGenerations()]);
  } catch (error) {
    byId("jobs").replaceChildren(el("tr", {}, el("td", { colspan: "5" }, words(error))));
    await loadFiles();
  }
}

/** @param {any} job */
function jobRow(job) {
  const changes = ["added", "changed", "removed", "rejected"].map((name) => `${job.report[name]?.length ?? 0} ${name}`);
  const did = { done: changes.join(", "), running: `${job.stage} ${job.steps_done} of ${job.steps}` };
  const text = did[/** @type {keyof typeof did} */ (job.state)] ?? [job.code, job.detail].filter(Boolean).join(": ");
  const stop = ENDED.includes(job.state) ? null : el("button", { type: "button", class: "quiet", onclick: () => stopJob(job.id) }, "Stop");
  return el("tr", {}, el("td", {}, when(job.created_at)), el("td", {}, job.trigger), el("td", {}, badge(job.state)), el("td", {}, text), el("td", {}, stop));
}

/** @param {string} id */
async function stopJob(id) {
  await send(`v1/index/jobs/${encodeURIComponent(id)}`, { method: "DELETE" }).catch((error) => {
    byId("upload-told").textContent = words(error);
  });
  await loadJobs();
}

/** @param {string} time */
function when(time) {
  return time ? new Date(time).toLocaleString() : "";
}

async function loadGenerations() {
  try {
    const { items } = await getJson("v1/index/generations");
    byId("generations").replaceChildren(...items.map(generationRow));
  } catch (error) {
    byId("generations-told").textContent = words(error);
  }
}

/** @param {any} each */
function generationRow(each) {
  const back = each.current || each.error ? (each.current ? "in use" : each.error) : el("button", { type: "button", class: "quiet", "aria-label": `Go back to ${each.id}`, onclick: () => rollBack(each.id) }, "Use this one");
  return el("tr", {}, el("th", { scope: "row" }, el("code", {}, each.id)), ...[when(each.built_at), String(each.documents), String(each.passages), String(each.rejected)].map((text) => el("td", {}, text)), el("td", {}, back));
}

/** @param {string} id */
async function rollBack(id) {
  if (!(await sure(`Answer from generation ${id}?`))) return;
  try {
    const { generation } = await (await post("v1/index/rollback", { generation: id })).json();
    byId("generations-told").textContent = `Generation ${generation} answers now.`;
  } catch (error) {
    byId("generations-told").textContent = words(error);
  }
  await Promise.all([loadFiles(), loadGenerations()]);
}

async function loadUnanswered() {
  try {
    const { items } = await getJson("v1/questions/unanswered");
    byId("unanswered").replaceChildren(...items.map((/** @type {any} */ each) => el("li", {}, each.question, el("span", { class: "hint" }, ` ${each.code}, ${counted(each.times, "time")}, last ${when(each.last_at)}`))));
    if (!items.length) byId("unanswered-told").textContent = "None.";
  } catch (error) {
    byId("unanswered-told").textContent = words(error);
  }
}

byId("state-filters").addEventListener("input", showFiles);
byId("state-filters").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
byId("rebuild").addEventListener("click", async () => {
  await post("v1/index/rebuild", {}).catch((error) => {
    byId("upload-told").textContent = words(error);
  });
  await loadJobs();
});
acceptUploads(loadJobs);
loadJobs();
loadUnanswered();
