// The foot of the list: whether the bot runs, how it is kept, what time the emulator has.

import { attempt } from "./acts.js";
import { emulator } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { clock, countdown } from "./format.js";
import { invitation, outage, trouble } from "./health.js";
import { now, on, state } from "./store.js";

/** Draws the foot and keeps it up to date. */
export function start() {
  on("process connection clock commands calls", draw);
  setInterval(drawClock, 1000);
  draw();
}

/** Takes back every chat, after a question. */
export function reset() {
  const keep = h("button", { value: "", autofocus: true }, "Keep them");
  const box = h(
    "dialog",
    { class: "alert", "aria-label": "Clear all chats" },
    h("h2", {}, "Clear all chats?"),
    h("p", {}, "Messages, updates, calls and faults of the emulator go. People stay, and what the bot remembers stays."),
    h("form", { method: "dialog", class: "buttons" }, keep, h("button", { class: "primary danger", value: "clear" }, "Clear")),
  );
  box.addEventListener("close", () => {
    if (box.returnValue === "clear") attempt(emulator.reset);
    box.remove();
  });
  document.body.append(box);
  box.showModal();
}

function draw() {
  fill(byId("connection"), outage()).hidden = !outage();
  const { text, kind } = bot();
  fill(byId("bot-status"), h("span", { class: `lamp ${kind}` }), text);
  byId("bot-status").dataset.ready = String(Boolean(state.process?.ready));
  drawClock();
}

function bot() {
  const process = state.process;
  const wrong = outage() ?? trouble();
  if (wrong) return { text: wrong, kind: "bad" };
  if (!state.loaded) return { text: "Loading…", kind: "" };
  if (invitation()) return { text: invitation(), kind: "" };
  if (!process) return { text: `Emulator · @${state.bot?.username ?? "no bot yet"}`, kind: "good" };
  const kills = process.kills ? ` · killed ${process.kills}×` : "";
  return { text: `pid ${process.pid} · ${process.store}${kills}`, kind: "good" };
}

function drawClock() {
  const ahead = Math.round(state.offset / 1000) * 1000;
  fill(byId("emulator-clock"), clock(now()), ahead >= 5000 ? ` (+${countdown(ahead)})` : "");
}
