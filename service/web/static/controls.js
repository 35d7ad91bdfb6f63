// @ts-check
// What the user may change of a workload: each change gives the whole workload anew.
import { counted, el } from "./dom.js";
import { money, short } from "./format.js";

const TRAINING = ["pretraining", "full_finetune", "lora", "qlora", "training"];
const SERVING = ["inference", "embedding"];
const PRECISIONS = {
  training: ["bf16", "fp16", "fp32", "fp8"],
  qlora: ["nf4", "nf4_dq", "int4", "int8"],
  serving: ["bf16", "fp16", "fp8", "int8", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "int4", "mxfp4", "nvfp4"],
};
const PLACEMENTS = [
  ["any", "Anywhere"],
  ["cloud", "Rent in a cloud"],
  ["buy", "Buy"],
  ["onprem", "Own data centre"],
  ["local", "Under the desk"],
];
const LENGTHS = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * Controls for a workload as /v1/recommend takes it.
 * @param {Record<string, any>} workload
 * @param {(workload: Record<string, any>) => void} changed
 */
export function controls(workload, changed) {
  let now = { ...workload };
  const set = (/** @type {string} */ name, /** @type {any} */ value) => {
    const { [name]: _, ...rest } = now;
    now = value === null ? rest : { ...rest, [name]: value };
    changed(now);
  };
  const training = TRAINING.includes(workload.task);
  const serving = SERVING.includes(workload.task);
  const made = el("form", { class: "controls", "aria-label": "Change the workload" });
  made.addEventListener("submit", (event) => event.preventDefault());
  if (training || serving) {
    const kind = workload.task === "qlora" ? "qlora" : training ? "training" : "serving";
    made.append(choice("Precision", withOwn(PRECISIONS[kind], now.precision).map((each) => [each, each]), now.precision, (value) => set("precision", value)));
    made.append(steps("Context", "tokens", withOwn(LENGTHS, now.seq_len), now.seq_len ?? 2048, (value) => set("seq_len", value)));
    const size = serving ? "concurrency" : "batch";
    made.append(steps(serving ? "Requests at once" : "Batch", "", withOwn(COUNTS, now[size]), now[size] ?? 1, (value) => set(size, value)));
  }
  if (training) made.append(number("Million tokens to train on", now.tokens ? now.tokens / 1e6 : null, (value) => set("tokens", value && value * 1e6)));
  made.append(number("Budget in USD", now.budget_usd ?? null, (value) => set("budget_usd", value)));
  made.append(choice("Where", PLACEMENTS, now.placement ?? "any", (value) => set("placement", value)));
  return made;
}

/**
 * Values with the one of the workload among them.
 * @template {string | number} T
 * @param {T[]} values @param {T | undefined} own
 */
function withOwn(values, own) {
  if (own === undefined || values.includes(own)) return values;
  return typeof own === "number" ? [...values, own].sort((a, b) => Number(a) - Number(b)) : [own, ...values];
}

let ids = 0;

/** @param {string} label @param {HTMLElement} field @param {HTMLElement} [told] */
function labelled(label, field, told) {
  ids += 1;
  field.id = `control-${ids}`;
  return el("div", { class: "control" }, el("label", { for: field.id }, label), field, told);
}

/** @param {string} label @param {string[][]} rows @param {string | undefined} value @param {(value: string) => void} set */
function choice(label, rows, value, set) {
  const none = value === undefined ? [el("option", { value: "", selected: true, disabled: true }, "as usual")] : [];
  const field = /** @type {HTMLSelectElement} */ (el("select", {}, ...none, ...rows.map(([name, text]) => el("option", { value: name, selected: name === value }, text))));
  field.addEventListener("change", () => set(field.value));
  return labelled(label, field);
}

/** @param {string} label @param {string} unit @param {number[]} values @param {number} value @param {(value: number) => void} set */
function steps(label, unit, values, value, set) {
  const text = (/** @type {number} */ place) => `${values[place].toLocaleString("en")} ${unit}`.trim();
  const at = values.indexOf(value);
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "range", min: "0", max: String(values.length - 1), step: "1", value: String(at), "aria-valuetext": text(at) }));
  const told = el("span", { class: "told", "aria-hidden": "true" }, text(at));
  field.addEventListener("input", () => {
    const place = Number(field.value);
    told.textContent = text(place);
    field.setAttribute("aria-valuetext", text(place));
    set(values[place]);
  });
  return labelled(label, field, told);
}

/** @param {string} label @param {number | null} value @param {(value: number | null) => void} set */
function number(label, value, set) {
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "number", min: "0", step: "any", inputmode: "decimal", value: value ?? "", placeholder: "not stated" }));
  field.addEventListener("input", () => {
    const stated = field.value === "" ? null : Number(field.value);
    const good = stated === null || stated > 0;
    field.setAttribute("aria-invalid", String(!good));
    if (good) set(stated);
  });
  return labelled(label, field);
}

/**
 * A workload in a few words.
 * @param {Record<string, {value: any, from: string}>} workload as a recommendation shows it
 */
export function workloadWords(workload) {
  return Object.entries(workload).map(([name, { value, from }]) => {
    const shown = typeof value === "number" ? short(value) : typeof value === "object" ? Object.values(value).join(", ") : String(value);
    const told = WORDS[name]?.(value) ?? `${name.replaceAll("_", " ")}: ${shown}`;
    return { text: told, assumed: from === "assumed" };
  });
}

/** @type {Record<string, (value: any) => string>} */
const WORDS = {
  params_b: (value) => `${short(value)} billion parameters`,
  seq_len: (value) => `${value.toLocaleString("en")} tokens of context`,
  tokens: (value) => `${short(value)} tokens to train on`,
  budget_usd: (value) => `at most ${money(value)}`,
  checkpointing: (value) => `checkpointing ${value ? "on" : "off"}`,
  device_count_max: (value) => `at most ${counted(value, "device")}`,
  concurrency: (value) => `${counted(value, "request")} at once`,
};
