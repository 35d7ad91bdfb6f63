// @ts-check
// The catalog: devices by filters, and one to four of them side by side.
import { getJson } from "./api.js";
import { comparisonTable } from "./comparison.js";
import { byId, counted, el } from "./dom.js";

const MOST = 4;
const WAIT_MS = 200;
const form = /** @type {HTMLFormElement} */ (byId("filters"));
const rows = byId("devices");
const more = /** @type {HTMLButtonElement} */ (byId("more"));

/** @type {Map<string, string>} the chosen devices: names by id */
const chosen = new Map();
/** @type {AbortController | undefined} */
let running;

/**
 * Show the devices that pass the filters, from an offset on.
 * @param {number} offset
 */
async function list(offset) {
  running?.abort();
  const own = new AbortController();
  running = own;
  const query = new URLSearchParams({ offset: String(offset) });
  for (const [name, value] of new FormData(form)) if (String(value).trim()) query.set(name, String(value).trim());
  try {
    const page = await getJson(`v1/devices?${query}`, { signal: own.signal });
    const made = page.items.map(rowOf);
    if (offset) rows.append(...made);
    else rows.replaceChildren(...made);
    more.hidden = page.next_offset === null;
    more.onclick = () => list(page.next_offset);
    byId("told").textContent = `${counted(page.total, "device")}${page.total ? "" : " pass these filters"}.`;
  } catch (error) {
    if (!own.signal.aborted) byId("told").textContent = error instanceof Error ? error.message : String(error);
  }
}

/** @param {any} device */
function rowOf(device) {
  const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", "aria-label": `Compare ${device.name}`, "data-device": device.id }));
  box.checked = chosen.has(device.id);
  box.addEventListener("change", () => {
    if (box.checked) chosen.set(device.id, device.name);
    else chosen.delete(device.id);
    showBar();
  });
  const name = el("button", { type: "button", class: "link", onclick: () => compare([device.id]) }, device.name);
  const memory = device.memory_gb === null ? "not stated" : `${device.memory_gb.toLocaleString("en")} GB`;
  return el("tr", {}, el("td", {}, box), el("th", { scope: "row" }, name), ...[device.kind, device.segment, memory, device.released, device.status].map((text) => el("td", {}, text || "not stated")));
}

function showBar() {
  byId("bar").hidden = chosen.size === 0;
  byId("bar-text").textContent = chosen.size > MOST ? `${chosen.size} chosen, four at most` : [...chosen.values()].join(", ");
  byId("compare").disabled = chosen.size < 2 || chosen.size > MOST;
}

/** @param {string[]} ids */
function compare(ids) {
  byId("bar").hidden = true;
  location.hash = `compare=${ids.map(encodeURIComponent).join(",")}`;
}

/** Show what the address names, so that a comparison can be shared and the browser's back button works. */
async function showComparison() {
  const ids = (new URLSearchParams(location.hash.slice(1)).get("compare") ?? "").split(",").filter(Boolean).slice(0, MOST);
  byId("comparison").hidden = ids.length === 0;
  if (!ids.length) return;
  const title = byId("comparison-title");
  title.textContent = "Loading…";
  try {
    const devices = await Promise.all(ids.map((id) => getJson(`v1/devices/${encodeURIComponent(id)}`)));
    byId("comparison-table").replaceChildren(...(await comparisonTable(devices)));
    title.textContent = devices.map((device) => device.name).join(" and ");
  } catch (error) {
    byId("comparison-table").replaceChildren();
    title.textContent = error instanceof Error ? error.message : String(error);
  }
  title.focus();
}

/** @type {number | undefined} */
let timer;
form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => list(0), WAIT_MS);
});
form.addEventListener("submit", (event) => event.preventDefault());
byId("compare").addEventListener("click", () => compare([...chosen.keys()]));
byId("bar-clear").addEventListener("click", () => {
  chosen.clear();
  for (const box of rows.querySelectorAll("input")) box.checked = false;
  showBar();
});
byId("comparison-close").addEventListener("click", () => {
  location.hash = "";
});
addEventListener("hashchange", showComparison);
list(0);
showComparison();
