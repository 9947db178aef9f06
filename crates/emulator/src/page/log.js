// The log for those who use keys or a finger: one stop of the Tab key, arrows from message to message, and what can be done with a
// message at the one that has the focus.

import { byId } from "./dom.js";

const CONTROLS = "a, button";

/** Gives the log its keys and taps. */
export function start() {
  const log = byId("log");
  log.addEventListener("keydown", (event) => keyed(event, log));
  log.addEventListener("focusin", ({ target }) => reached(target));
  log.addEventListener("focusout", ({ target, relatedTarget }) => left(target.closest(".row"), relatedTarget));
  log.addEventListener("click", ({ target }) => tapped(target));
}

/** Makes the controls of a message stops of the Tab key, with 0, or no stops, with -1. */
export function loosen(row, tabindex) {
  for (const control of row?.querySelectorAll(CONTROLS) ?? []) control.tabIndex = tabindex;
}

/** Which of so many messages a key leads to, from the one at this place; from none (-1) it is the newest. Not round the ends. */
export function next(key, at, count) {
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: count - 1 }[key];
  if (to === undefined || count === 0) return null;
  return at < 0 && key !== "Home" ? count - 1 : Math.min(Math.max(to, 0), count - 1);
}

function keyed(event, log) {
  const rows = [...log.querySelectorAll(".row")];
  const to = next(event.key, rows.indexOf(event.target.closest(".row")), rows.length);
  if (to === null) return;
  event.preventDefault();
  rows[to].focus();
}

/** A message that has the focus itself, not by one of its buttons, is the chosen one until the focus leaves it. */
function reached(target) {
  const row = target.closest(".row");
  loosen(row, 0);
  if (target === row) row.classList.add("chosen");
}

function left(row, to) {
  if (!row || row.contains(to)) return;
  loosen(row, -1);
  row.classList.remove("chosen");
}

/** A finger gives no focus to what is no control, on some phones. */
function tapped(target) {
  const row = target.closest(".row");
  if (!row || target.closest(CONTROLS) || matchMedia("(hover: hover)").matches) return;
  row.focus({ preventScroll: true });
  row.querySelector(".row-actions")?.scrollIntoView({ block: "nearest" });
}
