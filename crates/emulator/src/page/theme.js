// Light or dark: as the system says, until the switch says otherwise.

import { byId, fill } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "steadfast.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** Applies the theme and gives the switch its work. */
export function start() {
  byId("theme").addEventListener("click", () => choose(isDark() ? "light" : "dark"));
  system.addEventListener("change", apply);
  apply();
}

const isDark = () => (chosen() ? chosen() === "dark" : system.matches);
const chosen = () => localStorage.getItem(KEY);

function choose(theme) {
  const isSystems = (theme === "dark") === system.matches;
  if (isSystems) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  apply();
}

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const name = isDark() ? "Switch to light" : "Switch to dark";
  const button = fill(byId("theme"), icon(isDark() ? "light" : "dark"));
  button.setAttribute("aria-label", name);
  button.title = name;
}
