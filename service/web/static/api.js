// @ts-check
// The service's API: one way to ask, errors as problems, an answer as a stream of events.
import { askForKey, keyHeaders } from "./key.js";

/** What went wrong, in the words of the service where it had some. */
export class Problem extends Error {
  /** @param {string} code @param {string} title @param {string} detail */
  constructor(code, title, detail) {
    super(detail || title);
    this.code = code;
    this.title = title;
    this.detail = detail;
  }
}

/**
 * Send a request, with the key where there is one; ask for the key where one is wanted.
 * @param {string} path below the address of the page
 * @param {RequestInit & {headers?: Record<string, string>}} [options]
 * @returns {Promise<Response>} a good one
 */
export async function send(path, options = {}) {
  const reply = await fetched(path, options);
  if (reply.ok) return reply;
  if (reply.status === 401 && (await askForKey())) return send(path, options);
  throw await problemOf(reply);
}

/** @param {string} path @param {RequestInit & {headers?: Record<string, string>}} options */
async function fetched(path, options) {
  try {
    return await fetch(path, {
      ...options,
      headers: { ...options.headers, ...keyHeaders() },
      credentials: "omit",
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem("unreachable", "The service cannot be reached", "Check the connection and try again.");
  }
}

/** @param {Response} reply */
async function problemOf(reply) {
  try {
    const body = await reply.json();
    return new Problem(String(body.code), String(body.title), String(body.detail ?? ""));
  } catch {
    return new Problem("http_error", `The service replied with ${reply.status}`, "");
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function getJson(path, options = {}) {
  return (await send(path, /** @type {any} */ (options))).json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {{accept?: string, signal?: AbortSignal}} [options]
 */
export function post(path, body, { accept = "application/json", signal } = {}) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  return send(path, { method: "POST", body: JSON.stringify(body), headers, signal });
}

/**
 * Ask a question and read the events of the answer as they come.
 * @param {{question: string, conversation: string[]}} body
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{name: string, data: any}>} ends after `done`; a broken stream is a Problem
 */
export async function* ask(body, signal) {
  const reply = await post("v1/ask", body, { accept: "text/event-stream", signal });
  for await (const event of events(reply)) {
    if (event.name === "error") throw new Problem(event.data.code, event.data.title, event.data.detail);
    yield event;
    if (event.name === "done") return;
  }
  throw new Problem("interrupted", "The answer broke off", "The connection ended before the answer did. Ask again.");
}

/** @param {Response} reply */
async function* events(reply) {
  if (!reply.body) return;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name && data) yield { name, data: JSON.parse(data) }; // else a comment that says it still works
    }
  }
}
