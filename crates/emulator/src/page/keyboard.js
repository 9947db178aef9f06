// The two keyboards of bots: buttons under a message, and keys in the place of the person's own.

import { isWaiting, press, type } from "./acts.js";
import { copy } from "./copy.js";
import { byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { invitation } from "./invitation.js";
import { alert, toast } from "./toast.js";
import { changed, chatOf, listen, on, speakerIn, state } from "./store.js";

/** Draws the keys under the composer and keeps them up to date; shows what presses were answered. */
export function start() {
  on("keyboard open", drawKeys);
  listen((event) => event.type === "answered" && showAnswer(event));
  byId("keys-toggle").addEventListener("click", toggle);
}

/** The buttons under a message, or nothing. */
export function inlineKeyboard(message, view) {
  const lines = message.deleted ? null : message.reply_markup?.inline_keyboard;
  if (!lines?.length) return null;
  return h(
    "div",
    { class: "inline-keyboard", role: "group", "aria-label": "Buttons" },
    lines.map((line) => h("div", {}, line.map((button) => inlineButton(message, button, view)))),
  );
}

/** What of a keyboard its buttons look like now: part of a row's stamp. */
export const pressed = (chat, message) =>
  (message.reply_markup?.inline_keyboard ?? []).flat().map((button) => isWaiting(chat, message.message_id, button.callback_data));

function inlineButton(message, button, view) {
  if (button.url) {
    const act = invitation(button.url);
    if (act) return h("button", { type: "button", class: "key", on: { click: ({ currentTarget }) => act(currentTarget) } }, button.text);
    return h("a", { class: "key", href: safe(button.url), target: "_blank", rel: "noopener noreferrer" }, button.text, icon("open"));
  }
  const busy = Boolean(button.callback_data) && isWaiting(view.chat, message.message_id, button.callback_data);
  return h(
    "button",
    {
      type: "button",
      class: "key",
      "aria-busy": busy ? "true" : null,
      data: { testid: "inline-button", label: button.text },
      on: { click: () => use(message, button) },
    },
    h("span", {}, button.text),
    busy && h("span", { class: "spinner", role: "status", "aria-label": "Waiting for the bot" }),
  );
}

function use(message, button) {
  if (button.callback_data) return press(message, button);
  if (button.copy_text) {
    return copy(button.copy_text.text).then((done) => (done ? toast("Copied") : toast("Could not copy", "bad")));
  }
  return toast("The emulator has no such button yet", "bad");
}

const safe = (url) => (/^(https?|tg):/i.test(url) ? url : "about:blank");

function showAnswer({ text: said, url, show_alert: isAlert, user }) {
  const text = said || (url ? `The bot opens ${url}` : "");
  if (!text) return;
  const who = state.people.get(user)?.first_name;
  const isElse = state.open !== null && user !== undefined && user !== speakerIn(state.open) && who;
  const words = isElse ? `${who}: ${text}` : text;
  if (isAlert) alert(state.bot?.first_name ?? "Bot", words);
  else toast(words);
}

const keyboardOf = () => (state.open === null ? null : chatOf(state.open).keyboard);

/** A keyboard of one use, once used, comes back only by its button. */
const isHidden = () => {
  const chat = chatOf(state.open);
  return chat.keysHidden ?? chat.keyboardUsed === chat.keyboard;
};

function toggle() {
  chatOf(state.open).keysHidden = !isHidden();
  changed("keyboard");
}

function drawKeys() {
  const board = keyboardOf();
  const lines = board?.keyboard ?? [];
  byId("keys-toggle").hidden = lines.length === 0;
  if (state.open !== null && chatOf(state.open).drawnKeys !== board) {
    Object.assign(chatOf(state.open), { drawnKeys: board, keysHidden: undefined });
  }
  byId("composer-text").placeholder = board?.input_field_placeholder || "Message";
  const box = byId("keys");
  box.hidden = lines.length === 0 || isHidden();
  byId("keys-toggle").setAttribute("aria-expanded", String(!box.hidden));
  box.classList.toggle("tall", !board?.resize_keyboard);
  fill(box, lines.map((line) => h("div", {}, line.map(key))));
}

function key(button) {
  const label = button.text ?? button;
  const hint = button.request_contact ? "contact" : button.request_location ? "pin" : null;
  return h(
    "button",
    { type: "button", class: "key", data: { testid: "reply-key", label }, on: { click: () => type(button) } },
    h("span", {}, label),
    hint && icon(hint),
  );
}
