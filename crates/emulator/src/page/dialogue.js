// The inspector's first tab: where the dialogue stands, what it holds, what it waits for.

import { GUIDED } from "./coach.js";
import { copyButton } from "./copy.js";
import { byId, h } from "./dom.js";
import { drawing } from "./drawing.js";
import { count, moment } from "./format.js";
import { table } from "./json.js";
import { keep } from "./keyed.js";
import { dialogueKey, now, on, state } from "./store.js";
import { tick, timers } from "./timers.js";
import { flowOf, since } from "./walked.js";

let chosenFlow = null;

/** Draws the tab and keeps it up to date. */
export function start() {
  on("open", () => (chosenFlow = null));
  on("dialogue flows open", draw);
  on("clock", tick);
  setInterval(tick, 250);
}

function draw() {
  const shown = sections(state.dialogue).filter(({ is }) => is !== false);
  keep(byId("pane-dialogue"), shown, { key: ({ key }) => key, stamp: ({ of }) => JSON.stringify(of), make: ({ make }) => make() });
  tick();
}

/** The sections of the tab: what each is made of, and how. One is made anew only when that changed, so that the focus stays. */
function sections(dialogue) {
  const { live, parked: drafts = [], waiting: lanes = [], version, timeline } = dialogue ?? {};
  const flow = state.flows.find(({ name }) => name === chosenFlow) ?? flowOf(dialogue, state.flows, GUIDED);
  return [
    { key: "state", of: [dialogueKey(), live, version, since(dialogue)], make: () => position(dialogue) },
    ...timers(dialogue),
    { key: "flow", is: Boolean(flow), of: [state.flows, flow, live, timeline], make: () => diagram(flow, dialogue) },
    { key: "parked", is: drafts.length > 0, of: drafts, make: () => parked(drafts) },
    { key: "waiting", of: lanes, make: () => waiting(lanes) },
  ];
}

function position(dialogue) {
  const live = dialogue?.live;
  const words = live ? [h("span", { class: "flow" }, live.flow), h("span", { class: "slash" }, "/"), live.state] : "idle";
  const from = since(dialogue);
  return h(
    "section",
    { class: "block", "aria-label": "State" },
    h(
      "header",
      {},
      h("h3", { class: `state ${live ? "" : "idle"}`, data: { testid: "state", state: live ? `${live.flow}/${live.state}` : "idle" } }, words),
      dialogue && copyButton("Copy the dialogue", () => JSON.stringify(state.dialogue, null, 2)),
    ),
    h("p", { class: "quiet", title: dialogue?.version ? `version ${dialogue.version}` : null }, `${from ? `since ${moment(from, now())} · ` : ""}dialogue ${dialogueKey() ?? "–"}`),
    live ? held(live.data) : h("p", { class: "quiet" }, "No question is open. What you send begins something."),
  );
}

/** What the state holds, if anything. */
function held(data) {
  const fields = bare(data);
  const isEmpty = fields === null || fields === undefined || (typeof fields === "object" && Object.keys(fields).length === 0);
  return isEmpty ? null : h("div", { data: { testid: "state-data" } }, table(fields));
}

/** The data without the state's own name, which stands above it. */
function bare(data) {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return data;
  const { at: _, ...rest } = data;
  return rest;
}

function diagram(flow, dialogue) {
  const choose = ({ target }) => {
    chosenFlow = target.value;
    draw();
  };
  const names = state.flows.map(({ name }) => h("option", { value: name, selected: name === flow.name }, name));
  return h(
    "section",
    { class: "block", "aria-label": "Flow" },
    h(
      "header",
      {},
      h("h3", {}, "Flow"),
      state.flows.length > 1 ? h("select", { "aria-label": "Flow to show", on: { change: choose } }, names) : h("span", { class: "tag" }, flow.name),
    ),
    h("div", { class: "canvas" }, drawing(flow, dialogue)),
  );
}

function parked(drafts) {
  const draft = ({ flow, state: name, data, until }) =>
    h(
      "li",
      { data: { testid: "parked" } },
      h("strong", {}, `${flow}/${name}`),
      until && h("span", { class: "quiet" }, ` kept until ${moment(until, now())}`),
      held(data),
    );
  return h("section", { class: "block", "aria-label": "Put aside" }, h("h3", {}, "Put aside"), h("ul", { class: "plain" }, drafts.map(draft)));
}

function waiting(lanes) {
  const full = lanes.filter(({ effects }) => effects.length > 0);
  const lane = ({ lane: name, effects }) =>
    h("li", { data: { testid: "lane", lane: name } }, h("strong", {}, `${name}: ${effects.length}`), h("ul", { class: "plain effects" }, effects.map(effect)));
  return h(
    "section",
    { class: "block", "aria-label": "On the way" },
    h("h3", {}, "On the way"),
    full.length === 0
      ? h("p", { class: "quiet" }, "Nothing waits: all that was committed has been carried out.")
      : h("ul", { class: "plain" }, full.map(lane)),
  );
}

function effect(one) {
  const words = one.text ?? one.body?.text ?? one.command ?? one;
  const kind = one.do ?? one.kind ?? "effect";
  const tries = one.tries ? `, ${count(one.tries, "try", "tries")}` : "";
  return h("li", {}, h("span", { class: "tag" }, `${kind}${tries}`), " ", typeof words === "string" ? words : JSON.stringify(words));
}
