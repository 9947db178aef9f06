// Everything the page knows, in one place, and who wants to hear of a change.

/** What the page knows. Modules read it freely; whoever writes to it calls [`changed`] with the topic. */
export const state = {
  /** Whether the emulator's events arrive. */
  connected: false,
  /** Whether the page was asked for by a name under which nothing else is served. */
  refused: false,
  /** Whether the first answers are here. */
  loaded: false,
  /** The emulator's clock minus this machine's, in milliseconds. */
  offset: 0,
  bot: null,
  people: new Map(),
  groups: new Map(),
  /** Chat id → { messages: Map, keyboard, action, commands, unread }. The commands are by the person who is offered them. */
  chats: new Map(),
  /** The chat that is shown. */
  open: null,
  /** Group id → the member who speaks there. */
  speakers: new Map(),
  /** Group id → the topic that is shown there; none for the general one. */
  threads: new Map(),
  updates: new Map(),
  calls: new Map(),
  /** What goes wrong on command, until it has happened or is taken back. */
  faults: [],
  /** Whether the limits with 429 are on. */
  limits: false,
  /** The bot's process, or null where the emulator runs alone. */
  process: null,
  flows: [],
  /** The dialogue of the open chat, as the bot keeps it. */
  dialogue: null,
};

const listeners = new Map();
const hearers = new Set();
const waiting = new Set();

/** Calls `listener` after any of these topics changed; changes close together are one call. */
export function on(topics, listener) {
  for (const topic of topics.split(" ")) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic).add(listener);
  }
}

/** Says that these topics changed. */
export function changed(...topics) {
  if (waiting.size === 0) setTimeout(flush, 12);
  topics.forEach((topic) => waiting.add(topic));
}

/** Calls `hearer` with every event of the emulator and the playground. Returns how to stop it. */
export function listen(hearer) {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

/** Tells every hearer of an event. */
export function heard(event) {
  for (const hearer of [...hearers]) hearer(event);
}

/** The time by the emulator's clock, in milliseconds. */
export const now = () => Date.now() + state.offset;

/** What is known of a chat; made on first sight. */
export function chatOf(id) {
  if (!state.chats.has(id)) {
    state.chats.set(id, { messages: new Map(), keyboard: null, action: null, commands: {}, unread: 0 });
  }
  return state.chats.get(id);
}

/** A chat's messages, oldest first. */
export const messagesOf = (id) => [...chatOf(id).messages.values()].sort((a, b) => a.message_id - b.message_id);

/** What a chat is called in a word; one that is not known, by its id. */
export const nameOf = (id) => state.people.get(id)?.first_name ?? state.groups.get(id)?.title ?? String(id);

/** The person who speaks in a chat: whose it is, or the chosen member of a group. */
export function speakerIn(id) {
  const group = state.groups.get(id);
  if (!group) return id;
  const chosen = state.speakers.get(id);
  return group.members.includes(chosen) ? chosen : group.members[0];
}

/** The topic that is shown in the open chat; none for the general one, or where there are none. */
export const thread = () => state.threads.get(state.open) ?? null;

/** Whether a message of the open chat stands in the topic that is shown. */
export const isInThread = (message) => !state.groups.get(state.open)?.forum || (message.message_thread_id ?? null) === thread();

/** The key of the dialogue that is open, or null. */
export function dialogueKey() {
  if (state.open === null) return null;
  const speaker = speakerIn(state.open);
  return speaker === undefined ? null : `${state.open}:${speaker}`;
}

function flush() {
  const topics = [...waiting];
  waiting.clear();
  const called = new Set(topics.flatMap((topic) => [...(listeners.get(topic) ?? [])]));
  for (const listener of called) listener();
}
