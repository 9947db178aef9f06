// The inspector's second tab: every transition of the dialogue, newest first.

import { keepByDay } from "./days.js";
import { byId, fill, h } from "./dom.js";
import { clock } from "./format.js";
import { on, state } from "./store.js";
import { ordered } from "./walked.js";

/** Draws the tab and keeps it up to date; `showUpdate` is called with the id of an update to look at. */
export function start(showUpdate) {
  on("dialogue open clock", () => draw(showUpdate));
}

function draw(showUpdate) {
  const steps = ordered(state.dialogue).map((step, at) => ({ ...step, index: at })).reverse();
  keepByDay(byId("timeline"), steps, { key: (step) => `${step.index} ${step.at}`, stamp: JSON.stringify, make: (step) => row(step, showUpdate) });
  fill(byId("timeline-hint"), steps.length === 0 ? "Nothing has happened in this dialogue yet." : "");
}

function row({ at, flow, from, to, update_id: update }, showUpdate) {
  return h(
    "li",
    { class: `step to-${to}`, data: { testid: "transition", from, to, flow } },
    h("time", {}, clock(at)),
    h("div", {}, h("span", { class: "quiet" }, flow), h("span", { class: "move" }, from, h("span", { class: "arrow" }, " → "), h("strong", {}, to))),
    update
      ? h("button", { type: "button", class: "link", title: "Show the update", on: { click: () => showUpdate(update) } }, `#${update}`)
      : h("span", { class: "tag" }, "timer"),
  );
}
