// The address names the chat and the panel, so that "back" works and a reload stays where it was.

import { open } from "./events.js";
import { messagesOf, on, state } from "./store.js";

const PANELS = ["list", "chat", "inspector"];

let isStarted = false;

/** Follows the address, and opens the first chat if it names none. */
export function start() {
  if (isStarted) return;
  isStarted = true;
  addEventListener("hashchange", follow);
  on("people", settle);
  follow();
  settle();
}

/** Goes to a panel of a chat, also where the address has named it before it was known. */
export function go(chat, panel = "chat") {
  const address = `#/${chat}/${panel}`;
  if (location.hash === address) follow();
  else location.hash = address;
}

/** Goes to a panel of the open chat. */
export const show = (panel) => go(state.open ?? "", panel);

function follow() {
  const [, chat, panel] = location.hash.split("/");
  document.body.dataset.panel = PANELS.includes(panel) ? panel : "list";
  if (isKnown(Number(chat))) open(Number(chat));
}

/** Opens some chat where none is, so that there is always one to look at; of a group that got a new id, the one it became. */
function settle() {
  if (state.open !== null && isKnown(state.open)) return;
  const next = successor(state.open);
  if (next !== null) return followGroup(next);
  const [, named] = location.hash.split("/");
  if (isKnown(Number(named))) return open(Number(named));
  const first = state.people.keys().next().value ?? null;
  open(first);
  // The address must not name a chat that is gone above the chat of another.
  if (named && first !== null) location.replace(`#/${first}/list`);
}

/** The chat that a group became, or null. */
function successor(id) {
  const next = id === null ? null : messagesOf(id).findLast((message) => message.migrate_to_chat_id)?.migrate_to_chat_id;
  return isKnown(next) ? next : null;
}

/** Stays with a group that got a new id, as who one was there. "Back" does not lead to the old one. */
function followGroup(next) {
  if (state.speakers.has(state.open)) state.speakers.set(next, state.speakers.get(state.open));
  location.replace(`#/${next}/${document.body.dataset.panel}`);
}

const isKnown = (id) => state.people.has(id) || state.groups.has(id);
