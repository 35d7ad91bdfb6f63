// @ts-check
// Numbers as people read them.

/** @param {number} gib */
export function memory(gib) {
  return `${gib.toLocaleString("en", { maximumFractionDigits: gib < 10 ? 2 : 1 })} GiB`;
}

/** @param {number} usd */
export function money(usd) {
  const digits = usd < 10 ? 2 : 0;
  return `$${usd.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** @param {number} hours */
export function duration(hours) {
  const rounded = (/** @type {number} */ value) => value.toLocaleString("en", { maximumSignificantDigits: 2 });
  if (hours < 1 / 60) return `${rounded(hours * 3600)} s`;
  if (hours < 1) return `${rounded(hours * 60)} min`;
  return hours < 72 ? `${rounded(hours)} h` : `${rounded(hours / 24)} days`;
}

/** @param {number} value */
export function short(value) {
  return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
}

/** @param {number} value */
export function exact(value) {
  return Number(value).toLocaleString("en", { maximumSignificantDigits: 6 });
}
