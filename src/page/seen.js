// What is seen of the open chat and of an update, for whoever tries to break it. Pure but for what is open.

import { isInThread, messagesOf, state } from "./store.js";

/** How often the bot took an update. A delivery that failed does not count: the bot may have heard nothing of it. */
export const timesTaken = (update) => (update?.attempts ?? []).filter(({ status }) => status >= 200 && status < 300).length;

/** The first button of the newest message in the shown topic that has one, with the message it belongs to. */
export function button() {
  const isButton = (one) => one.callback_data;
  const buttons = (message) => (message.reply_markup?.inline_keyboard ?? []).flat().filter(isButton);
  const isAsked = (message) => !message.deleted && isInThread(message) && buttons(message).length > 0;
  const asked = messagesOf(state.open).findLast(isAsked);
  return asked ? { ...buttons(asked)[0], message_id: asked.message_id } : null;
}

/** The chat an update is about, wherever its kind keeps it. */
export function chatOfUpdate(body = {}) {
  const inner = Object.values(body).find((value) => value && typeof value === "object");
  return inner?.chat?.id ?? inner?.message?.chat?.id ?? inner?.from?.id;
}
