// @ts-check
// Making elements. Text goes in as text; there is no way here to put in markup.

/**
 * An element with attributes and children; strings become text. An attribute that begins with "on" is a listener.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] null, undefined and false leave an attribute out
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/**
 * The element with an id, which the shell has.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * A link to an original source. Other addresses than http(s) become plain text: documents are written by others.
 * @param {string} url
 * @param {string} text
 */
export function sourceLink(url, text) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return el("span", {}, text);
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}

/**
 * A text cut at two offsets that count characters as the service does: JavaScript would count halves of some.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {[string, string, string]}
 */
export function cut(text, start, end) {
  const characters = Array.from(text);
  return [
    characters.slice(0, start).join(""),
    characters.slice(start, end).join(""),
    characters.slice(end).join(""),
  ];
}

/**
 * A count with its word.
 * @param {number} count
 * @param {string} word
 */
export function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
