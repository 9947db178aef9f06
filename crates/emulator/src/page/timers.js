// What happens in a dialogue if nobody does anything: the live flow goes on or is put aside, drafts are forgotten.

import { attempt } from "./acts.js";
import { playground } from "./api.js";
import { h } from "./dom.js";
import { countdown } from "./format.js";
import { icon } from "./icons.js";
import { dialogueKey, now } from "./store.js";

const KINDS = { remind: "Reminder", expire: "Put aside", forget: "Draft forgotten", resume: "Goes on" };

/** A section for each timer of a dialogue, the nearest first. */
export const timers = (dialogue) => (dialogue?.timers ?? []).map((one) => ({ key: keyOf(one), of: one, make: () => timer(one) }));

/** The live flow has one timer, whatever its kind; a draft has one as well. */
const keyOf = ({ flow, kind }) => (kind === "forget" ? `timer/${flow}` : "timer");

function timer({ flow, kind, at }) {
  const fire = () => attempt(() => playground.fire(dialogueKey(), at));
  const name = KINDS[kind] ?? kind;
  return h(
    "section",
    { class: "block timer", "aria-label": `Timer of ${flow}`, data: { testid: "timer", kind, flow, at } },
    icon("clock"),
    h("div", {}, h("strong", {}, name), h("span", { class: "quiet" }, `${flow}, in `, h("span", { class: "countdown", data: { testid: "countdown", at } }))),
    h("button", { type: "button", class: "soft", "aria-label": `Fire now: ${name}, ${flow}`, data: { testid: "fire", flow }, on: { click: fire } }, icon("fire"), "Fire now"),
  );
}

/** Counts down. */
export function tick() {
  for (const left of document.querySelectorAll("#pane-dialogue .countdown")) left.textContent = countdown(Number(left.dataset.at) - now());
}
