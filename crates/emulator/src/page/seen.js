// What is seen of the open chat and of an update, for whoever tries to break it. Pure but for what is open.

import { isInThread, messagesOf, state } from "./store.js";

/** How often the bot took an update. A delivery that failed does not count: the bot may have heard nothing of it. */
export const timesTaken = (update) => (update?.attempts ?? []).filter(({ status }) => status >= 200 && status < 300).length;

/** The first button of the bot's last message in the shown topic, with that message; an older one is of a question that is over. */
export function button() {
  if (state.open === null) return null;
  const last = messagesOf(state.open).findLast((message) => message.by === "bot" && !message.deleted && isInThread(message));
  const first = (last?.reply_markup?.inline_keyboard ?? []).flat().find((one) => one.callback_data);
  return first ? { ...first, message_id: last.message_id } : null;
}

/** The chat an update is about, wherever its kind keeps it. */
export function chatOfUpdate(body = {}) {
  const inner = Object.values(body).find((value) => value && typeof value === "object");
  return inner?.chat?.id ?? inner?.message?.chat?.id ?? inner?.from?.id;
}
