// @ts-check
// An answer as it grows: sentences with their marks, then table, sources, and what was checked.
import { getJson } from "./api.js";
import { citationMark } from "./citation.js";
import { counted, el } from "./dom.js";
import { answerActions } from "./feedback.js";
import { recommendationView } from "./recommend.js";
import { dateOf, isOld, openDocument } from "./documents.js";
import { exact } from "./format.js";

const LEADING = 2;
const ABSTENTIONS = {
  no_evidence: "No document says this",
  out_of_scope: "This is outside what Rigwise covers",
  unknown_entity: "This part is not known here",
  conflicting_sources: "The sources disagree",
  needs_detail: "One detail is missing",
  impossible: "This cannot be done",
};

/**
 * @typedef {object} AnswerView
 * @property {HTMLElement} element
 * @property {(data: any) => void} analysis what was understood
 * @property {(data: any) => void} statement one more sentence
 * @property {(answer: any) => void} done the whole answer
 * @property {(problem: import("./api.js").Problem) => void} failed
 * @property {(answer: any, generation: string) => void} replayed an answer given earlier; the index in use now
 * @property {() => void} stopped by the person
 */

/**
 * The view of one answer, which grows with the events of the stream.
 * @param {string} question
 * @param {(question: string) => void} askAgain called with the question that a choice makes
 * @returns {AnswerView}
 */
export function answerView(question, askAgain) {
  const warnings = el("div");
  const body = el("div", { class: "prose" });
  const after = el("div");
  const element = el("article", { class: "answer", "aria-busy": "true" }, el("h2", {}, question), warnings, body, after);
  /** @type {Map<number, any>} */
  const known = new Map();

  return {
    element,
    analysis(data) {
      if (data.rewritten) warnings.append(el("p", { class: "hint" }, `Understood as: ${data.rewritten}`));
    },
    statement(data) {
      for (const each of data.sources) known.set(each.n, each);
      body.append(statementView(data, known));
    },
    done(answer) {
      for (const each of answer.citations) known.set(each.n, each);
      const old = answer.citations.filter((/** @type {any} */ each) => isOld(dateOf(each))).length;
      if (old) warnings.append(el("p", { class: "box warn" }, `${old} of ${counted(answer.citations.length, "source")} ${old === 1 ? "is" : "are"} older than a year: prices and drivers may have changed since.`));
      if (answer.recommendation) {
        foldAway(body);
        after.append(recommendationView(answer.recommendation, answer.citations));
      }
      if (answer.table) tabulate(body, answer, tableView(answer.table, known));
      if (answer.abstention) after.append(abstentionView(answer, askAgain));
      if (answer.citations.length) after.append(sourcesView(answer.citations));
      after.append(checksView(answer), answerActions(answer));
      element.setAttribute("aria-busy", "false");
    },
    replayed(answer, generation) {
      warnings.append(el("p", { class: "box" }, replayNote(answer, generation)));
      if (generation !== answer.generation) warnings.append(el("p", {}, el("button", { type: "button", onclick: () => askAgain(question) }, "Ask the index of today")));
      for (const each of answer.citations) known.set(each.n, each);
      body.append(...answer.statements.map((/** @type {any} */ each) => statementView(each, known)));
      this.done(answer);
    },
    failed(problem) {
      element.setAttribute("aria-busy", "false");
      const again = el("button", { type: "button", class: "quiet", onclick: () => askAgain(question) }, "Ask again");
      after.append(
        el("div", { class: "box bad", role: "alert" }, el("h3", {}, problem.title || "Something went wrong"), el("p", {}, problem.detail || ""), el("p", { class: "hint" }, `Code: ${problem.code}`), again),
      );
    },
    stopped() {
      element.setAttribute("aria-busy", "false");
      after.append(el("p", { class: "hint" }, "Stopped."));
    },
  };
}

/** @param {any} answer @param {string} generation */
function replayNote(answer, generation) {
  const when = generation === answer.generation ? "which is the one in use" : "which has been replaced since";
  return `This answer was given earlier, from index ${answer.generation}, ${when}.`;
}

/**
 * Leave the first sentences of a recommendation in sight: cards, chart and table below say the rest.
 * @param {HTMLElement} body
 */
function foldAway(body) {
  const rest = [...body.children].slice(LEADING);
  if (rest.length) body.append(el("details", {}, el("summary", {}, `The rest in words (${rest.length})`), ...rest));
}

/**
 * Put the table in the place of the sentences that say the same as its rows; those fold away below it.
 * @param {HTMLElement} body @param {any} answer @param {HTMLElement} table
 */
function tabulate(body, answer, table) {
  const rows = new Set(answer.table.rows.map((/** @type {any} */ row) => row.text));
  const same = [...body.children].filter((_, place) => rows.has(answer.statements[place]?.text));
  if (!same.length) {
    body.append(table);
    return;
  }
  const words = el("details", {}, el("summary", {}, `The table in words (${same.length})`));
  same[0].before(table, words);
  words.append(...same);
}

/** @param {any} data @param {Map<number, any>} known */
function statementView(data, known) {
  const differ = data.text.startsWith("Sources differ");
  const host = el("div", { class: differ ? "statement differ" : "statement" });
  const text = el("p", {}, differ ? el("strong", { class: "tag" }, "Conflict") : null, data.text);
  text.append(...marks(data.citations, known, host));
  const computed = data.numbers.filter((/** @type {any} */ each) => each.computation);
  host.append(text);
  if (computed.length) host.append(computedView(computed));
  return host;
}

/** @param {any[]} numbers the computed ones of a sentence, with formula and inputs */
function computedView(numbers) {
  const rows = numbers.map(({ value, unit, computation: { formula, inputs, source } }) => {
    const given = inputs.map((/** @type {any} */ each) => `${each.name} = ${exact(each.value)} ${each.unit}`.trim()).join(", ");
    return el("li", {}, `${exact(value)} ${unit} = `, el("code", {}, formula), el("span", { class: "hint" }, ` with ${given}${source ? ` (${source})` : ""}`));
  });
  return el("details", { class: "computed" }, el("summary", {}, `${counted(numbers.length, "number")} computed`), el("ul", {}, ...rows));
}

/** @param {number[]} numbers @param {Map<number, any>} known @param {HTMLElement} host */
function marks(numbers, known, host) {
  const cited = numbers.map((n) => known.get(n)).filter(Boolean);
  return cited.flatMap((citation) => [" ", citationMark(citation, host)]);
}

/** @param {any} table @param {Map<number, any>} known */
function tableView(table, known) {
  const host = el("div", { class: "statement" });
  const head = table.header.map((/** @type {string} */ name) => (name ? el("th", { scope: "col" }, name) : el("td")));
  const rows = table.rows.map((/** @type {any} */ row) =>
    el("tr", {}, ...row.cells.map((/** @type {string} */ cell, /** @type {number} */ place) => (place ? el("td", {}, cell) : el("th", { scope: "row" }, cell))), el("td", {}, ...marks(row.citations, known, host))),
  );
  const made = el("table", {}, table.caption ? el("caption", {}, table.caption) : null, el("thead", {}, el("tr", {}, ...head, el("th", { scope: "col" }, "Sources"))), el("tbody", {}, ...rows));
  host.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison" }, made));
  return host;
}

/** @param {any} answer @param {(question: string) => void} askAgain */
function abstentionView(answer, askAgain) {
  const { code, why, ask, choices, nearest } = answer.abstention;
  const title = ABSTENTIONS[/** @type {keyof typeof ABSTENTIONS} */ (code)] ?? "There is no answer";
  const box = el("section", { class: "box ask-back" }, el("h3", {}, title), el("p", {}, why));
  if (ask) box.append(el("p", {}, el("strong", {}, "What would help: "), ask));
  if (choices.length) {
    const buttons = choices.map((/** @type {string} */ choice) =>
      el("li", {}, el("button", { type: "button", class: "chip", onclick: () => askAgain(withChoice(answer, choice)) }, choice)),
    );
    box.append(el("ul", { class: "chips", "aria-label": "Choices" }, ...buttons));
  }
  box.append(el("p", { class: "hint" }, "Code: ", el("code", {}, code)));
  if (nearest.length) box.append(nearestView(nearest));
  return box;
}

/**
 * The question with the detail that was asked for: in place of an unknown name, else added.
 * @param {any} answer @param {string} choice
 */
function withChoice(answer, choice) {
  const unknown = /No part named (.+?) is known/.exec(answer.abstention.why)?.[1];
  if (unknown && answer.question.includes(unknown)) return answer.question.replace(unknown, () => choice);
  return `${answer.question} (${choice})`;
}

/** @param {string[]} ids */
function nearestView(ids) {
  const list = el("ul");
  const made = el("details", {}, el("summary", {}, "The closest passages"), list);
  made.addEventListener(
    "toggle",
    async () => {
      for (const id of ids) {
        try {
          const passage = await getJson(`v1/passages/${encodeURIComponent(id)}`);
          list.append(el("li", {}, el("strong", {}, passage.heading_path.join(" › ")), el("p", { class: "quote" }, passage.text)));
        } catch (error) {
          list.append(el("li", {}, error instanceof Error ? error.message : String(error)));
        }
      }
    },
    { once: true },
  );
  return made;
}

/** @param {any[]} citations */
function sourcesView(citations) {
  const rows = citations.map((each) => {
    const date = dateOf(each);
    return el(
      "li",
      { value: each.n },
      el("button", { type: "button", class: "link", onclick: () => openDocument(each) }, each.document.title),
      el("span", { class: isOld(date) ? "hint old" : "hint" }, ` ${each.heading_path.slice(1).join(" › ")}${each.page ? `, page ${each.page}` : ""}, as of ${date}${isOld(date) ? " (older than a year)" : ""}`),
    );
  });
  return el("details", { class: "sources", open: citations.length <= 8 }, el("summary", {}, counted(citations.length, "source")), el("ol", {}, ...rows));
}

/** @param {any} answer */
function checksView(answer) {
  const spent_ms = Object.values(answer.timings_ms).reduce((/** @type {number} */ sum, each) => sum + Number(each), 0);
  const checked = answer.checks.checked ? `${counted(answer.checks.checked, "statement")} checked against the documents, ${answer.checks.failed + answer.checks.dropped} dropped. ` : "";
  return el("p", { class: "hint checks" }, `${checked}Answered in ${Math.max(1, Math.round(spent_ms))} ms from index ${answer.generation}.`);
}
