// A guided first dialogue: small hints that follow what really happens, and go away for good when asked to.

import { send } from "./acts.js";
import * as composer from "./composer.js";
import { byId, fill, h } from "./dom.js";
import { tryOut } from "./faults.js";
import { icon } from "./icons.js";
import { show } from "./route.js";
import { listen, on, state } from "./store.js";

const KEY = "steadfast.coach";

/** The flow that the hints lead through. */
export const GUIDED = "photo";

const isFrom = (event, by) => event.type === "message" && event.message.by === by;

/** The steps: what to do, where, a button that does it, and the event that shows it was done. */
const STEPS = [
  {
    words: "Say hello: press Start, or send /start.",
    target: "[data-testid=start], #composer-text",
    isDone: (event) => isFrom(event, "person"),
  },
  {
    words: "Now send /photo: the bot asks a question and remembers it, as its state in the inspector shows.",
    target: "#composer-text",
    button: ["Send /photo", () => send({ text: "/photo" })],
    isDone: (event) => event.type === "transition" && event.flow === GUIDED,
  },
  {
    words: "Send a picture: attach one, drop it, paste it, or take this one.",
    target: "#attach",
    button: ["Send a sample picture", () => send({ photo: true })],
    isDone: (event) => isFrom(event, "person") && Boolean(event.message.photo),
  },
  {
    words: "It waits for a caption. Kill it in mid-question: it really is kill -9.",
    target: "[data-testid=fault-kill]",
    button: ["Kill the bot", () => tryOut("kill")],
    isDone: (event) => event.type === "killed",
  },
  {
    words: "It starts again and has forgotten nothing. Go on: type a caption, or press the button below the question.",
    target: ".row:last-child .inline-keyboard",
    isDone: (event) => event.type === "transition" && event.to === "done",
  },
  {
    words: "Killed in mid-dialogue, and it kept its place. Now try to break it with the other buttons.",
    target: "#faults-toggle",
    isLast: true,
  },
];

/** Where one begins again when the dialogue ended before its time. */
const AGAIN = 1;
const ENDS = new Set(["done", "parked", "cancelled", "failed"]);

let at = Number(localStorage.getItem(KEY) ?? 0);

/** Begins where the visitor stopped, if they have not sent it away. */
export function start() {
  listen(hear);
  on("chat open process dialogue", draw);
  byId("coach-again").addEventListener("click", again);
}

/** Begins anew, in the chat: on a narrow screen it may not be the panel that is seen. */
function again() {
  move(0);
  show("chat");
}

let kills = null;

/** Takes the next step if this event shows that the last was done. */
function hear(event) {
  const isKill = event.type === "bot" && kills !== null && event.kills > kills;
  if (event.type === "bot") kills = event.kills;
  if (STEPS[at]?.isDone?.(isKill ? { type: "killed" } : event)) move(at + 1);
  else if (isCutShort(event)) move(AGAIN);
}

const isCutShort = ({ type, to }) => type === "transition" && ENDS.has(to) && at > AGAIN && at < STEPS.length - 1;

function move(to) {
  at = to;
  localStorage.setItem(KEY, String(to));
  draw();
}

/** Not where the emulator runs alone: its bot may be any bot. */
function draw() {
  const step = state.process && state.open !== null ? STEPS[at] : null;
  const box = byId("coach");
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const isByKey = Boolean(focused?.matches(":focus-visible"));
  box.hidden = !step;
  byId("coach-again").hidden = !state.process;
  byId("first-step").hidden = !step || at > 0;
  mark(step);
  if (step) drawStep(step);
  if (focused && (box.hidden || !box.contains(focused))) passFocus(box, isByKey);
}

/** The focus of a button that went goes on to the next one, else to where one writes. */
function passFocus(box, isByKey) {
  const next = box.hidden ? null : box.querySelector("[data-testid=coach-act]");
  if (next) next.focus();
  else composer.focus(isByKey);
}

function drawStep(step) {
  const box = byId("coach");
  if (box.dataset.step === String(at) && box.children.length > 0) return;
  box.dataset.step = String(at);
  const dismiss = h(
    "button",
    { type: "button", class: "small round", "aria-label": "No more hints", title: "No more hints", data: { testid: "coach-dismiss" }, on: { click: () => move(STEPS.length) } },
    icon("close"),
  );
  fill(
    box,
    h("span", { class: "coach-step", "aria-hidden": "true" }, step.isLast ? "✓" : `${at + 1}/${STEPS.length - 1}`),
    h("p", { data: { testid: "coach-words" } }, step.words),
    step.button && h("button", { type: "button", class: "primary", data: { testid: "coach-act" }, on: { click: step.button[1] } }, step.button[0]),
    step.isLast && h("button", { type: "button", class: "soft inspect", data: { testid: "coach-inspect" }, on: { click: () => show("inspector") } }, "Inspect"),
    dismiss,
  );
}

function mark(step) {
  document.querySelectorAll(".coached").forEach((element) => element.classList.remove("coached"));
  if (step) document.querySelector(step.target)?.classList.add("coached");
}
