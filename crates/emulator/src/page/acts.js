// What a person does in the open chat: writes, sends pictures, presses buttons. A refusal becomes a toast.

import { emulator } from "./api.js";
import { fault } from "./toast.js";
import { changed, chatOf, listen, speakerIn, state } from "./store.js";

/** How long a button waits for its answer. */
const PATIENCE = 15_000;

/** Presses that wait for an answer: callback query id → the button's place. */
const waiting = new Map();
/** Answers that came before the press knew its own id. */
const answered = new Set();

listen((event) => {
  if (event.type !== "answered") return;
  if (!waiting.delete(event.callback_query_id)) answered.add(event.callback_query_id);
  changed("chat");
});

/** Whether this button of this message waits for its answer. */
export const isWaiting = (chat, message, button) => [...waiting.values()].includes(place(chat, message, button));

/** The open chat and topic, and who speaks there. Whoever waits for something first asks before that: another may be open then. */
export function here() {
  const chat = state.open;
  const thread = state.threads.get(chat);
  return { from: speakerIn(chat), chat, ...(thread ? { thread } : {}) };
}

/** Sends a message as whoever speaks in the open chat, or as they did at that place. */
export const send = (message, place = here()) => attempt(() => emulator.send({ ...place, ...message }));

/** Changes a message that was sent. */
export async function edit(message, text) {
  const chat = state.open;
  return attempt(() => emulator.edit({ from: speakerIn(chat), chat, message_id: message.message_id, text }));
}

/** Presses an inline button. */
export async function press(message, button) {
  const chat = state.open;
  const held = place(chat, message.message_id, button.callback_data);
  const unknown = Symbol(held);
  waiting.set(unknown, held);
  changed("chat");
  const pressed = await attempt(() =>
    emulator.press({ from: speakerIn(chat), chat, message_id: message.message_id, data: button.callback_data }),
  );
  waiting.delete(unknown);
  if (pressed && !answered.delete(pressed.callback_query_id)) hold(pressed.callback_query_id, held);
  changed("chat");
}

/** Presses a key of the reply keyboard. */
export async function type(key) {
  const chat = chatOf(state.open);
  if (chat.keyboard?.one_time_keyboard) chat.keyboardUsed = chat.keyboard;
  changed("keyboard");
  if (key.request_contact) return send({ contact: true });
  if (key.request_location) return send({ location: { latitude: 52.3676, longitude: 4.9041 } });
  return send({ text: key.text ?? key });
}

/** Does something and shows, instead of throwing, why it could not be done. */
export async function attempt(deed) {
  try {
    return await deed();
  } catch (error) {
    fault(error.message);
    return null;
  }
}

function hold(id, held) {
  waiting.set(id, held);
  setTimeout(() => waiting.delete(id) && changed("chat"), PATIENCE);
}

const place = (chat, message, button) => `${chat}/${message}/${button}`;
