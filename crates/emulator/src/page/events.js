// Keeps the store in step with the emulator and the playground: all of it at the start and after a gap, then event by event.

import { emulator, playground } from "./api.js";
import { changed, chatOf, dialogueKey, heard, now, speakerIn, state } from "./store.js";

/** How many updates and calls are kept for the inspector. */
const KEPT = 300;
/** How long a chat action is shown, unless the bot says it again. */
const ACTION = 5000;
/** How long until it is looked again whether what waits has gone. */
const GOES = 1000;

/** Listens for ever; loads everything first, and again after every gap. `ready` is called after the first time. */
export function follow(ready) {
  stream("/emulator/events", (is) => {
    state.connected = is;
    changed("connection");
    if (is) load().then(ready, () => {});
    else if (!state.loaded && !state.refused) findOut();
  });
}

/** Finds out why there are no events: a stream does not tell. */
async function findOut() {
  const error = await emulator.state().then(() => null, (error) => error);
  state.refused = error?.status === 403;
  changed("connection");
}

/** How many loads are under way. Events wait for their end, so that an older answer never covers a newer event. */
let loading = 0;
const held = [];

/** Asks for everything anew. */
export async function load() {
  loading += 1;
  try {
    await loadAll();
  } finally {
    loading -= 1;
    if (loading === 0) held.splice(0).forEach(take);
  }
  await loadDialogue();
}

async function loadAll() {
  stateAsked += 1;
  state.process = await playground.bot().catch(() => null);
  const [known, updates, calls, flows] = await Promise.all([
    emulator.state(),
    emulator.updates(KEPT),
    emulator.calls(KEPT),
    state.process ? playground.flows().catch(() => ({ flows: [] })) : { flows: [] },
  ]);
  takeState(known);
  takeFaults(known);
  state.updates = new Map(updates.updates.map((update) => [update.update_id, update]));
  state.calls = new Map(calls.calls.map((call) => [call.seq, call]));
  state.flows = flows.flows;
  await Promise.all([...state.people.keys(), ...state.groups.keys()].map(loadChat));
  state.loaded = true;
  changed("updates", "calls", "flows", "process", "connection");
  if (state.process) followBot();
}

let isFollowing = false;

function followBot() {
  if (!isFollowing) stream("/playground/events", (is) => is && loadDialogue());
  isFollowing = true;
}

/** Asks for one chat anew. */
export async function loadChat(id) {
  const { messages, keyboard, action, commands } = await emulator.chat(id).catch(() => ({ messages: [] }));
  const chat = chatOf(id);
  chat.messages = new Map(messages.map((message) => [message.message_id, message]));
  Object.assign(chat, { keyboard: keyboard ?? null, action: action ?? null, commands: commands ?? {} });
  changed("chat", "people", "commands");
}

let commandsAsked = 0;

/** Asks for the commands of the open chat anew. Of several answers the last that was asked for counts. */
async function loadCommands() {
  const [id, mine] = [state.open, ++commandsAsked];
  if (id === null) return;
  const found = await emulator.chat(id).catch(() => null);
  if (!found || mine !== commandsAsked) return;
  chatOf(id).commands = found.commands ?? {};
  changed("commands");
}

let asking = null;
let askAgain = false;

/** Asks for the open dialogue anew. Of many wishes at once, one request is made, and one more at the end. */
export function loadDialogue() {
  if (asking) {
    askAgain = true;
    return asking;
  }
  asking = ask().finally(() => {
    asking = null;
    if (askAgain) {
      askAgain = false;
      setTimeout(loadDialogue, 60);
    }
  });
  return asking;
}

async function ask() {
  const key = dialogueKey();
  if (!state.process || key === null) return;
  const found = await playground.dialogue(key).catch((error) => (error.status === 404 ? null : state.dialogue));
  if (key !== dialogueKey()) return;
  lookAgain(found);
  if (JSON.stringify(found) === JSON.stringify(state.dialogue)) return;
  state.dialogue = found;
  changed("dialogue");
}

let looking = null;

/** What is on the way goes without a word: of the last call we hear before the bot has its answer. */
function lookAgain(dialogue) {
  clearTimeout(looking);
  const isWaiting = dialogue?.waiting?.some(({ effects }) => effects.length > 0);
  if (isWaiting) looking = setTimeout(loadDialogue, GOES);
}

/** Opens a stream of events, for good: a broken one is opened again. `told` hears whether it is open. */
function stream(path, told) {
  const source = new EventSource(path);
  source.onopen = () => told(true);
  source.onerror = () => {
    told(false);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => stream(path, told), 1000);
  };
  source.onmessage = ({ data }) => (loading > 0 ? held.push(JSON.parse(data)) : take(JSON.parse(data)));
}

function take(event) {
  TAKE[event.type]?.(event);
  heard(event);
}

/** What each event changes. */
const TAKE = {
  message: ({ chat, message }) => {
    const known = chatOf(idOf(chat));
    known.messages.set(message.message_id, message);
    if (message.by === "bot") {
      known.action = null;
      if (idOf(chat) !== state.open || document.hidden) known.unread += 1;
    }
    changed("chat", "people");
  },
  edited: ({ chat, message }) => {
    chatOf(idOf(chat)).messages.set(message.message_id, message);
    changed("chat", "people");
  },
  deleted: ({ chat, message_id }) => {
    const message = chatOf(idOf(chat)).messages.get(message_id);
    if (message) message.deleted = true;
    changed("chat", "people");
  },
  action: ({ chat, action }) => {
    const known = chatOf(idOf(chat));
    known.action = action ?? null;
    clearTimeout(known.actionEnds);
    known.actionEnds = setTimeout(() => endAction(known), ACTION);
    changed("chat", "people");
  },
  keyboard: ({ chat, keyboard }) => {
    chatOf(idOf(chat)).keyboard = keyboard ?? null;
    changed("keyboard");
  },
  update: (update) => {
    keepNewest(state.updates, update.update_id, update);
    deliver(update);
    changed("updates");
  },
  call: (call) => {
    keepNewest(state.calls, call.seq, call);
    changed("calls");
    loadDialogue();
  },
  people: () => loadState().then(loadCommands),
  commands: () => loadState().then(loadCommands),
  faults: ({ faults }) => {
    state.faults = faults;
    changed("faults");
  },
  limits: ({ on }) => {
    state.limits = on;
    changed("faults");
  },
  clock: ({ now: told }) => setClock(told),
  reset: () => {
    for (const chat of state.chats.values()) chat.unread = 0;
    load().catch(() => {});
  },
  bot: ({ type: _, ...process }) => {
    state.process = process;
    changed("process");
    loadDialogue();
  },
  transition: ({ dialogue }) => dialogue === dialogueKey() && loadDialogue(),
  dialogue: ({ dialogue }) => dialogue === dialogueKey() && loadDialogue(),
};

let stateAsked = 0;

/** Asks for the people and the groups anew. Of several answers the last that was asked for counts; faults and limits have events of
 * their own, which may overtake it. */
async function loadState() {
  const mine = ++stateAsked;
  const known = await emulator.state().catch(() => null);
  if (known && mine === stateAsked) takeState(known);
}

function takeState(known) {
  setClock(known.now);
  state.bot = known.bot;
  state.people = new Map(known.people.map((person) => [person.id, person]));
  state.groups = new Map(known.groups.map((group) => [group.id, { ...group, members: group.members.map(idOf) }]));
  changed("people", "chat", "commands");
}

function takeFaults(known) {
  state.faults = known.faults ?? [];
  state.limits = Boolean(known.limits);
  changed("faults");
}

/** Sets the emulator's clock; what went by on the way does not count as a move. */
function setClock(told) {
  if (Math.abs(told - now()) > 300 || state.offset === 0) state.offset = told - Date.now();
  changed("clock");
}

function endAction(chat) {
  chat.action = null;
  changed("chat", "people");
}

/** The ticks of the message that an update brought. */
function deliver(update) {
  const sent = update.body?.message ?? update.body?.edited_message;
  const message = sent && chatOf(sent.chat.id).messages.get(sent.message_id);
  if (!message) return;
  const delivery = { acknowledged: "delivered", confirmed: "delivered", dropped: "failed" }[update.state] ?? "sent";
  if (message.delivery === "delivered" || message.delivery === delivery) return;
  message.delivery = delivery;
  changed("chat", "people");
}

function keepNewest(map, key, value) {
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value);
}

const idOf = (it) => (typeof it === "object" ? it.id : it);

/** Marks a chat as read. */
export function read(id) {
  const chat = chatOf(id);
  if (chat.unread === 0) return;
  chat.unread = 0;
  changed("people");
}

/** Opens a chat; a person's own, or a group's with the member who speaks. */
export function open(id) {
  if (state.open === id) return;
  state.open = id;
  state.dialogue = null;
  if (id !== null) read(id);
  changed("open", "chat", "keyboard", "people", "dialogue", "updates", "calls");
  loadDialogue();
  loadCommands();
}

/** Lets another member speak in a group. */
export function speakAs(group, person) {
  state.speakers.set(group, person);
  if (speakerIn(group) !== person) return;
  state.dialogue = null;
  changed("open", "chat", "keyboard", "dialogue");
  loadDialogue();
}
