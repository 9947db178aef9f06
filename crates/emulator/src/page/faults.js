// "Try to break it": five things that break other bots, each with what was seen of it.

import { here } from "./acts.js";
import { emulator, playground } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { keep } from "./keyed.js";
import { pause, until } from "./patience.js";
import { button, chatOfUpdate, timesTaken } from "./seen.js";
import { dialogueKey, listen, nameOf, on, state } from "./store.js";
import { hint, ofKill, ofLater, ofRace, ofTwice } from "./verdicts.js";
import { quiet, watch } from "./watch.js";

const MOMENT = 1000;
const MINUTE = 60_000;
const RETRY_AFTER = 3;

/** What can be tried: its name, what happens, what will be seen of it with our bot, and the deed that returns what was seen. */
const TRIALS = [
  {
    id: "twice",
    icon: "twice",
    title: "Deliver this update twice",
    happens: "Your last update arrives two more times at once",
    seen: "nothing is done twice",
    run: twice,
  },
  {
    id: "race",
    icon: "race",
    title: "Press and type at the same time",
    happens: "A press and a message arrive at one instant",
    seen: "one is applied after the other",
    run: race,
  },
  {
    id: "kill",
    icon: "kill",
    title: "Kill the bot now",
    happens: "kill -9, no goodbye",
    seen: "it starts again and goes on where you stopped",
    run: kill,
    isInside: true,
  },
  {
    id: "later",
    icon: "clock",
    title: "Let 15 minutes pass",
    happens: "Reminders and deadlines come due at once",
    seen: "a draft is put aside, not lost",
    run: later,
  },
  {
    id: "limit",
    icon: "stop",
    title: "Telegram answers 429",
    happens: "The bot's next message is refused",
    seen: `it waits ${RETRY_AFTER}\u00a0s and sends it again`,
    run: limit,
  },
];

const promise = ({ happens, seen }) => (state.process ? `${happens}; ${seen}.` : `${happens}.`);

const results = new Map();

/** Draws the bar and gives its buttons their work. */
export function start() {
  on("process", draw);
  on("open", forget);
  on("chat", offerRace);
  listen(({ type }) => type === "reset" && forget());
  byId("faults-toggle").addEventListener("click", toggle);
  draw();
}

/** Runs a trial by its id, as its button does. */
export const tryOut = (id) => attempt(TRIALS.find((trial) => trial.id === id));

function toggle() {
  const isShut = byId("faults").classList.toggle("shut");
  byId("faults-toggle").setAttribute("aria-expanded", String(!isShut));
}

/** Leaves what was seen behind: it was of another chat, or of messages that are gone. What is under way goes on. */
function forget() {
  for (const [id, { kind }] of results) if (kind !== "running") results.delete(id);
  draw();
}

/** Says no longer that there is no button once there is one. */
function offerRace() {
  if (results.get("race")?.kind === "hint" && button()) results.delete("race");
  draw();
}

function draw() {
  const shown = TRIALS.filter((trial) => !trial.isInside || state.process);
  keep(byId("trials"), shown, {
    key: ({ id }) => id,
    stamp: ({ id }) => JSON.stringify([results.get(id), Boolean(state.process)]),
    make: card,
  });
}

function card(trial) {
  const result = results.get(trial.id);
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: `trial ${result?.kind ?? ""}`,
        "aria-busy": result?.kind === "running" ? "true" : null,
        "aria-describedby": `promise-${trial.id}`,
        title: promise(trial),
        data: { testid: `fault-${trial.id}` },
        on: { click: () => attempt(trial) },
      },
      icon(trial.icon),
      h("strong", {}, trial.title),
      h("span", { class: result && result.kind !== "running" ? "unseen" : "promise", id: `promise-${trial.id}` }, promise(trial)),
      h("span", { class: "result", data: { testid: `result-${trial.id}` } }, result?.text ?? ""),
    ),
  );
}

async function attempt(trial) {
  if (results.get(trial.id)?.kind === "running") return;
  tell(trial, "running", "");
  try {
    if (state.open === null) throw new Error("Open a chat first.");
    const seen = await trial.run((text) => tell(trial, "running", text));
    tell(trial, seen.kind, seen.text);
  } catch (error) {
    tell(trial, "hint", error.message);
  }
}

function tell(trial, kind, text) {
  results.set(trial.id, { kind, text });
  draw();
  if (kind !== "running") fill(byId("faults-status"), `${trial.title}: ${text}`);
}

async function twice() {
  const [chat, key] = [state.open, dialogueKey()];
  // What the bot still says to the first delivery is no second reply.
  await quiet();
  const update = [...state.updates.values()].findLast(({ body }) => chatOfUpdate(body) === chat);
  if (!update) throw new Error("There is no update yet. Send something first.");
  const before = timesTaken(update);
  const watched = watch(chat, key);
  await emulator.again(update.update_id, 2);
  const delivered = () => timesTaken(state.updates.get(update.update_id));
  const isDelivered = await until(() => delivered() >= before + 2);
  const seen = await watched.end([update.update_id]);
  if (!isDelivered) throw new Error("It was not delivered again. Is the bot running, with a webhook?");
  return ofTwice({ total: delivered(), ...seen });
}

async function race() {
  const found = button();
  if (!found) throw new Error(`The bot's last message has no button to press.${state.process ? " Send /photo and a picture first." : ""}`);
  const watched = watch(state.open, dialogueKey());
  const { message_id, callback_data: data, text: label } = found;
  const raced = await emulator.race({ ...here(), text: "Typed while pressing", message_id, data });
  const own = [raced.press.update_id, raced.message.update_id];
  const isTaken = (id) => ["acknowledged", "confirmed"].includes(state.updates.get(id)?.state);
  const areTaken = await until(() => own.every(isTaken));
  return ofRace({ label, areTaken, ...(await watched.end(own)) });
}

async function kill() {
  const key = dialogueKey();
  const watched = watch(state.open, key);
  const before = place(await askedBriefly(key));
  const began = performance.now();
  const bot = await playground.kill();
  if (!bot.ready) return { kind: "bad", text: bot.trouble ?? "It has not come back yet." };
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const soon = place(await asked(key));
  if (soon === before) return ofKill({ before, after: soon, seconds, ...(await watched.end([], 0)) });
  // It is told of a move a moment after it was made.
  const seen = await watched.end([]);
  return ofKill({ before, after: place(await asked(key)), seconds, ...seen });
}

async function later() {
  const watched = watch(state.open, dialogueKey());
  await (state.process ? playground : emulator).advance("15m");
  return ofLater(await watched.end([], 1800));
}

async function limit(progress) {
  const chat = state.open;
  const isSend = ({ method, params }) => method.toLowerCase() === "sendmessage" && Number(params?.chat_id) === chat;
  const [calls, seen] = [[], new Set()];
  const stop = listen((event) => {
    if (event.type === "call" && isSend(event)) calls.push(event);
    if (event.type === "faults") event.faults.forEach(({ id }) => seen.add(id));
  });
  try {
    const { id } = await emulator.fault({ on: "call", kind: "too_many", method: "sendMessage", chat, times: 1, retry_after: RETRY_AFTER });
    progress(`Armed for ${nameOf(chat)}: now send something.`);
    const isGone = () => seen.has(id) && state.faults.every((fault) => fault.id !== id);
    return await refusal({ id, calls, isGone, who: nameOf(chat), progress });
  } finally {
    stop();
  }
}

/** What became of the fault that refuses the next message: it did and the message was sent again, or it was taken back. */
async function refusal({ id, calls, isGone, who, progress }) {
  const refused = () => calls.find(({ status }) => status === 429);
  const sent = () => calls.find(({ status, at }) => status === 200 && at > refused().at);
  await until(() => refused() || isGone(), MINUTE);
  // Of the fault that has happened we may hear before the call that it hit.
  if (isGone()) await until(refused, MOMENT);
  if (!refused() && isGone()) return hint("The fault was taken back before anything was refused.");
  if (!refused()) {
    await emulator.takeBack(id);
    return hint(`The bot sent ${who} nothing within a minute: the fault is taken back.`);
  }
  progress(`Refused. The bot waits ${RETRY_AFTER}\u00a0s …`);
  if (!(await until(sent, MINUTE))) return { kind: "bad", text: "Refused, and not sent again within a minute." };
  return { kind: "good", text: `Refused with 429, sent after ${((sent().at - refused().at) / 1000).toFixed(1)}\u00a0s: nothing lost.` };
}

/** A dialogue as the bot has it now: what is drawn may be a moment older, or of another. None is not an error. */
const asked = (key) =>
  playground.dialogue(key).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });

/** The open dialogue as the bot has it, or as it is drawn where the bot does not answer at once: it may hang. */
function askedBriefly(key) {
  const drawn = state.dialogue;
  const late = () => drawn;
  return Promise.race([asked(key).catch(late), pause(MOMENT).then(late)]);
}

const place = (dialogue) => (dialogue?.live ? `${dialogue.live.flow}/${dialogue.live.state}` : "idle");
