// @ts-check
// Files come in by drag and drop or by choosing them, one after the other.
import { send } from "./api.js";
import { byId, counted, el } from "./dom.js";

/**
 * A path as an address takes it.
 * @param {string} path
 */
export function pathOf(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * Take files from the drop zone and the field.
 * @param {() => Promise<void>} stored called when some were stored
 */
export function acceptUploads(stored) {
  const zone = byId("drop");
  const field = /** @type {HTMLInputElement} */ (byId("files"));
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    zone.classList.remove("over");
    storeAll([...(event.dataTransfer?.files ?? [])], stored);
  });
  field.addEventListener("change", async () => {
    await storeAll([...(field.files ?? [])], stored);
    field.value = "";
  });
}

/** @param {File[]} files @param {() => Promise<void>} stored */
async function storeAll(files, stored) {
  const told = byId("upload-told");
  const list = byId("uploads");
  list.replaceChildren();
  let good = 0;
  for (const file of files) {
    told.textContent = `Sending ${file.name}…`;
    const problem = await store(file);
    if (!problem) good += 1;
    list.append(el("li", {}, file.name, ": ", problem || "stored"));
  }
  told.textContent = good ? `${counted(good, "file")} stored. Answers use them when the build is done.` : "Nothing was stored.";
  if (good) await stored();
}

/**
 * @param {File} file
 * @returns {Promise<string>} what went wrong; empty: nothing
 */
async function store(file) {
  const folder = byId("folder").value.trim().replace(/^\/+|\/+$/g, "");
  const path = folder ? `${folder}/${file.name}` : file.name;
  try {
    await send(`v1/documents/${pathOf(path)}`, { method: "PUT", body: file, headers: { "Content-Type": "application/octet-stream" } });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
