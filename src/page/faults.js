// "Try to break it": five things that break other bots, each with what was seen of it.

import { here } from "./acts.js";
import { emulator, playground } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { count } from "./format.js";
import { icon } from "./icons.js";
import { keep } from "./keyed.js";
import { button, timesTaken } from "./seen.js";
import { dialogueKey, listen, on, state } from "./store.js";
import { isForked } from "./walked.js";

const QUIET = 900;
const PATIENCE = 8000;
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
  on("process open", draw);
  byId("faults-toggle").addEventListener("click", toggle);
  draw();
}

/** Runs a trial by its id, as its button does. */
export const tryOut = (id) => attempt(TRIALS.find((trial) => trial.id === id));

function toggle() {
  const isShut = byId("faults").classList.toggle("shut");
  byId("faults-toggle").setAttribute("aria-expanded", String(!isShut));
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
        data: { testid: `fault-${trial.id}` },
        on: { click: () => attempt(trial) },
      },
      icon(trial.icon),
      h("strong", {}, trial.title),
      h("span", { class: "promise", id: `promise-${trial.id}` }, result && result.kind !== "running" ? "" : promise(trial)),
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
    tell(trial, seen.isBad ? "bad" : "good", seen.text);
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
  const update = [...state.updates.values()].findLast((one) => concerns(one.body, state.open));
  if (!update) throw new Error("There is no update yet. Send something first.");
  const before = timesTaken(update);
  const watch = observe();
  await emulator.again(update.update_id, 2);
  const delivered = () => timesTaken(state.updates.get(update.update_id));
  const isDelivered = await until(() => delivered() >= before + 2);
  const { replies, moves } = await watch.end();
  if (!isDelivered) throw new Error("It was not delivered again. Is the bot running, with a webhook?");
  const total = delivered();
  if (replies.length + moves.length > 0) return { isBad: true, text: `Delivered ${total} times: ${count(replies.length, "further reply", "further replies")}.` };
  return { text: `Delivered ${total} times in all, done once: no second reply.` };
}

async function race() {
  const found = button();
  if (!found) throw new Error("There is no button to press yet. Send /photo and a picture first.");
  const watch = observe();
  const { message_id, callback_data: data, text: label } = found;
  const raced = await emulator.race({ ...here(), text: "Typed while pressing", message_id, data });
  const isTaken = (id) => ["acknowledged", "confirmed"].includes(state.updates.get(id)?.state);
  const areTaken = await until(() => [raced.press, raced.message].every(({ update_id }) => isTaken(update_id)));
  const { replies, moves } = await watch.end();
  if (!areTaken) return { isBad: true, text: `“${label}” and a text at once, and the bot has not taken both.` };
  if (isForked(moves)) return { isBad: true, text: `“${label}” and a text at once, and both ended the same question: one was lost.` };
  const way = moves.length > 0 ? `: ${moves.map(({ from, to }) => `${from} → ${to}`).join(", ")}` : "";
  return { text: `“${label}” and a text at once, one after the other${way}; ${count(replies.length, "reply", "replies")}.` };
}

async function kill() {
  const key = dialogueKey();
  const before = place(await asked(key));
  const began = performance.now();
  const bot = await playground.kill();
  if (!bot.ready) return { isBad: true, text: bot.trouble ?? "It has not come back yet." };
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const after = place(await asked(key));
  if (after !== before) return { isBad: true, text: `Back after ${seconds}\u00a0s, but at ${after}, not ${before}.` };
  return { text: `Killed, and back after ${seconds}\u00a0s, still at ${after}. Go on!` };
}

async function later() {
  const watch = observe();
  await (state.process ? playground : emulator).advance("15m");
  const { replies, moves } = await watch.end(1800);
  const way = moves.map(({ from, to }) => `${from} → ${to}`).join(", ");
  if (replies.length + moves.length === 0) return { text: "15 minutes later: nothing was due." };
  return { text: `15 minutes later: ${[way, count(replies.length, "message")].filter(Boolean).join("; ")}.` };
}

async function limit(progress) {
  const chat = state.open;
  await emulator.fault({ on: "call", kind: "too_many", method: "sendMessage", chat, times: 1, retry_after: RETRY_AFTER });
  progress("Armed: now send something.");
  const calls = [];
  const isSend = ({ method, params }) => method.toLowerCase() === "sendmessage" && Number(params?.chat_id) === chat;
  const stop = listen((event) => event.type === "call" && isSend(event) && calls.push(event));
  const refused = () => calls.find(({ status }) => status === 429);
  const sent = () => calls.find(({ status, at }) => status === 200 && at > (refused()?.at ?? Infinity));
  if (await until(refused, 60_000)) progress(`Refused. The bot waits ${RETRY_AFTER}\u00a0s …`);
  const isSent = refused() && (await until(sent, 60_000));
  stop();
  if (!refused()) return { text: "No message was sent meanwhile." };
  if (!isSent) return { isBad: true, text: "Refused, and not sent again within a minute." };
  return { text: `Refused with 429, sent after ${((sent().at - refused().at) / 1000).toFixed(1)}\u00a0s: nothing lost.` };
}

/** A dialogue as the bot has it now: what is drawn may be a moment older, or of another. */
const asked = (key) => playground.dialogue(key).catch(() => (key === dialogueKey() ? state.dialogue : null));

const place = (dialogue) => (dialogue?.live ? `${dialogue.live.flow}/${dialogue.live.state}` : "idle");

/** Collects what the bot says in the open chat, and where its dialogue goes, until it is quiet. */
function observe() {
  const [chat, key] = [state.open, dialogueKey()];
  const [replies, moves] = [[], []];
  let last = performance.now();
  const stop = listen((event) => {
    if (event.type === "message" && event.chat === chat && event.message.by === "bot") replies.push(event.message);
    if (event.type === "transition" && event.dialogue === key) moves.push(event);
    if (["message", "transition", "update", "call"].includes(event.type)) last = performance.now();
  });
  const end = async (quiet = QUIET) => {
    last = performance.now();
    await until(() => performance.now() - last > quiet);
    stop();
    return { replies, moves };
  };
  return { end };
}

function concerns(body = {}, chat) {
  const inner = Object.values(body).find((value) => value && typeof value === "object");
  return (inner?.chat?.id ?? inner?.message?.chat?.id) === chat;
}

/** Waits until `is` holds. Whether it did in time. */
async function until(is, patience = PATIENCE) {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    if (await is()) return true;
    await new Promise((done) => setTimeout(done, 80));
  }
  return false;
}
