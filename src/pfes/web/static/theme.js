// Light or dark, before anything is drawn: what was chosen here, else what the system says.
"use strict";
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("pfes-theme"); } catch { /* storage may be forbidden */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
