// @ts-check
// Runs before the page is drawn, so that a chosen theme does not flash. No module: those run later.
(() => {
  const NAMES = { "": "as the system", light: "light", dark: "dark" };
  const root = document.documentElement;

  /** @param {string} theme */
  const show = (theme) => {
    root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) button.textContent = `Theme: ${NAMES[/** @type {keyof typeof NAMES} */ (theme)]}`;
  };
  const stored = localStorage.getItem("rigwise.theme") ?? "";
  const first = stored in NAMES ? stored : "";
  show(first);
  document.addEventListener("DOMContentLoaded", () => {
    show(root.dataset.theme ?? "");
    document.getElementById("theme")?.addEventListener("click", () => {
      const order = Object.keys(NAMES);
      const next = order[(order.indexOf(root.dataset.theme ?? "") + 1) % order.length];
      localStorage.setItem("rigwise.theme", next);
      show(next);
    });
  });
})();
