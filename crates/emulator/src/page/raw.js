// The inspector's last two tabs: the updates as they went to the bot, and the calls it made, with their times.

import { attempt } from "./acts.js";
import { emulator } from "./api.js";
import { copyButton } from "./copy.js";
import { keepByDay } from "./days.js";
import { byId, fill, h } from "./dom.js";
import { clock, count, took } from "./format.js";
import { lines } from "./json.js";
import { chatOfUpdate } from "./seen.js";
import { nameOf, on, state } from "./store.js";

/** How many rows are drawn. */
const DRAWN = 100;

/** Draws both tabs and keeps them up to date. */
export function start() {
  on("updates open clock people", drawUpdates);
  on("calls open clock people", drawCalls);
  for (const name of ["updates", "calls"]) {
    const draw = name === "updates" ? drawUpdates : drawCalls;
    byId(`${name}-filter`).addEventListener("input", draw);
    byId(`${name}-here`).addEventListener("change", draw);
  }
}

/** The update that is looked at: it is shown however old it is. */
let wanted = null;

/** Shows one update among the others, and opens it. What would hide it, or those that come, is taken away. */
export function findUpdate(id) {
  wanted = id;
  byId("updates-filter").value = "";
  byId("updates-here").checked = false;
  drawUpdates();
  const row = [...byId("updates").children].find((one) => Number(one.dataset.id) === id);
  const details = row?.querySelector("details");
  if (!details) return;
  details.open = true;
  row.scrollIntoView({ block: "center" });
}

function drawUpdates() {
  const shown = pick("updates", [...state.updates.values()], (update) => chatOfUpdate(update.body));
  keepByDay(byId("updates"), shown, { key: (update) => update.update_id, stamp: (update) => JSON.stringify([update, aboutWhom(update)]), make: updateRow });
}

function drawCalls() {
  const shown = pick("calls", [...state.calls.values()], (call) => Number(call.params?.chat_id ?? NaN));
  keepByDay(byId("calls"), shown, { key: (call) => call.seq, stamp: JSON.stringify, make: callRow });
}

/** The newest that match the filter and, if asked for, belong to the open chat. */
function pick(name, all, chat) {
  const word = byId(`${name}-filter`).value.trim().toLowerCase();
  const isHere = (one) => !byId(`${name}-here`).checked || !(chat(one) !== state.open);
  const found = all.filter((one) => isHere(one) && (!word || JSON.stringify(one).toLowerCase().includes(word)));
  fill(byId(`${name}-count`), found.length === all.length ? `${all.length}` : `${found.length} of ${all.length}`);
  fill(byId(`${name}-hint`), found.length > 0 ? "" : all.length > 0 ? "Nothing here matches." : `There are no ${name} yet.`);
  return found.filter((one, at) => at >= found.length - DRAWN || one.update_id === wanted).reverse();
}

function updateRow(update, old) {
  const attempts = update.attempts ?? [];
  const last = attempts.at(-1);
  const isDone = LOOKS[update.state] === "good";
  const again = h("button", { type: "button", class: "soft", on: { click: () => attempt(() => emulator.again(update.update_id, 2)) } }, "Deliver twice more");
  return details(old, {
    testid: "update",
    id: update.update_id,
    kind: update.kind,
    // The id may be cut off: it is the longest, and of least use.
    note: [aboutWhom(update), attempts.length > 1 && `×${attempts.length}`, `#${update.update_id}`].filter(Boolean).join(" · "),
    at: update.at,
    state: update.state,
    tag: isDone && last?.status ? { text: last.status, look: "good" } : { text: update.state.replace("_", " "), look: LOOKS[update.state] },
    timing: took(last?.duration_ms),
    body: () => [h("p", { class: "quiet attempts" }, tried(attempts), again), lines(update.body)],
    copied: update.body,
  });
}

/** Who did what the update tells of, and in which group. */
function aboutWhom({ body = {} }) {
  const from = Object.values(body).find((value) => value?.from)?.from.first_name;
  const chat = chatOfUpdate(body);
  return [from, state.groups.has(chat) && `in ${nameOf(chat)}`].filter(Boolean).join(" ");
}

const LOOKS = { acknowledged: "good", confirmed: "good", dropped: "bad" };

const tried = (attempts) =>
  attempts.length === 0
    ? "Not delivered yet."
    : `${count(attempts.length, "delivery", "deliveries")}: ${attempts.map((one) => `${one.status ?? one.error ?? "?"} in ${took(one.duration_ms)}`).join(", ")}`;

function callRow(call, old) {
  const isGood = call.status >= 200 && call.status < 300;
  return details(old, {
    testid: "call",
    id: call.seq,
    kind: call.method.replace(/^./, (letter) => letter.toLowerCase()),
    note: call.params?.chat_id === undefined ? "" : `to ${nameOf(Number(call.params.chat_id))}`,
    at: call.at,
    state: call.status,
    tag: { text: call.status || "…", look: isGood ? "good" : call.status ? "bad" : "" },
    timing: took(call.duration_ms),
    body: () => [h("p", { class: "quiet" }, "Parameters"), lines(call.params), h("p", { class: "quiet" }, "Answer"), lines(call.answer)],
    copied: { method: call.method, params: call.params, answer: call.answer },
  });
}

/** A row that opens; its body is made when it does, and stays open when the row is made anew. */
function details(old, { testid, id, kind, note, at, state: name, tag, timing, body, copied }) {
  const inside = h("div", { class: "raw-body" });
  const box = h(
    "details",
    { open: Boolean(old?.querySelector("details")?.open) },
    h(
      "summary",
      {},
      h("time", {}, clock(at)),
      h("strong", {}, kind),
      h("span", { class: "quiet about" }, note),
      h("span", { class: "quiet", data: { testid: "timing" } }, timing),
      h("span", { class: `tag ${tag.look ?? ""}` }, tag.text),
    ),
    inside,
  );
  const draw = () => box.open && inside.children.length === 0 && fill(inside, copyButton("Copy as JSON", () => JSON.stringify(copied, null, 2)), body());
  box.addEventListener("toggle", draw);
  draw();
  return h("li", { data: { testid, id, kind, state: name } }, box);
}
